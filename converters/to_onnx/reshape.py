"""Lowerings of reshaping, reordering and repeating."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from hybridonnx.ops import Extent
from hybridonnx.ops.reshape import (
    ArangeLike,
    DepthToSpace,
    ExpandDims,
    Flatten,
    IndexArray,
    Repeat,
    Reshape,
    ReshapeLike,
    Reverse,
    ShapeArray,
    SizeArray,
    SpaceToDepth,
    Squeeze,
    SwapAxis,
    Tile,
    Transpose,
)

from ._graph import REVERSED_END, Graph, Value
from ._registry import lowers
from ._symbolic_dims import AxisSize, Size, count, flat, reshape, sizes_of, vector

# ---- reshape


@lowers(Reshape)
def reshape_by_codes(g: Graph, op: Reshape, data: Value) -> Value:
    """0 and -1 where they say it, computed sizes else."""
    shape = data.dims
    return reshape(g, data, [_size(data, extent) for extent in op.extents(shape)])


def _size(data: Value, extent: Extent) -> Size:
    known = extent.value(data.dims)
    return AxisSize(data, extent.free, extent.factor) if known is None else known


@lowers(Flatten)
def flatten(g: Graph, op: Flatten, data: Value) -> Value:
    """One node."""
    return g.Flatten(data, axis=1)


@lowers(ReshapeLike)
def reshape_like(g: Graph, op: ReshapeLike, lhs: Value, rhs: Value) -> Value:
    """The inferred sizes, and what is unknown of them from the inputs' shapes."""
    old, new = op.ranges(lhs.rank, rhs.rank)
    before, after = sizes_of(lhs), sizes_of(rhs)
    sizes = [*before[: old.start], *after[new], *before[old.stop :]]
    shape = g.output().shape or (None,) * len(sizes)
    return reshape(g, lhs, [s if d is None else d for s, d in zip(sizes, shape, strict=True)])


@lowers(ExpandDims)
def expand_dims(g: Graph, op: ExpandDims, data: Value) -> Value:
    """One node."""
    return g.Unsqueeze(data, [op.axis % (data.rank + 1)])


@lowers(Squeeze)
def squeeze(g: Graph, op: Squeeze, data: Value) -> Value:
    """Without axes the sizes must be known, as they are part of what the operator means."""
    axes = op.removed(data.dims)
    if axes is None:
        axes = op.removed(g.sizes(data)) or ()
    return g.Reshape(data, [1]) if len(axes) == data.rank else g.Squeeze(data, axes)


# ---- order


@lowers(Transpose)
def transpose(g: Graph, op: Transpose, data: Value) -> Value:
    """One node."""
    return g.Transpose(data, op.axes if op.axes and data.shape is None else op.order(data.rank))


@lowers(SwapAxis)
def swap_axis(g: Graph, op: SwapAxis, data: Value) -> Value:
    """One node."""
    return g.Transpose(data, op.order(data.rank))


@lowers(Reverse)
def reverse(g: Graph, op: Reverse, data: Value) -> Value:
    """A slice backwards."""
    return backwards(g, data, op.axes(data.rank))


def backwards(g: Graph, data: Value, axes: tuple[int, ...]) -> Value:
    """`data` with the elements along `axes` in reverse order."""
    n = len(axes)
    return g.Slice(data, [-1] * n, [REVERSED_END] * n, axes, [-1] * n) if axes else data


@lowers(DepthToSpace)
def depth_to_space(g: Graph, op: DepthToSpace, data: Value) -> Value:
    """ONNX Runtime's kernel is for floating-point numbers."""
    b = op.block_size
    if data.dtype is not None and data.dtype.kind == "f":
        return g.DepthToSpace(data, blocksize=b)
    n, c, h, w = sizes_of(data)
    blocks = reshape(g, data, [n, b, b, _times(c, Fraction(1, b * b)), h, w])
    apart = g.Transpose(blocks, [0, 3, 4, 1, 5, 2])
    return reshape(g, apart, [n, _times(c, Fraction(1, b * b)), _times(h, b), _times(w, b)])


