"""Writes sparse.json: results of MXNet 1.9.1 on arrays of sparse storage types.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/sparse.py
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
os.environ.setdefault("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402

from tests.sparse_calls import results  # noqa: E402


def main():
    """Write the file, a line for each result."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in results(mx).items()]
    (FOLDER / "sparse.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
