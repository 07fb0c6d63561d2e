"""ONNX's shape inference on whole models, kept from filling the memory."""

from __future__ import annotations

import re
from collections.abc import Iterable

from onnx import ModelProto, ValueInfoProto, shape_inference

_LONGEST = 1 << 20


def infer_shapes(model: ModelProto, strict: bool = False, values: bool = True) -> ModelProto:
    """The model with the shapes that ONNX infers, `values` of shapes followed through the graph.

    ONNX follows every vector of known length element by element, weights and inputs as well, so a few bytes
    of a file could ask for any amount of memory. Models with very long vectors are inferred without that.
    """
    plain = shape_inference.infer_shapes(model, check_type=strict, strict_mode=strict)
    graph = plain.graph
    if not values or _has_long_vectors([*graph.input, *graph.value_info, *graph.output]):
        return plain
    try:
        return shape_inference.infer_shapes(model, check_type=strict, strict_mode=strict, data_prop=True)
    except shape_inference.InferenceError:  # it takes every vector for a shape, so that (6, 1) - (5,) is none
        return plain


def _has_long_vectors(infos: Iterable[ValueInfoProto]) -> bool:
    shapes = (info.type.tensor_type.shape.dim for info in infos)
    return any(len(dims) == 1 and dims[0].dim_value > _LONGEST for dims in shapes)


_KINDS = re.compile(r"\[\w+Error\] |Inference error\(s\): ")
_OUTERMOST = re.compile(r"^\(op_type:[^)]*\): ")


def sentence(exc: Exception, op_type: str = "") -> str:
    """What ONNX says, in one line, without its kinds of errors, and the operator if it is `op_type`."""
    text = _KINDS.sub("", " ".join(str(exc).split())).rstrip(".") + "."
    return _OUTERMOST.sub("", text) if text.startswith(f"(op_type:{op_type}") else text
