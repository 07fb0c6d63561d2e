"""What the lowerings of quantized operators share: ranges, rounding, sums of products of integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybridonnx.dtypes import DType

from ._graph import Graph, Value

_INT8 = np.dtype("int8")
STEPS = {_INT8: 127.5, np.dtype("uint8"): 255.5}
WHOLE_STEPS = {_INT8: 127.0, np.dtype("uint8"): 255.0}
INT32_STEPS = 2.0**31
LARGEST_INT32 = 2147483520.0


def number(g: Graph, value: float) -> Value:
    """A float32 constant of shape (1,)."""
    return g.const(np.array([value], np.float32))


def size_of(g: Graph, low: Value, high: Value) -> Value:
    """The size of a range: its end that is farther from zero."""
    if low.constant is not None and high.constant is not None:
        return g.const(np.maximum(np.abs(low.constant), np.abs(high.constant)))
    return g.Max(g.Abs(low), g.Abs(high))


def rounded(g: Graph, x: Value, dtype: DType) -> Value:
    """The nearest integers of 8 bits, even ones of two; NaN is 127 or 0."""
    info = np.iinfo(dtype)
    y = g.Clip(g.Round(x), float(info.min), float(info.max))
    return g.Cast(g.Where(g.IsNaN(x), np.float32(127 if dtype == _INT8 else 0), y), dtype)


def rounded32(g: Graph, x: Value) -> Value:
    """The nearest int32, even ones of two; NaN is 0."""
    y = g.Clip(g.Round(x), -INT32_STEPS, LARGEST_INT32)
    return g.Cast(g.Where(g.IsNaN(x), np.float32(0), y), np.int32)


def product_size(g: Graph, lhs: DType, data: Value, weight: Value) -> Value:
    """The size of the range of int32 sums of products with int8 numbers, from those of the factors."""
    return g.Mul(g.Mul(g.Div(data, WHOLE_STEPS[lhs]), g.Div(weight, 127.0)), INT32_STEPS)


def unsigned(g: Graph, x: Value) -> tuple[Value, Value]:
    """Integers of 8 bits as uint8, and their zero point.

    ONNX Runtime's products of uint8 with uint8 are exact; those with int8 saturate on some processors.
    """
    if x.dtype != _INT8:
        return x, g.const(np.array(0, np.uint8))
    moved = g.Add(g.Cast(x, np.int32), np.int32(128))
    return g.Cast(moved, np.uint8), g.const(np.array(128, np.uint8))


def with_bias(g: Graph, sums: Value, bias: Value, lhs: DType, sizes: Sequence[Value]) -> Value:
    """int32 sums of products plus an int8 bias in their steps; `sizes` are those of the ranges."""
    data, weight, own = sizes
    step = g.Div(number(g, STEPS[lhs]), data)
    step = g.Mul(g.Mul(step, g.Div(number(g, STEPS[_INT8]), weight)), own)
    exact = g.Mul(g.Cast(bias, np.float32), g.Div(step, STEPS[_INT8]))
    scaled = g.Clip(exact, -INT32_STEPS, LARGEST_INT32)
    scaled = g.Where(g.IsNaN(exact), np.float32(0), scaled)
    cut = g.Cast(g.Cast(scaled, np.int32), np.float32)
    return rounded32(g, g.Add(g.Cast(sums, np.float32), cut))
