"""Lowerings of arrays made from attributes alone: constants."""

from __future__ import annotations

from hybridonnx.ops.create import Arange, Eye, Full, Linspace, Ones, Zeros, ZerosWithoutDType

from ._graph import Graph, Value
from ._registry import lowers


@lowers(Zeros, Ones, Full, ZerosWithoutDType)
def filled(g: Graph, op: Zeros | Ones | Full | ZerosWithoutDType) -> Value:
    value = op.value if isinstance(op, Full) else float(isinstance(op, Ones))
    return g.Full(list(g.sizes(g.output())), value, op.infer_dtype())


@lowers(Arange)
def arange(g: Graph, op: Arange) -> Value:
    return g.const(op.of_length(g.sizes(g.output())[0]))


@lowers(Linspace, Eye)
def constant(g: Graph, op: Linspace | Eye) -> Value:
    return g.const(op.forward())
