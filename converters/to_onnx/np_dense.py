"""Lowerings of products of arrays as mx.np has them."""

from __future__ import annotations

from hybridonnx.ops.np_dense import Einsum, NumpyMatMul

from ._graph import Graph, Value
from ._registry import lowers


@lowers(Einsum)
def einsum(g: Graph, op: Einsum, *data: Value) -> Value:
    """One node."""
    return g.Einsum(*data, equation=op.equation)


@lowers(NumpyMatMul)
def matmul(g: Graph, op: NumpyMatMul, a: Value, b: Value) -> Value:
    """One node, which knows vectors and broadcasts as NumPy does."""
    return g.MatMul(a, b)
