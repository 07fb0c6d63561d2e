"""Lowerings of diagonals and triangles of matrices."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.triangle import (
    ExtractDiag,
    ExtractTrian,
    MakeDiag,
    MakeTrian,
    SumLogDiag,
    Triangle,
    triangle_indices,
)

from ._elimination import diagonal, numbers, triangle, zero
from ._graph import END, Graph, Value
from ._registry import lowers
from ._symbolic_dims import empty, fill_output, known_size, reshape, sizes_of


@lowers(Triangle)
def triangle_of(g: Graph, op: Triangle, A: Value) -> Value:
    return triangle(g, A, op.lower, op.k)


@lowers(ExtractDiag)
def extractdiag(g: Graph, op: ExtractDiag, A: Value) -> Value:
    k, rank = op.offset, A.rank
    if empty(A):
        return fill_output(g, 0, A.dtype)
    if k:
        starts, ends = ([0, k], [-k, END]) if k > 0 else ([-k, 0], [END, k])
        A = g.Slice(A, starts, ends, [rank - 2, rank - 1])
    return diagonal(g, A)


@lowers(MakeDiag)
def makediag(g: Graph, op: MakeDiag, A: Value) -> Value:
    if empty(A):
        return fill_output(g, 0, A.dtype)
    k, index = op.offset, numbers(g, A)
    matrix = g.Where(g.Equal(g.Unsqueeze(index, [1]), index), g.Unsqueeze(A, [-1]), zero(A))
    if not k:
        return matrix
    batch = [0] * (A.rank - 1)
    return g.Pad(matrix, [*batch, max(-k, 0), max(k, 0), *batch, max(k, 0), max(-k, 0)])


@lowers(ExtractTrian)
def extracttrian(g: Graph, op: ExtractTrian, A: Value) -> Value:
    n = known_size(g, A, A.rank - 1)
    rows, columns = triangle_indices(n - abs(op.offset), op.offset, op.lower)
    flat = reshape(g, A, [*sizes_of(A)[:-2], n * n])
    vectors: Value = g.Gather(flat, g.const(rows * n + columns), axis=-1)
    return vectors


@lowers(MakeTrian)
def maketrian(g: Graph, op: MakeTrian, A: Value) -> Value:
    m = op.side(known_size(g, A, A.rank - 1))
    if empty(A):
        return fill_output(g, 0, A.dtype)
    n = m + abs(op.offset)
    rows, columns = triangle_indices(m, op.offset, op.lower)
    source, inside = np.zeros(n * n, np.int64), np.zeros(n * n, np.bool_)
    source[rows * n + columns] = np.arange(len(rows))
    inside[rows * n + columns] = True
    flat = g.Where(g.const(inside), g.Gather(A, g.const(source), axis=-1), zero(A))
    return reshape(g, flat, [*sizes_of(A)[:-1], n, n])


@lowers(SumLogDiag)
def sumlogdiag(g: Graph, op: SumLogDiag, A: Value) -> Value:
    if empty(A):
        return fill_output(g, 0, A.dtype)
    return g.ReduceSum(g.Log(diagonal(g, A)), [A.rank - 2], keepdims=int(A.rank == 2))
