"""What an ONNX model says of itself: inputs, outputs, parameters and operators, without running anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import onnx
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto

from hybridonnx.dtypes import name_of, stored_bytes
from hybridonnx.errors import ConversionError

from .elements import dtype_of
from .from_onnx import Model
from .opsets import plain
from .values import dtype_of_type

ONNX_VERSION: str = onnx.__version__
Sizes: TypeAlias = tuple[int | str | None, ...]
"""A shape, in which free sizes are names, or `None`."""


class Declaration(NamedTuple):
    """An array that a model takes, gives or has."""

    name: str
    dtype: str
    shape: Sizes | None
    bytes: int = 0
    """How long it is in the file, if it is there."""


class Facts(NamedTuple):
    """What a model says of itself."""

    producer: str
    opsets: dict[str, int]
    metadata: dict[str, str]
    inputs: tuple[Declaration, ...]
    outputs: tuple[Declaration, ...]
    parameters: tuple[Declaration, ...]
    operators: Counter[str]
    """The number of nodes of each operator, those inside of loops, branches and functions included."""


def facts(model: Model) -> Facts:
    """What a model says of itself."""
    proto = model.proto
    graph = proto.graph
    initial = {tensor.name for tensor in graph.initializer}
    bodies = [graph.node, *(function.node for function in proto.functions)]
    return Facts(
        f"{proto.producer_name} {proto.producer_version}".strip(),
        dict(model.opsets),
        {item.key: item.value for item in proto.metadata_props},
        tuple(_declared(info) for info in graph.input if info.name not in initial),
        tuple(map(_declared, graph.output)),
        tuple(_stored(tensor) for body in _graphs(graph) for tensor in body.initializer),
        Counter(operator_name(node) for nodes in bodies for node in _nodes(nodes)),
    )


def weight_files(model: Model) -> list[Path]:
    """The files beside a model that its weights lie in."""
    entries = [entry for tensor in model.proto.graph.initializer for entry in tensor.external_data]
    names = dict.fromkeys(entry.value for entry in entries if entry.key == "location")
    return [model.folders[0] / name for name in names] if model.folders else []


def missing_weights(model: Model) -> dict[str, int]:
    """The files beside a model that are not there, and how many of its tensors lie in each."""
    if not model.folders:
        return {}
    places = [
        entry.value
        for body in _graphs(model.proto.graph)
        for tensor in body.initializer
        for entry in tensor.external_data
        if entry.key == "location"
    ]
    return {name: count for name, count in Counter(places).items() if not (model.folders[0] / name).is_file()}


def operator_name(node: NodeProto) -> str:
    """An operator's name, with the domain unless that is ONNX's own."""
    domain = plain(node.domain)
    return f"{domain}.{node.op_type}" if domain else node.op_type


def inner_graphs(node: NodeProto) -> Iterator[tuple[str, GraphProto]]:
    """The graphs that a node runs, by the attributes' names."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.name, attribute.g
        for graph in attribute.graphs:
            yield attribute.name, graph


def sizes_of(info: ValueInfoProto) -> Sizes | None:
    """The sizes of a declared tensor, `None` if it says none."""
    if not info.type.HasField("tensor_type") or not info.type.tensor_type.HasField("shape"):
        return None
    return tuple(_size(dim) for dim in info.type.tensor_type.shape.dim)


def _size(dim: Any) -> int | str | None:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return int(dim.dim_value)
    return str(dim.dim_param) or None


def _nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Nodes, and those of the graphs inside of them."""
    for node in nodes:
        yield node
        for _, graph in inner_graphs(node):
            yield from _nodes(graph.node)


def _graphs(graph: GraphProto) -> Iterator[GraphProto]:
    yield graph
    for node in graph.node:
        for _, inner in inner_graphs(node):
            yield from _graphs(inner)


def _declared(info: ValueInfoProto) -> Declaration:
    try:
        dtype = dtype_of_type(info.type)
    except ConversionError:
        return Declaration(info.name, "unknown", sizes_of(info))
    return Declaration(info.name, "unknown" if dtype is None else name_of(dtype), sizes_of(info))


def _stored(tensor: TensorProto) -> Declaration:
    shape: Sequence[int] = tuple(tensor.dims)
    try:
        dtype = dtype_of(tensor.data_type)
    except ConversionError:
        return Declaration(tensor.name, "unknown", tuple(shape), len(tensor.raw_data))
    length = sum(map(len, tensor.string_data)) or stored_bytes(prod(shape), dtype)
    return Declaration(tensor.name, name_of(dtype), tuple(shape), length)
