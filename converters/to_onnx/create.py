"""Lowerings of arrays made from attributes alone: constants."""

from __future__ import annotations

from hybridonnx.ops.create import Arange, Eye, Full, Linspace, Ones, Zeros, ZerosWithoutDType

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import SymbolicDim, vector


@lowers(Zeros, Ones, Full, ZerosWithoutDType)
def filled(g: Graph, op: Zeros | Ones | Full | ZerosWithoutDType) -> Value:
    value = op.value if isinstance(op, Full) else float(isinstance(op, Ones))
    return g.Full(_sizes(g), value, op.infer_dtype())


def _sizes(g: Graph) -> list[int] | Value:
    """The sizes of the output; unknown ones are those of an input of the graph."""
    shape = g.output().shape
    found = [] if shape is None or None not in shape else g.sources()
    if not found:
        return list(g.sizes(g.output()))
    return vector(g, [size if isinstance(size, int) else SymbolicDim(size[0], (size[1],)) for size in found])


@lowers(Arange)
def arange(g: Graph, op: Arange) -> Value:
    return g.const(op.of_length(g.sizes(g.output())[0]))


@lowers(Linspace, Eye)
def constant(g: Graph, op: Linspace | Eye) -> Value:
    return g.const(op.forward())
