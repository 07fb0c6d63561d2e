"""Writes loops.npz: outputs and gradients of random nested loops and branches, on arrays of MXNet 1.9.1.

Run it with the oracle environment's Python:

    python tests/oracle/loops.py
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

from tests.loop_programs import recorded  # noqa: E402

SEEDS = 60


def main():
    """Write the file."""
    arrays = {f"{seed}.{key}": v for seed in range(SEEDS) for key, v in recorded(mx, seed).items()}
    np.savez_compressed(FOLDER / "loops.npz", **arrays)
    print(len(arrays), "arrays")


main()
