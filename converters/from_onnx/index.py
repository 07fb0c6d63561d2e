"""Imports of choosing by indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.errors import BoundsError, ConversionError
from hybridonnx.ops import NumericShape, SymbolicDim, same

from ..elements import Array
from ._registry import ML, imports
from ._sized import repeated, widened
from .reshape import ints

_BEYOND = {"mode": "raise", "__from_end__": "True"}
"""What `take` does with indices beyond an axis, and that the user's may be negative."""

# ---- rows


@imports("Gather", versions=(1, 11, 13))
def gather(F: Any, data: Any, indices: Any, *, axis: int = 0) -> Any:
    """ONNX counts negative indices from the end, and refuses those beyond the axis."""
    known, shape = F.value(indices), F.shape(data)
    scalar = F.shape(indices) == ()
    size = None if shape is None or not shape else shape[axis]
    mode = _BEYOND
    if known is not None and size is not None:
        mode = {"mode": "clip"}
        _require_indices(known, size, axis)
        if np.any(known < 0):
            wrapped = np.where(known < 0, known + size, known)
            indices = F.const(wrapped)
    elif known is None or np.any(known < 0):
        indices = _from_start(F, data, indices, axis, size)
    elements = F.take(data, indices, axis=axis, **mode)
    if not scalar or F.rank(data) < 2 or F.rank(elements) < F.rank(data):
        return elements
    return F.squeeze(elements, axis=(axis % F.rank(data),))


def _require_indices(indices: Any, size: int, axis: int) -> None:
    beyond = indices[(indices < -size) | (indices >= size)]
    if beyond.size:
        raise BoundsError(
            f"Gather: indices from {-size} to {size - 1} are required along axis {axis}, "
            f"got {beyond.flat[0]}."
        )


def _from_start(F: Any, data: Any, indices: Any, axis: int, size: int | None) -> Any:
    """Indices with the size added to negative ones."""
    count: Any = size
    if size is None:
        at = axis if axis >= 0 else axis % F.rank(data)
        count = F.slice_axis(F.shape_array(data), axis=0, begin=at, end=at + 1)
        dtype = F.dtype(indices)
        count = count if dtype is None else F.Cast(count, dtype=dtype.name)
    return indices + (indices < 0) * count


@imports("Compress", versions=(9, 11, 28))
def compress(F: Any, data: Any, condition: Any, *, axis: int | None = None) -> Any:
    """A constant condition is constant indices. Others may be shorter than the axis, unlike MXNet's."""
    if axis is None:
        if F.rank(data) != 1:
            data = F.Reshape(data, shape=(-1,))
        axis = 0
    known, length = F.value(condition), F.dims(data)[axis]
    if known is not None:
        mode = _BEYOND if length is None or isinstance(length, SymbolicDim) else {"mode": "clip"}
        chosen = np.flatnonzero(known if mode is _BEYOND else known[:length])
        return F.take(data, F.const(chosen), axis=axis, **mode)
    (own,) = F.dims(condition) or (None,)
    if own is None or length is None or not same(own, length):
        raise ConversionError(f"Compress: a condition as long as axis {axis} is required.")
    if axis == 0:
        return F._contrib_boolean_mask(data, condition)
    swapped = F.SwapAxis(data, dim1=0, dim2=axis)
    return F.SwapAxis(F._contrib_boolean_mask(swapped, condition), dim1=0, dim2=axis)


@imports("NonZero", versions=(9, 13))
def non_zero(F: Any, x: Any) -> Any:
    """ONNX has a column for each element that is not zero. Of one without axes MXNet has a row as well."""
    if F.rank(x) == 0:
        raise ConversionError("NonZero: an input with axes is required.")
    return F.transpose(F._npx_nonzero(x))


@imports("ArrayFeatureExtractor", versions=(1,), domain=ML)
def array_feature_extractor(F: Any, x: Any, y: Any) -> Any:
    """Columns by indices, which are not counted from the end; a vector is a row."""
    indices = y if F.rank(y) == 1 else F.Reshape(y, shape=(-1,))
    columns = F.take(x, indices, axis=-1, mode="raise")
    return F.expand_dims(columns, axis=0) if F.rank(x) == 1 else columns


# ---- along an axis


@imports("GatherElements", versions=(11, 13))
def gather_elements(F: Any, data: Any, indices: Any, *, axis: int = 0) -> Any:
    """One element of each row is MXNet's pick, if the index is known to be in the row: pick refuses none."""
    full, part = F.shape(data), F.shape(indices)
    known, size = F.value(indices), None if full is None else full[axis]
    inside = known is not None and size is not None and bool(np.all((known >= -size) & (known < size)))
    if inside and full is not None and part is not None and len(full) > 1:
        single = [1 if i == axis % len(full) else d for i, d in enumerate(full)]
        if list(part) == single and None not in single:
            return F.pick(data, indices, axis=axis, keepdims=True, mode="wrap")
    return F._take_along_axis(data, indices, axis=axis)


@imports("ScatterElements", versions=(11, 13, 16, 18))
def scatter_elements(
    F: Any, data: Any, indices: Any, updates: Any, *, axis: int = 0, reduction: str = "none"
) -> Any:
    """Sums alone; MXNet has nothing that takes the place of elements."""
    if reduction != "add":
        raise ConversionError(f"ScatterElements: reduction add is required, got {reduction}.")
    return data + F._put_along_axis(updates, indices, data, axis=axis)


# ---- points


