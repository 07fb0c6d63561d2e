"""Graphs as ONNX's messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from .. import messages
from ..elements import Array
from ..unused import UsedNames
from ._graph import Graph, Node, Value
from ._nodes import ForeignAttribute, bodies, node_message


def live_nodes(graph: Graph, results: Sequence[Value]) -> tuple[list[Node], list[Value]]:
    """The nodes that the results need, in order, and every value that they or their graphs use."""
    used: dict[int, Value] = {id(v): v for v in results}
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if not any(id(output) in used for output in node.outputs):
            continue
        nodes.append(node)
        for value in (*node.inputs, *node.captured.values(), *used_inside(node)):
            if value is not None:
                used[id(value)] = value
    return nodes[::-1], list(used.values())


def used_inside(node: Node) -> list[Value]:
    """The values that the graphs inside of a node use."""
    return [value for body in bodies(node) for value in live_nodes(body, body.results)[1]]


class GraphWriter:
    """Gives every node and value a name that is used once in the whole model, and writes graphs.

    Values that have a name keep it; `reserved` are names that nothing else may get.
    """

    def __init__(self, reserved: Sequence[str]):
        self._value_names = UsedNames(*reserved)
        self._node_names = UsedNames()
        self._names: dict[int, str] = {}
        self._references: list[Value | Array] = []  # so that no id is used twice
        self.constants: dict[str, Array] = {}
        """The constants that the written nodes use, by name."""
        self.read: set[str] = set()
        """The names of the values that the written nodes and graphs take."""
        self.op_types: list[str] = []
        """The operators of the written nodes."""

    def write(self, graph: Graph, results: Sequence[Value]) -> list[bytes]:
        """The nodes that compute `results` from a graph's inputs; constants and parameters are not there."""
        nodes, used = live_nodes(graph, results)
        needed = {id(v) for v in used}
        alone = Counter(node.scope for node in nodes)
        written = []
        for node in nodes:
            title = self._title(node, alone[node.scope] == 1)
            outputs = [self._output(node, v, title, id(v) in needed) for v in node.outputs]
            while outputs and not outputs[-1]:
                outputs.pop()
            inputs = ["" if v is None else self.name(v) for v in node.inputs]
            self.read.update(inputs)
            self.op_types.append(node.op_type)
            foreign = partial(self._foreign, self._names_inside(node, title))
            written.append(node_message(node, inputs, outputs, title, self._body, foreign))
        return written

    def _names_inside(self, node: Node, title: str) -> Callable[[str], str]:
        """New names for the values in the messages of a node's graphs, so that no two have one."""
        known = {name: self.name(value) for name, value in node.captured.items()}

        def rename(name: str) -> str:
            if name not in known:
                known[name] = self._value_names.new(f"{title}/{name}") if name else ""
            return known[name]

        return rename

    def _foreign(self, names: Callable[[str], str], attribute: ForeignAttribute) -> bytes:
        """An attribute of another model, with new names for the values in its graphs."""
        from ..subgraphs import captured_inside, renamed  # they need onnx, as does who has such an attribute

        proto = renamed(attribute.proto, names)
        self.read.update(captured_inside(proto))
        message: bytes = proto.SerializeToString()
        return message

    def _body(self, graph: Graph) -> bytes:
        for value in graph.inputs:
            self._assign(value, value.name or f"{graph.scope}/in")
        nodes = self.write(graph, graph.results)
        declared = [
            [messages.value_info(self.name(value), value.dtype, value.shape) for value in values]
            for values in (graph.inputs, graph.results)
        ]
        self.read.update(map(self.name, graph.results))
        return b"".join(messages.graph(nodes, f"{graph.scope}/body", (), *declared))

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
        if id(value) in self._names:
            return self._names[id(value)]
        array = value.constant
        assert array is not None  # nothing else is left without a name
        if id(array) not in self._names:
            self.constants[self._assign(array, "const")] = array
        return self._names[id(array)]

    def _assign(self, value: Value | Array, wish: str) -> str:
        self._references.append(value)
        return self._names.setdefault(id(value), self._value_names.new(wish))
