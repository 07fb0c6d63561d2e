"""Lowerings of arithmetic on an array and a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arithmetic import (
    Arithmetic,
    add,
    divide,
    hypot,
    maximum,
    minimum,
    modulo,
    multiply,
    power,
    power_log,
    subtract,
)
from ._graph import Graph, Value
from ._registry import lowers
from .unary import multiplied_gradient

_ARITHMETIC: dict[str, Arithmetic] = {
    "_plus_scalar": add,
    "_minus_scalar": subtract,
    "_scatter_plus_scalar": add,
    "_scatter_minus_scalar": subtract,
    "_mul_scalar": multiply,
    "_div_scalar": divide,
    "_mod_scalar": modulo,
    "_power_scalar": power,
    "_maximum_scalar": maximum,
    "_minimum_scalar": minimum,
    "_hypot_scalar": hypot,
}
_REVERSED: dict[str, Arithmetic] = {
    "_rminus_scalar": subtract,
    "_rdiv_scalar": divide,
    "_rmod_scalar": modulo,
    "_rpower_scalar": power,
    "_rpower_log_scalar": power_log,
}


def operands(g: Graph, op: Any, data: Value) -> tuple[Value, Any]:
    """The array and the number in the dtype that the operator computes in."""
    dtype = op.infer_dtype(data.dtype)
    return g.Cast(data, dtype), np.asarray(op.scalar).astype(dtype)


def _lower(name: str, function: Arithmetic, reverse: bool) -> None:
    @lowers(name)
    def lowering(g: Graph, op: Any, data: Value) -> Value:
        array, number = operands(g, op, data)
        return function(g, number, array) if reverse else function(g, array, number)


for _name, _function in _ARITHMETIC.items():
    _lower(_name, _function, reverse=False)
for _name, _function in _REVERSED.items():
    _lower(_name, _function, reverse=True)

lowers("_contrib_gradientmultiplier")(multiplied_gradient)
