"""Store what real MXNet 1.9.1 makes of mistakes in training, in training_errors.json.

Run with the oracle environment's Python and MXNET_SUBGRAPH_BACKEND=NONE, MXNET_ENGINE_TYPE=NaiveEngine:

    python tests/oracle/training_errors.py
"""

import json
import os
import sys
from pathlib import Path

import mxnet as mx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.training_mistakes import MISTAKES, outcome  # noqa: E402


def shown(value):
    """An outcome as what JSON keeps."""
    if isinstance(value, Exception):
        mx.nd.waitall()
        return {"error": type(value).__name__}
    return value if isinstance(value, list | str | bool | int | float | None) else str(type(value).__name__)


def stored(name, hybrid):
    """What one mistake gives, by a process of its own: it may not survive."""
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            fact = shown(outcome(mx, name, hybrid))
        except mx.MXNetError as exc:
            fact = shown(exc)
        os.write(write, json.dumps(fact).encode())
        os._exit(0)
    os.close(write)
    os.wait()
    with os.fdopen(read) as pipe:
        text = pipe.read()
    return json.loads(text) if text else {"error": "killed"}


if __name__ == "__main__":
    facts = {name: [stored(name, hybrid) for hybrid in (False, True)] for name in MISTAKES}
    target = Path(__file__).with_suffix(".json")
    target.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    print(target, len(facts))
