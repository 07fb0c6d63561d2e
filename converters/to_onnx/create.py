"""Lowerings of arrays made from attributes alone, and from sizes that the graph around them tells."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.create import Arange, Eye, Full, Linspace, Ones, Zeros, ZerosWithoutDType

from ._graph import Graph, NeedsShape, Value, require_few
from ._registry import lowers
from ._symbolic_dims import count, fill_output, output_sizes


@lowers(Zeros, Ones, Full, ZerosWithoutDType)
def filled(g: Graph, op: Zeros | Ones | Full | ZerosWithoutDType) -> Value:
    value = op.value if isinstance(op, Full) else float(isinstance(op, Ones))
    return fill_output(g, value, op.infer_dtype())


@lowers(Arange)
def arange(g: Graph, op: Arange) -> Value:
    (length,) = output_sizes(g)
    if isinstance(length, int):
        require_few(length)
        return g.const(op.of_length(length))
    first = op.of_length(1)
    if first.dtype.name not in _ARITHMETIC:
        raise NeedsShape(f"_arange: fixed input shapes are required for {first.dtype}.")
    steps = count(g, length)
    if op.repeat != 1:
        steps = steps / op.repeat
    step = np.asarray(op.step).astype(first.dtype)
    return g.Cast(steps, first.dtype) * step + first


_ARITHMETIC = ("float32", "float64", "int32", "int64")
"""What ONNX Runtime adds and multiplies without another dtype in between."""


@lowers(Linspace, Eye)
def constant(g: Graph, op: Linspace | Eye) -> Value:
    require_few(*(size for size in output_sizes(g) if isinstance(size, int)))
    return g.const(op.forward())
