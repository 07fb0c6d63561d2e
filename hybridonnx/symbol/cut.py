"""Parts of a graph as graphs of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from .graph import Entry, Node, copy


def cut(outputs: Sequence[Entry], variables: Mapping[Entry, Node]) -> tuple[list[Entry], dict[Node, Node]]:
    """`outputs` computed from `variables`, which replace entries.

    Also each copied node's original. Variables of the graph itself stay what they are.
    """
    copies: dict[Node, Node] = {}

    def moved(entry: Entry) -> Entry:
        if entry in variables:
            return Entry(variables[entry], 0)
        return entry if entry.node.is_variable else Entry(copies[entry.node], entry.output)

    # copies are made in the order of the originals, in which random operators draw
    for node in sorted(_needed(outputs, variables), key=attrgetter("serial")):
        copies[node] = copy(node, [moved(entry) for entry in node.inputs])
    return [moved(entry) for entry in outputs], {clone: node for node, clone in copies.items()}


def _needed(outputs: Sequence[Entry], variables: Mapping[Entry, Node]) -> set[Node]:
    """The operators that `outputs` depend on beyond `variables`."""
    nodes: set[Node] = set()
    stack = [entry for entry in outputs if entry not in variables]
    while stack:
        node = stack.pop().node
        if node not in nodes and not node.is_variable:
            nodes.add(node)
            stack += [entry for entry in node.inputs if entry not in variables]
    return nodes
