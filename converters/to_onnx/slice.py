"""Lowerings of rectangular parts, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridonnx.ops.slice import (
    Slice,
    SliceAssign,
    SliceAssignScalar,
    SliceAxis,
    SliceAxisGrad,
    SliceGrad,
    SliceLike,
)

from ..elements import Array
from ._graph import END, REVERSED_END, Graph, Value
from ._registry import lowers
from ._symbolic_dims import known_size, sizes_of, vector
from .pad import zero_after


def _cut(g: Graph, x: Value, slices: Sequence[slice]) -> Value:
    """`x[slices]`, which ONNX means as Python does, but for absent ends and starts before the first."""
    x, slices = _from_the_end(g, x, slices)
    real = [(axis, s) for axis, s in enumerate(slices) if s not in (slice(None), slice(None, None, 1))]
    if not real:
        return x
    starts, ends, steps = [], [], []
    for _, s in real:
        step = s.step or 1
        steps.append(step)
        starts.append((0 if step > 0 else END) if s.start is None else s.start)
        ends.append((END if step > 0 else REVERSED_END) if s.stop is None else s.stop)
    return g.Slice(x, starts, ends, [axis for axis, _ in real], steps)


def _from_the_end(g: Graph, x: Value, slices: Sequence[slice]) -> tuple[Value, list[slice]]:
    """`x` and slices whose backward ones start at the last element if they start at a negative index.

    Where there is no such element ONNX would start at the first, but there is nothing to take.
    """
    axes, result = {}, list(slices)
    for axis, s in enumerate(slices):
        if (s.step or 1) > 0 or s.start is None or s.start >= -1:
            continue
        if s.stop is not None and s.start <= s.stop < 0:
            result[axis] = slice(0, 0)
            continue
        axes[axis] = s.start + 1
        stop = s.stop if s.stop is None or s.stop >= 0 else s.stop - s.start - 1
        result[axis] = slice(-1, stop, s.step)
    if not axes:
        return x, result
    return g.Slice(x, [0] * len(axes), list(axes.values()), list(axes)), result


@lowers(Slice)
def slice_(g: Graph, op: Slice, data: Value) -> Value:
    """One node."""
    return _cut(g, data, op.slices(data.rank))


@lowers(SliceAxis)
def slice_axis(g: Graph, op: SliceAxis, data: Value) -> Value:
    """One node."""
    return _cut(g, data, op.slices(data.dims))


@lowers(SliceLike)
def slice_like(g: Graph, op: SliceLike, data: Value, like: Value) -> Value:
    """One node, whose ends are computed if they are not known."""
    axes = op.cut(data.dims, like.dims)
    ends = [size for axis, size in enumerate(sizes_of(like)) if axis in axes]
    return g.Slice(data, [0] * len(axes), vector(g, ends), list(axes))


# ---- written


def _ranges(g: Graph, data: Value, slices: Sequence[slice]) -> list[tuple[int, range, int]]:
    """For each axis that is cut: the axis, the range of indices that the part has on it, and its size."""
    ranges = []
    for axis, s in enumerate(slices):
        if s not in (slice(None), slice(None, None, 1)):
            size = known_size(g, data, axis)
            ranges.append((axis, range(*s.indices(size)), size))
    return ranges


def _sources(indices: range, size: int, outside: int) -> Array:
    """For each index of an axis the index in the part, or `outside`."""
    sources = np.full(size, outside, np.int64)
    sources[np.array(indices, np.int64)] = np.arange(len(indices))
    return sources


@lowers(SliceGrad)
def slice_grad(g: Graph, op: SliceGrad, dy: Value, data: Value) -> Value:
    """Zeros around the part."""
    return _in_zeros(g, dy, data, op.slices(data.rank))


@lowers(SliceAxisGrad)
def slice_axis_grad(g: Graph, op: SliceAxisGrad, dy: Value, data: Value) -> Value:
    """Zeros around the part."""
    return _in_zeros(g, dy, data, op.slices(data.dims))


def _in_zeros(g: Graph, dy: Value, data: Value, slices: Sequence[slice]) -> Value:
    before, after = [0] * dy.rank, [0] * dy.rank
    for axis, indices, size in _ranges(g, data, slices):
        if indices.step == 1 and len(indices):
            before[axis], after[axis] = indices.start, size - indices.stop
        else:  # apart, or backwards: each index takes its element, or a zero that is put after the part
            sources = _sources(indices, size, len(indices))
            dy = g.Gather(zero_after(g, dy, axis), sources, axis=axis)
    return g.Pad(dy, before + after, 0) if any(before + after) else dy


@lowers(SliceAssign)
def slice_assign(g: Graph, op: SliceAssign, lhs: Value, rhs: Value) -> Value:
    """The part spread out, chosen where it belongs."""
    ranges = _ranges(g, lhs, op.slices(lhs.rank))
    if any(not len(indices) for _, indices, _ in ranges):
        return lhs
    for axis, indices, size in ranges:
        rhs = g.Gather(rhs, _sources(indices, size, 0), axis=axis)
    return g.Where(_mask(lhs.rank, ranges), rhs, lhs) if ranges else rhs


@lowers(SliceAssignScalar)
def slice_assign_scalar(g: Graph, op: SliceAssignScalar, data: Value) -> Value:
    """The number chosen where it belongs."""
    ranges = _ranges(g, data, op.slices(data.rank))
    value = np.array(op.scalar).astype(data.dtype)
    return g.Where(_mask(data.rank, ranges), value, data)


def _mask(rank: int, ranges: Sequence[tuple[int, range, int]]) -> Array:
    """Whether an index belongs to the part; axes that are not cut have size 1."""
    mask: Any = np.ones((1,) * rank, bool)
    for axis, indices, size in ranges:
        own = np.zeros(size, bool)
        own[np.array(indices, np.int64)] = True
        mask = mask & own.reshape([size if i == axis else 1 for i in range(rank)])
    return np.asarray(mask)
