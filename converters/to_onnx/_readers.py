"""Who reads the values of a graph that is being lowered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ._graph import Graph
from ._nodes import Node, Value
from ._write import live_nodes, used_inside


class Readers:
    """Who reads what in a graph.

    Args:
        graph: The graph.
        results: Its outputs.
        parameters: Values that are the same in each run.
    """

    def __init__(self, graph: Graph, results: Sequence[Value], parameters: Iterable[Value] = ()) -> None:
        self._parameters = set(map(id, parameters))
        self.nodes, _ = live_nodes(graph, results)
        """Those that the results need, in order."""
        self._by_value: dict[int, list[Node | None]] = {id(value): [None] for value in results}
        for node in self.nodes:
            for value in node.inputs:
                if value is not None:
                    self._by_value.setdefault(id(value), []).append(node)
            for value in (*node.captured.values(), *used_inside(node)):
                self._by_value.setdefault(id(value), []).append(None)

    def are_known(self, values: Iterable[Value | None]) -> bool:
        """Whether values are the same in each run."""
        return all(v is not None and (v.constant is not None or id(v) in self._parameters) for v in values)

    def of(self, node: Node) -> list[Node | None]:
        """The nodes that read a node's outputs; `None` for a result or a graph inside a node."""
        return [reader for value in node.outputs for reader in self._by_value.get(id(value), ())]

    def count(self, value: Value) -> int:
        """How many inputs, results and graphs inside of nodes read a value."""
        return len(self._by_value.get(id(value), ()))

    def only(self, node: Node) -> Node | None:
        """The only node that reads a node's output."""
        readers = set(self.of(node))
        return readers.pop() if len(readers) == 1 else None

    def are_between(self, nodes: Iterable[Node], last: Node) -> bool:
        """Whether nobody reads what nodes give but they themselves and `last`."""
        inner = set(nodes)
        return all(reader is last or reader in inner for node in inner for reader in self.of(node))

    def after(self, node: Node, most: int) -> Iterator[Node]:
        """The nodes that come one after another, each the only one that reads the one before."""
        for _ in range(most):
            reader = self.only(node)
            if reader is None or reader.domain:
                return
            yield reader
            node = reader
