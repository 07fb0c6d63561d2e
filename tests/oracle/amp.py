"""Writes amp.json: lists, converted graphs and scales of losses of real MXNet 1.9.1's mixed precision.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/amp.py
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
import mxnet.contrib.amp  # noqa: E402

from tests.amp_facts import facts  # noqa: E402


def main():
    """Write the file, a line for each fact."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in facts(mx).items()]
    (FOLDER / "amp.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
