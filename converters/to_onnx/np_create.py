"""Lowerings of arrays made from attributes alone as mx.np has them."""

from __future__ import annotations

from hybridonnx.ops.np_create import Filled, Made

from ._graph import Graph, Value, require_few
from ._registry import lowers


@lowers(Filled)
def filled(g: Graph, op: Filled) -> Value:
    """It takes no room in the file."""
    return g.Full(list(op.shape), op.value, op.infer_dtype())


@lowers(Made)
def constant(g: Graph, op: Made) -> Value:
    """The numbers themselves."""
    require_few(*op.infer_shape())
    return g.const(op.forward())
