"""Arrays repeated to one shape."""

from __future__ import annotations

import numpy as _np

from ..ndarray.np_array import FUNCTIONS, ndarray

__all__ = ["broadcast_arrays"]


def broadcast_arrays(*args: ndarray) -> list[ndarray]:
    """The arrays repeated to the shape that all broadcast to."""
    shape = _np.broadcast_shapes(*(a.shape for a in args))
    return [FUNCTIONS.broadcast_to(a, shape) for a in args]
