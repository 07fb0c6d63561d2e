"""Reading and writing arrays by basic and advanced indices.

A basic index (numbers, slices, None, …) of a contiguous region gives a view that shares memory, others copy.
A single element keeps one axis, as there are no arrays without axes.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ..autograd.scopes import pause, state
from ..context import device_of
from ..dtypes import DType, converted
from ..ops import Array, Operator, find
from ._base import ArrayBase, refuse_in_place
from .invoke import view
from .watch import overwrite


def _numpy_key(x: ArrayBase, key: Any) -> tuple[Any, ...]:
    """The key for NumPy, with index arrays as integers."""
    if not x.shape and isinstance(key, slice) and key == slice(None):  # all, as of any array
        return ()
    parts = key if isinstance(key, tuple) else (key,)
    translated = _numpy_part if x._as_numpy else _part
    return tuple([translated(x, part) for part in parts])


def _numpy_part(x: ArrayBase, part: Any) -> Any:
    """The same with bool, which picks elements as in NumPy."""
    if isinstance(part, bool | np.bool_):
        return np.asarray(part)
    if isinstance(part, ArrayBase) and part._data.dtype == np.bool_:
        return part._host
    if isinstance(part, list | tuple | np.ndarray) and np.asarray(part).dtype == np.bool_:
        return np.asarray(part)
    if isinstance(part, ArrayBase) and not part._data.ndim and part._data.dtype.kind in "iu":
        return int(part._host)
    return _part(x, part)


def _part(x: ArrayBase, part: Any) -> Any:
    if type(part) is int:
        return part
    if isinstance(part, ArrayBase):
        if part._data.dtype == np.bool_:
            raise ValueError(
                "indexing: an array of bool picks no elements in MXNet's default mode. "
                "Use contrib.boolean_mask, or indices."
            )
        return part._host.astype(np.int64)
    if isinstance(part, slice):
        return slice(*(_bound(v) for v in (part.start, part.stop, part.step)))
    if isinstance(part, list | tuple | range | np.ndarray):
        return np.asarray(part).astype(np.int64)
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, int | np.integer | np.bool_):  # True is 1
        return int(part)
    raise ValueError(
        f"indexing: integers, slices, None, ... and arrays are required, got {part!r} of {type(part)}."
    )


def _bound(value: Any) -> int | None:
    if isinstance(value, ArrayBase):
        value = value.asscalar()
    return None if value is None else int(value)


def _is_basic(key: tuple[Any, ...]) -> bool:
    for part in key:  # noqa: SIM110  (twice as fast as all)
        if isinstance(part, np.ndarray):
            return False
    return True


def get(x: ArrayBase, key: Any) -> Any:
    """`x[key]`."""
    data = x._data
    numpy_key = _numpy_key(x, key)
    basic = _is_basic(numpy_key)
    if type(data) is np.ndarray:
        selected = _selected(data, numpy_key)
    elif basic:
        selected = _selected_on_device(x, numpy_key)
    else:
        return _gathered(x, numpy_key)
    if selected.ndim == 0 and data.ndim and not x._as_numpy:
        selected = selected.reshape(1)
    if state.recording and x._entry is not None:
        return _get_recorded(x, numpy_key, selected)
    if not (basic and _is_contiguous(selected)):
        selected = selected.copy()
    return x.dense._on_tape(selected, x._ctx, None)


def _is_contiguous(data: Any) -> bool:
    """Whether elements follow one another in memory, as all on a device do."""
    return type(data) is not np.ndarray or data.flags.c_contiguous


def _selected(data: Array, key: tuple[Any, ...]) -> Array:
    """What NumPy selects; for a basic key a view, of a single element too, which an ellipsis sees to."""
    if _is_basic(key):
        if Ellipsis not in key:
            key = (*key, Ellipsis)
    elif data.dtype.hasobject:
        key = _with_ellipsis(key)
    try:
        return np.asarray(data[key])
    except IndexError as exc:
        if "shape mismatch" not in str(exc):
            raise
        raise ValueError(f"indexing: {exc}") from None


def _with_ellipsis(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key, by which a single element stays an array: NumPy takes strings out of theirs."""
    return key if any(part is Ellipsis for part in key) else (*key, Ellipsis)


def _get_recorded(x: ArrayBase, key: tuple[Any, ...], selected: Array) -> ArrayBase:
    """The same on the tape, by operators that have gradients; the value is what NumPy gave."""
    if 0 in selected.shape:
        return x.dense._on_tape(selected.copy(), x._ctx, None)
    if not _is_basic(key):
        return _gathered(x, key)
    return _sliced(x, key, selected if _is_contiguous(selected) else selected.copy())


