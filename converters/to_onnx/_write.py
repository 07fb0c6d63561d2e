"""Graphs as ONNX's protobuf messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onnx import GraphProto, defs

from ..unused import UsedNames
from ..values import value_info
from ._graph import Graph, Node, Value
from ._nodes import node_proto

_Kind = defs.OpSchema.AttrType


def live_nodes(graph: Graph, results: Sequence[Value]) -> tuple[list[Node], list[Value]]:
    """The nodes that the results need, in order, and every value that they or their graphs use."""
    used: dict[int, Value] = {id(v): v for v in results}
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if not any(id(output) in used for output in node.outputs):
            continue
        nodes.append(node)
        for value in (*node.inputs, *node.captured.values(), *_used_inside(node)):
            if value is not None:
                used[id(value)] = value
    return nodes[::-1], list(used.values())


def _used_inside(node: Node) -> list[Value]:
    return [value for body in bodies(node) for value in live_nodes(body, body.results)[1]]


def bodies(node: Node) -> list[Graph]:
    """The graphs among a node's attributes, such as a loop's body."""
    if node.signature is None:
        return []
    kinds = node.signature.attributes
    return [value for name, value in node.attributes.items() if kinds[name] == _Kind.GRAPH]


class GraphWriter:
    """Gives every node and value a name that is used once in the whole model, and writes graphs.

    Values that have a name keep it; `reserved` are names that nothing else may get.
    """

    def __init__(self, reserved: Sequence[str]):
        self._value_names = UsedNames(*reserved)
        self._node_names = UsedNames()
        self._names: dict[int, str] = {}
        self._references: list[Value] = []  # so that no id is used twice
        self.constants: dict[str, Value] = {}
        """The constants that the written nodes use, by name."""

    def write(self, graph: Graph, results: Sequence[Value], name: str) -> GraphProto:
        """The graph that computes `results` from its inputs; constants and parameters are not in it."""
        nodes, used = live_nodes(graph, results)
        needed = {id(v) for v in used}
        alone = _count(node.scope for node in nodes)
        written = []
        for node in nodes:
            title = self._title(node, alone[node.scope] == 1)
            outputs = [self._output(node, v, title, id(v) in needed) for v in node.outputs]
            while outputs and not outputs[-1]:
                outputs.pop()
            inputs = ["" if v is None else self.name(v) for v in node.inputs]
            proto = node_proto(node, inputs, outputs, self._body, self._names_inside(node, title))
            proto.name = title
            written.append(proto)
        return GraphProto(name=name, node=written)

    def _names_inside(self, node: Node, title: str) -> Callable[[str], str]:
        """New names for the values in the messages of a node's graphs, so that no two have one."""
        known = {name: self.name(value) for name, value in node.captured.items()}

        def rename(name: str) -> str:
            if name not in known:
                known[name] = self._value_names.new(f"{title}/{name}") if name else ""
            return known[name]

        return rename

    def _body(self, graph: Graph) -> GraphProto:
        for value in graph.inputs:
            self._assign(value, value.name or f"{graph.scope}/in")
        proto = self.write(graph, graph.results, f"{graph.scope}/body")
        for value in graph.inputs:
            proto.input.append(value_info(self.name(value), value.dtype, value.shape))
        for value in graph.results:
            proto.output.append(value_info(self.name(value), value.dtype, value.shape))
        return proto

    def _title(self, node: Node, alone: bool) -> str:
        scope = node.scope or node.op_type
        return self._node_names.new(scope if alone or not node.scope else f"{scope}/{node.op_type}")

    def _output(self, node: Node, value: Value, title: str, needed: bool) -> str:
        """The name of an output; an optional one that nobody uses is left out."""
        optional = node.signature is not None and node.signature.output(value.index).optional
        if value.absent or (optional and not (needed or node.all_outputs)):
            return ""
        if value.name:
            return self.name(value)
        return self._assign(value, value.wish or f"{title}/out{value.index or ''}")

    def name(self, value: Value) -> str:
        """The name of a value."""
        if value.name:
            return value.name
        if id(value) not in self._names:
            name = self._assign(value, "const")
            self.constants[name] = value
        return self._names[id(value)]

    def _assign(self, value: Value, wish: str) -> str:
        self._references.append(value)
        return self._names.setdefault(id(value), self._value_names.new(wish))


def _count(items: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts
