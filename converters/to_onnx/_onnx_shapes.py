"""Shapes of intermediate values, asked of ONNX's own shape inference one node at a time."""

from __future__ import annotations

from onnx import NodeProto, TensorProto, TypeProto, checker, helper, shape_inference

from hybridonnx.ops import NumericShape

from ..opsets import ir_version
from ..values import to_tensor, type_proto
from ._nodes import Node, node_message

_MOST_DATA = 1024


def node_shapes(node: Node, opset: int) -> list[NumericShape | None]:
    """What is known of the shapes of the outputs of a node of known operator, without graphs inside.

    The element types of its inputs have to be known.
    """
    assert node.signature is not None
    inputs = ["" if v is None else f"i{i}" for i, v in enumerate(node.inputs)]
    outputs = [f"o{i}" for i in range(len(node.outputs))]
    types, data = {}, {}
    for name, value in zip(inputs, node.inputs, strict=True):
        if value is not None:
            types[name] = type_proto(value.dtype, value.shape)
            if value.constant is not None and value.constant.size <= _MOST_DATA:
                data[name] = to_tensor(name, value.constant)
    try:
        inferred = shape_inference.infer_node_outputs(
            node.signature.schema,
            NodeProto.FromString(node_message(node, inputs, outputs)),
            types,
            data,
            opset_imports=[helper.make_opsetid("", opset)],
            ir_version=ir_version(opset),
        )
    except (shape_inference.InferenceError, checker.ValidationError, RuntimeError):
        return [None] * len(node.outputs)
    return [_shape(inferred.get(name)) for name in outputs]


def _shape(proto: TypeProto | None) -> NumericShape | None:
    if proto is None or proto.tensor_type.elem_type == TensorProto.UNDEFINED:
        return None
    if not proto.tensor_type.HasField("shape"):
        return None
    return tuple(d.dim_value if d.HasField("dim_value") else None for d in proto.tensor_type.shape.dim)