@lowers(SpaceToDepth)
def space_to_depth(g: Graph, op: SpaceToDepth, data: Value) -> Value:
    """ONNX Runtime's kernel is for floating-point numbers."""
    b = op.block_size
    if data.dtype is not None and data.dtype.kind == "f":
        return g.SpaceToDepth(data, blocksize=b)
    n, c, h, w = sizes_of(data)
    high, wide = _times(h, Fraction(1, b)), _times(w, Fraction(1, b))
    blocks = reshape(g, data, [n, c, high, b, wide, b])
    return reshape(g, g.Transpose(blocks, [0, 3, 5, 1, 2, 4]), [n, _times(c, b * b), high, wide])


def _times(size: int | AxisSize, factor: Fraction | int) -> int | AxisSize:
    if isinstance(size, int):
        return int(size * factor)
    return AxisSize(size.x, size.axes, size.factor * factor)


# ---- repetition


@lowers(Tile)
def tile(g: Graph, op: Tile, data: Value) -> Value:
    """ONNX wants one number for each axis."""
    rank = max(data.rank, len(op.reps))
    reps = (1,) * (rank - len(op.reps)) + op.reps
    wide = g.Unsqueeze(data, list(range(rank - data.rank)))
    return wide if all(r == 1 for r in reps) else g.Tile(wide, reps)


@lowers(Repeat)
def repeat(g: Graph, op: Repeat, data: Value) -> Value:
    """A new axis after the repeated one, which is then merged with it."""
    x = flat(g, data) if op.axis is None else data
    at = 0 if op.axis is None else op.axis % data.rank
    if op.repeats == 0:
        return g.Slice(x, [0], [0], [at])
    if op.repeats == 1:
        return x
    ones = [1] * (x.rank + 1)
    ones[at + 1] = op.repeats
    sizes = sizes_of(x)
    sizes[at] = _times(sizes[at], op.repeats)
    if op.axis is None and isinstance(sizes[0], AxisSize):
        return g.Reshape(g.Tile(g.Unsqueeze(x, [at + 1]), ones), [-1])
    return reshape(g, g.Tile(g.Unsqueeze(x, [at + 1]), ones), sizes)


# ---- shapes as numbers


@lowers(ShapeArray)
def shape_array(g: Graph, op: ShapeArray, data: Value) -> Value:
    """A constant if all sizes are known."""
    return g.shape_of(data)


@lowers(SizeArray)
def size_array(g: Graph, op: SizeArray, data: Value) -> Value:
    """A constant if all sizes are known."""
    if data.shape is not None and None not in data.shape:
        return g.const([prod(d or 0 for d in data.shape)])
    return g.Reshape(g.Size(data), [1])


@lowers(ArangeLike)
def arange_like(g: Graph, op: ArangeLike, data: Value) -> Value:
    """Counted in integers and computed in float64, as the kernel does."""
    sizes = sizes_of(data) if op.axis is None else [sizes_of(data)[op.axis]]
    known = vector(g, sizes)
    start, step = op.bounds(data.dtype)
    if isinstance(known, list):
        counts = np.arange(prod(known)) // op.repeat
        return g.const((start + step * counts).astype(data.dtype).reshape(known))
    free = tuple(range(data.rank)) if op.axis is None else (op.axis % data.rank,)
    steps = count(g, AxisSize(data, free))
    if op.repeat != 1:
        steps = steps / op.repeat
    values = g.Cast(g.Cast(steps, np.float64) * step + start, data.dtype)
    return values if len(sizes) == 1 else reshape(g, values, sizes)


@lowers(IndexArray)
def index_array(g: Graph, op: IndexArray, data: Value) -> Value:
    """A constant."""
    return g.const(op.forward(np.empty(g.sizes(data), bool)))
