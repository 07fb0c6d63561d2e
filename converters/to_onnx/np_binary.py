"""Lowerings of arithmetic of two arrays as mx.np has it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybridonnx.dtypes import DType
from hybridonnx.ops.np_binary import Promoting

from ._arithmetic import Arithmetic, add, modulo, multiply, power, subtract, through
from ._graph import Graph, Value
from ._registry import lowers

BITS = {"and": "And", "or": "Or", "xor": "Xor"}


def signed(g: Graph, x: Value) -> Value:
    """Whether a number has a minus sign, zeros too: their reciprocals are infinite."""
    if x.dtype.kind != "f":
        return g.Less(x, x.dtype.type(0))
    return g.Less(x + g.Reciprocal(x), 0.0)


def sign(g: Graph, negative: Value, dtype: DType) -> Value:
    """-1 or 1, a factor as Where loses signs of zeros; unsigned numbers are never negative."""
    return g.Where(negative, dtype.type(1 if dtype.kind == "u" else -1), dtype.type(1))


def copysign(g: Graph, a: Value, b: Value) -> Value:
    """The size of the one, negated by the sign of the other."""
    return a * sign(g, g.Xor(signed(g, a), signed(g, b)), a.dtype)


def arctan2(g: Graph, a: Any, b: Any) -> Value:
    """The arctangent of the quotient, and half a turn where the second is negative.

    Of two infinite numbers the signs alone count, and of two zeros, too.
    """
    kind = a.dtype.type if isinstance(a, Value) else b.dtype.type
    infinite = g.And(*(g.Equal(g.Abs(x), kind(np.inf)) for x in (a, b)))
    a, b = (g.Where(infinite, g.Sign(x), x) for x in (a, b))
    upright = g.And(g.Equal(b, kind(0)), g.Not(g.Equal(a, kind(0))))
    quarter = g.Where(g.Xor(signed(g, a), signed(g, b)), kind(-math.pi / 2), kind(math.pi / 2))
    bottom = g.Where(g.Equal(b, kind(0)), kind(1), b)
    angle = g.Atan(g.Div(g.Where(upright, g.Neg(b), a), g.Where(upright, a, bottom)))
    angle = g.Where(upright, quarter + angle, angle)
    turn = g.Where(signed(g, a), kind(-math.pi), kind(math.pi))
    return g.Where(signed(g, b), angle + turn, angle)


def _ldexp(g: Graph, a: Value, b: Value) -> Value:
    if b.dtype.kind != "f":
        return through(g, np.float64, lambda x, y: _ldexp(g, x, y), a, b)
    return g.Mul(a, g.Pow(b.dtype.type(2), b))


def _lower(name: str, function: Arithmetic) -> None:
    @lowers(name)
    def lowering(g: Graph, op: Promoting, lhs: Value, rhs: Value) -> Value:
        dtype = op.dtype_for(lhs.dtype, rhs.dtype)
        return function(g, g.Cast(lhs, dtype), g.Cast(rhs, dtype))


def _add(g: Graph, a: Value, b: Value) -> Value:
    return g.Or(a, b) if a.dtype.kind == "b" else add(g, a, b)


def _multiply(g: Graph, a: Value, b: Value) -> Value:
    return g.And(a, b) if a.dtype.kind == "b" else multiply(g, a, b)


for _name, _function in {
    "_npi_add": _add,
    "_npi_subtract": subtract,
    "_npi_multiply": _multiply,
    "_npi_true_divide": lambda g, a, b: g.Div(a, b),
    "_npi_mod": modulo,
    "_npi_power": power,
    "_npi_copysign": copysign,
    "_npi_ldexp": _ldexp,
}.items():
    _lower(_name, _function)


@lowers("_npi_arctan2")
def lower_arctan2(g: Graph, op: Any, x1: Value, x2: Value) -> Value:
    """See `arctan2`."""
    return arctan2(g, x1, x2)


def bits(g: Graph, name: str, a: Any, b: Any) -> Value:
    """One node; ONNX has other ones for bool."""
    dtype = a.dtype
    node = BITS[name] if dtype.kind == "b" else f"Bitwise{BITS[name]}"
    result: Value = getattr(g, node)(a, b)
    return result


def _lower_bits(name: str) -> None:
    @lowers(f"_npi_bitwise_{name}")
    def two(g: Graph, op: Any, lhs: Value, rhs: Value) -> Value:
        return bits(g, name, lhs, rhs)


for _name in BITS:
    _lower_bits(_name)
