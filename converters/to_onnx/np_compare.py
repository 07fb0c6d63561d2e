"""Lowerings of comparisons as mx.np has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._graph import Graph, Value
from ._registry import lowers


def _compared(g: Graph, onnx_type: str, a: Any, b: Any) -> Value:
    if onnx_type == "NotEqual":
        return g.Not(g.Equal(a, b))
    if isinstance(a, Value) and a.dtype.kind == "b" and onnx_type != "Equal":
        a, b = g.Cast(a, np.int32), g.Cast(b, np.int32)
    result: Value = getattr(g, onnx_type)(a, b)
    return result


def _lower(name: str, onnx_type: str) -> None:
    @lowers(f"_npi_{name}")
    def two(g: Graph, op: Any, lhs: Value, rhs: Value) -> Value:
        return _compared(g, onnx_type, lhs, rhs)

    @lowers(f"_npi_{name}_scalar")
    def one(g: Graph, op: Any, data: Value) -> Value:
        dtype = op.compared_in(data.dtype)
        return _compared(g, onnx_type, g.Cast(data, dtype), np.asarray(op.scalar).astype(dtype))


for _name, _type in {
    "equal": "Equal",
    "not_equal": "NotEqual",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "less": "Less",
    "less_equal": "LessOrEqual",
}.items():
    _lower(_name, _type)