def _coordinates_first(F: Any, indices: Any) -> Any:
    rank = F.rank(indices)
    return F.transpose(indices, axes=(rank - 1, *range(rank - 1)))


@imports("GatherND", versions=(11, 12, 13))
def gather_nd(F: Any, data: Any, indices: Any, *, batch_dims: int = 0) -> Any:
    """MXNet has the coordinates first; a batch is one more coordinate."""
    if F.rank(indices) == 1:
        elements = F.gather_nd(data, F.expand_dims(indices, axis=1))
        return F._np_squeeze(elements, axis=(0,))
    coordinates = _coordinates_first(F, indices)
    if batch_dims == 0:
        return F.gather_nd(data, coordinates)
    if batch_dims > 1:
        raise ConversionError(f"GatherND: batch_dims 0 or 1 is required, got {batch_dims}.")
    number = F._contrib_arange_like(coordinates, axis=1)
    number = F.Reshape(number, shape=(1, -1, *(1,) * (F.rank(coordinates) - 2)))
    number = F.broadcast_like(number, F.slice_axis(coordinates, axis=0, begin=0, end=1))
    return F.gather_nd(data, F.Concat(number, coordinates, dim=0))


@imports("ScatterND", versions=(11, 13, 16, 18))
def scatter_nd(F: Any, data: Any, indices: Any, updates: Any, *, reduction: str = "none") -> Any:
    """Points that are added to, or written once; MXNet gives each of several the whole gradient."""
    if reduction not in ("add", "none"):
        raise ConversionError(f"ScatterND: reduction none or add is required, got {reduction}.")
    points = F.value(indices)
    if reduction == "none" and (points is None or not _differ(points, F.shape(data))):
        raise ConversionError("ScatterND: constant indices of points that differ are required.")
    if F.rank(indices) == 1:
        indices, updates = F.expand_dims(indices, axis=0), F.expand_dims(updates, axis=0)
    coordinates = _coordinates_first(F, indices)
    if reduction == "add":
        return data + F._gather_nd_grad(updates, coordinates, data, __refuses__="True")
    return F._scatter_set_nd(data, updates, coordinates, shape=())


def _differ(points: Array, shape: NumericShape | None) -> bool:
    """Whether all points are others, and none is counted from the end of an axis of unknown size."""
    if (points < 0).any():
        sizes = None if shape is None else shape[: points.shape[-1]]
        if sizes is None or None in sizes:
            return False
        points = np.where(points < 0, points + np.array(sizes), points)
    rows = points.reshape(-1, points.shape[-1])
    return len(np.unique(rows, axis=0)) == len(rows)


# ---- choices


@imports("OneHot", versions=(9, 11, 28))
def one_hot(F: Any, indices: Any, depth: Any, values: Any, *, axis: int = -1) -> Any:
    """ONNX counts negative indices from the end, and cuts off fractions before.

    A depth that is computed has to be ONNX's own node, of the integers that ONNX Runtime has.
    """
    if F.dtype(indices) not in (np.int32, np.int64):
        indices = F.Cast(indices, dtype="int64")
    number, pair = F.value(depth), F.value(values)
    if number is None or pair is None:
        depth = F._np_squeeze(depth, axis=(0,)) if F.shape(depth) == (1,) else depth
        wide = [F.Cast(x, dtype="int64") if F.dtype(x) != np.int64 else x for x in (indices, depth)]
        return F.node("OneHot", *wide, values, axis=axis)
    (size,) = ints(number)
    rank = F.rank(indices)
    counted = indices + (indices < 0) * size
    off, on = (float(v) for v in np.ravel(pair))
    rows = F.one_hot(counted, depth=size, on_value=on, off_value=off, dtype=pair.dtype.name)
    if rank == 0:
        return F.Reshape(rows, shape=(-1,))
    at = axis % (rank + 1)
    if at == rank:
        return rows
    return F.transpose(rows, axes=(*range(at), rank, *range(at, rank)))


@imports("Where", versions=(9, 16))
def where(F: Any, condition: Any, x: Any, y: Any) -> Any:
    """ONNX broadcasts all three."""
    shape = F.result()
    if shape is None:
        raise ConversionError("Where: known ranks are required. Give the inputs' shapes in the model.")
    return F.where(*(repeated(F, *widened(F, i, len(shape)), shape) for i in (condition, x, y)))


@imports("Imputer", versions=(1,), domain=ML)
def imputer(
    F: Any,
    x: Any,
    *,
    imputed_value_floats: tuple[float, ...] = (),
    imputed_value_int64s: tuple[int, ...] = (),
    replaced_value_float: float = 0.0,
    replaced_value_int64: int = 0,
) -> Any:
    """One value for all columns, or one for each."""
    dtype = F.dtype(x)
    real = dtype == np.float32
    if not real and dtype != np.int64:
        raise ConversionError(f"Imputer: an array of float32 or int64 is required, got {dtype}.")
    values = imputed_value_floats if real else imputed_value_int64s
    if len(values) > 1 and F.rank(x) > 2:
        raise ConversionError(f"Imputer: a matrix is required for several values, got {F.rank(x)} axes.")
    replaced = replaced_value_float if real else replaced_value_int64
    old = F.const([replaced], dtype)
    gone = F._not_equal(x, x) if np.isnan(replaced) else F.broadcast_equal(x, old)
    new = F.Reshape(F.const(values, dtype), shape=(*(1,) * (F.rank(x) - 1), -1))
    return F.where(gone, F.broadcast_like(new, x), x)
