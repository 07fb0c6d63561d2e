"""Lowerings of the likeness of patches, one row of displacements after the other.

A row's displacements stand on an axis of their own, so that memory is that of the arrays times as many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridonnx.ops import sizes
from hybridonnx.ops.correlation import Correlation, CorrelationGrad, CorrelationSlope

from ..elements import Array
from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import known_size, output_sizes, reshape, sizes_of, zeros
from ._windows import enclosed, spatial
from .pad import takers, zero_after


class _Patches:
    """Where the elements of patches lie: on each axis `elements`, those that any patch has."""

    def __init__(self, g: Graph, op: Correlation | CorrelationGrad | CorrelationSlope, data: Value) -> None:
        self.g, self.op, self.size = g, op, spatial(g, data)
        self.channels = known_size(g, data, 1)
        self.counts = sizes(op.correlated((1, 1, *self.size))[2:])
        self.along = list(op.displacements())
        self.step = op.stride1 if op.kernel_size == 1 else 1
        reach = [(n - 1) * op.stride1 + op.kernel_size for n in self.counts]
        self.elements = [op.max_displacement + np.arange(0, n, self.step) for n in reach]

    def padded(self, data: Value) -> Value:
        around = [self.op.pad_size] * 2
        return enclosed(self.g, _wide(self.g, data), around, around)

    def first(self, padded: Value) -> Value:
        """The elements of the patches of data1, (N, C, rows, 1, columns)."""
        rows, columns = self.elements
        cut = self._rows(padded, rows)
        return self.g.Unsqueeze(self.g.Gather(cut, columns, axis=3), [3])

    def second(self, padded: Value, down: int) -> Value:
        """Those of data2 at a row of displacements, (N, C, rows, displacements, columns)."""
        rows = self._rows(padded, self.elements[0] + down)
        return self.g.Gather(rows, self.columns(), axis=3)

    def columns(self) -> Array:
        """The columns of data2 at each displacement."""
        return np.asarray(np.array(self.along)[:, None] + self.elements[1])

    def _rows(self, padded: Value, rows: Array, axis: int = 2) -> Value:
        return self.g.Slice(padded, [rows[0]], [rows[-1] + 1], [axis], [self.step])

    def means(self, pairs: Sequence[tuple[Value, Value]], compare: Callable[..., Value]) -> Value:
        """A function of the elements of pairs of arrays, its mean over channels and patches."""
        g = self.g
        arrays = [(self.first(self.padded(a)), self.padded(b)) for a, b in pairs]
        parts = []
        for down in self.along:
            elements = [v for a, b in arrays for v in (a, self.second(b, down))]
            parts.append(g.ReduceSum(compare(*elements), [1], keepdims=0))
        return g.Cast(self._patch_means(parts), pairs[0][0].dtype)

    def products(self, data1: Value, data2: Value) -> Value:
        """The means of products: those of all columns of a row as a matrix, and of it the diagonals."""
        g, band = self.g, self.band()
        one, other = (self.columns_last(self.padded(x)) for x in (data1, data2))
        first, parts = self.first_rows(one), []
        for down in self.along:
            matrix = g.MatMul(first, g.Transpose(self.second_rows(other, down), [0, 1, 3, 2]))
            merged = reshape(g, matrix, [*sizes_of(matrix)[:2], band.size])
            parts.append(g.Gather(merged, np.arange(band.size).reshape(band.shape)[self.diagonals()], axis=2))
        return g.Cast(self._patch_means(parts), data1.dtype)

    def columns_last(self, padded: Value) -> Value:
        """(N, rows, columns, C)."""
        return self.g.Transpose(padded, [0, 2, 3, 1])

    def first_rows(self, x: Value) -> Value:
        """The elements of the patches of data1, (N, rows, columns, C)."""
        rows, columns = self.elements
        return self.g.Gather(self._rows(x, rows, 1), columns, axis=2)

    def second_rows(self, x: Value, down: int) -> Value:
        """The rows of data2 at a row of displacements, with all their columns."""
        return self._rows(x, self.elements[0] + down, 1)

    def diagonals(self) -> tuple[Array, Array]:
        """For each displacement and column of data1 the row and column of a matrix of products."""
        columns = self.columns()
        return np.broadcast_to(np.arange(columns.shape[1]), columns.shape), columns

    def band(self) -> Array:
        """A matrix of products as the indices in (displacements, columns), or the one after all."""
        columns = self.columns()
        band = np.full((columns.shape[1], self.size[1] + 2 * self.op.pad_size), columns.size)
        band[self.diagonals()] = np.arange(columns.size).reshape(columns.shape)
        return band

    def _patch_means(self, parts: Sequence[Value]) -> Value:
        """The means over channels and patches from sums (N, rows, displacements, columns)."""
        g = self.g
        sums = g.Concat(*(g.Transpose(part, [0, 2, 1, 3]) for part in parts), axis=1)
        if self.op.kernel_size > 1:
            for axis in (2, 3):
                sums = self._patch_sums(sums, axis)
        return sums / self.divisor()

    def _patch_sums(self, x: Value, axis: int) -> Value:
        g, step, last = self.g, self.op.stride1, self.counts[axis - 2] - 1
        starts = range(self.op.kernel_size)
        return g.Sum(*(g.Slice(x, [i], [i + last * step + 1], [axis], [step]) for i in starts))

    def divisor(self) -> float:
        return float(max(self.op.kernel_size**2 * self.channels, 1))

    # ---- back

    def heads(self, dy: Value) -> list[Value]:
        """For each row of displacements what its elements get, (N, rows, displacements, columns)."""
        g = self.g
        x = _wide(g, dy) / self.divisor()
        if self.op.kernel_size > 1:
            for axis in (2, 3):
                x = self._patches_spread(x, axis)
        count = len(self.along)
        return [g.Transpose(part, [0, 2, 1, 3]) for part in g.Split(x, [count] * count, axis=1)]

    def _patches_spread(self, x: Value, axis: int) -> Value:
        count, kernel = self.counts[axis - 2], self.op.kernel_size
        origins = np.arange(kernel)[:, None] + np.arange(count) * self.op.stride1
        lists = takers(origins.ravel(), int(origins[-1, -1]) + 1)
        lists = np.where(lists == origins.size, count, lists % count)
        return self.g.ReduceSum(self.g.Gather(zero_after(self.g, x, axis), lists, axis=axis), [axis + 1], 0)

    def first_sums(self, parts: Sequence[Value]) -> Value:
        """The gradient of data1 from the sums of its elements, (N, C, rows, columns)."""
        total = self.g.Sum(*parts)
        return self.columns_placed(self.rows_placed(total, 2), 3)

    def second_sums(self, parts: Sequence[Value]) -> Value:
        """The gradient of data2 from its elements at each row of displacements, which are as `second`."""
        g, columns = self.g, self.columns()
        lists = takers(columns.ravel() - self.op.pad_size, self.size[1])
        rows = []
        for part, down in zip(parts, self.along, strict=True):
            merged = reshape(g, part, [*sizes_of(part)[:3], columns.size])
            total = g.ReduceSum(g.Gather(zero_after(g, merged, 3), lists, axis=3), [4], keepdims=0)
            rows.append(self.rows_placed(total, 2, down))
        return g.Sum(*rows)

    def rows_placed(self, x: Value, axis: int, down: int = 0) -> Value:
        """The rows of patches, at a displacement, among all rows of the array without padding, 0 else."""
        return self._placed(x, axis, self.elements[0] + down, self.size[0])

    def columns_placed(self, x: Value, axis: int) -> Value:
        """The same for columns."""
        return self._placed(x, axis, self.elements[1], self.size[1])

    def _placed(self, x: Value, axis: int, at: Array, size: int) -> Value:
        lists = takers(at - self.op.pad_size, size)[:, 0]
        return self.g.Gather(zero_after(self.g, x, axis), lists, axis=axis)


def _wide(g: Graph, x: Value) -> Value:
    return g.Cast(x, np.float32) if x.dtype == np.float16 else x


def _empty(g: Graph) -> bool:
    return 0 in (g.output().shape or ())


@lowers(Correlation)
def correlation(g: Graph, op: Correlation, data1: Value, data2: Value) -> Value:
    if _empty(g):
        return zeros(g, output_sizes(g), data1)
    patches = _Patches(g, op, data1)
    if op.is_multiply:
        return patches.products(data1, data2)
    return patches.means([(data1, data2)], lambda a, b: g.Abs(a - b))


@lowers(CorrelationSlope)
def correlation_slope(g: Graph, op: CorrelationSlope, *inputs: Value) -> Value:
    step1, step2, data1, data2 = inputs
    if _empty(g):
        return zeros(g, output_sizes(g), step1)

    def compare(p: Value, q: Value, a: Value, b: Value) -> Value:
        return g.Where(g.Less(a, b), q - p, p - q)

    return _Patches(g, op, data1).means([(step1, step2), (data1, data2)], compare)


@lowers(CorrelationGrad)
def correlation_grad(g: Graph, op: CorrelationGrad, dy: Value, data1: Value, data2: Value) -> Any:
    if _empty(g):
        return tuple(zeros(g, output_sizes(g, i), dy) for i in range(2))
    patches = _Patches(g, op, data1)
    of_one = _product_grad if op.is_multiply else _distance_grad
    return tuple(g.Cast(x, dy.dtype) for x in of_one(g, patches, dy, data1, data2))


def _distance_grad(g: Graph, patches: _Patches, dy: Value, data1: Value, data2: Value) -> Sequence[Value]:
    first, padded = patches.first(patches.padded(data1)), patches.padded(data2)
    parts1, parts2 = [], []
    for heads, down in zip(patches.heads(dy), patches.along, strict=True):
        head = g.Unsqueeze(heads, [1])
        slope = g.Where(g.Less(first, patches.second(padded, down)), -head, head)
        parts1.append(g.ReduceSum(slope, [3], keepdims=0))
        parts2.append(-slope)
    return patches.first_sums(parts1), patches.second_sums(parts2)


def _product_grad(g: Graph, patches: _Patches, dy: Value, data1: Value, data2: Value) -> Sequence[Value]:
    """By the matrices whose diagonals are what the products get."""
    one, other = (patches.columns_last(patches.padded(x)) for x in (data1, data2))
    first, band, parts1, parts2 = patches.first_rows(one), patches.band(), [], []
    for heads, down in zip(patches.heads(dy), patches.along, strict=True):
        merged = reshape(g, heads, [*sizes_of(heads)[:2], patches.columns().size])
        matrix = g.Gather(zero_after(g, merged, 2), band, axis=2)
        parts1.append(g.MatMul(matrix, patches.second_rows(other, down)))
        part = g.MatMul(g.Transpose(matrix, [0, 1, 3, 2]), first)
        parts2.append(patches.rows_placed(part, 1, down))
    total, both = g.Sum(*parts1), g.Sum(*parts2)
    total = patches.columns_placed(patches.rows_placed(total, 1), 2)
    pad = patches.op.pad_size
    inner = g.Slice(both, [pad], [pad + patches.size[1]], [2])
    return tuple(g.Transpose(x, [0, 3, 1, 2]) for x in (total, inner))
