"""Reading and writing arrays by basic and advanced indices.

A basic index (numbers, slices, None, …) of a contiguous region gives a view that shares memory, others copy.
A single element keeps one axis, as there are no arrays without axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import state
from ..errors import MXNetError
from ..ops._registry import Array
from ._watch import written
from .ndarray import NDArray


def _numpy_key(x: NDArray, key: Any) -> tuple[Any, ...]:
    """The key for NumPy, with index arrays as whole numbers."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(_part(x, part) for part in parts)


def _part(x: NDArray, part: Any) -> Any:
    if isinstance(part, NDArray):
        if part._data.dtype == np.bool_:
            raise ValueError(
                "indexing: an array of bool picks no elements in MXNet's default mode. "
                "Use contrib.boolean_mask, or indices."
            )
        return part._data.astype(np.int64)
    if isinstance(part, slice):
        return slice(*(_bound(v) for v in (part.start, part.stop, part.step)))
    if isinstance(part, list | np.ndarray):
        return np.asarray(part).astype(np.int64)
    if part is None or part is Ellipsis or isinstance(part, int | np.integer):
        return part
    raise ValueError(
        f"indexing: whole numbers, slices, None, ... and arrays are required, got {part!r} of {type(part)}."
    )


def _bound(value: Any) -> int | None:
    if isinstance(value, NDArray):
        value = value.asscalar()
    return None if value is None else int(value)


def _is_basic(key: tuple[Any, ...]) -> bool:
    return not any(isinstance(part, np.ndarray) for part in key)


def get(x: NDArray, key: Any) -> NDArray:
    """`x[key]`."""
    numpy_key = _numpy_key(x, key)
    found = np.asarray(x._data[numpy_key])
    if found.ndim == 0:
        found = _single(x._data, numpy_key) if _is_basic(numpy_key) else found.reshape(1)
    if state.recording and x._entry is not None:
        return _get_recorded(x, numpy_key, found)
    if not (_is_basic(numpy_key) and found.flags.c_contiguous):
        found = found.copy()
    return NDArray._on_tape(found, x._ctx, None)


def _single(data: Array, key: tuple[Any, ...]) -> Array:
    """A view of one element as an array with one axis."""
    widened = data.reshape(*data.shape, 1) if data.flags.c_contiguous else data[..., None]
    return widened[(*key, slice(None))] if Ellipsis not in key else widened[key].reshape(1)


def _get_recorded(x: NDArray, key: tuple[Any, ...], found: Array) -> NDArray:
    """The same on the tape: elements are taken from the flattened array, the value is what NumPy gave."""
    flat = np.arange(x.size).reshape(x.shape)[key].reshape(found.shape)
    if 0 in found.shape:
        return NDArray._on_tape(found.copy(), x._ctx, None)
    taken: NDArray = x.F.take(x.F.Reshape(x, shape=(-1,)), NDArray(np.ascontiguousarray(flat), x._ctx))
    if _is_basic(key) and found.flags.c_contiguous:
        taken._data = found
    return taken


def put(x: NDArray, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    if state.recording and x._entry is not None:
        raise MXNetError(
            "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd. "
            "Compute a new array, or use autograd.pause()."
        )
    if isinstance(value, NDArray):
        value = value._data
    numpy_key = _numpy_key(x, key)
    target = x._data[numpy_key]
    value = np.asarray(value)
    if value.ndim > target.ndim and value.size == target.size:
        value = value.reshape(target.shape)
    try:
        x._data[numpy_key] = value.astype(x._data.dtype, copy=False)
    except ValueError:
        raise ValueError(
            f"indexing: a value that broadcasts to shape {target.shape} is required, got {value.shape}."
        ) from None
    written(x._data)
