"""Lowerings of arithmetic of an array and a number as mx.np has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._graph import Graph, Value
from ._registry import lowers
from .np_binary import BITS, arctan2, bits, sign, signed
from .scalar import operands


@lowers("_npi_true_divide_scalar")
def true_divide(g: Graph, op: Any, data: Value) -> Value:
    """One node."""
    return g.Div(*operands(g, op, data))


@lowers("_npi_rtrue_divide_scalar")
def reversed_divide(g: Graph, op: Any, data: Value) -> Value:
    """One node."""
    array, number = operands(g, op, data)
    return g.Div(number, array)


@lowers("_npi_arctan2_scalar")
def lower_arctan2(g: Graph, op: Any, data: Value) -> Value:
    """The number is a constant."""
    return arctan2(g, data, g.const(np.asarray(op.scalar, data.dtype)))


@lowers("_npi_rarctan2_scalar")
def reversed_arctan2(g: Graph, op: Any, data: Value) -> Value:
    """The number is a constant."""
    return arctan2(g, g.const(np.asarray(op.scalar, data.dtype)), data)


@lowers("_npi_ldexp_scalar")
def ldexp(g: Graph, op: Any, data: Value) -> Value:
    """The power is known."""
    return data * float(2.0**op.scalar)


@lowers("_npi_rldexp_scalar")
def reversed_ldexp(g: Graph, op: Any, data: Value) -> Value:
    """The power is computed."""
    return g.Mul(g.Pow(data.dtype.type(2), data), data.dtype.type(op.scalar))


@lowers("_npi_copysign_scalar")
def copysign(g: Graph, op: Any, data: Value) -> Value:
    """The sign is known."""
    dtype = op.infer_dtype(data.dtype)
    x, negative = g.Cast(data, dtype), np.signbit(np.asarray(op.scalar).astype(dtype).astype(float))
    return x * sign(g, g.Not(signed(g, x)) if negative else signed(g, x), dtype)


@lowers("_npi_rcopysign_scalar")
def reversed_copysign(g: Graph, op: Any, data: Value) -> Value:
    """One number or its negative."""
    size = np.abs(np.asarray(op.scalar).astype(data.dtype))
    return g.Where(signed(g, data), size if data.dtype.kind == "u" else -size, size)


def _lower_bits(name: str) -> None:
    @lowers(f"_npi_bitwise_{name}_scalar")
    def lowering(g: Graph, op: Any, data: Value) -> Value:
        return bits(g, name, data, np.asarray(op.scalar).astype(data.dtype))


for _name in BITS:
    _lower_bits(_name)
