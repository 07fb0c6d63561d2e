"""Lowering of ONNX's own nodes: the node again, in the opset of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hybridonnx.dtypes import float32, is_bfloat16
from hybridonnx.errors import ConversionError
from hybridonnx.ops import OnnxNode, Spec

from ..onnx_nodes import at, in_float32
from ._graph import Graph, Value
from ._registry import lowers


@lowers(OnnxNode)
def onnx_node(g: Graph, op: OnnxNode, *inputs: Value) -> tuple[Value, ...]:
    """The node itself, or what ONNX's version converter makes of it for another opset."""
    specs = [Spec(x.shape, x.dtype) for x in inputs]
    shapes = g.output_shapes
    outputs = [Spec(s, output.dtype) for s, output in zip(shapes, g.operator[1], strict=True)]
    if g.exact and not op.runs(specs):
        return _in_float32(g, op, inputs, outputs)
    return g.spliced(at(op.model, g.opset, specs), inputs, outputs)


def _in_float32(
    g: Graph, op: OnnxNode, inputs: Sequence[Value], outputs: Sequence[Spec]
) -> tuple[Value, ...]:
    """A node of bfloat16 on float32, rounded once, as ONNX Runtime has few kernels for bfloat16."""
    dtypes = [*(x.dtype for x in inputs), *(spec.dtype for spec in outputs)]
    text = in_float32(op.model) if any(map(is_bfloat16, dtypes)) and None not in dtypes else None
    specs = [_wide(Spec(x.shape, x.dtype)) for x in inputs]
    if text is None or not replace(op, model=text).runs(specs):
        raise ConversionError(f"{op.op_type}: ONNX Runtime has no kernel for it.")
    values = [g.Cast(x, float32) if is_bfloat16(x.dtype) else x for x in inputs]
    results = g.spliced(at(text, g.opset, specs), values, [_wide(spec) for spec in outputs])
    return tuple(
        g.Cast(y, spec.dtype) if is_bfloat16(spec.dtype) else y
        for y, spec in zip(results, outputs, strict=True)
    )


def _wide(spec: Spec) -> Spec:
    return Spec(spec.shape, float32) if is_bfloat16(spec.dtype) else spec
