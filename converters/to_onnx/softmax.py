"""Lowerings of softmax and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.softmax import LogSoftmax, Softmax, SoftmaxActivation, Softmin

from ._graph import Graph, Value
from ._registry import lowers

_float16 = np.dtype("float16")


def softmax_of(g: Graph, x: Value, axis: int) -> Value:
    """Softmax of `x`, through float32 for float16."""
    if x.dtype == _float16:
        wide: Value = g.via(np.float32, lambda v: g.Softmax(v, axis=axis), x)
        return wide
    return g.Softmax(x, axis=axis)


def log_softmax_of(g: Graph, x: Value, axis: int) -> Value:
    """The logarithm of softmax; ONNX Runtime's own gives numbers for NaN in float64."""
    if x.dtype != np.float64:
        result: Value = g.LogSoftmax(x, axis=axis)
        return result
    x = x - g.ReduceMax(x, [axis])
    return x - g.Log(g.ReduceSum(g.Exp(x), [axis]))


def _scaled(g: Graph, op: Any, data: Value) -> Value:
    """The data divided by the temperature, in the dtype that the operator computes in."""
    out = op.infer_dtype(data.dtype)
    x = g.Cast(data, np.float64 if np.float64 in (data.dtype, out) else np.float32)
    return x if op.temperature is None else x / op.temperature


@lowers(Softmax)
def softmax(g: Graph, op: Softmax, data: Value, length: Value | None = None) -> Value:
    x = _scaled(g, op, data)
    y = g.Softmax(x, axis=op.axis) if length is None else _masked(g, op, x, length)
    return g.Cast(y, op.infer_dtype(data.dtype))


def _masked(g: Graph, op: Softmax, x: Value, length: Value) -> Value:
    """Softmax over the first `length` elements; 0 elsewhere, and everywhere if there are none."""
    axis = op.axis % x.rank
    positions = g.Range(np.array(0, np.int64), g.Squeeze(g.size_of(x, axis), [0]), np.array(1, np.int64))
    shape = [-1 if i == axis else 1 for i in range(x.rank)]
    lengths = g.Cast(length if x.rank > 1 else g.Reshape(length, []), np.int64)
    inside = g.Less(g.Reshape(positions, shape), g.Unsqueeze(lengths, [axis]))
    y = g.Softmax(g.Where(inside, x, np.array(-np.inf, x.dtype)), axis=axis)
    return g.Where(inside, y, np.array(0, x.dtype))


@lowers(Softmin)
def softmin(g: Graph, op: Softmin, data: Value) -> Value:
    return g.Cast(g.Softmax(-_scaled(g, op, data), axis=op.axis), op.infer_dtype(data.dtype))


@lowers(LogSoftmax)
def log_softmax(g: Graph, op: LogSoftmax, data: Value) -> Value:
    return g.Cast(log_softmax_of(g, _scaled(g, op, data), op.axis), op.infer_dtype(data.dtype))


@lowers(SoftmaxActivation)
def softmax_activation(g: Graph, op: SoftmaxActivation, data: Value) -> Value:
    if not data.rank:
        return g.Reshape(softmax_of(g, g.Reshape(data, [1]), -1), [])
    return softmax_of(g, data, op.axis())
