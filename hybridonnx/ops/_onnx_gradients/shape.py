"""Gradients of nodes that arrange elements: their operands may be computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._onnx_text import NodeText
from ._nodes import Nodes
from ._table import constant, gradient_of

constant("it gives integers or truth values", "Shape", "Size", "NonZero", "IsNaN", "IsInf")


@gradient_of("Reshape", "Squeeze", "Unsqueeze", "Flatten")
def reshape(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], data: Any, *_: Any) -> Sequence[Any]:
    """The elements in the data's shape."""
    return (g.F.reshape_like(dy[0], data),)
