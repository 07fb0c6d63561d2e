"""Lowerings of images read at the points of a grid."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.ops.warp import (
    BilinearSampler,
    BilinearSamplerGrad,
    BilinearSamplerSlope,
    GridGenerator,
    GridGrad,
    SpatialTransformer,
    affine_points,
    steps,
)

from ._graph import Graph, Value, require_few
from ._indices import add_rows
from ._registry import lowers
from ._symbolic_dims import AxisSize, Size, count, output_sizes, reshape, sizes_of, zeros
from ._windows import spatial

_SAMPLES = 16
"""The opset from which ONNX has GridSample."""
_OUTSIDE = 4.0
"""A coordinate that no pixel is near, in images of any size."""

# ---- grids


@lowers(GridGenerator)
def grid_generator(g: Graph, op: GridGenerator, data: Value) -> Value:
    if op.transform_type == "affine":
        return _affine_grid(g, op, data, output_sizes(g))
    height, width = spatial(g, data)
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)))
    return (data + pixels.astype(data.dtype)) * steps(height, width).astype(data.dtype) - 1.0


def _affine_grid(g: Graph, op: GridGenerator, data: Value, target: Any) -> Value:
    require_few(3, *op.target_shape)
    rows = reshape(g, data, [sizes_of(data)[0], 2, 3])
    return reshape(g, g.MatMul(rows, affine_points(*op.target_shape).astype(data.dtype)), target)


@lowers(GridGrad)
def grid_grad(g: Graph, op: GridGrad, dy: Value) -> Value:
    if op.transform_type == "warp":
        return g.Mul(dy, steps(*spatial(g, dy)).astype(dy.dtype))
    height, width = op.target_shape
    require_few(3, height, width)
    rows = reshape(g, dy, [sizes_of(dy)[0], 2, height * width])
    products = g.MatMul(rows, np.ascontiguousarray(affine_points(height, width).T, dy.dtype))
    return reshape(g, products, output_sizes(g))


# ---- samples


@lowers(BilinearSampler)
def bilinear_sampler(g: Graph, op: BilinearSampler, data: Value, grid: Value) -> Value:
    return _sampler(g, data, grid)


@lowers(SpatialTransformer)
def spatial_transformer(g: Graph, op: SpatialTransformer, data: Value, loc: Value) -> Value:
    grid = _affine_grid(g, op.generator(), loc, [sizes_of(loc)[0], 2, *op.target_shape])
    return _sampler(g, data, grid)


def _sampler(g: Graph, data: Value, grid: Value) -> Value:
    if _empty(g):
        return zeros(g, output_sizes(g), data)
    if g.opset < _SAMPLES or data.dtype == np.float64:
        return _sampled(g, data, grid, False, False)
    mode = "linear" if g.opset >= 20 else "bilinear"
    # far outside, where ONNX Runtime's indices overflow, stands the same 0 as near by
    last = g.Clip(g.Transpose(grid, [0, 2, 3, 1]), -_OUTSIDE, _OUTSIDE)
    samples = g.GridSample(data, last, mode=mode, padding_mode="zeros", align_corners=1)
    if not g.exact or g.finite:
        return samples
    return samples + g.ReduceSum(grid * 0.0, [1])  # ONNX Runtime takes points that are NaN for outside


def _empty(g: Graph) -> bool:
    return 0 in (g.output().shape or ())


@lowers(BilinearSamplerSlope)
def bilinear_sampler_slope(g: Graph, op: BilinearSamplerSlope, data: Value, grid: Value) -> Value:
    return _sampled(g, data, grid, op.by_x, op.by_y)


class Corner(NamedTuple):
    """One of the four pixels around each point of a grid: what `Corner` of the kernels has."""

    pixel: Value
    inside: Value
    weight: Any


def _along(g: Graph, position: Value, size: int, slope: bool) -> list[tuple[Value, Value, Any]]:
    """The pixel at or before each position on an axis, and the next one: indices, inside or not, weights."""
    low = g.Floor(position)
    share, half = position - low, (size - 1) / 2
    weights = (-half, half) if slope else (1.0 - share, share)
    pixels = (low, low + 1.0)
    return [
        (at, g.And(g.GreaterOrEqual(at, 0.0), g.LessOrEqual(at, size - 1.0)), w)
        for at, w in zip(pixels, weights, strict=True)
    ]


def _corners(g: Graph, data: Value, grid: Value, by_x: bool, by_y: bool) -> Iterator[Corner]:
    """Indices, truths and weights as (N, points, 1)."""
    height, width = spatial(g, data)
    vectors = (sizes_of(grid)[0], _points(grid), 1)
    x, y = (
        reshape(g, (g.Slice(grid, [axis], [axis + 1], [1]) + 1.0) * half, vectors)
        for axis, half in ((0, (width - 1) / 2), (1, (height - 1) / 2))
    )
    for row, row_inside, row_weight in _along(g, y, height, by_y):
        for column, column_inside, column_weight in _along(g, x, width, by_x):
            inside = g.And(row_inside, column_inside)
            index = g.Where(inside, row * float(width) + column, np.zeros((), row.dtype))
            yield Corner(g.Cast(index, np.int64), inside, row_weight * column_weight)


def _points(grid: Value) -> Size:
    """How many points the grid has."""
    shape = grid.shape or (None,) * 4
    rows, columns = shape[2:]
    return AxisSize(grid, (2, 3)) if rows is None or columns is None else rows * columns


def _rows(g: Graph, images: Value) -> Value:
    """(N, C, height, width) as (N, pixels, C)."""
    batch, channels = sizes_of(images)[:2]
    return g.Transpose(reshape(g, images, [batch, channels, _points(images)]), [0, 2, 1])


def _sampled(g: Graph, data: Value, grid: Value, by_x: bool, by_y: bool) -> Value:
    if _empty(g):
        return zeros(g, output_sizes(g), data)
    if data.dtype == np.float16:
        images, points = g.Cast(data, np.float32), g.Cast(grid, np.float32)
        return g.Cast(_sampled(g, images, points, by_x, by_y), np.float16)
    pixels = _rows(g, data)
    parts = []
    for corner in _corners(g, data, grid, by_x, by_y):
        values = g.GatherND(pixels, corner.pixel, batch_dims=1)
        parts.append(g.Where(corner.inside, values, np.zeros((), data.dtype)) * corner.weight)
    return reshape(g, g.Transpose(g.Sum(*parts), [0, 2, 1]), output_sizes(g))


@lowers(BilinearSamplerGrad)
def bilinear_sampler_grad(g: Graph, op: BilinearSamplerGrad, dy: Value, grid: Value, data: Value) -> Value:
    if _empty(g) or 0 in dy.dims:
        return zeros(g, output_sizes(g), dy)
    if dy.dtype == np.float16:
        dy, grid = g.Cast(dy, np.float32), g.Cast(grid, np.float32)
    batch, channels = sizes_of(data)[:2]
    height, width = spatial(g, data)
    pixels = height * width
    rows, none = _rows(g, dy), np.zeros((), dy.dtype)
    first = g.Unsqueeze(count(g, batch) * pixels, [1, 2])
    parts, indices = [], []
    for corner in _corners(g, data, grid, op.by_x, op.by_y):
        parts.append(g.Where(corner.inside, rows * corner.weight, none))
        indices.append(corner.pixel + first)
    values = reshape(g, g.Concat(*parts, axis=1), [-1, channels])
    everything = batch * pixels if isinstance(batch, int) else AxisSize(data, (0,), Fraction(pixels))
    sums = add_rows(g, values, g.Reshape(g.Concat(*indices, axis=1), [-1]), [everything, channels])
    images = g.Transpose(reshape(g, sums, [batch, pixels, channels]), [0, 2, 1])
    return g.Cast(reshape(g, images, output_sizes(g)), data.dtype)
