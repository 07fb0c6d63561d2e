"""Lowerings of matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridonnx.ops import Shape, sizes
from hybridonnx.ops.dense import BatchDot, Dot, DotLhsGrad, DotRhsGrad, FullyConnected

from ._arithmetic import add
from ._graph import Graph, Value
from ._registry import lowers
from ._windows import reshaped


def _product(g: Graph, a: Value, b: Value, transpose_a: bool = False, transpose_b: bool = False) -> Value:
    """The product of two matrices, transposed before if asked."""
    if a.dtype.kind == "f" and (transpose_a or transpose_b):
        return g.Gemm(a, b, transA=int(transpose_a), transB=int(transpose_b))
    a = g.Transpose(a, [1, 0]) if transpose_a else a
    b = g.Transpose(b, [1, 0]) if transpose_b else b
    return g.MatMul(a, b)


@lowers(FullyConnected)
def fully_connected(
    g: Graph, op: FullyConnected, data: Value, weight: Value, bias: Value | None = None
) -> Value:
    count = None if data.shape is None else data.rank  # unknown where values tell it, such as behind a Loop
    if op.flatten and count == 1:
        data = g.Unsqueeze(data, [1])
    elif op.flatten and count != 2:
        data = g.Flatten(data, axis=1)
    if data.dtype.kind == "f" and (op.flatten or count == 2):
        return g.Gemm(data, weight, bias, transB=1)
    if data.dtype.kind == "f" and count and g.exact and None not in data.dims[:-1] and 0 not in data.dims:
        lead = sizes(data.dims[:-1])
        rows = g.Gemm(g.Reshape(data, [prod(lead), -1]), weight, bias, transB=1)
        return g.Reshape(rows, [*lead, op.num_hidden])  # which moves nothing, and there is no Add
    product = g.MatMul(data, g.Transpose(weight, [1, 0]))
    return product if bias is None else add(g, product, bias)


@lowers(BatchDot)
def batch_dot(g: Graph, op: BatchDot, lhs: Value, rhs: Value) -> Value:
    turned = [*range(lhs.rank - 2), lhs.rank - 1, lhs.rank - 2]
    a = g.Transpose(lhs, turned) if op.transpose_a else lhs
    b = g.Transpose(rhs, turned) if op.transpose_b else rhs
    return g.MatMul(a, b)


# ---- dot


@lowers(Dot)
def dot(g: Graph, op: Dot, lhs: Value, rhs: Value) -> Value:
    a, b = op.transpose_a, op.transpose_b
    shape = g.output().shape
    if shape is not None and None not in shape and 0 in (*_shape(lhs), *_shape(rhs)):
        return g.Full(list(sizes(shape)), 0, lhs.dtype)  # where ONNX Runtime's MatMul compares sizes
    if lhs.rank == 1 and rhs.rank == 1:
        return g.Reshape(g.MatMul(lhs, rhs), [1])
    if lhs.rank == 2 and rhs.rank == 2:
        return _product(g, lhs, rhs, a, b)
    if not a and rhs.rank <= 2 and not (b and rhs.rank == 2):
        return g.MatMul(lhs, rhs)
    left = _matrix(g, lhs, first=a)
    right = _matrix(g, rhs, first=not b)
    return reshaped(g, _product(g, left, right, a, b), g.output().shape)


def _matrix(g: Graph, x: Value, first: bool) -> Value:
    """`x` as a matrix whose first (or last) axis is that of `x`, with all others in one."""
    if x.rank == 2:
        return x
    if first:
        return g.Reshape(x, [0, -1])
    last = g.size_of(x, -1)
    return g.Reshape(x, [-1, *last.constant]) if last.constant is not None else _rows(g, x, last)


def _rows(g: Graph, x: Value, last: Value) -> Value:
    return g.Reshape(x, g.Concat([-1], last, axis=0))


def _heads(g: Graph, dy: Value, left: Sequence[Any], right: Sequence[Any]) -> Value:
    """A dot's head gradient (*left, *right) as a matrix."""
    if len(left) == 1 and len(right) == 1:
        return dy
    if None not in right:
        return g.Reshape(dy, [-1, prod(right)])
    if None not in left:
        return g.Reshape(dy, [prod(left), -1])
    known = g.sizes(dy)
    return g.Reshape(dy, [prod(known[: len(left)]), -1])


def _shape(x: Value) -> Shape:
    return x.shape if x.shape is not None else (None,) * x.rank


@lowers(DotLhsGrad)
def dot_lhs_grad(g: Graph, op: DotLhsGrad, dy: Value, rhs: Value, lhs: Value) -> Value:
    a, b = op.transpose_a, op.transpose_b
    rows = _heads(g, dy, _others(lhs, a), _others(rhs, not b))
    right = _column(g, rhs, b)
    if a:
        result = _product(g, right, rows, b, True)
    else:
        result = _product(g, rows, right, False, not b)
    return result if lhs.rank == 2 else reshaped(g, result, lhs.shape, lhs)


@lowers(DotRhsGrad)
def dot_rhs_grad(g: Graph, op: DotRhsGrad, dy: Value, lhs: Value, rhs: Value) -> Value:
    a, b = op.transpose_a, op.transpose_b
    rows = _heads(g, dy, _others(lhs, a), _others(rhs, not b))
    left = _column(g, lhs, not a)
    if b:
        result = _product(g, rows, left, True, a)
    else:
        result = _product(g, left, rows, not a, False)
    return result if rhs.rank == 2 else reshaped(g, result, rhs.shape, rhs)


def _others(x: Value, first: bool) -> Sequence[Any]:
    """The sizes of all axes but the first (or the last)."""
    return _shape(x)[1:] if first else _shape(x)[:-1]


def _column(g: Graph, x: Value, last: bool) -> Value:
    """`x` as a matrix in which the axis that a dot sums over is alone: the last, or the first."""
    if x.rank == 1:
        return g.Unsqueeze(x, [0] if last else [1])
    return _matrix(g, x, first=not last)
