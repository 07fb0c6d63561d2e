"""Lowerings of regions of images: ROIPooling, ROIAlign, RROIAlign."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from hybridonnx.ops import Spec
from hybridonnx.ops.roi import ROIAlign, ROIAlignGrad, ROIPoolGrad, ROIPooling, ROIPoolPick, RROIAlign

from ._graph import Graph, Value, iota
from ._indices import put_along
from ._regions import (
    TURN,
    common,
    image_of_region,
    images,
    inside,
    nan_where,
    numbers,
    only_there,
    reshaped,
    rounded,
    samples,
    shares,
    some,
)
from ._registry import lowers
from ._symbolic_dims import known_size, sizes_of
from ._windows import single, spatial

_float32 = np.dtype("float32")
ALIGNS = 16
"""From this opset on RoiAlign knows coordinates of pixels' centres."""
NO_KERNEL = 22
"""From this opset on ONNX Runtime, up to 1.31, has no kernels of RoiAlign and MaxRoiPool."""


# ---- maxima


@lowers(ROIPooling)
def roi_pooling(g: Graph, op: ROIPooling, data: Value, rois: Value) -> Value:
    number, there = images(g, rois, data)
    unknown = some(g, g.IsNaN(rois))
    if g.opset >= NO_KERNEL:
        maxima = _picked(g, op, data, rois, data)
        return maxima if g.finite else only_there(g, nan_where(g, unknown, maxima), there)

    def pool(x: Value, regions: Value) -> Value:
        first = g.Unsqueeze(g.Cast(number, _float32), [1])
        boxes = g.Concat(first, g.Slice(regions, [1], [5], [1]), axis=1)
        window = {"pooled_shape": op.bins(), "spatial_scale": op.scale}
        y: Value = g.MaxRoiPool(x, boxes, **window)
        if not g.exact or g.finite:
            return y
        unknown = g.MaxRoiPool(g.Cast(g.IsNaN(x), _float32), boxes, **window)  # a maximum loses NaN
        return g.Where(g.Greater(unknown, 0.0), np.array(np.nan, _float32), y)

    if data.dtype != _float32:
        y: Value = g.via(_float32, pool, data, rois)
    else:
        y = pool(data, g.Cast(rois, _float32))
    if g.exact and not g.finite:
        y = nan_where(g, unknown, y)
    return only_there(g, y, there)


def _limits(g: Graph, op: Any, rois: Value, axis: int, size: int) -> tuple[Value, Value]:
    """The first pixel of each bin along one axis, and how many pixels it has (R, bins)."""
    corners = numbers(g, rois, [-1, 1])
    one = np.dtype(rois.dtype).type
    first, last = (rounded(g, corners[i] * one(op.scale)) for i in (1 - axis, 3 - axis))
    bins = op.bins()[axis]
    step = g.Max(last - first + 1.0, one(1)) / one(bins)
    steps = iota(bins + 1).astype(rois.dtype)[None]
    ends = g.Floor(step * steps[:, :-1]) + first, g.Ceil(step * steps[:, 1:]) + first
    start, stop = (g.Clip(g.Cast(g.Clip(x, 0.0, float(size)), np.int64), 0, size) for x in ends)
    return start, g.Max(stop - start, np.int64(0))


def _most(g: Graph, counts: Value) -> Value:
    """The largest of some counts, and 0 of none."""
    return g.ReduceMax(g.Concat(g.Reshape(counts, [-1]), [0], axis=0), [0], keepdims=0)


