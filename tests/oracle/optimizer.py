"""Writes optimizer.json and optimizer.npz: what MXNet 1.9.1's optimizers and trainers do.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/optimizer.py

optimizer.npz has, by the text of a case of `CASES`, the weights of three parameters after 1, 2, 5 and 10
updates and the states that came with them, and by seed what `sparse_updates` gives; optimizer.json has
signatures, and what the snippets of optimizer_cases and trainer_scenarios give.
"""

import inspect
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

from tests.optimizer_cases import (  # noqa: E402
    CASES,
    SNIPPETS,
    SPARSE_SEEDS,
    sparse_updates,
    states,
    text,
    updates,
)
from tests.snippets import outcome  # noqa: E402
from tests.trainer_scenarios import everything  # noqa: E402


def signatures():
    """The constructors' parameters, by name of the class."""
    classes = {c.__name__: c for c in mx.optimizer.Optimizer.opt_registry.values()}
    schedulers = {n: c for n, c in vars(mx.lr_scheduler).items() if inspect.isclass(c)}
    named = {**classes, **schedulers, "Optimizer": mx.optimizer.Optimizer, "Trainer": mx.gluon.Trainer}
    return {name: str(inspect.signature(c.__init__)) for name, c in sorted(named.items())}


def main():
    """Write the files."""
    warnings.simplefilter("ignore")
    arrays = {}
    for case in CASES:
        weights, updater = updates(mx, case)
        arrays[text(case)] = np.concatenate([w.astype("float32").ravel() for w in weights])
        arrays[f"states of {text(case)}"] = states(updater)
    arrays |= {f"sparse {seed}": sparse_updates(mx, seed) for seed in SPARSE_SEEDS}
    np.savez_compressed(FOLDER / "optimizer.npz", **arrays)
    facts = {"signatures": signatures(), "snippets": {s: outcome(s, mx=mx) for s in SNIPPETS}}
    with tempfile.TemporaryDirectory() as folder:
        facts["trainer"] = everything(mx, Path(folder))
    parts = []
    for key, part in facts.items():
        lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in part.items()]
        parts.append(f' "{key}": {{\n' + ",\n".join(lines) + "\n }")
    (FOLDER / "optimizer.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


main()
