"""Lowerings of the elementwise operators of one array."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hybridonnx.ops.unary import Clip, DivSqrtDim, HardSigmoid, MakeLoss, Polygamma, Quadratic, SmoothL1

from ..notes import gradient_note
from ._arithmetic import divide, multiply, subtract
from ._graph import Graph, Value
from ._onnxruntime import erf_of_nan_is_one
from ._registry import lowers
from ._special import erfinv, gamma, gammaln, polygamma

Function = Callable[[Graph, Value], Value]
_float32, _float64 = np.dtype("float32"), np.dtype("float64")


_ONE_UP = 1 + 2**-50
"""Lifts what falls short of an integer by rounding over it, before it is truncated."""


def _smooth(names: str, function: Function, integers: Any = _float64, lift: float = 1.0) -> None:
    """Functions of floating-point numbers; integers go through float64, as in MXNet, and are truncated.

    What is computed of integers, in `integers`, is multiplied by `lift` before it is truncated.
    """

    @lowers(*names.split())
    def lowering(g: Graph, op: Any, data: Value) -> Value:
        if data.dtype.kind == "f":
            return function(g, data)
        y = function(g, g.Cast(data, integers))
        return g.Cast(y if lift == 1 else y * lift, data.dtype)


def _node(onnx_type: str) -> Function:
    def function(g: Graph, x: Value) -> Value:
        result: Value = getattr(g, onnx_type)(x)
        return result

    return function


# ---- one node each

for _names in (
    "sqrt:Sqrt",
    "reciprocal:Reciprocal",
    "exp:Exp",
    "log:Log",
    "tanh:Tanh",
    "sigmoid:Sigmoid",
):
    _smooth(_names.split(":")[0], _node(_names.split(":")[1]))
for _names in ("sin:Sin", "cos:Cos"):  # of integers 0 but for cos(0), which float32 knows as well
    _smooth(_names.split(":")[0], _node(_names.split(":")[1]), integers=_float32)
for _names in ("arcsin:Asin", "arccos:Acos", "arctan:Atan"):  # not in float64
    _smooth(_names.split(":")[0], _node(_names.split(":")[1]), integers=_float32)


@lowers("erf")
def erf(g: Graph, op: Any, data: Value) -> Value:
    """Of integers, truncated, it is 0 up to 5 and 1 from 6 on, where float64 rounds to it."""
    if data.dtype.kind != "f":
        return divide(g, g.Clip(data, 0 if data.dtype.kind == "u" else -6, 6), data.dtype.type(6))
    y = g.Erf(data)
    return y if g.exact and not erf_of_nan_is_one() else g.Where(g.IsNaN(data), data, y)


# ---- near 0, where sums would lose all digits


def expm1(g: Graph, x: Value) -> Value:
    """Through tanh near 0, where the difference would lose all digits."""
    small = g.Less(g.Abs(x), 1.0)
    half = g.Tanh(g.Where(small, x, 0.0) * 0.5)
    return g.Where(small, half * 2.0 / (1.0 - half), g.Exp(x) - 1.0)


def log1p(g: Graph, x: Value) -> Value:
    """Near 0 the logarithm times what rounding `1 + x` has lost."""
    log, small = g.Log(x + 1.0), g.Less(g.Abs(x), 0.5)
    part = g.Where(small, x, 0.0)
    rounded = part + 1.0 - 1.0
    lost = g.Equal(rounded, 0.0)
    near = g.Where(lost, part, log * part / g.Where(lost, 1.0, rounded))
    return g.Where(small, near, log)


def _sinh(g: Graph, x: Value) -> Value:
    return (expm1(g, x) - expm1(g, -x)) * 0.5


def _arcsinh(g: Graph, x: Value) -> Value:
    """Of large numbers, whose squares may be infinite, the logarithm of the double."""
    size, square = g.Abs(x), x * x
    near = log1p(g, size + square / (g.Sqrt(square + 1.0) + 1.0))
    return g.Sign(x) * g.Where(g.Greater(size, 1e8), g.Log(size) + math.log(2), near)


def _arccosh(g: Graph, x: Value) -> Value:
    more = x - 1.0
    return log1p(g, more + g.Sqrt(more) * g.Sqrt(x + 1.0))


# ---- where ONNX Runtime has float32 alone, float64 is composed


def _composed(name: str, onnx_type: str, function: Function) -> None:
    _smooth(name, lambda g, x: function(g, x) if x.dtype == _float64 else getattr(g, onnx_type)(x))


_composed("tan", "Tan", lambda g, x: g.Sin(x) / g.Cos(x))
_composed("sinh", "Sinh", _sinh)
_composed("cosh", "Cosh", lambda g, x: (g.Exp(x) + g.Exp(-x)) * 0.5)
_composed("softsign", "Softsign", lambda g, x: x / (g.Abs(x) + 1.0))
_composed("arcsinh", "Asinh", _arcsinh)
_composed("arccosh", "Acosh", _arccosh)
_composed("arctanh", "Atanh", lambda g, x: log1p(g, x * 2.0 / (1.0 - x)) * 0.5)

# ---- what ONNX lacks


def _signed(g: Graph, x: Value) -> Value:
    """-1 or 1 by the sign that x has, zeros too: their reciprocals are infinite."""
    return g.Sign(x + g.Reciprocal(x))


def _cbrt(g: Graph, x: Value) -> Value:
    return _signed(g, x) * g.Pow(g.Abs(x), 1 / 3)


_smooth("rsqrt", lambda g, x: g.Reciprocal(g.Sqrt(x)))
_smooth("cbrt", _cbrt, lift=_ONE_UP)
_smooth("rcbrt", lambda g, x: g.Reciprocal(_cbrt(g, x)))
_smooth("expm1", expm1)
_smooth("log1p", log1p)
_smooth("log10", lambda g, x: g.Log(x) * (1 / math.log(10)), lift=_ONE_UP)
_smooth("log2", lambda g, x: g.Log(x) * (1 / math.log(2)), lift=_ONE_UP)
_smooth("degrees", lambda g, x: x * (180 / math.pi))
_smooth("radians", lambda g, x: x * (math.pi / 180))
_smooth("erfinv", erfinv, integers=_float32)
_smooth("gamma", gamma)
_smooth("gammaln", gammaln)


@lowers(Polygamma)
def lower_polygamma(g: Graph, op: Polygamma, data: Value) -> Value:
    """The asymptotic series after a shift."""
    return polygamma(g, data, op.order)


# ---- sign and rounding


def _rounding(names: str, function: Function) -> None:
    """Integers stay as they are."""

    @lowers(*names.split())
    def lowering(g: Graph, op: Any, data: Value) -> Value:
        if data.dtype.kind != "f":
            return g.Identity(data)
        return function(g, data)


def _trunc(g: Graph, x: Value) -> Value:
    return g.Where(g.Less(x, 0.0), g.Ceil(x), g.Floor(x))


def _round(g: Graph, x: Value) -> Value:
    size = g.Abs(x)
    low = g.Floor(size)
    up = g.Cast(g.GreaterOrEqual(size - low, 0.5), x.dtype)
    return g.Sign(x) * (low + up)


def _rint(g: Graph, x: Value) -> Value:
    low, high = g.Floor(x), g.Ceil(x)
    return g.Where(g.Greater(x - low, high - x), high, low)


_rounding("ceil", _node("Ceil"))
_rounding("floor", _node("Floor"))
_rounding("trunc fix", _trunc)
_rounding("round _contrib_round_ste", _round)
_rounding("rint", _rint)


@lowers("negative")
def negative(g: Graph, op: Any, data: Value) -> Value:
    """ONNX does not negate uint8, whose negative is its distance to 256."""
    if data.dtype.kind == "u":
        return subtract(g, data.dtype.type(0), data)
    return -data


@lowers("abs")
def absolute(g: Graph, op: Any, data: Value) -> Value:
    """One node for every dtype."""
    return g.Abs(data)


@lowers("sign", "_contrib_sign_ste")
def sign(g: Graph, op: Any, data: Value) -> Value:
    """Of NaN it is 0."""
    if data.dtype.kind != "f":
        return g.Sign(data)
    up, down = (g.Cast(test(data, 0.0), data.dtype) for test in (g.Greater, g.Less))
    return up - down


@lowers("square")
def square(g: Graph, op: Any, data: Value) -> Value:
    """A product with itself."""
    return multiply(g, data, data)


@lowers("relu")
def relu(g: Graph, op: Any, data: Value) -> Value:
    """ONNX's Relu is for floating-point numbers."""
    if data.dtype.kind != "f":
        return g.Max(data, 0)
    return g.Relu(data)


