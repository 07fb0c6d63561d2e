"""Lowering of ONNX's own nodes: the node again, in the opset of the model."""

from __future__ import annotations

from hybridonnx.errors import ConversionError
from hybridonnx.ops import OnnxNode, Spec

from ..onnx_nodes import at
from ._graph import Graph, Value
from ._registry import lowers


@lowers(OnnxNode)
def onnx_node(g: Graph, op: OnnxNode, *inputs: Value) -> tuple[Value, ...]:
    """The node itself, or what ONNX's version converter makes of it for another opset."""
    specs = [Spec(x.shape, x.dtype) for x in inputs]
    if g.exact and not op.runs(specs):
        raise ConversionError(f"{op.op_type}: ONNX Runtime has no kernel for it.")
    shapes = g.output_shapes
    outputs = [Spec(s, output.dtype) for s, output in zip(shapes, g.operator[1], strict=True)]
    return g.spliced(at(op.model, g.opset, specs), inputs, outputs)
