"""Lowerings of output operators: what they predict, and for training their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops import Array
from hybridonnx.ops.loss import (
    LinearRegressionOutput,
    LogisticRegressionOutput,
    MAERegressionOutput,
    OneHotLike,
    SoftmaxCrossEntropy,
    SoftmaxOutput,
    SoftmaxOutputGradient,
    SparseRegularization,
    SVMOutput,
)

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import known_size
from .softmax import softmax_of


@lowers(SoftmaxOutput)
def softmax_output(g: Graph, op: SoftmaxOutput, data: Value, label: Value | None = None) -> Value:
    if op.multi_output:
        return softmax_of(g, data, 1)
    if op.preserve_shape or data.rank == 2:
        return softmax_of(g, data, -1)
    flat = softmax_of(g, g.Flatten(data, axis=1), 1)
    return g.Reshape(flat, g.shape_of(data))


@lowers(SoftmaxOutputGradient)
def softmax_output_gradient(
    g: Graph, op: SoftmaxOutputGradient, y: Value, label: Value, dy: Value | None = None
) -> Value:
    if _have_one_shape(g, label, y):
        grad = (y - g.Cast(label, y.dtype)) * op.grad_scale
    else:
        grad = _of_classes(g, op, y, label)
    return grad if dy is None else grad * dy


def _have_one_shape(g: Graph, label: Value, y: Value) -> bool:
    """Whether a label is as large as y; the first size, which is the batch's, is that of both."""
    if label.rank != y.rank:
        return False
    if None in label.dims[1:] or None in y.dims[1:]:
        return g.sizes(label) == g.sizes(y)
    return label.dims[1:] == y.dims[1:]


def _of_classes(g: Graph, op: SoftmaxOutputGradient, y: Value, label: Value) -> Value:
    batch = y.dims[0]
    rows, classes, after = op.rows([1, *(known_size(g, y, axis) for axis in range(1, y.rank))])
    count: Any = [rows * after * batch] if batch is not None else g.size_of(y, 0) * (rows * after)
    before = -1 if batch is None else rows * batch
    numbers = g.Reshape(g.Cast(label, np.int64), [-1])
    labels = g.Slice(numbers, [0], count, [0])
    labels = g.Reshape(labels, [before, 1, after])
    hot = g.Cast(g.Equal(labels, np.arange(classes)[:, None]), y.dtype)
    grad = g.Reshape(y, [before, classes, after]) - op.targets(hot, classes)
    ignore = np.array(int(op.ignore_label), np.int64)
    if op.use_ignore:
        grad = g.Where(g.Equal(labels, ignore), np.zeros((), y.dtype), grad)
    if op.normalization == "valid":
        valid = g.Cast(g.Not(g.Equal(numbers, ignore)), y.dtype)
        grad = grad * op.grad_scale / g.Max(g.ReduceSum(valid, [0]), 1.0)
    elif op.normalization == "batch" and batch is None:
        grad = grad * op.grad_scale / g.Cast(count, y.dtype)
    else:
        grad = grad * (op.grad_scale / (before * after if op.normalization == "batch" else after))
    return g.Reshape(grad, g.shape_of(y))


@lowers(LinearRegressionOutput, MAERegressionOutput, SVMOutput)
def unchanged(g: Graph, op: object, data: Value, label: Value | None = None) -> Value:
    return data


@lowers(LogisticRegressionOutput)
def logistic(g: Graph, op: LogisticRegressionOutput, data: Value, label: Value | None = None) -> Value:
    return g.Sigmoid(data)


def _hot(g: Graph, label: Value, like: Value) -> Value:
    """Rows of 0 with a 1 at the label's number, in the dtype of `like` (N, K)."""
    known = None if like.shape is None else like.shape[1]
    numbers: Value | Array = np.arange(known or 0)
    if known is None:
        numbers = g.Range(np.array(0, np.int64), g.Squeeze(g.size_of(like, 1), [0]), np.array(1, np.int64))
    return g.Cast(g.Equal(g.Unsqueeze(g.Cast(label, np.int64), [1]), numbers), like.dtype)


@lowers(OneHotLike)
def one_hot_like(g: Graph, op: OneHotLike, label: Value, like: Value) -> Value:
    return _hot(g, label, like)


@lowers(SoftmaxCrossEntropy)
def softmax_cross_entropy(g: Graph, op: SoftmaxCrossEntropy, data: Value, label: Value) -> Value:
    x = g.Cast(data, np.float32) if data.dtype == np.float16 else data
    picked = g.ReduceSum(g.Softmax(x, axis=1) * _hot(g, label, x), [1], keepdims=0)
    losses = g.Log(g.Max(picked, op.least))
    return g.Cast(-g.ReduceSum(losses, [0]), data.dtype)


@lowers(SparseRegularization)
def sparse_regularization(
    g: Graph, op: SparseRegularization, data: Value, moving_avg: Value
) -> tuple[Value, Value]:
    mean = g.ReduceMean(data, [0, *range(2, data.rank)], keepdims=0)
    return data, moving_avg * op.momentum + mean * (1 - op.momentum)
