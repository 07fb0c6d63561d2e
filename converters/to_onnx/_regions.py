"""What the lowerings of regions share: their images, numbers and samples as values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hybridonnx.ops import Spec

from ._arithmetic import any_along
from ._graph import Graph, Value, iota
from ._symbolic_dims import Size, count, sizes_of, vector


def common(g: Graph, data: Value, rois: Value) -> tuple[Value, Value]:
    """Images and regions in the dtype to compute in."""
    dtype = np.result_type(data.dtype, rois.dtype, np.float32)
    return g.Cast(data, dtype), g.Cast(rois, dtype)


def images(g: Graph, rois: Value, data: Value) -> tuple[Value, Value]:
    """The index of each region's image, 0 if it is not there, and whether it is there."""
    column = g.Squeeze(g.Slice(rois, [0], [1], [1]), [1])
    number = g.Cast(g.Where(g.IsNaN(column), np.array(-1, rois.dtype), column), np.int64)
    there = g.And(g.GreaterOrEqual(number, np.array(0)), g.Less(number, g.size_of(data, 0)))
    return g.Where(there, number, np.array(0)), there


def some(g: Graph, strange: Value) -> Value:
    """Which regions (R,) have a number of which this holds (R, width)."""
    return any_along(g, strange, [1])


def nan_where(g: Graph, unknown: Value, y: Value) -> Value:
    """`y` (R, C, *bins) with NaN for some regions (R,)."""
    return g.Where(g.Unsqueeze(unknown, [1, 2, 3]), np.full((), np.nan, y.dtype), y)


def numbers(g: Graph, rois: Value, shape: list[int]) -> list[Value]:
    """The other numbers of each region, each in `shape`."""
    width = g.sizes(rois)[1] if rois.shape is None or rois.shape[1] is None else rois.shape[1]
    return [g.Reshape(g.Slice(rois, [i], [i + 1], [1]), shape) for i in range(1, width)]


def only_there(g: Graph, y: Value, there: Value, rank: int = 4) -> Value:
    """`y` (R, *) with zeros for the regions of images that are not there."""
    return g.Where(g.Unsqueeze(there, list(range(1, rank))), y, np.zeros((), y.dtype))


def image_of_region(g: Graph, number: Value, there: Value, data: Value) -> Value:
    """Whether image n is that of region r (N, R)."""
    index = g.Unsqueeze(count(g, sizes_of(data)[0]), [1])
    return g.And(g.Equal(index, g.Unsqueeze(number, [0])), g.Unsqueeze(there, [0]))


def rounded(g: Graph, x: Value) -> Value:
    """The nearest integers, halves away from 0, in the dtype of x."""
    exact = g.Cast(x, np.float64)
    return g.Cast(g.Sign(exact) * g.Floor(g.Abs(exact) + 0.5), x.dtype)


def samples(
    g: Graph, start: Value, length: Value, bins: int, ratio: int
) -> tuple[Value, Value, Value | None]:
    """Where regions are sampled (R, bins, each), the number in a bin (R, 1, 1), and which of them count.

    start and length are (R, 1, 1). Without a ratio there are as many as the largest region has.
    """
    one = np.dtype(start.dtype).type
    step = length / one(bins)
    numbers_in_bin = g.const(iota(max(ratio, 1)).astype(start.dtype).reshape(1, 1, -1))
    each = g.const(np.array([[[max(ratio, 1)]]], start.dtype))
    within = None
    if ratio <= 0:
        wished = g.Ceil(length / one(bins))
        each = g.Where(g.Or(g.IsNaN(wished), g.Less(wished, one(0))), one(0), wished)
        most = g.Concat(g.Cast(g.Reshape(each, [-1]), np.int64), [1], axis=0)
        steps = g.Range(np.int64(0), g.ReduceMax(most, [0], keepdims=0), np.int64(1))
        numbers_in_bin = g.Cast(g.Unsqueeze(steps, [0, 1]), start.dtype)
        within = g.Less(numbers_in_bin, each)
        each = g.Max(each, one(1))
    offsets = (numbers_in_bin + one(0.5)) * step / each
    where = start + g.Mul(step, iota(bins).astype(start.dtype).reshape(1, -1, 1)) + offsets
    return where, each, within


def inside(g: Graph, where: Value, size: int) -> Value:
    """Which coordinates are read at all."""
    return g.And(g.GreaterOrEqual(where, -1.0), g.LessOrEqual(where, float(size)))


def shares(g: Graph, start: Value, length: Value, bins: int, ratio: int, size: int) -> Value:
    """The matrices (R, bins, size) that make means of samples of each line of pixels."""
    where, each, within = samples(g, start, length, bins, ratio)
    there = inside(g, where, size)
    there = there if within is None else g.And(there, within)
    at = g.Clip(g.Where(there, where, np.zeros((), where.dtype)), 0.0, float(size - 1))
    distance = g.Abs(g.Unsqueeze(at, [3]) - iota(size).astype(where.dtype))
    tents = g.Max(1.0 - distance, np.zeros((), where.dtype))
    tents = g.Where(g.Unsqueeze(there, [3]), tents, np.zeros((), where.dtype))
    return g.ReduceSum(tents, [2], keepdims=0) / each


def reshaped(g: Graph, x: Value, *sizes: Size) -> Value:
    """`x` in a shape of which sizes may be free."""
    known = vector(g, sizes)
    if isinstance(known, list) and 0 in known:
        return g.Full(known, 0, x.dtype)
    return g.Reshape(x, known, allowzero=int(not isinstance(known, list)))


def chosen(g: Graph, y: Value, number: Value) -> Value:
    """For each region its part of `y` (N, R, *) in its image."""
    turns = g.Range(np.int64(0), g.Squeeze(g.size_of(number, 0), [0]), np.int64(1))
    return g.GatherND(y, g.Concat(g.Unsqueeze(number, [1]), g.Unsqueeze(turns, [1]), axis=1))


# ---- part by part, where what they need would be too large at once


def each_part(g: Graph, function: Callable[..., Value], *inputs: Value) -> Value:
    """`function(body, *parts)` of the parts of the inputs along their first axis, stacked."""

    def step(body: Graph, turn: Value, go: Value) -> list[Value]:
        return [body.Identity(go), function(body, *(body.Gather(x, turn, axis=0) for x in inputs))]

    body = g.body(TURN, step)
    result: Value = g.Loop(g.Squeeze(g.size_of(inputs[0], 0), [0]), np.array(True), body=body)
    result.dtype = body.results[1].dtype
    return result


TURN = (Spec((), np.dtype("int64")), Spec((), np.dtype("bool")))
"""What each turn of a Loop receives first: its number, and whether there is one."""
