"""ONNX's shape inference on whole models, kept from filling the memory and from crashing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, ValueInfoProto, shape_inference

_LONGEST = 1 << 18
"""So many values are followed at most, which takes some 20 MB."""
FRAGILE = frozenset(
    {
        *(("", "EyeLike"), ("", "RegexFullMatch"), ("ai.onnx.ml", "DictVectorizer")),
        *(("ai.onnx.ml", "LabelEncoder"), ("ai.onnx.ml", "TreeEnsemble")),
    }
)
"""Operators, with their domains, whose inference crashes where an input has no type, in onnx 1.20 to 1.23."""
_HELD = "held."
"""What the domains of nodes begin with that ONNX does not see yet."""
_MOST_PASSES = 8


def infer_shapes(model: ModelProto, strict: bool = False, values: bool = True) -> ModelProto:
    """The model with the shapes that ONNX infers, `values` of shapes followed through the graph.

    ONNX follows every vector of known length element by element, weights and inputs as well, so a few bytes
    of a file could ask for any amount of memory. Models with very long vectors are inferred without that.
    """
    if any(True for _ in _fragile(model.graph)):
        return _in_passes(model, strict, values)
    return _inferred(model, strict, values)


def _inferred(model: ModelProto, strict: bool, values: bool) -> ModelProto:
    plain = shape_inference.infer_shapes(model, check_type=strict, strict_mode=strict)
    graph = plain.graph
    if (
        not values
        or _longest(graph.input) > _LONGEST
        or _total([*graph.value_info, *graph.output]) > _LONGEST
    ):
        return plain
    try:
        return shape_inference.infer_shapes(model, check_type=strict, strict_mode=strict, data_prop=True)
    except shape_inference.InferenceError:  # it takes every vector for a shape, so that (6, 1) - (5,) is none
        return plain


def _lengths(infos: Iterable[ValueInfoProto]) -> Iterator[int]:
    """Those of vectors."""
    shapes = (info.type.tensor_type.shape.dim for info in infos)
    return (dims[0].dim_value for dims in shapes if len(dims) == 1)


def _longest(infos: Iterable[ValueInfoProto]) -> int:
    return max(_lengths(infos), default=0)


def _total(infos: Iterable[ValueInfoProto]) -> int:
    return sum(_lengths(infos))


# ---- operators whose inference crashes


def _in_passes(model: ModelProto, strict: bool, values: bool) -> ModelProto:
    """The same where some nodes are held back until the types of their inputs are known."""
    held = ModelProto()
    held.CopyFrom(model)
    for item in model.opset_import:
        held.opset_import.add(domain=_HELD + item.domain, version=item.version)
    for _, node in _fragile(held.graph):
        node.domain = _HELD + node.domain
    for _ in range(_MOST_PASSES):
        held = _inferred(held, strict, values)
        waiting = [(graph, node) for graph, node in _fragile(held.graph) if node.domain.startswith(_HELD)]
        ready = [node for graph, node in waiting if _is_typed(graph, node)]
        if not ready:
            break
        for node in ready:
            node.domain = node.domain.removeprefix(_HELD)
    for _, node in _fragile(held.graph):
        node.domain = node.domain.removeprefix(_HELD)
    del held.opset_import[len(model.opset_import) :]
    return held


def _fragile(graph: GraphProto) -> Iterator[tuple[GraphProto, NodeProto]]:
    """The nodes whose inference may crash, with the graphs that they are in."""
    for node in graph.node:
        domain = node.domain.removeprefix(_HELD)
        if ("" if domain == "ai.onnx" else domain, node.op_type) in FRAGILE:
            yield graph, node
        for attribute in node.attribute:
            if attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
                for inner in (attribute.g, *attribute.graphs):
                    yield from _fragile(inner)


def _is_typed(graph: GraphProto, node: NodeProto) -> bool:
    """Whether a graph itself says the types of a node's inputs."""
    infos = (*graph.input, *graph.value_info, *graph.output)
    known = {info.name for info in infos if info.type.WhichOneof("value") is not None}
    return known.union(tensor.name for tensor in graph.initializer).issuperset(node.input)


_KINDS = re.compile(r"\[\w+Error\] |Inference error\(s\): ")
_OUTERMOST = re.compile(r"^\(op_type:[^)]*\): ")


def sentence(exc: Exception, op_type: str = "") -> str:
    """What ONNX says, in one line, without its kinds of errors, and the operator if it is `op_type`."""
    text = _KINDS.sub("", " ".join(str(exc).split())).rstrip(".") + "."
    return _OUTERMOST.sub("", text) if text.startswith(f"(op_type:{op_type}") else text
