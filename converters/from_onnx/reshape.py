"""Imports of reshaping, reordering and repeating."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops import SymbolicDim, same, show

from ._registry import Const, Operand, imports
from ._result_sizes import Sizes, total
from ._sized import full, repeated
from ._vectors import Size

LATER = (19, 21, 23, 24, 25)
"""The versions of shape operators that only added element types."""


def ints(values: Any) -> tuple[int, ...]:
    """A constant vector, or a number, as integers."""
    return tuple(int(v) for v in np.ravel(values))


# ---- reshape


@imports("Reshape", versions=(1,))
def reshape_by_attribute(F: Any, data: Any, *, shape: tuple[int, ...] = ()) -> Any:
    """The shape is an attribute."""
    return F.Reshape(data, shape=shape or (1,))


@imports("Reshape", versions=(5, 13, 14, *LATER))
def reshape(F: Any, data: Any, shape: Any, *, allowzero: int = 0) -> Any:
    """ONNX's 0 and -1 are MXNet's; a shape that is computed is said by what is known of the result's."""
    known = F.value(shape)
    if known is None:
        return _reshaped(F, data, F.dims(data), F.result())
    codes = ints(known)
    if allowzero and 0 in codes:
        raise ConversionError(
            f"Reshape: sizes other than 0 are required, got {codes} with allowzero. MXNet's Reshape takes 0 "
            "for the input's size."
        )
    return F.Reshape(data, shape=codes or (1,))


def _reshaped(F: Any, data: Any, dims: Sizes | None, target: Sizes | None) -> Any:
    """The data in a shape with free sizes."""
    if target is None:
        raise ConversionError("Reshape: a shape of known length is required, got one that is computed.")
    ways = _ways(dims or (), target, 0, 0, False)
    best = min(ways, key=lambda way: (way.count(-1), len(way)), default=None)
    if best is not None:
        return F.Reshape(data, shape=best or (1,))
    if dims is None or None in dims or None in target:
        raise ConversionError(
            f"Reshape: a shape with at most one unknown size is required, got {show(target)} for "
            f"{show(dims)}. Export the model with fixed shapes, or simplify it first."
        )
    return _like_template(F, data, dims, target)


def _like_template(F: Any, data: Any, dims: Sizes, target: Sizes) -> Any:
    """The axes between those that stay, in the shape of an array that is made for it."""
    pairs = list(zip(dims, target, strict=False))
    before = next((i for i, (a, b) in enumerate(pairs) if not same(a, b)), len(pairs))
    most = min(len(dims), len(target)) - before
    backwards = zip(dims[::-1], target[::-1], strict=False)
    after = next((i for i, (a, b) in enumerate(backwards) if i == most or not same(a, b)), most)
    middle = target[before : len(target) - after]
    template = full(F, [size for size in middle if size is not None], 0, np.dtype(np.float32))
    return F.reshape_like(
        data,
        template,
        lhs_begin=before,
        lhs_end=len(dims) - after,
        rhs_begin=0,
        rhs_end=len(middle),
    )


def _ways(dims: Sizes, target: Sizes, i: int, j: int, inferred: bool) -> Iterator[tuple[int, ...]]:
    """The codes for the sizes from the `j`-th on, where the `i`-th size of the data is next."""
    if j == len(target):
        yield ()
        return
    for codes, taken, given in _steps(dims[i:], target[j:]):
        if not (inferred and codes == (-1,)):
            for rest in _ways(dims, target, i + taken, j + given, inferred or codes == (-1,)):
                yield (*codes, *rest)


def _steps(dims: Sizes, target: Sizes) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """What may be the next codes, how many of the data's sizes they take, and how many sizes they give."""
    size = target[0]
    if isinstance(size, int) and size > 0:
        yield (size,), 1, 1
    if size is not None:
        if dims and dims[0] is not None and same(dims[0], size):
            yield (0,), 1, 1
        if len(dims) > 1 and _is_product(size, dims[:2]):
            yield (-3,), 2, 1
        if dims and len(target) > 1 and _is_product(dims[0], target[:2]) and 0 not in _numbers(target[:2]):
            numbers = [d if isinstance(d, int) else -1 for d in target[:2]]
            if numbers.count(-1) < 2:
                yield (-4, *numbers), 1, 2
    if not isinstance(size, int):
        yield (-1,), 1, 1


def _numbers(sizes: Sizes) -> list[int]:
    return [d for d in sizes if isinstance(d, int)]


def _is_product(size: Size | None, factors: Sizes) -> bool:
    product = total(factors)
    return size is not None and product is not None and same(size, product)


@imports("Flatten", versions=(1, 9, 11, 13, 21, 23, 24, 25))
def flatten(F: Any, data: Any, *, axis: int = 1) -> Any:
    """Axes before `axis` are merged, and those from it on."""
    if axis == 1:
        return F.Flatten(data)
    rank = F.rank(data)
    axis += rank * (axis < 0)
    if axis == 0:
        return F.Reshape(data, shape=(1, -1))
    if axis == rank:
        return F.Reshape(data, shape=(-1, 1))
    for _ in range(axis - 1):
        data = F.Reshape(data, shape=(-3, -2))
    return F.Flatten(data)


