"""Writes resized.json: checksums of images that real MXNet 1.9.1 resizes, by the OpenCV that it has.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/resized.py
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

from tests.resized_images import checksums  # noqa: E402


def main():
    """Write the file, a line for each interpolation."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in checksums(mx).items()]
    (FOLDER / "resized.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
