"""Lowerings of products of matrices, and of products and equations with triangular ones."""

from __future__ import annotations

from functools import reduce

import numpy as np

from hybridonnx.ops.linalg import Gemm, Gemm2, KhatriRao, Syrk, Trmm, Trsm

from ._elimination import solved, transposed, triangle
from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import empty, fill_output, output_sizes, reshape


def _times(g: Graph, x: Value, factor: float) -> Value:
    return x if factor == 1 else g.Mul(x, np.array(factor, x.dtype))


def _plain(op: Gemm | Gemm2, A: Value, B: Value) -> bool:
    """Whether one node of ONNX's Gemm says it all; its factors are float32."""
    return A.rank == 2 and A.dtype == np.float32 and not empty(A) and not empty(B)


def _product(g: Graph, op: Gemm | Gemm2, A: Value, B: Value) -> Value:
    if empty(A) or empty(B):  # where ONNX Runtime's MatMul compares sizes
        return fill_output(g, 0, A.dtype)
    at = op.rows(A.rank)
    moved = [*(i for i in range(A.rank) if i != at), at]
    moved[-2:] = moved[-1], moved[-2]
    flipped = [*moved[:-2], moved[-1], moved[-2]]
    a = g.Transpose(A, flipped if op.transpose_a else moved)
    b = g.Transpose(B, flipped if op.transpose_b else moved)
    back = [moved.index(i) for i in range(A.rank)]
    return g.Transpose(_times(g, g.MatMul(a, b), op.alpha), back)


@lowers(Gemm)
def gemm(g: Graph, op: Gemm, A: Value, B: Value, C: Value) -> Value:
    addend = C if op.beta else None
    if _plain(op, A, B):
        flags = {"transA": int(op.transpose_a), "transB": int(op.transpose_b)}
        product: Value = g.Gemm(A, B, addend, alpha=op.alpha, beta=op.beta if op.beta else None, **flags)
        return product
    product = _product(g, op, A, B)
    return product if addend is None else product + _times(g, addend, op.beta)


@lowers(Gemm2)
def gemm2(g: Graph, op: Gemm2, A: Value, B: Value) -> Value:
    if not _plain(op, A, B):
        return _product(g, op, A, B)
    flags = {"transA": int(op.transpose_a), "transB": int(op.transpose_b)}
    product: Value = g.Gemm(A, B, alpha=op.alpha, **flags)
    return product


@lowers(Syrk)
def syrk(g: Graph, op: Syrk, A: Value) -> Value:
    if empty(A):
        return fill_output(g, 0, A.dtype)
    a, b = (transposed(g, A), A) if op.transpose else (A, transposed(g, A))
    return _times(g, g.MatMul(a, b), op.alpha)


@lowers(Trmm)
def trmm(g: Graph, op: Trmm, A: Value, B: Value) -> Value:
    if empty(B):
        return g.Identity(B)
    a = triangle(g, A, op.lower)
    a = transposed(g, a) if op.transpose else a
    return _times(g, g.MatMul(B, a) if op.rightside else g.MatMul(a, B), op.alpha)


@lowers(Trsm)
def trsm(g: Graph, op: Trsm, A: Value, B: Value) -> Value:
    flipped = op.transpose != op.rightside
    matrix = transposed(g, A) if flipped else A
    right = _times(g, B, op.alpha)
    if op.rightside:
        return transposed(g, solved(g, matrix, op.lower != flipped, transposed(g, right)))
    return solved(g, matrix, op.lower != flipped, right)


@lowers(KhatriRao)
def khatri_rao(g: Graph, op: KhatriRao, *args: Value) -> Value:
    if len(args) == 1:
        return g.Identity(args[0])

    def columnwise(a: Value, b: Value) -> Value:
        return g.Mul(g.Unsqueeze(a, [a.rank - 1]), g.Unsqueeze(b, list(range(a.rank - 1))))

    return reshape(g, reduce(columnwise, args), output_sizes(g))
