"""Lowerings of what mx.np has of functions of each element beside the operators of other families."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridonnx.ops.np_unary import Around, BitwiseNot, FullLike, NanToNum

from ._arithmetic import subtract
from ._graph import Graph, Value
from ._registry import lowers

_INFINITY = float("inf")


@lowers("_npi_logical_not")
def logical_not(g: Graph, op: Any, x: Value) -> Value:
    """Not of what is not zero."""
    return g.Not(g.Cast(x, np.bool_))


def _of_floats(name: str, function: Callable[[Graph, Value], Value], otherwise: bool = False) -> None:
    """Integers are finite, and no numbers that are not."""

    @lowers(name)
    def lowering(g: Graph, op: Any, x: Value) -> Value:
        if x.dtype.kind == "f":
            return function(g, x)
        same = g.Equal(x, x)
        return same if otherwise else g.Not(same)


_of_floats("_npi_isnan", lambda g, x: g.IsNaN(x))
_of_floats("_npi_isinf", lambda g, x: g.Equal(g.Abs(x), _INFINITY))
_of_floats("_npi_isposinf", lambda g, x: g.Equal(x, _INFINITY))
_of_floats("_npi_isneginf", lambda g, x: g.Equal(x, -_INFINITY))
_of_floats("_npi_isfinite", lambda g, x: g.Less(g.Abs(x), _INFINITY), otherwise=True)


@lowers(BitwiseNot)
def bitwise_not(g: Graph, op: BitwiseNot, x: Value) -> Value:
    """The complement of an integer is -1 minus it, which wraps for uint8."""
    if x.dtype.kind == "b":
        return g.Not(x)
    ones = np.asarray(-1).astype(x.dtype)
    return subtract(g, ones, x)


@lowers(Around)
def around(g: Graph, op: Around, x: Value) -> Value:
    """Scaled, rounded and scaled back."""
    if x.dtype.kind != "f":
        return g.Identity(x)
    if not op.decimals:
        return g.Round(x)
    scale = x.dtype.type(10.0 ** abs(op.decimals))
    return g.Round(x * scale) / scale if op.decimals > 0 else g.Round(x / scale) * scale


@lowers(NanToNum)
def nan_to_num(g: Graph, op: NanToNum, data: Value) -> Value:
    """A choice for each of the three."""
    if data.dtype.kind != "f":
        return g.Identity(data)
    low, high = (data.dtype.type(v) for v in op.limits(data.dtype))
    finite = g.Where(g.Equal(data, _INFINITY), high, g.Where(g.Equal(data, -_INFINITY), low, data))
    return g.Where(g.IsNaN(data), data.dtype.type(op.nan), finite)


@lowers(FullLike)
def full_like(g: Graph, op: FullLike, a: Value) -> Value:
    """The value in the shape of the input."""
    dtype = op.infer_dtype(a.dtype)
    assert dtype is not None
    return g.Full(g.shape_of(a), np.asarray(op.fill_value).astype(dtype).item(), dtype)
