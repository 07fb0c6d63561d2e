"""Lowerings of position-sensitive pooling: products with the shares of rows and columns, image by image."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hybridonnx.ops.psroi import (
    DeformablePSROIPooling,
    MovedPSROI,
    MovedPSROIGrad,
    PSROIGrad,
    PSROIPooling,
)

from ._graph import Graph, Value, iota
from ._regions import (
    chosen,
    common,
    each_part,
    image_of_region,
    images,
    numbers,
    only_there,
    rounded,
)
from ._registry import lowers
from ._symbolic_dims import known_size
from ._windows import spatial


class _Bins(NamedTuple):
    """The shares of rows (R, classes, bins, bins or 1, H) and of columns (R, classes, bins or 1, bins, W)."""

    down: Value
    across: Value
    classes: int


def _ends(g: Graph, op: Any, rois: Value, shift: float, shape: list[int]) -> list[tuple[Value, Value]]:
    """For each axis where regions begin, and how long they are."""
    one = np.dtype(rois.dtype).type
    left, top, right, bottom = (
        g.Add(rounded(g, x), one(more)) * one(op.scale) - one(shift)
        for x, more in zip(numbers(g, rois, shape), (0, 0, 1, 1), strict=True)
    )
    return [(start, g.Max(end - start, one(0.1))) for start, end in ((top, bottom), (left, right))]


def _pixels(size: int, dtype: Any) -> Any:
    return iota(size).astype(dtype)


# ---- whole pixels


def _whole(g: Graph, op: Any, rois: Value, size: tuple[int, ...]) -> _Bins:
    one, bins = np.dtype(rois.dtype).type, op.pooled_size
    axes = []
    for (start, length), n in zip(_ends(g, op, rois, 0.0, [-1, 1]), size, strict=True):
        steps = g.Mul(length / one(bins), _pixels(bins + 1, rois.dtype)[None]) + start
        first = g.Unsqueeze(g.Floor(g.Slice(steps, [0], [-1], [1])), [2])
        last = g.Unsqueeze(g.Ceil(g.Slice(steps, [1], [bins + 1], [1])), [2])
        pixels = _pixels(n, rois.dtype)
        inside = g.Cast(g.And(g.LessOrEqual(first, pixels), g.Greater(last, pixels)), rois.dtype)
        axes.append(inside / g.Max(g.ReduceSum(inside, [2]), one(1)))
    return _Bins(g.Unsqueeze(axes[0], [1, 3]), g.Unsqueeze(axes[1], [1, 2]), 1)


@lowers(PSROIPooling)
def psroi_pooling(g: Graph, op: PSROIPooling, data: Value, rois: Value) -> Value:
    x, regions = common(g, data, rois)
    y = _pooled(g, op, x, regions, _whole(g, op, regions, spatial(g, data)))
    return g.Cast(g.Squeeze(y, [1]), data.dtype)


@lowers(PSROIGrad)
def psroi_grad(g: Graph, op: PSROIGrad, dy: Value, rois: Value, data: Value) -> Value:
    heads, regions = common(g, dy, rois)
    bins = _whole(g, op, regions, spatial(g, data))
    return g.Cast(_spread(g, op, g.Unsqueeze(heads, [1]), regions, data, bins), dy.dtype)


# ---- moved bins


def _moved(g: Graph, op: Any, rois: Value, moves: Value | None, size: tuple[int, ...]) -> _Bins:
    one, bins = np.dtype(rois.dtype).type, op.pooled_size
    classes = 1 if moves is None else known_size(g, moves, 1)
    axes = []
    for axis, (start, length) in enumerate(_ends(g, op, rois, 0.5, [-1, 1, 1, 1])):
        step = length / one(bins)
        row = _pixels(bins, rois.dtype).reshape((1, 1, -1, 1) if axis == 0 else (1, 1, 1, -1))
        first = g.Mul(step, row) + start
        factor = length
        if moves is not None:
            which = g.Gather(g.Cast(moves, rois.dtype), np.array(1 - axis), axis=2)
            factor = length * one(op.trans_std)
            first = first + which * factor
        within = _pixels(op.sample_per_part, rois.dtype) / one(op.sample_per_part)
        where = g.Unsqueeze(first, [4]) + g.Mul(g.Unsqueeze(step, [4]), within)
        order = (op.down, op.right)[axis]
        axes.append(_tents(g, where, size[axis], order, g.Unsqueeze(factor, [4, 5])))
    return _Bins(axes[0], axes[1], classes)


def _tents(g: Graph, where: Value, size: int, order: int, factor: Value) -> Value:
    """The mean shares of each pixel in samples (..., samples), or derivatives of them times the factor."""
    one = np.dtype(where.dtype).type
    inside = g.And(g.GreaterOrEqual(where, one(-0.5)), g.LessOrEqual(where, one(size - 0.5)))
    at = g.Clip(g.Where(inside, where, one(0)), 0.0, float(size - 1))
    distance = g.Neg(g.Unsqueeze(at, [5]) - _pixels(size, where.dtype))
    if order == 0:
        shares = g.Max(1.0 - g.Abs(distance), one(0))
    else:
        moving = g.And(g.GreaterOrEqual(where, one(0)), g.LessOrEqual(where, one(size - 1)))
        near = g.And(g.Less(g.Abs(distance), one(1)), g.Unsqueeze(moving, [5]))
        shares = g.Where(near, g.Sign(distance) * factor * one(order == 1), one(0))
    shares = g.Where(g.Unsqueeze(inside, [5]), shares, one(0))
    count = g.ReduceSum(g.Cast(inside, where.dtype), [4])
    return g.ReduceSum(shares, [4], keepdims=0) / g.Max(count, one(1))


@lowers(MovedPSROI)
def moved_psroi(g: Graph, op: MovedPSROI, data: Value, rois: Value, moves: Value | None = None) -> Value:
    x, regions = common(g, data, rois)
    y = _pooled(g, op, x, regions, _moved(g, op, regions, moves, spatial(g, data)))
    return g.Cast(y, data.dtype)


@lowers(MovedPSROIGrad)
def moved_psroi_grad(
    g: Graph, op: MovedPSROIGrad, dy: Value, rois: Value, data: Value, moves: Value | None = None
) -> Value:
    heads, regions = common(g, dy, rois)
    bins = _moved(g, op, regions, moves, spatial(g, data))
    return g.Cast(_spread(g, op, heads, regions, data, bins), dy.dtype)


@lowers(DeformablePSROIPooling)
def deformable_psroi(
    g: Graph, op: DeformablePSROIPooling, data: Value, rois: Value, trans: Value | None = None
) -> Value:
    moves = None
    if trans is not None:
        size = op.parts()
        parts = g.Reshape(trans, [-1, known_size(g, trans, 1) // 2, 2, size, size])
        moves = g.Gather(g.Gather(parts, op.part_of(), axis=4), op.part_of(), axis=3)
    y = moved_psroi(g, op.inner(), data, rois, moves)
    return g.Reshape(y, [-1, op.output_dim, op.pooled_size, op.pooled_size])


# ---- products, image by image


def _pooled(g: Graph, op: Any, data: Value, rois: Value, bins: _Bins) -> Value:
    """The means (R, classes, channels of each, bins, bins)."""
    number, there = images(g, rois, data)
    height, width = spatial(g, data)
    groups, size, each = op.groups(), op.pooled_size, op.output_dim // bins.classes
    across = g.Transpose(bins.across, [1, 2, 3, 0, 4])
    down = g.Unsqueeze(g.Transpose(bins.down, [1, 2, 3, 0, 4]), [4])

    def one_image(body: Graph, image: Value) -> Value:
        pixels = body.Slice(image, [0], [op.used()], [0])
        if groups != size:
            pixels = body.Reshape(pixels, [op.output_dim, groups, groups, height, width])
            for axis in (1, 2):
                pixels = body.Gather(pixels, op.group_of(), axis=axis)
        pixels = body.Reshape(pixels, [bins.classes, each, size, size, height, width])
        pixels = body.Transpose(pixels, [0, 2, 3, 5, 4, 1])
        lines = body.MatMul(across, body.Reshape(pixels, [bins.classes, size, size, width, height * each]))
        lines = body.Reshape(lines, [bins.classes, size, size, -1, height, each])
        means = body.Squeeze(body.MatMul(down, lines), [4])
        return body.Transpose(means, [3, 0, 4, 1, 2])

    y = chosen(g, each_part(g, one_image, data), number)
    return only_there(g, y, there, 5)


def _spread(g: Graph, op: Any, dy: Value, rois: Value, data: Value, bins: _Bins) -> Value:
    """The adjoint: what each region's bins give to their channels, added up in its image."""
    number, there = images(g, rois, data)
    its = image_of_region(g, number, there, data)
    channels, (height, width) = known_size(g, data, 1), spatial(g, data)
    groups, size, each = op.groups(), op.pooled_size, op.output_dim // bins.classes
    heads = g.Unsqueeze(g.Transpose(dy, [1, 3, 4, 2, 0]), [4])
    down = g.Unsqueeze(g.Transpose(bins.down, [1, 2, 3, 4, 0]), [3])
    across = g.Transpose(bins.across, [1, 2, 3, 0, 4])

    def one_image(body: Graph, mine: Value) -> Value:
        rows = body.Mul(body.Where(mine, heads, np.zeros((), dy.dtype)), down)
        rows = body.Reshape(rows, [bins.classes, size, size, each * height, -1])
        pixels = body.Reshape(body.MatMul(rows, across), [bins.classes, size, size, each, height, width])
        pixels = body.Transpose(pixels, [0, 3, 1, 2, 4, 5])
        if groups != size:
            ones = (op.group_of() == iota(groups)[:, None]).astype(dy.dtype)
            lines = body.Reshape(pixels, [op.output_dim, size, size * height * width])
            lines = body.Reshape(body.MatMul(ones, lines), [-1, size, height * width])
            pixels = body.MatMul(ones, lines)
        pixels = body.Reshape(pixels, [op.used(), height, width])
        rest = np.zeros((channels - op.used(), height, width), dy.dtype)
        return body.Concat(pixels, rest, axis=0) if len(rest) else pixels

    return each_part(g, one_image, its)
