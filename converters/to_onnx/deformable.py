"""Lowerings of deformable convolution: pixels are gathered as rows of their channels, by computed indices."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.ops import sizes
from hybridonnx.ops.deformable import (
    DeformableColumns,
    DeformableColumnsGrad,
    DeformableConvolution,
    ModulatedDeformableConvolution,
)

from ._graph import Graph, Value
from ._indices import add_rows
from ._registry import lowers
from ._symbolic_dims import Size, count, known_size, reshape, sizes_of, vector
from ._windows import single, spatial

_float16, _float32 = np.dtype("float16"), np.dtype("float32")


class _Sizes(NamedTuple):
    """The sizes of data and windows; only the batch may be free."""

    batch: Size
    groups: int
    channels: int
    """Of each group."""
    size: tuple[int, int]
    window: int
    out: tuple[int, int]

    def elements(self) -> list[Size]:
        """The axes of the windows' elements: image, group, element, row and column of the window."""
        return [self.batch, self.groups, self.window, *self.out]


def _sizes(g: Graph, op: Any, data: Value) -> _Sizes:
    height, width = spatial(g, data)
    channels = known_size(g, data, 1)
    groups: int = op.num_deformable_group
    down, right = sizes(op.out((1, channels, height, width)))
    window = prod(op.kernel)
    return _Sizes(sizes_of(data)[0], groups, channels // groups, (height, width), window, (down, right))


def _wide(g: Graph, function: Any, *inputs: Value | None) -> Value:
    """float16 computed in float32, in which indices are exact."""
    if inputs[0] is not None and inputs[0].dtype == _float16:
        result: Value = g.via(_float32, function, *inputs)
        return result
    y: Value = function(*inputs)
    return y


# ---- where elements are read


def _taps(
    g: Graph, op: DeformableColumns | DeformableColumnsGrad, where: Value, size: int, order: int
) -> tuple[Value, list[tuple[Value, Value | None, Value]]]:
    """Which coordinates are inside; of the two pixels around each the index, whether it exists, the share."""
    lower = g.GreaterOrEqual(where, 0.0) if op.clamped else g.Greater(where, -1.0)
    inside = g.And(lower, g.Less(where, float(size)))
    where = g.Where(inside, where, np.zeros((), where.dtype))  # NaN has no index
    floor = g.Floor(where)
    share = where - floor
    low = g.Cast(floor, np.int64)
    if op.clamped:
        high = g.Min(low + 1, np.array(size - 1))
        share = g.Where(g.Less(low, np.array(size - 1)), share, np.zeros((), share.dtype))
        exist: tuple[Value | None, Value | None] = (None, None)
    else:
        high = low + 1
        exist = (g.GreaterOrEqual(low, np.array(0)), g.Less(high, np.array(size)))
    one = np.ones((), where.dtype)
    slopes = (g.const(-one), g.const(one)) if order == 1 else (g.const(0 * one),) * 2
    shares = (1.0 - share, share) if order == 0 else slopes
    return inside, list(zip((low, high), exist, shares, strict=True))


def _corners(g: Graph, op: Any, offset: Value, at: _Sizes) -> list[tuple[Value, Value]]:
    """The indices of rows of `_pixels`, -1 for none, and shares of the pixels around each element."""
    shape = [at.batch, at.groups, at.window, 2, *at.out]
    apart = g.Split(reshape(g, offset, shape), 2, axis=3)
    unmoved = (grid.astype(offset.dtype)[None, None] for grid in op.unmoved(at.out))
    y, x = (g.Squeeze(part, [3]) + grid for part, grid in zip(apart, unmoved, strict=True))
    inside_y, across = _taps(g, op, y, at.size[0], op.down)
    inside_x, along = _taps(g, op, x, at.size[1], op.right)
    inside = g.And(inside_y, inside_x)
    first = g.Reshape(count(g, at.batch), [-1, 1]) * at.groups + np.arange(at.groups)
    start = g.Unsqueeze(first, [2, 3, 4]) * prod(at.size)
    corners = []
    for row, row_exists, by_row in across:
        for column, column_exists, by_column in along:
            there = inside
            for exists in (row_exists, column_exists):
                there = there if exists is None else g.And(there, exists)
            index = g.Where(there, start + row * at.size[1] + column, np.array(-1))
            share = g.Where(there, by_row * by_column, np.zeros((), offset.dtype))
            corners.append((index, share))
    return corners


def _pixels(g: Graph, data: Value, at: _Sizes) -> Value:
    """The pixels as rows of each group's channels, and one row of zeros behind them."""
    split = reshape(g, data, [at.batch, at.groups, at.channels, prod(at.size)])
    rows = g.Reshape(g.Transpose(split, [0, 1, 3, 2]), [-1, at.channels])
    return g.Concat(rows, np.zeros((1, at.channels), data.dtype), axis=0)


def _elements(g: Graph, data: Value, corners: list[tuple[Value, Value]], at: _Sizes) -> Value:
    """The elements with their channels behind the axes of the corners."""
    rows = _pixels(g, data, at)
    parts = [g.Gather(rows, index, axis=0) * g.Unsqueeze(share, [5]) for index, share in corners]
    return parts[0] + parts[1] + parts[2] + parts[3]


def _channels_first(g: Graph, elements: Value, at: _Sizes) -> Value:
    """Elements (N, groups, K, *out, channels) as columns (N, C K, *out)."""
    ordered = g.Transpose(elements, [0, 1, 5, 2, 3, 4])
    return reshape(g, ordered, [at.batch, at.groups * at.channels * at.window, *at.out])


@lowers(DeformableColumns)
def columns(g: Graph, op: DeformableColumns, data: Value, offset: Value) -> Value:
    at = _sizes(g, op, data)

    def read(x: Value, moved: Value) -> Value:
        return _channels_first(g, _elements(g, x, _corners(g, op, moved, at), at), at)

    return _wide(g, read, data, offset)


@lowers(DeformableColumnsGrad)
def columns_grad(g: Graph, op: DeformableColumnsGrad, dy: Value, offset: Value, data: Value) -> Value:
    """All four corners at once: the rows that no pixel has go to one more row, which is cut off."""
    at = _sizes(g, op, data)

    def put(heads: Value, moved: Value) -> Value:
        split = reshape(g, heads, [at.batch, at.groups, at.channels, at.window, *at.out])
        elements = g.Transpose(split, [0, 1, 3, 4, 5, 2])
        corners = _corners(g, op, moved, at)
        rows = g.Concat(*(elements * g.Unsqueeze(share, [5]) for _, share in corners), axis=0)
        indices = g.Concat(*(index for index, _ in corners), axis=0)
        pixels = vector(g, [at.batch])
        total = g.const(pixels) if isinstance(pixels, list) else pixels
        total = total * (at.groups * prod(at.size))
        indices = g.Where(g.Less(indices, np.array(0)), total, indices)
        sums = _sums(g, g.Reshape(rows, [-1, at.channels]), g.Reshape(indices, [-1]), at)
        heads = g.Slice(sums, [0], [-1], [0])
        split = reshape(g, heads, [at.batch, at.groups, prod(at.size), at.channels])
        return reshape(g, g.Transpose(split, [0, 1, 3, 2]), [at.batch, at.groups * at.channels, *at.size])

    return _wide(g, put, dy, offset)


def _sums(g: Graph, rows: Value, indices: Value, at: _Sizes) -> Value:
    """The rows added up by index, with one more than there are pixels."""
    batch = at.batch if isinstance(at.batch, int) else g.sizes(g.output())[0]
    return add_rows(g, rows, indices, [batch * at.groups * prod(at.size) + 1, at.channels])


# ---- convolution


@lowers(DeformableConvolution)
def deformable(
    g: Graph, op: DeformableConvolution, data: Value, offset: Value, weight: Value, bias: Value | None = None
) -> Value:
    def convolve(x: Value, moved: Value, w: Value, b: Value | None) -> Value:
        return _convolved(g, op, x, moved, None, w, b)

    return _wide(g, convolve, data, offset, weight, bias)


@lowers(ModulatedDeformableConvolution)
def modulated(
    g: Graph,
    op: ModulatedDeformableConvolution,
    data: Value,
    offset: Value,
    mask: Value,
    weight: Value,
    bias: Value | None = None,
) -> Value:
    def convolve(x: Value, moved: Value, factors: Value, w: Value, b: Value | None) -> Value:
        return _convolved(g, op, x, moved, factors, w, b)

    return _wide(g, convolve, data, offset, mask, weight, bias)


def _convolved(
    g: Graph, op: Any, data: Value, offset: Value, mask: Value | None, weight: Value, bias: Value | None
) -> Value:
    at = _sizes(g, op, data)
    corners = _corners(g, op.columns(), offset, at)
    if mask is not None:
        factors = reshape(g, mask, at.elements())
        corners = [(index, share * factors) for index, share in corners]
    if op.num_group == 1:
        return _product(g, op, _rows(g, corners, data, at), weight, bias, at)
    matrix = g.Reshape(weight, [op.num_filter, -1, 1, 1])
    elements = _channels_first(g, _elements(g, data, corners, at), at)

    def convolve(x: Value, w: Value, b: Value | None) -> Value:
        y: Value = g.Conv(x, w, b, kernel_shape=(1, 1), group=op.num_group)
        return y

    result: Value = single(g, convolve, elements, matrix, bias)
    return result


def _rows(g: Graph, corners: list[tuple[Value, Value]], data: Value, at: _Sizes) -> Value:
    """The elements of each window as a row (N, H' W', C K): indices are transposed rather than pixels."""
    order = [0, 3, 4, 1, 2]
    moved = [(g.Transpose(index, order), g.Transpose(share, order)) for index, share in corners]
    elements = _elements(g, data, moved, at)
    return reshape(g, elements, [at.batch, prod(at.out), at.groups * at.window * at.channels])


def _product(g: Graph, op: Any, rows: Value, weight: Value, bias: Value | None, at: _Sizes) -> Value:
    """Rows times the filters, whose elements are in the rows' order."""
    split = g.Reshape(weight, [op.num_filter, at.groups, at.channels, at.window])
    matrix = g.Reshape(g.Transpose(split, [1, 3, 2, 0]), [-1, op.num_filter])
    y = g.MatMul(rows, matrix)
    y = y if bias is None else y + bias
    return reshape(g, g.Transpose(y, [0, 2, 1]), [at.batch, op.num_filter, *at.out])
