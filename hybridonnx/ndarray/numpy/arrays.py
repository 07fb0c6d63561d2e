"""Functions of nd.np that are no operators: of sizes, memory, order and counts."""

from __future__ import annotations

from typing import Any

import numpy as _np

from ...attrs import ShapeLike
from ..np_array import by_numpy, ndarray

__all__ = [
    "diag_indices_from",
    "histogram",
    "may_share_memory",
    "resize",
    "shape",
    "shares_memory",
    "unravel_index",
]


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of the axes."""
    return tuple(a.shape) if hasattr(a, "shape") else _np.shape(a)


def may_share_memory(a: ndarray, b: ndarray, max_work: object = None) -> bool:
    """Whether two arrays may share memory."""
    return bool(_np.may_share_memory(a._data, b._data))


shares_memory = may_share_memory


def histogram(
    a: ndarray,
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> tuple[ndarray, ndarray]:
    """How many elements lie in each bin, and the bins' edges."""
    if normed or weights is not None or density:
        raise NotImplementedError("histogram: normed, weights and density of None are required.")
    counts, edges = _np.histogram(a._host, getattr(bins, "_host", bins), range)
    return ndarray(counts.astype(_np.int64)), ndarray(edges.astype(a.dtype))


def unravel_index(indices: ndarray, shape: ShapeLike, order: str = "C") -> tuple[ndarray, ...]:
    """The index along each axis of what has an index in the array laid out flat."""
    places: Any = _np.unravel_index(indices._host, shape)
    return tuple(ndarray(_np.asarray(place, indices.dtype)) for place in places)


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of an array whose axes have one size."""
    return tuple(ndarray(_np.asarray(i, _np.int64)) for i in _np.diag_indices_from(arr._host))


def _like_first(name: str, arr: ndarray, *args: Any) -> ndarray:
    values: ndarray = by_numpy(getattr(_np, name))(arr, *args)
    return values.astype(arr.dtype)


def resize(a: ndarray, new_shape: ShapeLike) -> ndarray:
    """The elements in another shape, repeated or cut off as it needs, outside of autograd."""
    return _like_first("resize", a, new_shape)