@lowers(HardSigmoid)
def hard_sigmoid(g: Graph, op: HardSigmoid, data: Value) -> Value:
    """ONNX Runtime's HardSigmoid is for float32."""
    if data.dtype != _float32:
        return g.Clip(data * op.alpha + op.beta, 0.0, 1.0)
    return g.HardSigmoid(data, alpha=op.alpha, beta=op.beta)


@lowers(Clip)
def clip(g: Graph, op: Clip, data: Value) -> Value:
    """ONNX gives `a_max` throughout if the limits are in the wrong order, MXNet does not."""
    low, high = op.limits(data.dtype)
    if low <= high:
        return g.Clip(data, low, high)
    raised = g.Where(g.Less(data, low), low, data)
    return g.Where(g.Greater(data, high), high, raised)


@lowers(SmoothL1)
def smooth_l1(g: Graph, op: SmoothL1, data: Value) -> Value:
    """Both branches, and a choice."""
    factor, bound = op.parts(data.dtype)

    def function(x: Value) -> Value:
        size = g.Abs(x)
        parabola = x * x * factor
        if not factor:
            return parabola
        return g.Where(g.Less(size, bound), parabola, size - 0.5 * bound)

    if data.dtype.kind != "f":
        return g.via(_float32, function, data)
    return function(data)