def _tops(g: Graph, op: Any, data: Value, rois: Value) -> tuple[Value, Value]:
    """For each bin the index of its first maximum in its channel, and whether there is one (R, C, *bins).

    A Loop over the pixels of the largest bin compares one of each bin at a time, all channels side by side.
    """
    data, rois = common(g, data, rois)
    _, c, height, width = g.sizes(data)
    number, there = images(g, rois, data)
    top, rows = _limits(g, op, rois, 0, height)
    left, columns = _limits(g, op, rois, 1, width)
    first = g.Unsqueeze(g.Min(top, np.int64(max(height - 1, 0))), [2]) * width
    first = first + g.Unsqueeze(g.Min(left, np.int64(max(width - 1, 0))), [1])
    rows, columns = g.Unsqueeze(rows, [2]), g.Unsqueeze(columns, [1])
    pixels = g.Reshape(g.Transpose(data, [0, 2, 3, 1]), [-1, c])
    base = g.Unsqueeze(number, [1, 2]) * (height * width) + first
    across = g.Max(_most(g, columns), np.int64(1))

    def one_pixel(body: Graph, turn: Value, go: Value, best: Value, last: Value) -> list[Value]:
        row = body.Div(turn, across)
        column = body.Sub(turn, body.Mul(row, across))
        inside = body.And(body.Less(row, rows), body.Less(column, columns))
        pixel = body.Add(body.Mul(row, width), column)
        value = body.Gather(pixels, body.Add(base, body.Where(inside, pixel, np.int64(0))), axis=0)
        higher = body.Greater(value, best)
        if not g.finite:  # the first NaN is the maximum
            higher = body.And(body.Or(higher, body.IsNaN(value)), body.Not(body.IsNaN(best)))
        last = body.Where(higher, body.Cast(turn, np.float32), last)
        return [body.Identity(go), body.Where(higher, value, best), last]

    best = g.Gather(pixels, base, axis=0)
    last = g.Full(g.shape_of(best), 0.0, np.float32)
    body = g.body([*TURN, Spec(best.shape, best.dtype), Spec(best.shape, np.dtype(np.float32))], one_pixel)
    turns = g.Mul(_most(g, rows), across)
    _, last = g.Loop(turns, np.array(True), best, last, outputs=2, body=body)
    last = g.Cast(last, np.int64)
    row = g.Div(last, across)
    index = g.Unsqueeze(first, [3]) + row * width + (last - row * across)
    index = g.Transpose(index, [0, 3, 1, 2]) + _starts(g, number, c, height * width)
    filled = g.Greater(rows * columns, np.int64(0))
    there = g.And(there, g.Not(some(g, g.IsNaN(rois))))
    there = g.And(g.Unsqueeze(filled, [1]), g.Unsqueeze(there, [1, 2, 3]))
    return index, g.Expand(there, g.shape_of(index))


def _starts(g: Graph, number: Value, channels: int, size: int) -> Value:
    """The index of the first pixel of each region's channels (R, C, 1, 1)."""
    first = g.Unsqueeze(number, [1, 2, 3]) * channels + np.arange(channels).reshape(1, -1, 1, 1)
    return first * size


@lowers(ROIPoolGrad)
def roi_pool_grad(g: Graph, op: ROIPoolGrad, dy: Value, rois: Value, data: Value) -> Value:
    index, there = _tops(g, op, data, rois)
    sizes = g.sizes(data)
    heads = g.Reshape(g.Where(there, dy, np.zeros((), dy.dtype)), [-1])
    flat = g.Reshape(g.Where(there, index, np.array(0)), [-1])
    return g.Reshape(put_along(g, [prod(sizes)], flat, heads, 0, False), list(sizes))


@lowers(ROIPoolPick)
def roi_pool_pick(g: Graph, op: ROIPoolPick, values: Value, rois: Value, data: Value) -> Value:
    return _picked(g, op, values, rois, data)


def _picked(g: Graph, op: Any, values: Value, rois: Value, data: Value) -> Value:
    """The values where data has the maxima."""
    index, there = _tops(g, op, data, rois)
    elements = g.Gather(g.Reshape(values, [-1]), g.Where(there, index, np.array(0)), axis=0)
    return g.Where(there, elements, np.zeros((), values.dtype))


# ---- means of samples


