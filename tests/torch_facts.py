"""What PyTorch and the tests of its files compute alike."""

from __future__ import annotations

import zlib

import numpy as np


def fingerprint(values: np.ndarray) -> int:
    """The same for the same numbers in any order: exporters transpose and permute weights."""
    return zlib.crc32(np.sort(values.astype(np.float32).ravel() + np.float32(0)).tobytes())


def weights(size: int) -> np.ndarray:
    """How much each square of an output counts in the loss; a plain sum norms hold constant."""
    return (np.arange(size) % 3 + 1).astype(np.float32)
