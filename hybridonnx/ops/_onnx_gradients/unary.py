"""Gradients of functions of each element."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import MXNetError
from .._onnx_text import NodeText
from .._slopes import times_slope, widened
from ._nodes import Nodes, composed, is_value
from ._table import constant, gradient_of

constant("it is piecewise constant", "Ceil", "Floor", "Round", "Sign", "Hardmax", "ArgMax", "ArgMin")
constant("it gives integers", "QuantizeLinear", "DynamicQuantizeLinear", "BitCast")
constant("it draws numbers", "Bernoulli", "Multinomial")

_WHOLE = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 21, 22, 25, 26})
"""ONNX's numbers of the element types that are no floating-point ones: integers, bool and strings."""


def _slope(op_type: str, slope: Callable[..., Any]) -> None:
    """An operator whose gradient is `slope(F, x, y, **attributes)` of each element."""

    @gradient_of(op_type)
    def rule(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
        F = g.F
        value = slope(F, widened(F, x), widened(F, y[0]), **node.attributes)
        return (times_slope(F, dy[0], value, x),)


def _bell(F: Any, x: Any) -> Any:
    """The normal distribution's density."""
    return F.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


def _gelu(F: Any, x: Any, y: Any, approximate: str = "none") -> Any:
    if approximate == "none":
        return (F.erf(x * math.sqrt(0.5)) + 1) * 0.5 + x * _bell(F, x)
    scale = math.sqrt(2 / math.pi)
    t = F.tanh((x + x * x * x * 0.044715) * scale)
    return (t + 1) * 0.5 + x * (1 - t * t) * (x * x * (3 * 0.044715) + 1) * (0.5 * scale)


def _elu(F: Any, x: Any, alpha: float, scale: float = 1.0) -> Any:
    """Of `alpha * (exp(x * scale) - 1)` below 0, whose exponential does not overflow above."""
    return (x > 0) + (x <= 0) * F.exp(F._minimum_scalar(x, scalar=0) * scale) * (alpha * scale)


def _selu(F: Any, x: Any, y: Any, alpha: float = 1.67326319217681884765625, **more: float) -> Any:
    return _elu(F, x, alpha) * more.get("gamma", 1.05070102214813232421875)


def _hard_swish(F: Any, x: Any, y: Any) -> Any:
    return (x >= 3) + (x > -3) * (x < 3) * (x / 3 + 0.5)


def _hard_sigmoid(F: Any, x: Any, y: Any, alpha: float = 0.2, beta: float = 0.5, **_: Any) -> Any:
    t = x * alpha + beta
    return (t > 0) * (t < 1) * alpha


def _mish(F: Any, x: Any, y: Any) -> Any:
    t = F.tanh(F.Activation(x, act_type="softrelu"))
    return t + x * (1 - t * t) * F.sigmoid(x)


def _swish(F: Any, x: Any, y: Any, alpha: float = 1.0) -> Any:
    s = F.sigmoid(x * alpha)
    return s + x * alpha * s * (1 - s)


def _celu(F: Any, x: Any, y: Any, alpha: float = 1.0) -> Any:
    return _elu(F, x, alpha, 1 / alpha)


_slope("Abs", lambda F, x, y, **_: F.sign(x))
_slope("Neg", lambda F, x, y, **_: -1.0)
_slope("Exp", lambda F, x, y, **_: y)
_slope("Log", lambda F, x, y, **_: 1 / x)
_slope("Sqrt", lambda F, x, y, **_: 0.5 / y)
_slope("Reciprocal", lambda F, x, y, **_: -y * y)
_slope("Sin", lambda F, x, y: F.cos(x))
_slope("Cos", lambda F, x, y: -F.sin(x))
_slope("Tan", lambda F, x, y: y * y + 1)
_slope("Asin", lambda F, x, y: F.rsqrt(1 - x * x))
_slope("Acos", lambda F, x, y: -F.rsqrt(1 - x * x))
_slope("Atan", lambda F, x, y: 1 / (x * x + 1))
_slope("Sinh", lambda F, x, y: F.cosh(x))
_slope("Cosh", lambda F, x, y: F.sinh(x))
_slope("Asinh", lambda F, x, y: F.rsqrt(x * x + 1))
_slope("Acosh", lambda F, x, y: F.rsqrt(x - 1) * F.rsqrt(x + 1))
_slope("Atanh", lambda F, x, y: 1 / (1 - x * x))
_slope("Erf", lambda F, x, y: F.exp(-x * x) * (2 / math.sqrt(math.pi)))
_slope("Sigmoid", lambda F, x, y, **_: y * (1 - y))
_slope("Tanh", lambda F, x, y, **_: 1 - y * y)
_slope("Relu", lambda F, x, y, **_: x > 0)
_slope("LeakyRelu", lambda F, x, y, alpha=0.01, **_: (x >= 0) + (x < 0) * alpha)
_slope("Elu", lambda F, x, y, alpha=1.0, **_: _elu(F, x, alpha))
_slope("Celu", _celu)
_slope("Selu", _selu)
_slope("Gelu", _gelu)
_slope("Mish", _mish)
_slope("Swish", _swish)
_slope("HardSwish", _hard_swish)
_slope("HardSigmoid", _hard_sigmoid)
_slope("Softplus", lambda F, x, y: F.sigmoid(x))
_slope("Softsign", lambda F, x, y: F.square(1 / (F.abs(x) + 1)))
_slope("ThresholdedRelu", lambda F, x, y, alpha=1.0: x > alpha)
_slope("Shrink", lambda F, x, y, lambd=0.5, **_: F.abs(x) > lambd)


@gradient_of("Identity")
def identity(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
    """The gradient as it is."""
    return (dy[0],)


@gradient_of("Cast", "CastLike")
def cast(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, *_: Any) -> Sequence[Any]:
    """The gradient in the data's dtype; nothing where integers lose what is behind the point."""
    kinds = {np.dtype(v.dtype).kind for v in (x, y[0]) if hasattr(v, "dtype")}  # symbols have none
    if not is_value(x) or node.attributes.get("to") in _WHOLE or kinds & set("iubO"):
        return ()
    return (g.F._cast_like(dy[0], x),)


def _larger(F: Any, x: Any, low: Any) -> Any:
    return F._maximum_scalar(x, scalar=low) if isinstance(low, float) else F.broadcast_maximum(x, low)


@gradient_of("Clip")
def clip(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, low: Any = None, high: Any = None
) -> Sequence[Any]:
    """To the data within the bounds, to a bound where it counts."""
    F, head = g.F, dy[0]
    low = node.attributes.get("min") if low is None else low
    high = node.attributes.get("max") if high is None else high
    grads: list[Any] = [head, None, None]
    if high is not None:
        over = (x if low is None else _larger(F, x, low)) > high
        grads = [grads[0] * (x <= high), None, head * over]
    if low is not None:
        under = x < low if high is None else (x < low) * (_larger(F, x, low) <= high)
        grads = [grads[0] * (x >= low), head * under, grads[2]]
    bounds = (x, low, high)
    return [g.back(grad, bound) for grad, bound in zip(grads, bounds, strict=True)]


@composed("PRelu")
def prelu(g: Nodes, node: NodeText, y: Sequence[Any], x: Any, slope: Any) -> Any:
    """Before opset 7 the slopes are of channels."""
    if node.opset < 7:
        x, slope = g.rows(x), g.Reshape(slope, [-1, 1])
    result = g.Where(g.Less(x, 0), g.Mul(x, slope), x)
    return g.as_shape_of(result, y[0]) if node.opset < 7 else result


@gradient_of("Dropout")
def dropout(
    g: Nodes,
    node: NodeText,
    dy: Sequence[Any],
    y: Sequence[Any],
    x: Any,
    ratio: Any = None,
    training: Any = None,
) -> Sequence[Any]:
    """By the mask, which must be there unless nothing drops."""
    attributes, head = node.attributes, dy[0]
    if training is None:
        training = np.array(node.opset < 7 and not attributes.get("is_test", 0))
    if ratio is None:
        ratio = np.array(attributes.get("ratio", 0.5))
    if any(isinstance(v, np.ndarray) and not v.any() for v in (ratio, training)):
        return (head,)
    if len(y) < 2 or y[1] is None:
        raise MXNetError(
            "_onnx_Dropout: the mask is required as second output for the gradient in training. "
            "Let the model have it, or use Dropout of MXNet."
        )
    dropped = g.Div(g.Mul(head, g.CastLike(y[1], head)), g.Sub(1.0, g.CastLike(ratio, head)))
    return (dropped if isinstance(training, np.ndarray) else g.Where(training, dropped, head),)
