"""Lowerings of comparisons and logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridonnx.ops.compare import AllClose

from ._arithmetic import dtype_of
from ._graph import Graph, Value
from ._registry import lowers
from .scalar import operands

Comparison = Callable[[Graph, Any, Any], Value]


def _compared(onnx_type: str, negated: bool = False) -> Comparison:
    def compare(g: Graph, a: Any, b: Any) -> Value:
        truth = getattr(g, onnx_type)(a, b)
        return g.Cast(g.Not(truth) if negated else truth, dtype_of(a, b))

    return compare


def _logic(onnx_type: str) -> Comparison:
    def truth(g: Graph, value: Any) -> Any:
        return g.Cast(value, np.bool_) if isinstance(value, Value) else np.asarray(value).astype(np.bool_)

    def compare(g: Graph, a: Any, b: Any) -> Value:
        return g.Cast(getattr(g, onnx_type)(truth(g, a), truth(g, b)), dtype_of(a, b))

    return compare


_COMPARISONS: dict[str, Comparison] = {
    "equal": _compared("Equal"),
    "not_equal": _compared("Equal", negated=True),
    "greater": _compared("Greater"),
    "greater_equal": _compared("GreaterOrEqual"),
    "lesser": _compared("Less"),
    "lesser_equal": _compared("LessOrEqual"),
    "logical_and": _logic("And"),
    "logical_or": _logic("Or"),
    "logical_xor": _logic("Xor"),
}


def _lower(stem: str, compare: Comparison) -> None:
    @lowers(f"_{stem}", f"broadcast_{stem}")
    def two(g: Graph, op: Any, lhs: Value, rhs: Value) -> Value:
        return compare(g, lhs, rhs)

    @lowers(f"_{stem}_scalar")
    def one(g: Graph, op: Any, data: Value) -> Value:
        return compare(g, *operands(g, op, data))


for _stem, _compare in _COMPARISONS.items():
    _lower(_stem, _compare)


@lowers(AllClose)
def all_close(g: Graph, op: AllClose, a: Value, b: Value) -> Value:
    x, y = g.Cast(a, np.float64), g.Cast(b, np.float64)
    close = g.Or(g.Equal(x, y), g.LessOrEqual(g.Abs(x - y), g.Abs(y) * op.rtol + op.atol))
    if op.equal_nan and a.dtype.kind == "f":
        close = g.Or(close, g.And(g.IsNaN(x), g.IsNaN(y)))
    far = g.ReduceSum(g.Cast(g.Not(close), np.int64), keepdims=0)
    return g.Cast(g.Equal(far, np.array(0)), np.uint8)