@lowers(ROIAlign)
def roi_align(g: Graph, op: ROIAlign, data: Value, rois: Value) -> Value:
    x, regions = common(g, data, rois)
    number, there = images(g, regions, data)
    by_points = (op.aligned and g.opset < ALIGNS) or g.opset >= NO_KERNEL
    shows_nan = not g.finite and (by_points or g.exact)
    if shows_nan:  # as ONNX Runtime's RoiAlign refuses what is not finite, and points nowhere are not read
        strange = g.Or(g.IsNaN(regions), g.IsInf(regions))
        regions = g.Where(strange, np.zeros((), regions.dtype), regions)
    if by_points:
        y = single(g, lambda *pair: _by_points(g, op, number, *pair), x, regions)
    else:
        newer = {"coordinate_transformation_mode": "half_pixel" if op.aligned else "output_half_pixel"}
        y = g.RoiAlign(
            x,
            g.Slice(regions, [1], [5], [1]),
            number,
            output_height=op.bins()[0],
            output_width=op.bins()[1],
            sampling_ratio=max(op.sample_ratio, 0),
            spatial_scale=op.scale,
            **(newer if g.opset >= ALIGNS else {}),
        )
    if op.position_sensitive:
        y = _own_channels(g, op, y, known_size(g, data, 1) // prod(op.bins()))
    if shows_nan:
        y = nan_where(g, some(g, strange), y)
    return g.Cast(only_there(g, y, there), data.dtype)


def _own_channels(g: Graph, op: ROIAlign, y: Value, channels: int) -> Value:
    """Of all channels of each bin its own ones."""
    down, across = op.bins()
    bins = down * across
    flat = g.Reshape(y, [-1, channels, bins * bins])
    return g.Reshape(g.Gather(flat, iota(bins) * (bins + 1), axis=2), [-1, channels, down, across])


def _lines(g: Graph, op: Any, rois: Value) -> list[tuple[Value, Value, int, int]]:
    """For each axis where regions begin and how long they are (R, 1, 1), the bins and the samples in each."""
    one = np.dtype(rois.dtype).type
    scaled = [x * one(op.scale) - one(0.5 if op.aligned else 0) for x in numbers(g, rois, [-1, 1, 1])]
    lines = []
    for axis, bins in enumerate(op.bins()):
        start = scaled[1 - axis]
        length = scaled[3 - axis] - start
        length = length if op.aligned else g.Max(length, one(1))
        lines.append((start, length, bins, op.sample_ratio))
    return lines


def _by_points(g: Graph, op: ROIAlign, number: Value, data: Value, rois: Value) -> Value:
    """The means of samples that are gathered: where opsets or runtimes lack RoiAlign."""
    lines = [samples(g, *line) for line in _lines(g, op, rois)]
    rows, columns = g.Unsqueeze(lines[0][0], [3, 4]), g.Unsqueeze(lines[1][0], [1, 2])
    return _means(g, data, lines, rows, columns, number)


@lowers(ROIAlignGrad)
def roi_align_grad(g: Graph, op: ROIAlignGrad, dy: Value, rois: Value, data: Value) -> Value:
    heads, regions = common(g, dy, rois)
    number, there = images(g, regions, data)
    height, width = spatial(g, data)
    lines = _lines(g, op, regions)
    down, across = (shares(g, *line, size) for line, size in zip(lines, (height, width), strict=True))
    channels = known_size(g, data, 1)
    bins = op.bins()
    if op.position_sensitive:
        own = g.Reshape(heads, [-1, channels // prod(bins), 1, prod(bins)])
        heads = g.Reshape(own * np.eye(prod(bins), dtype=heads.dtype), [-1, channels, *bins])
    spread = g.MatMul(heads, g.Unsqueeze(across, [1]))  # (R, C, rows of bins, W)
    spread = g.Reshape(g.Transpose(spread, [0, 2, 1, 3]), [-1, channels * width])
    its = g.Cast(image_of_region(g, number, there, data), heads.dtype)
    by_image = g.Unsqueeze(its, [1, 3]) * g.Transpose(down, [2, 0, 1])  # (N, H, R, rows of bins)
    batch = sizes_of(data)[0]
    by_image = reshaped(g, by_image, batch, height, *_rows(g, dy, bins[0]))
    dx = g.MatMul(by_image, spread)
    dx = g.Transpose(reshaped(g, dx, batch, height, channels, width), [0, 2, 1, 3])
    return g.Cast(dx, dy.dtype)


def _rows(g: Graph, dy: Value, bins: int) -> list[Any]:
    """How many rows of bins all regions have."""
    regions = sizes_of(dy)[0]
    return [regions * bins] if isinstance(regions, int) else [regions._replace(factor=regions.factor * bins)]


# ---- rotated regions


@lowers(RROIAlign)
def rroi_align(g: Graph, op: RROIAlign, data: Value, rois: Value) -> Value:
    x, regions = common(g, data, rois)
    number, there = images(g, regions, data)
    y = single(g, lambda *pair: _rotated(g, op, number, *pair), x, regions)
    return g.Cast(only_there(g, y, there), data.dtype)


def _rotated(g: Graph, op: RROIAlign, number: Value, data: Value, rois: Value) -> Value:
    one = np.dtype(rois.dtype).type
    *scaled, angle = numbers(g, rois, [-1, 1, 1])
    centre_x, centre_y, across, down = (x * one(op.scale) for x in scaled)
    theta = angle * one(np.pi / 180)
    lines = []
    for length, bins in ((down, op.bins()[0]), (across, op.bins()[1])):
        size = g.Max(length, one(1))
        lines.append(samples(g, size * one(-0.5), size, bins, op.sampling_ratio))
    v, h = g.Unsqueeze(lines[0][0], [3, 4]), g.Unsqueeze(lines[1][0], [1, 2])
    sin, cos, left, top = (
        g.Unsqueeze(value, [3, 4]) for value in (g.Sin(theta), g.Cos(theta), centre_x, centre_y)
    )
    rows, columns = v * cos - h * sin + top, h * cos + v * sin + left
    return _means(g, data, lines, rows, columns, number)


def _means(g: Graph, data: Value, lines: list[Any], rows: Value, columns: Value, number: Value) -> Value:
    """The means of images at samples (R, bins, samples, bins, samples), whose `lines` tell which count."""
    height, width = spatial(g, data)
    there = g.And(inside(g, rows, height), inside(g, columns, width))
    for (_, _, within), axes in zip(lines, ([3, 4], [1, 2]), strict=True):
        there = there if within is None else g.And(there, g.Unsqueeze(within, axes))
    total = _read(g, data, g.Unsqueeze(number, [1, 2, 3, 4]), rows, columns, there)
    each = g.Unsqueeze(g.Squeeze(lines[0][1] * lines[1][1], [1, 2]), [1, 2, 3])
    return g.Transpose(g.ReduceSum(total, [2, 4], keepdims=0) / each, [0, 3, 1, 2])


def _read(g: Graph, data: Value, number: Value, rows: Value, columns: Value, there: Value) -> Value:
    """The pixels of images between which points lie, by their shares, with the channels last."""
    height, width = spatial(g, data)
    channels = known_size(g, data, 1)
    pixels = g.Reshape(g.Transpose(data, [0, 2, 3, 1]), [-1, channels])
    ends = []
    for where, size in ((rows, height), (columns, width)):
        at = g.Clip(g.Where(there, where, np.zeros((), where.dtype)), 0.0, float(size - 1))
        low = g.Floor(at)
        first = g.Cast(low, np.int64)
        ends.append(((first, 1.0 - (at - low)), (g.Min(first + 1, np.array(size - 1)), at - low)))
    parts = []
    for row, by_row in ends[0]:
        for column, by_column in ends[1]:
            read = g.Gather(pixels, (number * height + row) * width + column, axis=0)
            parts.append(read * g.Unsqueeze(by_row * by_column, [5]))
    total = parts[0] + parts[1] + parts[2] + parts[3]
    return g.Where(g.Unsqueeze(there, [5]), total, np.zeros((), data.dtype))
