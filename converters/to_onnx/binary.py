"""Lowerings of arithmetic on two or more arrays."""

from __future__ import annotations

from functools import reduce
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

_ARITHMETIC: dict[Arithmetic, tuple[str, ...]] = {
    add: ("elemwise_add", "broadcast_add"),
    subtract: ("elemwise_sub", "broadcast_sub"),
    multiply: ("elemwise_mul", "broadcast_mul"),
    divide: ("elemwise_div", "broadcast_div", "_scatter_elemwise_div"),
    modulo: ("_mod", "broadcast_mod"),
    power: ("_power", "broadcast_power"),
    power_log: ("_power_log",),
    maximum: ("_maximum", "broadcast_maximum"),
    minimum: ("_minimum", "broadcast_minimum"),
    hypot: ("_hypot", "broadcast_hypot"),
}


def _lower(names: tuple[str, ...], function: Arithmetic) -> None:
    @lowers(*names)
    def lowering(g: Graph, op: Any, lhs: Value, rhs: Value) -> Value:
        return function(g, lhs, rhs)


for _function, _names in _ARITHMETIC.items():
    _lower(_names, _function)


@lowers("_grad_add")
def grad_add(g: Graph, op: Any, lhs: Value, rhs: Value) -> Value:
    """A sum; of bool, as gradients of bool are, what is true in either."""
    return g.Or(lhs, rhs) if lhs.dtype == np.bool_ else add(g, lhs, rhs)


@lowers("add_n")
def add_n(g: Graph, op: Any, *inputs: Value) -> Value:
    """One Sum node; integers, which it does not take, one after the other."""
    if len(inputs) == 1:
        return g.Identity(inputs[0])
    if inputs[0].dtype.kind != "f":
        return reduce(lambda a, b: add(g, a, b), inputs)
    return g.Sum(*inputs)


@lowers("_identity_with_attr_like_rhs")
def identity_like(g: Graph, op: Any, lhs: Value, rhs: Value) -> Value:
    """The first input."""
    return g.Identity(lhs)