@lowers(Quadratic)
def quadratic(g: Graph, op: Quadratic, data: Value) -> Value:
    """By Horner's rule."""

    def function(x: Value) -> Value:
        result: Value = (x * op.a + op.b) * x + op.c
        return result

    if data.dtype.kind != "f":
        return g.via(_float32, function, data)
    return function(data)


@lowers(DivSqrtDim)
def div_sqrt_dim(g: Graph, op: DivSqrtDim, data: Value) -> Value:
    """The root of a free size is taken in float32 at least, as the size need not fit into float16."""
    size = g.size_of(data, -1)
    if size.constant is not None:
        return data / math.sqrt(size.constant[0])
    wide = _float64 if data.dtype == _float64 else _float32
    return data / g.Cast(g.Sqrt(g.Cast(size, wide)), data.dtype)


# ---- identities and constants


@lowers("_copy", "_copyto", "make_loss", MakeLoss)
def identity(g: Graph, op: Any, data: Value) -> Value:
    """The input."""
    return g.Identity(data)


@lowers("BlockGrad")
def multiplied_gradient(g: Graph, op: Any, data: Value) -> Value:
    """The input; a note tells what becomes of its gradient, for those who read the file."""
    y = g.Identity(data)
    y.node.note = gradient_note(getattr(op, "scalar", 0.0))
    return y


@lowers("logical_not")
def logical_not(g: Graph, op: Any, data: Value) -> Value:
    """Whether the input is 0."""
    return g.Cast(g.Equal(data, 0), data.dtype)


def _like(name: str, value: int) -> None:
    @lowers(name)
    def lowering(g: Graph, op: Any, data: Value) -> Value:
        return g.Full(g.shape_of(data), value, data.dtype)


_like("ones_like", 1)
_like("zeros_like", 0)
