"""Gradients of arithmetic on arrays that broadcast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._onnx_text import NodeText
from ._nodes import Nodes, composed, is_value
from ._table import constant, gradient_of

constant("it gives truth values", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
constant("it gives truth values", "And", "Or", "Xor", "Not", "IsNaN", "IsInf", "OptionalHasElement")
constant("it gives integers", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor")

_Slopes = Callable[[Nodes, NodeText, Any, Any, Any, Any], Sequence[Any]]


def _binary(op_type: str, slopes: _Slopes) -> None:
    """An operator whose gradients are `slopes(g, node, dy, y, a, b)` before they are summed back."""

    @gradient_of(op_type)
    def rule(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], a: Any, b: Any) -> Sequence[Any]:
        of_a, of_b = slopes(g, node, dy[0], y[0], g.operand(a), g.operand(b))
        return g.back(of_a, a), g.back(of_b, b)


def _mod(g: Nodes, node: NodeText, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    """Of the divisor minus the whole quotient."""
    quotient = g.F.round(g.Div(g.Sub(a, y), b))
    return dy, -dy * quotient


_binary("Add", lambda g, node, dy, y, a, b: (dy, dy))
_binary("Sub", lambda g, node, dy, y, a, b: (dy, -dy))
_binary("Mul", lambda g, node, dy, y, a, b: (dy * b, dy * a))
_binary("Div", lambda g, node, dy, y, a, b: (dy / b, -dy * a / (b * b)))
_binary("Mod", _mod)


@gradient_of("Pow")
def power(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], a: Any, b: Any) -> Sequence[Any]:
    """Of the exponent where the base is positive; of the base not where both are 0."""
    base = g.operand(a)
    exponent = g.CastLike(b, base)
    nothing = g.And(g.Equal(base, 0), g.Equal(exponent, 0))
    safe = g.Where(nothing, g.number(1, base), base)
    of_a = g.back(dy[0] * g.Mul(exponent, g.Pow(safe, g.Sub(exponent, 1))), a)
    if not is_value(b):
        return of_a, None
    positive = base > 0
    logarithm = g.F.log(base * positive + (1 - positive))
    return of_a, g.CastLike(g.back(dy[0] * y[0] * logarithm, exponent), b)


@gradient_of("Max", "Min")
def extreme(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], *data: Any) -> Sequence[Any]:
    """To the first of those that are the result."""
    grads, rest = [], dy[0]
    for x in data:
        chosen = g.CastLike(g.Equal(x, y[0]), dy[0])
        grads.append(g.back(rest * chosen, x))
        rest = rest * (1 - chosen)
    return grads


@gradient_of("Sum", "Mean")
def total(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], *data: Any) -> Sequence[Any]:
    """To each of the inputs."""
    share = dy[0] / len(data) if node.op_type == "Mean" else dy[0]
    return [g.back(share, x) for x in data]


@gradient_of("Where")
def where(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], condition: Any, a: Any, b: Any
) -> Sequence[Any]:
    """To the one that counts."""
    zero = g.number(0, dy[0])
    of_a, of_b = g.Where(condition, dy[0], zero), g.Where(condition, zero, dy[0])
    return None, g.back(of_a, a), g.back(of_b, b)


@gradient_of("Expand")
def expand(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, shape: Any
) -> Sequence[Any]:
    """Summed back."""
    return (g.back(dy[0], x),)


@composed("SwiGLU")
def swiglu(g: Nodes, node: NodeText, y: Sequence[Any], a: Any, b: Any) -> Any:
    """The second input times the swish of the first."""
    alpha = node.attributes.get("alpha", 1.0)
    return g.Mul(g.Mul(a, g.Sigmoid(g.Mul(a, alpha))), b)
