"""The array of mx.np, and functions that make arrays of other values or look at them."""

from __future__ import annotations

from typing import Any

import numpy as _np

from ..attrs import ShapeLike
from ..context import Context
from ..dtypes import DTypeLike
from ..ndarray.np_array import FUNCTIONS, array_of, by_numpy, ndarray

__all__ = [
    "array",
    "broadcast_arrays",
    "diag_indices_from",
    "empty",
    "empty_like",
    "genfromtxt",
    "histogram",
    "may_share_memory",
    "meshgrid",
    "ndarray",
    "ndim",
    "resize",
    "set_printoptions",
    "shape",
    "shares_memory",
    "size",
    "unravel_index",
]


def array(object: Any, dtype: DTypeLike | None = None, ctx: Context | None = None) -> ndarray:
    """An array of values: of NumPy's and MXNet's own dtypes as they are, of numbers and lists float32."""
    return array_of(object, dtype, ctx)


def empty(
    shape: ShapeLike, dtype: DTypeLike = _np.float32, order: str = "C", ctx: Context | None = None
) -> ndarray:
    """An array whose values are still to be written; here zeros."""
    made: ndarray = FUNCTIONS.zeros(shape, dtype, order, ctx)
    return made


def empty_like(
    prototype: ndarray,
    dtype: DTypeLike | None = None,
    order: str = "C",
    subok: bool = False,
    shape: ShapeLike | None = None,
) -> ndarray:
    """An array of another's shape whose values are still to be written; here zeros."""
    made: ndarray = FUNCTIONS.zeros_like(prototype, dtype)
    return made


def broadcast_arrays(*args: ndarray) -> list[ndarray]:
    """The arrays repeated to the shape that all broadcast to."""
    shape = _np.broadcast_shapes(*(a.shape for a in args))
    return [FUNCTIONS.broadcast_to(a, shape) for a in args]


def meshgrid(*xi: ndarray, **kwargs: Any) -> list[ndarray]:
    """The coordinates of a grid's points, an array for each vector of positions."""
    indexing = kwargs.get("indexing", "xy")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing 'xy' or 'ij' is required, got {indexing!r}.")
    count = len(xi)
    places = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    columns = [
        x.reshape(tuple(-1 if axis == place else 1 for axis in range(count)))
        for x, place in zip(xi, places, strict=True)
    ]
    if kwargs.get("sparse"):
        return columns  # type: ignore[return-value]
    return broadcast_arrays(*columns)  # type: ignore[arg-type]


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of the axes."""
    return tuple(a.shape) if hasattr(a, "shape") else _np.shape(a)


def size(a: Any, axis: int | None = None) -> int:
    """The number of elements, or the size of an axis."""
    return int(_np.prod(shape(a))) if axis is None else shape(a)[axis]


def ndim(a: Any) -> int:
    """The number of axes."""
    return len(shape(a))


def may_share_memory(a: ndarray, b: ndarray, max_work: object = None) -> bool:
    """Whether two arrays may share memory."""
    return bool(_np.may_share_memory(a._data, b._data))


shares_memory = may_share_memory


def set_printoptions(precision: int | None = None, threshold: int | None = None, **kwarg: Any) -> None:
    """How arrays are printed; see NumPy's."""
    _np.set_printoptions(precision=precision, threshold=threshold, **kwarg)


def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """A table of numbers in a file of text, as float32 unless `dtype` says another."""
    kwargs.setdefault("dtype", _np.float32)
    return array_of(_np.genfromtxt(*args, **kwargs))


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
    counts, edges = _np.histogram(a._data, getattr(bins, "_data", bins), range)
    return ndarray(counts.astype(_np.int64)), ndarray(edges.astype(a.dtype))


def unravel_index(indices: ndarray, shape: ShapeLike, order: str = "C") -> tuple[ndarray, ...]:
    """The index along each axis of what has an index in the array laid out flat."""
    places: Any = _np.unravel_index(indices._data, shape)
    return tuple(ndarray(_np.asarray(place, indices.dtype)) for place in places)


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of an array whose axes have one size."""
    return tuple(ndarray(_np.asarray(i, _np.int64)) for i in _np.diag_indices_from(arr._data))


def _like_first(name: str, arr: ndarray, *args: Any) -> ndarray:
    values: ndarray = by_numpy(getattr(_np, name))(arr, *args)
    return values.astype(arr.dtype)  # type: ignore[return-value]


def resize(a: ndarray, new_shape: ShapeLike) -> ndarray:
    """The elements in another shape, repeated or cut off as it needs, outside of autograd."""
    return _like_first("resize", a, new_shape)
