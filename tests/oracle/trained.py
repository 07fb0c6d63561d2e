"""Writes trained.npz: losses and parameters that real MXNet 1.9.1 has in the scripts of training_scripts.

Run it with the oracle environment's Python; names of modules restrict what is run anew:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/trained.py [convolution …]

It runs each script eagerly, which is what is kept, and hybridized, and says where the two differ.
"""

import importlib
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

from tests.oracle.training_scripts._run import Run, scripts  # noqa: E402

MODULES = ("convolution", "recurrent", "steps", "inputs", "structures", "architectures")
FILE = FOLDER / "trained.npz"


def numbers(script, hybrid):
    """What a script leaves."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(mx, Path(folder), hybrid)
        script(mx, run)
    return run.numbers


def tell(title, script, eager):
    """Print how the loss went, and how far from that a hybridized run is."""
    try:
        hybrid = numbers(script, True)
    except mx.MXNetError as exc:
        apart = str(exc).strip().splitlines()[-1]
    else:
        apart = max(np.abs(np.subtract(hybrid[k], v)).max() / np.abs(v).max() for k, v in eager.items())
    first, last = eager["loss"][0], eager["loss"][-1]
    print(f"{title}: loss {first:.6f} -> {last:.6f} in {len(eager['loss'])}, hybridized: {apart}")


def main():
    """Write the file."""
    warnings.simplefilter("ignore")
    named = sys.argv[1:] or MODULES
    values = {}
    if FILE.exists():
        with np.load(FILE) as before:
            values = {key: before[key] for key in before.files if key.split(".")[0] not in named}
    for name in named:
        for title, script in scripts(
            importlib.import_module(f"tests.oracle.training_scripts.{name}")
        ).items():
            eager = numbers(script, False)
            tell(f"{name}.{title}", script, eager)
            values.update((f"{name}.{title}.{key}", np.float32(value)) for key, value in eager.items())
    np.savez_compressed(FILE, **dict(sorted(values.items())))


main()
