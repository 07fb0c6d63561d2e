"""Lowerings of the conversions between floating-point numbers and quantized ones."""

from __future__ import annotations

import numpy as np

from hybridonnx.dtypes import DType
from hybridonnx.ops.quantize import Dequantize, Quantize, QuantizeAsym, QuantizeV2, Requantize

from ._graph import Graph, Value
from ._quantization import INT32_STEPS, STEPS, WHOLE_STEPS, number, rounded, size_of
from ._registry import lowers

_INT8 = np.dtype("int8")


def _quantized(
    g: Graph, data: Value, scale: Value, size: Value, ends: tuple[Value, Value], dtype: DType
) -> tuple[Value, Value, Value]:
    """Integers of `data * scale` and their range: its size both ways for int8, `ends` for uint8."""
    y = rounded(g, g.Mul(data, scale), dtype)
    return (y, g.Neg(size), size) if dtype == _INT8 else (y, *ends)


@lowers(Quantize)
def quantize(g: Graph, op: Quantize, data: Value, low: Value, high: Value) -> tuple[Value, ...]:
    dtype, size = np.dtype(op.out_type), size_of(g, low, high)
    scale = g.Div(number(g, WHOLE_STEPS[dtype]), size)
    return _quantized(g, data, scale, size, (low, high), dtype)


@lowers(QuantizeV2)
def quantize_v2(g: Graph, op: QuantizeV2, data: Value) -> tuple[Value, ...]:
    if data.dtype.kind != "f":
        return data, *(g.const(end) for end in op.passed(data.dtype))
    low, high = _ends(g, op, data)
    size, dtype = size_of(g, low, high), op.written()
    return _quantized(g, data, g.Div(number(g, STEPS[dtype]), size), size, (low, high), dtype)


def _ends(g: Graph, op: QuantizeV2 | QuantizeAsym, data: Value) -> tuple[Value, Value]:
    """The calibrated range, or that of the data, of which NaN is no part."""
    if ends := op.calibration():
        return g.const(ends[0]), g.const(ends[1])
    nan = g.IsNaN(data)
    low = g.ReduceMin(g.Where(nan, np.float32(np.inf), data), keepdims=0)
    high = g.ReduceMax(g.Where(nan, np.float32(-np.inf), data), keepdims=0)
    only_nan = g.Greater(low, high)
    low, high = (g.Where(only_nan, np.float32(np.nan), end) for end in (low, high))
    return g.Reshape(low, [1]), g.Reshape(high, [1])


@lowers(QuantizeAsym)
def quantize_asym(g: Graph, op: QuantizeAsym, data: Value) -> tuple[Value, ...]:
    low, high = _ends(g, op, data)
    scale = g.Div(number(g, 255.0), g.Sub(high, low))
    shift = g.Sub(number(g, 255.0), g.Mul(high, scale))
    exact = g.Add(g.Add(g.Mul(data, scale), shift), 0.5)
    y = g.Where(g.IsNaN(exact), np.float32(0), g.Clip(g.Floor(exact), 0.0, 255.0))
    return g.Cast(y, np.uint8), scale, shift


@lowers(Dequantize)
def dequantize(g: Graph, op: Dequantize, data: Value, low: Value, high: Value) -> Value:
    scale = g.Div(size_of(g, low, high), STEPS[data.dtype])
    if data.dtype == _INT8:  # of which ONNX Runtime moves DequantizeLinear wrongly
        return g.Mul(g.Cast(data, np.float32), scale)
    return g.DequantizeLinear(data, g.Squeeze(scale, [0]), np.zeros((), data.dtype))


@lowers(Requantize)
def requantize(g: Graph, op: Requantize, data: Value, low: Value, high: Value) -> tuple[Value, ...]:
    numbers = g.Cast(data, np.float32)
    step = g.Div(size_of(g, low, high), INT32_STEPS)
    if ends := op.calibration():
        size = size_of(g, *map(g.const, ends))
    else:
        size = g.Mul(g.Reshape(g.ReduceMax(g.Abs(numbers), keepdims=0), [1]), step)
    dtype = op.written()
    scale = g.Mul(g.Div(number(g, WHOLE_STEPS[dtype]), size), step)
    zero = number(g, 0.0)
    return _quantized(g, numbers, scale, size, (zero, size), dtype)
