"""Lowerings of windows as columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from hybridonnx.ops import sizes
from hybridonnx.ops.columns import Col2Im, Im2Col, Im2ColGrad

from ..elements import Array
from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import known_size, output_sizes, reshape, sizes_of, zeros
from ._windows import enclosed, spatial
from .pad import takers, zero_after

_SUMS_COLUMNS = 18
"""The opset from which ONNX has Col2Im."""


def _origins(op: Im2Col | Im2ColGrad | Col2Im, size: Sequence[int]) -> list[Array]:
    """For each axis the indices (window, windows) in the padded data."""
    stride, dilate, _ = op.window()
    counts = sizes(op.counts(tuple(size)))
    axes = zip(op.kernel, counts, stride, dilate, strict=True)
    return [np.arange(k)[:, None] * d + np.arange(n) * s for k, n, s, d in axes]


@lowers(Im2Col)
def im2col(g: Graph, op: Im2Col, data: Value) -> Value:
    """(N, C, kernel, windows, …) axis by axis, then all kernel axes before all axes of windows."""
    rank, (_, _, pad) = len(op.kernel), op.window()
    origins = _origins(op, spatial(g, data))
    cells = enclosed(g, data, pad, pad)
    for axis in reversed(range(rank)):
        cells = g.Gather(cells, origins[axis], axis=2 + axis)
    order = [2 + 2 * i for i in range(rank)] + [3 + 2 * i for i in range(rank)]
    return reshape(g, g.Transpose(cells, [0, 1, *order]), output_sizes(g))


@lowers(Im2ColGrad)
def im2col_grad(g: Graph, op: Im2ColGrad, dy: Value, data: Value) -> Value:
    return _summed(g, op, dy, known_size(g, data, 1), spatial(g, data))


@lowers(Col2Im)
def col2im(g: Graph, op: Col2Im, data: Value) -> Value:
    return _summed(g, op, data, known_size(g, data, 1) // prod(op.kernel), op.output_size)


def _summed(g: Graph, op: Im2ColGrad | Col2Im, columns: Value, channels: int, size: Sequence[int]) -> Value:
    if not channels:
        return zeros(g, output_sizes(g), columns)
    stride, dilate, pad = op.window()
    # of one or three axes ONNX Runtime's Col2Im is wrong after the first channel if there are dilations
    if len(size) == 2 and g.opset >= _SUMS_COLUMNS and columns.dtype != np.float64:
        return g.Col2Im(
            columns, list(size), list(op.kernel), strides=stride, dilations=dilate, pads=(*pad, *pad)
        )
    rank, origins = len(op.kernel), _origins(op, size)
    shape = [sizes_of(columns)[0], channels]
    cells = reshape(g, columns, [*shape, *op.kernel, *(o.shape[1] for o in origins)])
    order = [axis for i in range(rank) for axis in (2 + i, 2 + rank + i)]
    cells = g.Transpose(cells, [0, 1, *order])
    for axis in reversed(range(rank)):
        cells = _axis_summed(g, cells, 2 + 2 * axis, origins[axis], size[axis], pad[axis])
    return cells


def _axis_summed(g: Graph, cells: Value, axis: int, origins: Array, size: int, pad: int) -> Value:
    """Two axes, of the window and of the windows, back to one of the data: each element takes its own."""
    merged = [*sizes_of(cells)[:axis], origins.size, *sizes_of(cells)[axis + 2 :]]
    lists = takers(origins.ravel() - pad, size)
    parts = g.Gather(zero_after(g, reshape(g, cells, merged), axis), lists, axis=axis)
    return g.ReduceSum(parts, [axis + 1], keepdims=0)
