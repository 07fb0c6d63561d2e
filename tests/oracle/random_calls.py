"""Writes random_calls.npz: what real MXNet 1.9.1 gives for the calls of ../random_calls.py.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/random_calls.py

With a seed and a file behind, the calls of that seed go into that file instead.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1]))

from tests.random_calls import calls, result  # noqa: E402

STORED = range(4)


def results(seed: int) -> dict[str, np.ndarray]:
    """The arrays of all calls of a seed."""
    return {
        f"{seed}.{i}.{j}": array
        for i, call in enumerate(calls(seed))
        for j, array in enumerate(result(mx, call))
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        np.savez_compressed(sys.argv[2], **results(int(sys.argv[1])))
    else:
        path = FOLDER / "random_calls.npz"
        stored = {key: array for seed in STORED for key, array in results(seed).items()}
        np.savez_compressed(path, **stored)
        print(f"{len(stored)} arrays, {path.stat().st_size >> 10} KiB")
