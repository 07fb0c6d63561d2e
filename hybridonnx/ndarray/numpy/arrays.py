"""Functions of nd.np that are no operators: of sizes, memory, order and counts."""

from __future__ import annotations

from typing import Any

import numpy as _np

from ...attrs import ShapeLike
from ...autograd.scopes import state
from ...dtypes import DTypeLike
from ..np_array import FUNCTIONS, by_numpy, ndarray, refuse_gradient

__all__ = [
    "bincount",
    "delete",
    "diag_indices_from",
    "empty_like",
    "histogram",
    "insert",
    "may_share_memory",
    "percentile",
    "polyval",
    "quantile",
    "resize",
    "shape",
    "shares_memory",
    "unique",
    "unravel_index",
]


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


def unique(
    ar: ndarray,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The different elements in ascending order, perhaps with where they are and how many there are."""
    result: Any = _np.unique(ar.asnumpy(), return_index, return_inverse, return_counts, axis)  # type: ignore[call-overload]
    parts = list(result) if isinstance(result, tuple) else [result]
    if return_inverse and axis is None:  # NumPy 2 gives it the array's shape
        parts[1 + return_index] = parts[1 + return_index].reshape(-1)
    arrays = [ndarray(_np.ascontiguousarray(p)) for p in parts]
    return tuple(arrays) if isinstance(result, tuple) else arrays[0]


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of the axes."""
    return tuple(a.shape) if hasattr(a, "shape") else _np.shape(a)


def may_share_memory(a: ndarray, b: ndarray, max_work: object = None) -> bool:
    """Whether two arrays may share memory."""
    return bool(_np.may_share_memory(a._data, b._data))


shares_memory = may_share_memory


def percentile(
    a: ndarray,
    q: Any,
    axis: Any = None,
    out: ndarray | None = None,
    overwrite_input: bool | None = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> ndarray:
    """The percentiles of the elements along some axes; of integers in float32."""
    if state.recording:
        refuse_gradient("percentile", a)
    places: Any = getattr(q, "_data", q)
    numbers = _np.percentile(a._data, places, axis, method=interpolation, keepdims=keepdims)  # type: ignore[call-overload]
    values = ndarray(_np.asarray(numbers, a.dtype if a.dtype.kind == "f" else _np.float32), a.context)
    if out is not None:
        out[...] = values
    return values if out is None else out


def quantile(
    a: ndarray,
    q: Any,
    axis: Any = None,
    out: ndarray | None = None,
    overwrite_input: bool | None = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> ndarray:
    """The quantiles of the elements along some axes."""
    share = getattr(q, "_data", q)
    return percentile(a, _np.asarray(share) * 100, axis, out, overwrite_input, interpolation, keepdims)


def polyval(p: ndarray, x: ndarray) -> ndarray:
    """The polynomial with coefficients `p`, the highest power's first, at `x`."""
    value: ndarray = FUNCTIONS.zeros_like(x)
    for coefficient in p:
        value = value * x + coefficient
    return value


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


def bincount(x: ndarray, weights: ndarray | None = None, minlength: int = 0) -> ndarray:
    """How often each integer from 0 up occurs, or the sum of the weights where it does."""
    counts = _np.bincount(x._data, None if weights is None else weights._data, minlength)
    return ndarray(counts.astype(x.dtype if weights is None else weights.dtype))


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


def insert(arr: ndarray, obj: Any, values: Any, axis: int | None = None) -> ndarray:
    """The array with values before the given indices, outside of autograd."""
    if isinstance(obj, ndarray):
        obj = obj.asnumpy().astype(_np.int64)
    return _like_first("insert", arr, obj, values, axis)


def delete(arr: ndarray, obj: Any, axis: int | None = None) -> ndarray:
    """The array without the elements at the given indices, outside of autograd."""
    if isinstance(obj, ndarray):
        obj = obj.asnumpy().astype(_np.int64)
    return _like_first("delete", arr, obj, axis)


def resize(a: ndarray, new_shape: ShapeLike) -> ndarray:
    """The elements in another shape, repeated or cut off as it needs, outside of autograd."""
    return _like_first("resize", a, new_shape)
