"""Lowerings of decompositions of matrices, determinants and inverses, a step for each column or row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybridonnx.ops.decomposition import Det, Gelqf, Inverse, InverseOrZeros, Potrf, Potri, Slogdet

from ._elimination import (
    diagonal_mask,
    eliminated,
    empty,
    eye,
    inverse,
    numbers,
    one,
    over_columns,
    solved,
    transposed,
    triangle,
    zero,
)
from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import output_sizes, sizes_of, vector


@lowers(Potrf)
def potrf(g: Graph, op: Potrf, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    index = numbers(g, A)

    def build(b: Graph, j: Value, factor: Value) -> Sequence[Value]:
        row = b.Unsqueeze(b.Gather(factor, j, axis=-2), [-1])
        rest = b.Unsqueeze(b.Gather(A, j, axis=-1), [-1]) - b.MatMul(factor, row)
        pivot = b.Unsqueeze(b.Gather(rest, j, axis=-2), [-2])
        # no root of zero or of a negative number: what is not positive definite has no factor
        root = b.Sqrt(b.Where(b.Greater(pivot, zero(A)), pivot, np.full((), np.nan, A.dtype)))
        below = b.Where(b.Unsqueeze(b.Greater(index, j), [1]), rest / root, zero(A))
        column = b.Where(b.Unsqueeze(b.Equal(index, j), [1]), root, below)
        return [b.Where(b.Equal(index, j), column, factor)]

    start = g.Expand(zero(A), g.shape_of(A))
    return over_columns(g, build, [start], sizes_of(A)[-1])[0]


@lowers(Potri)
def potri(g: Graph, op: Potri, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    root = solved(g, A, True, eye(g, A))
    return g.MatMul(transposed(g, root), root)


# ---- Householder reflections


@lowers(Gelqf)
def gelqf(g: Graph, op: Gelqf, A: Value) -> tuple[Value, Value]:
    if empty(A):
        return tuple(g.Full(vector(g, output_sizes(g, i)), 0, A.dtype) for i in (0, 1))
    index = numbers(g, A)

    def build(b: Graph, j: Value, work: Value) -> Sequence[Value]:
        v, factor = _reflection(b, b.Unsqueeze(b.Gather(work, j, axis=-2), [-2]), index, j)
        product = b.MatMul(work, transposed(b, v))
        return work - product * factor * v, v, factor

    work, vectors, factors = over_columns(g, build, [A], sizes_of(A)[-2], 2)
    first = g.Where(diagonal_mask(g, A), one(A), g.Expand(zero(A), g.shape_of(A)))

    def back(b: Graph, j: Value, q: Value) -> Sequence[Value]:
        v, factor = b.Gather(vectors, j, axis=0), b.Gather(factors, j, axis=0)
        return [q - b.MatMul(q, transposed(b, v)) * factor * v]

    q = over_columns(g, back, [first], sizes_of(A)[-2], backwards=True)[0]
    lower = g.Slice(work, [0], g.size_of(A, A.rank - 2), [A.rank - 1])
    return q, triangle(g, lower, True)


def _reflection(b: Graph, row: Value, index: Value, j: Value) -> tuple[Value, Value]:
    """v (*batch, 1, n) and the factor of LAPACK's reflection, which makes all right of element j zero."""
    last = [row.rank - 1]
    alpha = b.Unsqueeze(b.Gather(row, j, axis=-1), [-1])
    tail = b.Where(b.Greater(index, j), row, zero(row))
    largest = b.Max(b.ReduceMax(b.Abs(tail), last), b.Abs(alpha))
    scale = b.Where(b.Equal(largest, zero(row)), one(row), largest)  # so that no square overflows
    parts = b.ReduceSumSquare(tail / scale, last) + (alpha / scale) * (alpha / scale)
    length = scale * b.Sqrt(parts)
    beta = b.Where(b.Less(alpha, zero(row)), length, -length)
    needless = b.Equal(b.ReduceMax(b.Abs(tail), last), zero(row))
    factor = b.Where(needless, zero(row), (beta - alpha) / b.Where(needless, one(row), beta))
    v = b.Where(b.Equal(index, j), one(row), tail / b.Where(needless, one(row), alpha - beta))
    return v, factor


# ---- determinants and inverses


@lowers(Inverse)
def inverse_of(g: Graph, op: Inverse, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    result, singular = inverse(g, A)
    return g.Where(singular, np.full((), np.nan, A.dtype), result)


@lowers(InverseOrZeros)
def inverse_or_zeros(g: Graph, op: InverseOrZeros, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    result, singular = inverse(g, A)
    return g.Where(singular, zero(A), result)


@lowers(Det)
def det(g: Graph, op: Det, A: Value) -> Value:
    if empty(A):
        return g.Full(vector(g, output_sizes(g)), 1, A.dtype)
    if A.dtype == np.float32:
        result: Value = g.Det(A)
        return g.Unsqueeze(result, [0]) if A.rank == 2 else result
    pivots, sign = _pivots(g, A)
    product = g.ReduceProd(pivots, [0], keepdims=int(A.rank == 2))
    return product * sign


@lowers(Slogdet)
def slogdet(g: Graph, op: Slogdet, A: Value) -> tuple[Value, Value]:
    if empty(A):
        first, second = (g.Full(vector(g, output_sizes(g, i)), 1 - i, A.dtype) for i in (0, 1))
        return first, second
    pivots, sign = _pivots(g, A)
    keep = int(A.rank == 2)
    logarithm = g.ReduceSum(g.Log(g.Abs(pivots)), [0], keepdims=keep)
    return g.ReduceProd(g.Sign(pivots), [0], keepdims=keep) * sign, logarithm


def _pivots(g: Graph, A: Value) -> tuple[Value, Value]:
    """The pivots (n, *batch) of the elimination, and the sign of its row exchanges, as the output is."""
    done = eliminated(g, A)
    signs = g.Where(done.exchanges, np.full((), -1, A.dtype), one(A))
    return done.pivots, g.ReduceProd(signs, [0], keepdims=int(A.rank == 2))
