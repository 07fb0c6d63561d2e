"""Lowerings of operators on quantized numbers: integer arithmetic, with scales computed from the ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridonnx.dtypes import DType
from hybridonnx.ops.quantized import (
    QuantizedAct,
    QuantizedBatchNorm,
    QuantizedConcat,
    QuantizedConv,
    QuantizedElemwiseAdd,
    QuantizedElemwiseMul,
    QuantizedEmbedding,
    QuantizedFlatten,
    QuantizedFullyConnected,
    QuantizedPooling,
)

from ._graph import Graph, Value
from ._indices import normal
from ._quantization import (
    INT32_STEPS,
    STEPS,
    number,
    product_size,
    rounded,
    rounded32,
    size_of,
    unsigned,
    with_bias,
)
from ._registry import lowers
from ._windows import spatial
from .pool import pooling

_INT8 = np.dtype("int8")


def _scaled(g: Graph, x: Value, factor: Value) -> Value:
    return g.Mul(g.Cast(x, np.float32), factor)


def _step(g: Graph, dtype: DType, size: Value) -> Value:
    """How many integers one is."""
    return g.Div(number(g, STEPS[dtype]), size)


@lowers(QuantizedFlatten)
def flatten(g: Graph, op: QuantizedFlatten, data: Value, low: Value, high: Value) -> tuple[Value, ...]:
    return g.Flatten(data, axis=1), low, high


@lowers(QuantizedAct)
def act(g: Graph, op: QuantizedAct, data: Value, low: Value, high: Value) -> tuple[Value, ...]:
    return (g.Max(data, 0) if data.dtype == _INT8 else data), low, high


@lowers(QuantizedConcat)
def concat(g: Graph, op: QuantizedConcat, *inputs: Value) -> tuple[Value, ...]:
    count = op.num_args
    lows, highs = inputs[count::2], inputs[count + 1 :: 2]
    dtype = _INT8 if any(x.dtype == _INT8 for x in inputs[:count]) else np.dtype("uint8")
    zero = number(g, 0.0)
    low, high = g.Min(zero, *lows), g.Max(zero, *highs)
    steps = _step(g, dtype, size_of(g, low, high))
    parts = []
    for x, *ends in zip(inputs[:count], lows, highs, strict=True):
        factor = g.Div(steps, _step(g, x.dtype, size_of(g, *ends)))
        parts.append(rounded(g, _scaled(g, x, factor), dtype))
    return g.Concat(*parts, axis=op.dim % inputs[0].rank), low, high


@lowers(QuantizedElemwiseAdd)
def elemwise_add(
    g: Graph, op: QuantizedElemwiseAdd, lhs: Value, rhs: Value, *ends: Value
) -> tuple[Value, ...]:
    sizes = [size_of(g, *ends[:2]), size_of(g, *ends[2:])]
    dtype = op.result_dtype(lhs.dtype, rhs.dtype)
    pairs = list(zip((lhs, rhs), sizes, strict=True))
    if dtype not in STEPS:
        total = g.Add(*sizes)
        factors = [g.Div(g.Mul(s, INT32_STEPS), g.Mul(total, STEPS[x.dtype])) for x, s in pairs]
        return rounded32(g, _weighted(g, lhs, rhs, factors)), g.Neg(total), total
    low, high = map(g.const, op.required_calibration())
    steps = _step(g, dtype, size_of(g, low, high))
    factors = [g.Div(steps, _step(g, x.dtype, s)) for x, s in pairs]
    return rounded(g, _weighted(g, lhs, rhs, factors), dtype), low, high


def _weighted(g: Graph, lhs: Value, rhs: Value, factors: Sequence[Value]) -> Value:
    result: Value = g.Add(_scaled(g, lhs, factors[0]), _scaled(g, rhs, factors[1]))
    return result


@lowers(QuantizedElemwiseMul)
def elemwise_mul(g: Graph, op: QuantizedElemwiseMul, lhs: Value, rhs: Value, *ends: Value) -> Any:
    products = g.Mul(g.Cast(lhs, np.int32), g.Cast(rhs, np.int32))
    sizes = [size_of(g, *ends[:2]), size_of(g, *ends[2:])]
    limits = op.calibration()
    if not op.enable_float_output and not limits:
        total = product_size(g, _INT8, *sizes)
        return products, g.Neg(total), total
    level = g.Mul(*(_step(g, _INT8, s) for s in sizes))
    if op.enable_float_output:
        return _scaled(g, products, g.Div(number(g, 1.0), level))
    low, high = map(g.const, limits)
    exact = _scaled(g, products, g.Div(_step(g, _INT8, size_of(g, low, high)), level))
    return rounded(g, g.Mul(g.Sign(exact), g.Floor(g.Abs(exact))), _INT8), low, high


@lowers(QuantizedEmbedding)
def embedding(
    g: Graph, op: QuantizedEmbedding, data: Value, weight: Value, low: Value, high: Value
) -> tuple[Value, ...]:
    return g.Gather(weight, normal(g, data, op.input_dim, "clip"), axis=0), low, high


def _completed(g: Graph, sums: Value, inputs: Sequence[Value], behind: int) -> tuple[Value, ...]:
    """The sums with the bias, which has `behind` axes behind its own, and their range."""
    count = len(inputs) // 3
    ends = inputs[count:]
    sizes = [size_of(g, *ends[i : i + 2]) for i in range(0, len(ends), 2)]
    if count == 3:
        bias = g.Unsqueeze(inputs[2], list(range(1, 1 + behind)))
        sums = with_bias(g, sums, bias, inputs[0].dtype, sizes)
    total = product_size(g, inputs[0].dtype, *sizes[:2])
    return sums, g.Neg(total), total


@lowers(QuantizedFullyConnected)
def fully_connected(g: Graph, op: QuantizedFullyConnected, *inputs: Value) -> tuple[Value, ...]:
    data, weight = inputs[:2]
    if op.flatten:
        data = g.Unsqueeze(data, [1]) if data.rank == 1 else data
        data = g.Flatten(data, axis=1) if data.rank > 2 else data
    (rows, zero), (columns, origin) = unsigned(g, data), unsigned(g, g.Transpose(weight, [1, 0]))
    return _completed(g, g.MatMulInteger(rows, columns, zero, origin), inputs, 0)


@lowers(QuantizedConv)
def conv(g: Graph, op: QuantizedConv, *inputs: Value) -> tuple[Value, ...]:
    (data, zero), (weight, origin) = (unsigned(g, x) for x in inputs[:2])
    stride, dilate, pad = op.window()
    window = {"kernel_shape": op.kernel, "strides": stride, "dilations": dilate, "pads": (*pad, *pad)}
    return _completed(g, g.ConvInteger(data, weight, zero, origin, **window), inputs, len(op.kernel))


@lowers(QuantizedPooling)
def pool(g: Graph, op: QuantizedPooling, data: Value, low: Value, high: Value) -> tuple[Value, ...]:
    y = pooling(g, op.inner(), g.Cast(data, np.float32))
    if op.pool_type == "avg":
        sizes = (1, 1, *spatial(g, data)) if _needs_sizes(op) else (1, 1, *op.kernel)
        y = g.Round(g.Div(g.Round(y), g.const(op.counts(sizes))))
    elif op.pooling_convention == "full":  # of a window in the padding alone
        y = g.Max(y, number(g, float(np.iinfo(data.dtype).min)))
    return g.Cast(y, data.dtype), low, high


def _needs_sizes(op: QuantizedPooling) -> bool:
    """Whether what a mean counts depends on the sizes of the data."""
    return op.global_pool or not op.counts_pad()


@lowers(QuantizedBatchNorm)
def batch_norm(g: Graph, op: QuantizedBatchNorm, data: Value, *others: Value) -> tuple[Value, ...]:
    gamma, beta, mean, variance = others[:4]
    deviation = g.Sqrt(g.Add(variance, float(np.float32(op.eps))))
    slope = g.Div(number(g, 1.0) if op.fix_gamma else gamma, deviation)
    low, high = map(g.const, op.required_calibration())
    steps = _step(g, _INT8, size_of(g, low, high))
    scale = g.Mul(g.Mul(slope, g.Div(size_of(g, *others[4:]), STEPS[data.dtype])), steps)
    shift = g.Mul(g.Sub(beta, g.Mul(mean, slope)), steps)
    along = list(range(1, data.rank - 1))
    y = g.Add(_scaled(g, data, g.Unsqueeze(scale, along)), g.Unsqueeze(shift, along))
    return rounded(g, y, _INT8), low, high
