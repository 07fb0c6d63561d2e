"""ONNX's shape inference on whole models, kept from filling the memory and from crashing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto, shape_inference

from .subgraphs import subgraphs

_LONGEST, _MOST = 1 << 18, 3 << 18
"""Of a vector so many values are followed at most, which takes some 20 MB, and so many of all."""
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
    declared, inferred = [*_lengths(_declared(graph))], [*_lengths([*graph.value_info, *graph.output])]
    if not values or max(declared, default=0) > _LONGEST or max(sum(declared), sum(inferred)) > _MOST:
        return plain
    try:
        return shape_inference.infer_shapes(model, check_type=strict, strict_mode=strict, data_prop=True)
    except shape_inference.InferenceError:  # it takes every vector for a shape, so that (6, 1) - (5,) is none
        return plain


def _lengths(infos: Iterable[ValueInfoProto]) -> Iterator[int]:
    """Those of vectors."""
    shapes = (info.type.tensor_type.shape.dim for info in infos)
    return (max(dims[0].dim_value, 0) for dims in shapes if len(dims) == 1)


def _declared(graph: GraphProto) -> Iterator[ValueInfoProto]:
    """What a graph says of its inputs, and the graphs inside of it of all their values."""
    yield from graph.input
    for node in graph.node:
        for inner in subgraphs(node):
            yield from (*inner.value_info, *inner.output)
            yield from _declared(inner)


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
        for inner in subgraphs(node):
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
