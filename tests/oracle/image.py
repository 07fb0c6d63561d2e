"""Writes image.npz: what MXNet 1.9.1 reads, resizes, crops, augments and batches.

Run it with the oracle environment's Python: python tests/oracle/image.py
"""

import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

from tests.image_calls import every  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    np.savez_compressed(FOLDER / "image.npz", **dict(every(mx, Path(folder))))
