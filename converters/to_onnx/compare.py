"""Lowerings of comparisons and logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
