"""Lowerings of decompositions of matrices, determinants and inverses, a step for each column or row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from hybridonnx.ops import Array, Spec
from hybridonnx.ops.decomposition import (
    Det,
    Gelqf,
    Inverse,
    InverseOrZeros,
    Potrf,
    Potri,
    Slogdet,
    Syevd,
    tie,
)

from ._arithmetic import any_along
from ._elimination import (
    diagonal,
    eliminated,
    eye,
    inverse,
    numbers,
    on_kernels_here,
    one,
    over_columns,
    solved,
    transposed,
    triangle,
    zero,
    zeros_like,
)
from ._graph import Graph, Value, iota
from ._registry import lowers
from ._symbolic_dims import empty, fill_output, known_size, output_sizes, sizes_of, vector


@lowers(Potrf)
def potrf(g: Graph, op: Potrf, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    if not op.lower:
        A = transposed(g, A)
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

    factor = over_columns(g, build, [zeros_like(g, A)], sizes_of(A)[-1])[0]
    return factor if op.lower else transposed(g, factor)


@lowers(Potri)
def potri(g: Graph, op: Potri, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    root = solved(g, A if op.lower else transposed(g, A), True, eye(g, A))
    return g.MatMul(transposed(g, root), root)


# ---- Householder reflections


@lowers(Gelqf)
def gelqf(g: Graph, op: Gelqf, A: Value) -> tuple[Value, Value]:
    if empty(A):
        first, second = (g.Full(vector(g, output_sizes(g, i)), 0, A.dtype) for i in (0, 1))
        return first, second
    index = numbers(g, A)

    def build(b: Graph, j: Value, work: Value) -> Sequence[Value]:
        v, factor = _reflection(b, b.Unsqueeze(b.Gather(work, j, axis=-2), [-2]), index, j)
        product = b.MatMul(work, transposed(b, v))
        return work - product * factor * v, v, factor

    work, vectors, factors = over_columns(g, build, [A], sizes_of(A)[-2], 2)

    def back(b: Graph, j: Value, q: Value) -> Sequence[Value]:
        v, factor = b.Gather(vectors, j, axis=0), b.Gather(factors, j, axis=0)
        return [q - b.MatMul(q, transposed(b, v)) * factor * v]

    q = over_columns(g, back, [eye(g, A)], sizes_of(A)[-2], backwards=True)[0]
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
    negative = b.Or(b.Less(alpha, zero(row)), b.Less(b.Reciprocal(alpha), zero(row)))  # -0 is
    beta = b.Where(negative, length, -length)
    needless = b.Equal(b.ReduceMax(b.Abs(tail), last), zero(row))
    factor = b.Where(needless, zero(row), (beta - alpha) / b.Where(needless, one(row), beta))
    v = b.Where(b.Equal(index, j), one(row), tail / b.Where(needless, one(row), alpha - beta))
    return v, factor


# ---- Jacobi rotations

_MOST_SWEEPS = 20
"""Sweeps over all pairs of rows after which the rotations end; seven to ten are needed."""


@lowers(Syevd)
def syevd(g: Graph, op: Syevd, A: Value) -> tuple[Value, Value]:
    """In float64, so that the rotations of float32 matrices lose nothing."""
    if empty(A):
        first, second = (g.Full(vector(g, output_sizes(g, i)), 0, A.dtype) for i in (0, 1))
        return first, second
    on_kernels_here(g)
    n = known_size(g, A, A.rank - 1)
    wide = g.Cast(A, np.float64)
    lower = triangle(g, wide, True)
    unknown = any_along(g, g.Or(g.IsNaN(lower), g.IsInf(lower)), [A.rank - 2, A.rank - 1], keepdims=1)
    start = g.Where(unknown, zero(wide), lower + transposed(g, triangle(g, wide, True, -1)))
    values, vectors = _rotated(g, start, n) if n > 1 else (start, eye(g, start))
    values, order = g.TopK(diagonal(g, values), n, largest=0)
    at = g.Expand(g.Unsqueeze(order, [-1]), g.shape_of(A))
    rows = g.GatherElements(transposed(g, vectors), at, axis=A.rank - 2)
    sizes = g.Abs(rows)
    nearly = g.ReduceMax(sizes, [A.rank - 1]) * (1 - tie(A.dtype))
    first = g.ArgMax(g.Cast(g.GreaterOrEqual(sizes, nearly), np.int32), axis=A.rank - 1, keepdims=1)
    largest = g.GatherElements(rows, first, axis=A.rank - 1)
    signed = g.Where(g.Less(largest, zero(rows)), -rows, rows)
    nan = np.full((), np.nan)
    values = g.Where(g.Squeeze(unknown, [A.rank - 1]), nan, values)
    return g.Cast(g.Where(unknown, nan, signed), A.dtype), g.Cast(values, A.dtype)


def eigenvalues(g: Graph, symmetric: Value, n: int) -> Value:
    """The eigenvalues of symmetric matrices, the largest first."""
    values = _rotated(g, symmetric, n)[0] if n > 1 else symmetric
    ordered: Value = g.TopK(diagonal(g, values), n)[0]
    return ordered


def _rotated(g: Graph, start: Value, n: int) -> tuple[Value, Value]:
    """Symmetric matrices that rotations have made diagonal, and the products of the rotations."""
    partners = g.const(_partners(n))
    index = g.const(iota(n))
    mask = g.Equal(g.Unsqueeze(index, [1]), index)
    negligible = g.ReduceMax(g.Abs(start), [start.rank - 2, start.rank - 1]) * (4 * np.finfo(np.float64).eps)

    def build(b: Graph, i: Value, _: Value, a: Value, vectors: Value) -> Sequence[Value]:
        partner = b.Gather(partners, b.Mod(i, np.int64(len(_partners(n)))), axis=0)
        pairs = b.Equal(b.Unsqueeze(partner, [1]), index)
        turn = _rotation(b, a, partner, pairs, index, negligible)
        back = transposed(b, turn)
        a = b.MatMul(b.MatMul(back, a), turn)
        rest = b.Greater(b.Abs(b.Where(mask, zero(a), a)), negligible)
        goes_on = b.Greater(b.ReduceMax(b.Cast(rest, np.int32), keepdims=0), 0)
        return goes_on, a, b.MatMul(vectors, turn)

    specs = [
        Spec((), np.dtype(np.int64)),
        Spec((), np.dtype(np.bool_)),
        *[Spec(start.shape, start.dtype)] * 2,
    ]
    body = g.body(specs, build)
    trips = g.const(np.array(_MOST_SWEEPS * len(_partners(n)), np.int64))
    rotated, vectors = g.Loop(trips, g.const(np.array(True)), start, eye(g, start), outputs=2, body=body)
    rotated.shape = vectors.shape = start.shape
    return rotated, vectors


def _rotation(b: Graph, a: Value, partner: Value, pairs: Value, index: Value, negligible: Value) -> Value:
    """Orthogonal matrices that turn each row with its partner, so that their common element becomes zero."""
    common = b.ReduceSum(b.Where(pairs, a, zero(a)), [a.rank - 1], keepdims=0)
    common = (common + b.Gather(common, partner, axis=-1)) * 0.5  # one number for both, up to the last digit
    own = diagonal(b, a)
    half = b.Squeeze(negligible, [a.rank - 1])
    turns = b.And(b.Greater(b.Abs(common), half), b.Not(b.Equal(partner, index)))
    angle = (b.Gather(own, partner, axis=-1) - own) / b.Where(turns, common * 2.0, one(a))
    up = b.Where(b.Less(index, partner), one(a), -one(a))
    sign = b.Where(b.Equal(angle, zero(a)), up, b.Sign(angle))
    tangent = b.Where(turns, sign / (b.Abs(angle) + b.Sqrt(angle * angle + 1.0)), zero(a))
    cosine = b.Reciprocal(b.Sqrt(tangent * tangent + 1.0))
    straight = b.Equal(b.Unsqueeze(index, [1]), index)
    sine = b.Where(pairs, b.Unsqueeze(tangent * cosine, [-1]), zero(a))
    return b.Where(straight, b.Unsqueeze(cosine, [-1]), sine)


@cache
def _partners(n: int) -> Array:
    """(rounds, n): the partner of each row in each round of a tournament, in which all pairs meet once."""
    last = n - 1 + n % 2
    rounds, rows = np.arange(last)[:, None], np.arange(last)
    partners = (rounds - rows) % last
    alone = partners == rows
    table = np.concatenate([np.where(alone, last, partners), alone.argmax(1)[:, None]], axis=1)
    return table[:, :n] if n % 2 == 0 else np.where(table[:, :n] == last, iota(n), table[:, :n])


# ---- determinants and inverses


@lowers(Inverse)
def inverse_of(g: Graph, op: Inverse, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    result, singular = inverse(g, A)
    unknown = any_along(g, g.IsNaN(A), [A.rank - 2, A.rank - 1], keepdims=1)
    return g.Where(g.Or(singular, unknown), np.full((), np.nan, A.dtype), result)


@lowers(InverseOrZeros)
def inverse_or_zeros(g: Graph, op: InverseOrZeros, A: Value) -> Value:
    if empty(A):
        return g.Identity(A)
    result, singular = inverse(g, A)
    return g.Where(singular, zero(A), result)


@lowers(Det)
def det(g: Graph, op: Det, A: Value) -> Value:
    if empty(A):
        return fill_output(g, 1, A.dtype)
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
    sign = g.ReduceProd(g.Sign(pivots), [0], keepdims=keep) * sign
    return g.Where(g.IsNaN(logarithm), zero(A), sign), logarithm


def _pivots(g: Graph, A: Value) -> tuple[Value, Value]:
    """The pivots (n, *batch) of the elimination, and the sign of its row exchanges, as the output is."""
    done = eliminated(g, A)
    signs = g.Where(done.exchanges, np.full((), -1, A.dtype), one(A))
    return done.pivots, g.ReduceProd(signs, [0], keepdims=int(A.rank == 2))