def _sliced(x: ArrayBase, key: tuple[Any, ...], selected: Array) -> ArrayBase:
    """The selected values on the tape, by a slice and a reshape of which no kernel runs."""
    parts = tuple([(p.start, p.stop, p.step) if isinstance(p, slice) else p for p in key])
    part = x
    for op, shape in _views(x.shape, parts, selected.shape, x._as_numpy):
        part = view(op, part, selected.reshape(shape))
    return part


@lru_cache(maxsize=1024)
def _views(
    shape: tuple[int, ...], parts: tuple[Any, ...], selected: tuple[int, ...], as_numpy: bool
) -> list[tuple[Operator, tuple[int, ...]]]:
    """The operators that a basic key stands for, its slices given as tuples, and the shapes they give."""
    key = tuple([slice(*part) if isinstance(part, tuple) else part for part in parts])
    bounds, views = list(_bounds(shape, key)), []
    if any(bound != (0, size, 1) for bound, size in zip(bounds, shape, strict=True)):
        begin, end, step = zip(*bounds, strict=True)
        sizes = [len(range(size)[slice(*bound)]) for bound, size in zip(bounds, shape, strict=True)]
        views.append((find("slice").make({"begin": begin, "end": end, "step": step}), tuple(sizes)))
    if as_numpy:
        last: Operator = find("_np_reshape").make({"newshape": selected})
    else:
        last = find("Reshape").make({"shape": selected}) if selected else find("_copy").make({})
    return [*views, (last, selected)]


def _bounds(shape: tuple[int, ...], key: tuple[Any, ...]) -> Iterator[tuple[int, int | None, int]]:
    """Where the region of a basic key begins and ends, and its steps, for each axis."""
    parts = [part for part in key if part is not None]
    where = parts.index(Ellipsis) if Ellipsis in parts else len(parts)
    rest = [slice(None)] * (len(shape) - len(parts) + (where < len(parts)))
    for size, part in zip(shape, [*parts[:where], *rest, *parts[where + 1 :]], strict=True):
        if isinstance(part, slice):
            begin, end, step = part.indices(size)
            yield begin, None if end < 0 else end, step
        else:
            yield part % size, part % size + 1, 1


def _gathered(x: ArrayBase, key: tuple[Any, ...]) -> ArrayBase:
    """The selected values of any key, by an operator on all elements in a row."""
    flat = _selected(np.arange(x.size).reshape(x.shape), key)
    if not flat.ndim and not x._as_numpy:
        flat = flat.reshape(1)
    rows = x.F.Reshape(x, shape=(-1,))
    gathered: ArrayBase = x.F.take(rows, x.dense(np.ascontiguousarray(flat), x._ctx))
    return gathered


# ---- on a device


def _layout(shape: tuple[int, ...]) -> Array:
    """An array of bytes of which there are none: selected from it, a region has its place and its form."""
    strides = [*itertools.accumulate(reversed(shape[1:]), operator.mul, initial=1)][::-1]
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), shape, strides[: len(shape)])


def _selected_on_device(x: ArrayBase, key: tuple[Any, ...]) -> Any:
    """What a basic key selects: a view of a contiguous region, else a copy."""
    layout = _layout(x.shape)
    region = _selected(layout, key)
    data: Any = x._data
    if region.flags.c_contiguous:
        return data.part(_begin(layout, region), region.shape)
    begin, end, step = zip(*_bounds(x.shape, key), strict=True)
    copied = x.F.slice(x.dense._on_tape(data, x._ctx, None), begin=begin, end=end, step=step)
    return copied._data.reshape(region.shape)


def _begin(layout: Array, region: Array) -> int:
    """The number of the first element of a region."""
    return region.ctypes.data - layout.ctypes.data if region.size else 0


def _put_on_device(x: ArrayBase, key: tuple[Any, ...], value: Any) -> None:
    """`x[key] = value` on a device."""
    layout = _layout(x.shape)
    if not _is_basic(key):
        _scatter(x, _selected(np.arange(x.size).reshape(x.shape), key), value)
        return
    region = _selected(layout, key)
    data: Any = x._data
    values = _values_for(x, region.shape, value)
    if region.flags.c_contiguous:
        overwrite(data.part(_begin(layout, region), region.shape), values)
        return
    bounds = list(_bounds(x.shape, key))
    sizes = [len(range(size)[slice(*bound)]) for bound, size in zip(bounds, x.shape, strict=True)]
    begin, end, step = zip(*bounds, strict=True)
    part = x.dense._on_tape(values.reshape(sizes), x._ctx, None)
    whole = x.dense._on_tape(data, x._ctx, None)
    overwrite(data, x.F._slice_assign(whole, part, begin=begin, end=end, step=step)._data)


