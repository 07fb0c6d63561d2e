"""Triangular systems and Gauss-Jordan elimination as ONNX nodes: a Scan with a step for each row or column.

Matrices stand in the last two axes. A step is a few nodes on whole matrices, so that the size of a file does
not depend on theirs, and sizes may be free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops import Array

from ._graph import END, Graph, Value
from ._recurrence import scan
from ._symbolic_dims import AxisSize, count, empty, sizes_of


def zero(x: Value) -> Array:
    """Zero, in the dtype of a value."""
    return np.zeros((), x.dtype)


def one(x: Value) -> Array:
    """One, in the dtype of a value."""
    return np.ones((), x.dtype)


def transposed(g: Graph, x: Value) -> Value:
    """The transposed matrices."""
    return g.Transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def numbers(g: Graph, x: Value, axis: int = -1) -> Value:
    """0, 1, … for the indices of an axis."""
    return count(g, sizes_of(x)[axis])


def diagonal_mask(g: Graph, x: Value) -> Value:
    """Where the main diagonal of matrices is."""
    return g.Equal(g.Unsqueeze(numbers(g, x, -2), [1]), numbers(g, x))


def diagonal(g: Graph, x: Value) -> Value:
    """The main diagonal of matrices."""
    return g.ReduceSum(g.Where(diagonal_mask(g, x), x, zero(x)), [-1], keepdims=0)


def triangle(g: Graph, x: Value, lower: bool, offset: int = 0) -> Value:
    """Matrices with zeros in place of what is above the diagonal `offset`, or below it if not `lower`."""
    if g.opset >= 14:
        return g.Trilu(x, g.const(np.array(offset)), upper=int(not lower))
    rows, columns = g.Unsqueeze(numbers(g, x, -2) + offset, [1]), numbers(g, x)
    # the comparisons with "or equal" have no shape for ONNX Runtime at these opsets, which a Scan requires
    outside = g.Less(rows, columns) if lower else g.Greater(rows, columns)
    return g.Where(outside, zero(x), x)


def eye(g: Graph, x: Value) -> Value:
    """Matrices in the shape of others with ones on the main diagonal."""
    return g.Expand(g.Where(diagonal_mask(g, x), one(x), zero(x)), g.shape_of(x))


def zeros_like(g: Graph, x: Value) -> Value:
    """Zeros in the shape of a value."""
    return g.Full(g.shape_of(x), 0, x.dtype)


def on_kernels_here(g: Graph) -> None:
    """Raise where kernels can take the place of the graph: they raise errors, and are ten times as fast."""
    if g.exact:
        raise ConversionError(
            f"{g.operator[0]}: ONNX says it step by step; the kernel is faster, and raises an error where "
            "there is no result."
        )


def over_columns(
    g: Graph,
    build: Callable[..., Sequence[Value]],
    states: Sequence[Value],
    length: int | AxisSize,
    results: int = 0,
    backwards: bool = False,
) -> tuple[Value, ...]:
    """The last states of a Scan and `results` values of every step, which `build(b, j, *states)` gives."""
    on_kernels_here(g)

    def step(b: Graph, *values: Value) -> Sequence[Value]:
        *current, j = values
        return build(b, j, *current)

    return scan(g, step, states, [count(g, length)], results, backwards)


def solved(g: Graph, matrix: Value, lower: bool, B: Value) -> Value:
    """The solution X of `matrix` X = `B` by substitution; one triangle of the matrix is read."""
    if empty(B):
        return g.Identity(B)
    divisors = diagonal(g, matrix)
    others = triangle(g, matrix, lower, -1 if lower else 1)
    rows = numbers(g, B, -2)

    def build(b: Graph, j: Value, x: Value) -> Sequence[Value]:
        product = b.MatMul(b.Unsqueeze(b.Gather(others, j, axis=-2), [-2]), x)  # rows to come are zero
        own = b.Unsqueeze(b.Gather(B, j, axis=-2), [-2]) - product
        value = own / b.Unsqueeze(b.Gather(divisors, j, axis=-1), [-1, -2])
        return [b.Where(b.Unsqueeze(b.Equal(rows, j), [1]), value, x)]

    return over_columns(g, build, [zeros_like(g, B)], sizes_of(B)[-2], backwards=not lower)[0]


class Elimination(NamedTuple):
    """What is left of matrices that are reduced column by column with row exchanges."""

    matrices: Value
    pivots: Value
    """(n, *batch)"""
    exchanges: Value
    """(n, *batch): whether rows were exchanged."""


def eliminated(g: Graph, x: Value) -> Elimination:
    """Gauss-Jordan elimination of matrices (n, m), m >= n, until their first n columns are the identity.

    The largest number of a column on or below the diagonal is the pivot, the first of equal ones, as in
    LAPACK. Where it is zero, the column stays.
    """
    rows = numbers(g, x, -2)

    def build(b: Graph, j: Value, m: Value) -> Sequence[Value]:
        column = b.Gather(m, j, axis=-1)
        # of no matrices ONNX Runtime's ArgMax has another shape, which is broadcast away
        # NaN is the pivot, as ONNX Runtime's ArgMax passes over it where there are several matrices
        sizes = b.Where(b.IsNaN(column), np.full((), np.inf, x.dtype), b.Abs(column))
        sizes = b.Where(b.Less(rows, j), np.full((), -1, x.dtype), sizes)
        chosen = b.Unsqueeze(b.ArgMax(sizes, axis=-1, keepdims=1), [-1])
        at_j, at_pivot = b.Unsqueeze(b.Equal(rows, j), [1]), b.Equal(b.Unsqueeze(rows, [1]), chosen)
        row = b.Unsqueeze(b.Gather(m, j, axis=-2), [-2])
        pivot_row = b.ReduceSum(b.Where(at_pivot, m, zero(x)), [m.rank - 2])
        pivot = b.Unsqueeze(b.Gather(pivot_row, j, axis=-1), [-1])
        divisor = b.Where(b.Equal(pivot, zero(x)), one(x), pivot)
        new_row = pivot_row / divisor
        moved = b.Where(at_pivot, row, m)
        factors = b.Unsqueeze(b.Gather(moved, j, axis=-1), [-1])
        new = b.Where(at_j, new_row, moved - factors * new_row)
        exchanged = b.Not(b.Squeeze(b.Gather(at_pivot, j, axis=-2), [-1]))
        return new, b.Squeeze(pivot, [m.rank - 2, m.rank - 1]), exchanged

    return Elimination(*over_columns(g, build, [x], sizes_of(x)[-2], 2))


def inverse(g: Graph, A: Value) -> tuple[Value, Value]:
    """The inverse of square matrices, and (*batch, 1, 1) where a matrix is singular."""
    both = eliminated(g, g.Concat(A, eye(g, A), axis=A.rank - 1))
    start = g.size_of(A, -1)
    result = g.Slice(both.matrices, start, [END], [A.rank - 1])
    hits = g.ReduceMax(g.Cast(g.Equal(both.pivots, zero(A)), np.int32), [0], keepdims=0)
    return result, g.Unsqueeze(g.Cast(hits, np.bool_), [-2, -1])
