"""Lowering of histograms: comparisons of all values with all bounds and sums, or sums at indices of bins."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.histogram import Histogram

from ._graph import Graph, Value, iota, require_few
from ._indices import ADDS, put_along
from ._registry import lowers
from ._symbolic_dims import count, flat, sizes_of


@lowers(Histogram)
def histogram(g: Graph, op: Histogram, data: Value, bins: Value | None = None) -> tuple[Value, Value]:
    x = flat(g, data)
    if bins is None:
        counts = _of_one_width(g, op, x)
        return counts, g.const(op.bounds(data.dtype))
    column, end = g.Unsqueeze(x, [1]), np.iinfo(np.int64).max
    inside = g.And(
        g.GreaterOrEqual(column, g.Slice(bins, [0], [1])), g.LessOrEqual(column, g.Slice(bins, [-1], [end]))
    )
    numbers = count(g, sizes_of(g.Slice(bins, [1], [end]))[0])
    behind = g.ReduceSum(g.Cast(g.GreaterOrEqual(column, bins), np.int64), [1]) - np.array([1])
    indices = g.Min(behind, g.Slice(numbers, [-1], [end]))
    return _count(g, g.And(g.Equal(indices, numbers), inside)), g.Identity(bins)


def _count(g: Graph, inside: Value) -> Value:
    return g.ReduceSum(g.Cast(inside, np.int64), [0], keepdims=0)


def _of_one_width(g: Graph, op: Histogram, x: Value) -> Value:
    """The bins by division, moved by at most one, as the kernel has it."""
    (low, high), size = op.ends(), op.bin_cnt or 1
    require_few(size)
    bounds = op.bounds(x.dtype)
    wide = g.Cast(x, np.float64)
    inside = g.And(g.GreaterOrEqual(wide, np.float64(low)), g.LessOrEqual(wide, np.float64(high)))
    wide = g.Where(inside, wide, np.float64(low))
    indices = g.Cast(g.Floor((wide - low) * float(size) / (high - low)), np.int64)
    indices = g.Min(indices, np.array([size - 1]))
    below = g.Less(x, g.Gather(g.const(bounds), indices))
    indices = indices - g.Cast(g.And(below, g.Greater(indices, np.array([0]))), np.int64)
    above = g.GreaterOrEqual(x, g.Gather(g.const(bounds[1:]), indices))
    moves = g.And(above, g.Less(indices, np.array([size - 1])))
    indices = indices + g.Cast(moves, np.int64)
    if g.opset >= ADDS:
        ones = g.Expand(g.const(np.array([1])), g.shape_of(indices))
        bins = g.Where(inside, indices, np.array(size))
        return g.Slice(put_along(g, [size + 1], bins, ones, 0, distinct=False), [0], [size])
    chosen = g.Equal(g.Unsqueeze(indices, [1]), iota(size))
    return _count(g, g.And(chosen, g.Unsqueeze(inside, [1])))
