"""Writes vision_calls.npz: results of MXNet 1.9.1 for random calls of operators on boxes, regions and images.

Run it with the oracle environment's Python; with arguments it writes those of other seeds to another file:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/vision_calls.py [FIRST LAST FILE]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
os.environ.setdefault("MXNET_MKLDNN_ENABLED", "0")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

from tests.vision_calls import SEEDS, every  # noqa: E402


def main(first=SEEDS.start, last=SEEDS.stop, target=FOLDER / "vision_calls.npz"):
    """Write the file."""
    np.savez_compressed(target, **dict(every(mx, range(int(first), int(last)))))


main(*sys.argv[1:])
