"""Arithmetic on two values, with MXNet's rules where ONNX has none or ONNX Runtime would end the process."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ._graph import Graph, Value

Operand: TypeAlias = Any
"""A `Value`, or an array for a number."""
Arithmetic: TypeAlias = Callable[[Graph, Operand, Operand], Value]

SMALL = (np.dtype("int8"), np.dtype("uint8"))
"""What is divided in int32 altogether, as a division is several nodes."""


def dtype_of(a: Operand, b: Operand) -> np.dtype[Any]:
    """The dtype of both, one of which may be a number."""
    dtype: np.dtype[Any] = next(v.dtype for v in (a, b) if isinstance(v, Value))
    return dtype


def through(
    g: Graph, dtype: Any, function: Callable[..., Value], a: Operand, b: Operand, back: Any = None
) -> Value:
    """`function(a, b)` computed in another dtype."""
    own = dtype_of(a, b) if back is None else back
    wide = [g.Cast(v, dtype) if isinstance(v, Value) else np.asarray(v).astype(dtype) for v in (a, b)]
    return g.Cast(function(*wide), own)


def plain(onnx_type: str) -> Arithmetic:
    """Addition, subtraction, multiplication: one node."""

    def lowering(g: Graph, a: Operand, b: Operand) -> Value:
        result: Value = getattr(g, onnx_type)(a, b)
        return result

    return lowering


def divide(g: Graph, a: Operand, b: Operand) -> Value:
    """The quotient; of integers towards zero, and 0 for a divisor of 0."""
    dtype = dtype_of(a, b)
    if dtype.kind == "f":
        return g.Div(a, b)
    if dtype in SMALL:
        return through(g, np.int32, lambda x, y: _divide_integers(g, g.Div, x, y), a, b)
    return _divide_integers(g, g.Div, a, b)


def _divide_integers(g: Graph, node: Callable[..., Value], a: Operand, b: Operand) -> Value:
    """A division of integers that survives a divisor of 0, at which ONNX Runtime's process ends."""
    zero = dtype_of(a, b).type(0)
    if not isinstance(b, Value):
        return g.Mul(a, zero) if b == 0 else node(a, b)
    is_zero = g.Equal(b, zero)
    quotient = node(a, g.Where(is_zero, zero + zero.dtype.type(1), b))
    return g.Where(is_zero, zero, quotient)


def modulo(g: Graph, a: Operand, b: Operand) -> Value:
    """The remainder with the sign of the divisor, and 0 for a divisor of 0."""
    dtype = dtype_of(a, b)
    if dtype in SMALL:
        return through(g, np.int32, lambda x, y: _divide_integers(g, g.Mod, x, y), a, b)
    if dtype.kind != "f":
        return _divide_integers(g, g.Mod, a, b)
    zero, one = dtype.type(0), dtype.type(1)
    none = g.Equal(b, zero)
    divisor = g.Where(none, one, b) if isinstance(b, Value) else b or one
    rest = g.Mod(a, divisor, fmod=1)
    signed = g.Where(g.Less(g.Mul(rest, b), 0.0), g.Add(rest, b), rest)
    return g.Where(none, zero, signed)


def power(g: Graph, a: Operand, b: Operand) -> Value:
    """The power; of integers through float64."""
    if dtype_of(a, b).kind != "f":
        return through(g, np.float64, g.Pow, a, b)
    return g.Pow(a, b)


def power_log(g: Graph, a: Operand, b: Operand) -> Value:
    """The power times the logarithm of its base; of integers through float64."""
    if dtype_of(a, b).kind != "f":
        return through(g, np.float64, lambda x, y: power_log(g, x, y), a, b)
    if isinstance(a, Value):
        return g.Mul(g.Pow(a, b), g.Log(a))
    with np.errstate(divide="ignore", invalid="ignore"):
        return g.Mul(g.Pow(a, b), np.log(a))


def hypot(g: Graph, a: Operand, b: Operand) -> Value:
    """The hypotenuse, without overflow of the squares; of integers through float64."""
    if dtype_of(a, b).kind != "f":
        return through(g, np.float64, lambda x, y: hypot(g, x, y), a, b)
    a, b = (g.Abs(v) if isinstance(v, Value) else abs(v) for v in (a, b))
    second = g.Less(a, b)
    large, small = g.Where(second, b, a), g.Where(second, a, b)
    ratio = g.Div(small, g.Where(g.Equal(large, 0.0), large.dtype.type(1), large))
    length = g.Mul(large, g.Sqrt(g.Add(g.Mul(ratio, ratio), 1.0)))
    infinity = length.dtype.type(math.inf)
    infinite = g.Or(g.Equal(a, infinity), g.Equal(b, infinity))  # even beside NaN
    return g.Where(infinite, infinity, length)


add, subtract, multiply = plain("Add"), plain("Sub"), plain("Mul")


def maximum(g: Graph, a: Operand, b: Operand) -> Value:
    """The larger, or NaN."""
    return g.Max(a, b)


def minimum(g: Graph, a: Operand, b: Operand) -> Value:
    """The smaller, or NaN."""
    return g.Min(a, b)


def nan_or_zero(g: Graph, x: Value) -> Value:
    """NaN where `x` is, else 0, infinities too: what carries NaN past a node that loses it."""
    return g.Clip(x, 0.0, 0.0)


def any_along(g: Graph, holds: Value, axes: Sequence[int], keepdims: int = 0) -> Value:
    """Whether something holds anywhere along some axes."""
    result: Value = g.Greater(g.ReduceMax(g.Cast(holds, np.int32), axes, keepdims=keepdims), 0)
    return result
