"""Parts of an ONNX model: some of its values computed from others, which become inputs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

from hybridonnx.ops import Array

from .elements import dtype_of
from .from_onnx import Model, read
from .outline import plain_text
from .subgraphs import Names, rename_uses, uses
from .values import type_proto

_LIGHT = 1024
"""Elements of an initializer up to which it stays in the model's own bytes."""


class Step(NamedTuple):
    """A node as others see it."""

    name: str
    op_type: str
    inputs: tuple[str, ...]
    """The names of the values that it takes, in its subgraphs as well."""
    outputs: tuple[str, ...]
    place: int
    """Among all nodes."""


class Part(NamedTuple):
    """A model that is a part of another."""

    data: bytes
    inputs: dict[str, str]
    """What it calls the values that it is given; those that it does not need are not there."""
    weights: dict[str, Array]
    """Its initializers that are not in the bytes."""


class Cuts:
    """A model whose values can be asked for, and set."""

    def __init__(self, source: str | bytes | ModelProto) -> None:
        container = read(source, whole=True)
        self._graph = graph = GraphProto()
        graph.CopyFrom(container.proto.graph)
        self._shell = ModelProto()
        self._shell.CopyFrom(container.proto)
        self._shell.ClearField("graph")
        self._weights: dict[str, Array] = {}
        for tensor in graph.initializer:
            if tensor.data_location == TensorProto.EXTERNAL or _is_heavy(tensor):
                self._weights[tensor.name] = container.array(tensor)
                _empty(tensor)
        constants = {tensor.name for tensor in graph.initializer}
        constants.update(tensor.values.name for tensor in graph.sparse_initializer)
        self.inputs = [item.name for item in graph.input if item.name not in constants]
        self.outputs = [item.name for item in graph.output]
        self.steps = [
            Step(
                node.name, node.op_type, tuple(filter(None, uses(node))), tuple(filter(None, node.output)), i
            )
            for i, node in enumerate(graph.node)
        ]
        self._makers = {name: i for i, step in enumerate(self.steps) for name in step.outputs}

    def values(self) -> list[str]:
        """The names of what nodes give, in the order of the nodes."""
        return [name for step in self.steps for name in step.outputs]

    def parameters(self) -> list[str]:
        """The names of initializers, the sparse ones not among them."""
        return [tensor.name for tensor in self._graph.initializer]

    def parameter(self, name: str) -> Array:
        """An initializer's value."""
        if name in self._weights:
            return self._weights[name]
        tensor = next(tensor for tensor in self._graph.initializer if tensor.name == name)
        return Model(ModelProto(), (), "weights").array(tensor)

    def maker(self, value: str) -> Step | None:
        """The node that gives a value."""
        index = self._makers.get(value)
        return None if index is None else self.steps[index]

    def attributes(self, step: Step) -> dict[str, str]:
        """A node's attributes as texts; of arrays and graphs what they are."""
        return {item.name: _text(item) for item in self._graph.node[step.place].attribute}

    def sources(self, wanted: Iterable[str], borders: Collection[str]) -> set[str]:
        """What `wanted` are computed from: the first of `borders` on each way back, and inputs."""
        nodes = self._nodes(wanted, borders)
        taken = {name for i in nodes for name in self.steps[i].inputs}
        return {name for name in taken if name in borders or name in self.inputs}

    def between(self, wanted: Iterable[str], borders: Collection[str]) -> list[Step]:
        """The nodes between `wanted` and `borders`, in order."""
        return [self.steps[i] for i in sorted(self._nodes(wanted, borders))]

    def part(self, wanted: Sequence[str], given: Mapping[str, Array]) -> Part:
        """A model that gives `wanted` for the values `given`.

        Args:
            wanted: Names of values.
            given: Arrays by the values' names; what lies before them is left out.
        """
        graph = self._graph
        indices = sorted(self._nodes(wanted, given))
        names = Names(graph)
        inputs = {name: name if name in self.inputs else names.new("given_") for name in given}
        model = ModelProto()
        model.CopyFrom(self._shell)
        part = model.graph
        part.name = graph.name or "part"
        taken: set[str] = set()
        for i in indices:
            node = NodeProto()
            node.CopyFrom(graph.node[i])
            taken.update(self.steps[i].inputs)
            rename_uses(node, {name: new for name, new in inputs.items() if name != new})
            part.node.append(node)
        used = {name: new for name, new in inputs.items() if name in taken or name in wanted}
        for name, new in used.items():
            part.input.append(ValueInfoProto(name=new, type=type_proto(given[name].dtype)))
        part.input.extend(item for item in graph.input if item.name in taken and item.name not in used)
        part.initializer.extend(t for t in graph.initializer if t.name in taken)
        part.sparse_initializer.extend(t for t in graph.sparse_initializer if t.values.name in taken)
        part.output.extend(ValueInfoProto(name=name) for name in wanted)
        weights = {t.name: self._weights[t.name] for t in part.initializer if t.name in self._weights}
        return Part(model.SerializeToString(), used, weights)

    def _nodes(self, wanted: Iterable[str], borders: Collection[str]) -> set[int]:
        indices: set[int] = set()
        waiting = [self._makers[name] for name in wanted if name in self._makers]
        while waiting:
            i = waiting.pop()
            if i not in indices:
                indices.add(i)
                back = (name for name in self.steps[i].inputs if name not in borders)
                waiting += [self._makers[name] for name in back if name in self._makers]
        return indices


def _text(attribute: AttributeProto) -> str:
    if attribute.HasField("t"):
        return f"{dtype_of(attribute.t.data_type)} {tuple(attribute.t.dims)}"
    is_graph = attribute.HasField("g") or attribute.graphs
    return "a graph" if is_graph else plain_text(attribute)


def _is_heavy(tensor: TensorProto) -> bool:
    """Whether a tensor is better outside of the model's bytes; NumPy itself has its dtype."""
    return math.prod(tensor.dims) > _LIGHT and dtype_of(tensor.data_type).isbuiltin == 1


def _empty(tensor: TensorProto) -> None:
    """Leave of a tensor what a session asks for that is given its elements."""
    name, dims, kind = tensor.name, list(tensor.dims), tensor.data_type
    tensor.Clear()
    tensor.name, tensor.data_type, tensor.data_location = name, kind, TensorProto.EXTERNAL
    tensor.dims.extend(dims)
    tensor.external_data.add(key="location", value="weights")