@imports("Transpose", versions=(1, 13, 21, 23, 24, 25))
def transpose(F: Any, data: Any, *, perm: tuple[int, ...] | None = None) -> Any:
    """The same operator."""
    return F.transpose(data) if perm is None else F.transpose(data, axes=perm)


@imports("Squeeze", versions=(1, 11))
def squeeze_by_attribute(F: Any, data: Any, *, axes: tuple[int, ...] | None = None) -> Any:
    """The same operator."""
    return squeeze(F, data, axes)


@imports("Squeeze", versions=(13, 21, 23, 24, 25))
def squeeze(F: Any, data: Any, axes: Const = None) -> Any:
    """The same operator; without axes the sizes must be known, as they are part of what it means."""
    if axes is None:
        shape = F.shape(data)
        if shape is None or None in shape:
            raise ConversionError("Squeeze: known sizes are required without axes.")
        axes = [i for i, size in enumerate(shape) if size == 1]
    chosen = ints(axes)
    if not chosen:
        return data
    return F._np_squeeze(data, axis=chosen) if len(chosen) == F.rank(data) else F.squeeze(data, axis=chosen)


@imports("Unsqueeze", versions=(1, 11))
def unsqueeze_by_attribute(F: Any, data: Any, *, axes: tuple[int, ...]) -> Any:
    """A new axis after the other."""
    return unsqueeze(F, data, axes)


@imports("Unsqueeze", versions=(13, 21, 23, 24, 25))
def unsqueeze(F: Any, data: Any, axes: Const) -> Any:
    """A new axis after the other; a scalar has one already in MXNet."""
    rank = F.rank(data)
    chosen = sorted(axis % (rank + len(ints(axes))) for axis in ints(axes))
    if rank == 0:
        return F.Reshape(data, shape=(1,) * len(chosen))
    for axis in chosen:
        data = F.expand_dims(data, axis=axis)
    return data


@imports("Tile", versions=(1,))
def tile_along(F: Any, data: Any, tiles: Const, axis: Const) -> Any:
    """The version that repeats along one axis."""
    (times,), (at,) = ints(tiles), ints(axis)
    return F.tile(data, reps=tuple(times if i == at else 1 for i in range(F.rank(data))))


@imports("Tile", versions=(6, 13))
def tile(F: Any, data: Any, repeats: Operand) -> Any:
    """The same operator; for a free size a new axis is repeated and merged with the one behind it."""
    data = F.tile(data, reps=tuple(1 if isinstance(r, SymbolicDim) else r for r in repeats))
    for axis, times in enumerate(repeats):
        if isinstance(times, SymbolicDim):
            apart = F.expand_dims(data, axis=axis)
            own = F.dims(apart)
            stacked = repeated(F, apart, own, (*own[:axis], times, *own[axis + 1 :]))
            data = F.Reshape(stacked, shape=(*(0,) * axis, -3, -2))
    return data


# ---- order


@imports("DepthToSpace", versions=(1, 11, 13, 28))
def depth_to_space(F: Any, data: Any, *, blocksize: int, mode: str = "DCR") -> Any:
    """MXNet has the blocks outside of the channels; the other way it takes a transposition."""
    if mode == "DCR":
        return F.depth_to_space(data, block_size=blocksize)
    split = F.Reshape(data, shape=(0, -4, -1, blocksize**2, 0, 0))
    split = F.Reshape(split, shape=(0, 0, -4, blocksize, blocksize, 0, 0))
    return F.Reshape(F.transpose(split, axes=(0, 1, 4, 2, 5, 3)), shape=(0, 0, -3, -3))


@imports("SpaceToDepth", versions=(1, 13, 28))
def space_to_depth(F: Any, data: Any, *, blocksize: int, mode: str = "DCR") -> Any:
    """The same operator; the other way it takes a transposition."""
    if mode == "DCR":
        return F.space_to_depth(data, block_size=blocksize)
    split = F.Reshape(data, shape=(0, 0, -4, -1, blocksize, -4, -1, blocksize))
    merged = F.Reshape(F.transpose(split, axes=(0, 1, 3, 5, 2, 4)), shape=(0, -3, 0, 0, 0))
    return F.Reshape(merged, shape=(0, -3, 0, 0))


# ---- shapes as numbers


@imports("Shape", versions=(1, 13, 15, *LATER))
def shape(F: Any, data: Any, *, start: int = 0, end: int | None = None) -> Any:
    """The part of it that is asked for."""
    sizes = F.shape_array(data)
    if start == 0 and end is None:
        return sizes
    return F.slice(sizes, begin=(start,), end=(end,))


@imports("Size", versions=(1, 13, *LATER))
def size(F: Any, data: Any) -> Any:
    """A scalar, which has one axis in MXNet."""
    known = F.shape(data)
    if known is not None and None not in known:
        return F.const(np.array(prod(known), np.int64))
    return F.size_array(data)
