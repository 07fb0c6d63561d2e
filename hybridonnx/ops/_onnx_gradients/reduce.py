"""Gradients of reductions, whose axes may be computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._onnx_text import NodeText
from ._nodes import Nodes
from ._table import gradient_of

_Slope = Callable[[Nodes, Any, Any, Any, Callable[[Any, str], Any]], Any]


def _reduction(op_type: str, slope: _Slope) -> None:
    """A reduction whose gradient is `slope(g, dy, y, x, again)`, where axes stay with size 1.

    `again(x, op_type)` is a reduction of the same axes.
    """

    @gradient_of(op_type)
    def rule(
        g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, axes: Any = None
    ) -> Sequence[Any]:
        def again(value: Any, other: str) -> Any:
            opset = 11 if node.opset < 13 else node.opset
            if axes is None and node.opset < 18 and other == "ReduceSum" and node.opset >= 13:
                over = node.attributes.get("axes")
                return g.ReduceSum(value, over, keepdims=1, opset=13)
            attributes = {**node.attributes, "keepdims": 1}
            inputs = (value,) if axes is None else (value, axes)
            return g.node(other, *inputs, opset=opset, **attributes)

        head, result = dy[0], y[0]
        if not node.attributes.get("keepdims", 1):
            result = again(x, op_type)
            head = g.as_shape_of(head, result)
        return (g.F._broadcast_as(slope(g, head, result, x, again), x),)


def others(count: Any, total: Any, zero: Any, x: Any) -> Any:
    """What the factors that are 0, so many with this sum, make of a product without `x`."""
    alone = zero + (1 - zero) * total
    return (count == 0) + (count == 1) * alone + (count == 2) * zero * (total - x)


def _product(g: Nodes, dy: Any, y: Any, x: Any, again: Callable[[Any, str], Any]) -> Any:
    """The products of the other factors; those that are 0, of which two matter, are multiplied apart."""
    zero = x == 0
    safe = x * (1 - zero) + zero
    rest = dy * again(safe, "ReduceProd") / safe
    return rest * others(again(zero, "ReduceSum"), again(zero * x, "ReduceSum"), zero, x)


def _norm(g: Nodes, dy: Any, y: Any, x: Any, again: Callable[[Any, str], Any]) -> Any:
    """The direction, nothing at 0."""
    zero = y == 0
    return dy * x / (y + zero)


def _extreme(g: Nodes, dy: Any, y: Any, x: Any, again: Callable[[Any, str], Any]) -> Any:
    """Equal extremes share it; nothing equals NaN, nor that of no elements."""
    chosen = x == y
    return dy / g.F._maximum_scalar(again(chosen, "ReduceSum"), scalar=1) * chosen


_reduction("ReduceSum", lambda g, dy, y, x, again: dy)
_reduction("ReduceMean", lambda g, dy, y, x, again: dy / again(g.F.ones_like(x), "ReduceSum"))
_reduction("ReduceMax", _extreme)
_reduction("ReduceMin", _extreme)
_reduction("ReduceProd", _product)
_reduction("ReduceL1", lambda g, dy, y, x, again: dy * g.F.sign(x))
_reduction("ReduceL2", _norm)
_reduction("ReduceLogSum", lambda g, dy, y, x, again: dy / again(x, "ReduceSum"))
_reduction("ReduceLogSumExp", lambda g, dy, y, x, again: dy * g.F.exp(x - y))
_reduction("ReduceSumSquare", lambda g, dy, y, x, again: dy * x * 2)