def _scatter(x: ArrayBase, places: Array, value: Any) -> None:
    """Set the elements at numbers, counted in a row; of several values for one the last stays."""
    values: Any = x.dense._on_tape(_values_for(x, places.shape, value).reshape(-1), x._ctx, None)
    numbers, last = np.unique(places.reshape(-1)[::-1], return_index=True)
    if not len(numbers):
        return
    taken = x.F.take(values, x.dense(len(values) - 1 - last, x._ctx))
    row = x.dense._on_tape(x._data.reshape(-1), x._ctx, None)
    shape = (x.size,)
    overwrite(row._data, x.F._scatter_set_nd(row, taken, x.dense(numbers[None], x._ctx), shape=shape)._data)


def _values_for(x: ArrayBase, shape: tuple[int, ...], value: Any) -> Any:
    """Values of a shape and the dtype of `x`, on its device."""
    if not isinstance(value, ArrayBase) or value._ctx != x._ctx:
        plain = value._host if isinstance(value, ArrayBase) else np.asarray(value)
        if plain.dtype.kind not in "fiub":
            plain = _fitting(x._data.dtype, value)
        return device_of(x._ctx).put(_broadcast(plain, shape).astype(x._data.dtype))
    own: Any = x.dense._on_tape(value._data, x._ctx, None)
    if own.shape != shape:
        _broadcast(_layout(own.shape), shape)
        own = (
            x.F.Reshape(own, shape=own.shape[own.ndim - len(shape) :] or (1,))
            if own.ndim > len(shape)
            else own
        )
        if shape:
            padded = x.F.Reshape(own, shape=_padded(own.shape, len(shape))) if own.ndim < len(shape) else own
            own = x.F.broadcast_to(padded, shape=shape)
    if own._data.dtype != x._data.dtype:
        own = x.F.Cast(own, dtype=x._data.dtype.name)
    return own._data


def _broadcast(plain: Array, shape: tuple[int, ...]) -> Array:
    """Values as they are broadcast to a shape; as many as it has, in any shape."""
    with np.errstate(invalid="ignore"):
        try:
            if plain.ndim > len(shape) and plain.size == math.prod(shape):
                plain = plain.reshape(shape)
            return np.broadcast_to(plain, shape)
        except ValueError:
            raise ValueError(
                f"indexing: a value that broadcasts to shape {shape} is required, got {plain.shape}."
            ) from None


def put(x: ArrayBase, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    numpy_key = _numpy_key(x, key)
    if state.recording:
        value = _recorded_value(x, numpy_key, value)
    if type(x._data) is not np.ndarray:
        with pause():
            _put_on_device(x, numpy_key, value)
        return
    plain = value._host if isinstance(value, ArrayBase) else np.asarray(value)
    dtype = x._data.dtype
    if plain.dtype.kind not in "fiub" or dtype.hasobject:
        plain = _fitting(dtype, value)
        numpy_key = _with_ellipsis(numpy_key)
    target = _selected(x._data, numpy_key)
    if plain.ndim > target.ndim and plain.size == target.size:
        plain = plain.reshape(target.shape)
    try:
        with np.errstate(invalid="ignore"):  # what does not fit wraps, as in MXNet
            overwrite(x._data, plain.astype(dtype, copy=False), numpy_key)
    except ValueError:
        raise ValueError(
            f"indexing: a value that broadcasts to shape {target.shape} is required, got {plain.shape}."
        ) from None


def _fitting(dtype: DType, value: Any) -> Array:
    """A value that is no number of MXNet's, or goes into strings, in the dtype of the array it goes into."""
    kind = object if dtype.hasobject else None
    plain = value._host if isinstance(value, ArrayBase) else np.asarray(value, kind)
    if dtype.hasobject or plain.dtype.kind in "cV":
        return converted(plain, dtype)
    raise TypeError(f"indexing: assignment of numbers is required, got {value!r} of {type(value)}.")


def _recorded_value(x: ArrayBase, key: tuple[Any, ...], value: Any) -> Any:
    """The value, computed on the tape if it is there; then `x` stands for it there, too."""
    if x._entry is not None:
        refuse_in_place()
    if not isinstance(value, ArrayBase) or value._entry is None:
        return value
    if not all(part is Ellipsis or (isinstance(part, slice) and part == slice(None)) for part in key):
        refuse_in_place()
    if value.shape != x.shape:
        value = x.F.broadcast_to(x.F.Reshape(value, shape=_padded(value.shape, x.ndim)), shape=x.shape)
    value = x.F.Cast(value, dtype=x._data.dtype.name)
    x._entry = value._entry
    return value


def _padded(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(shape)) + shape
