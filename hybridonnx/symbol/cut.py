"""Parts of a graph as graphs of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from .graph import Entry, Node, copy


def cut(outputs: Sequence[Entry], given: Mapping[Entry, Node]) -> tuple[list[Entry], dict[Node, Node]]:
    """`outputs` computed from the variables in `given`, which take the places of entries.

    Also each copied node's original. Variables of the graph itself stay what they are.
    """
    copies: dict[Node, Node] = {}

    def moved(entry: Entry) -> Entry:
        if entry in given:
            return Entry(given[entry], 0)
        return entry if entry.node.is_variable else Entry(copies[entry.node], entry.output)

    # copies are made in the order of the originals, in which random operators draw
    for node in sorted(_needed(outputs, given), key=attrgetter("serial")):
        copies[node] = copy(node, [moved(entry) for entry in node.inputs])
    return [moved(entry) for entry in outputs], {made: node for node, made in copies.items()}


def _needed(outputs: Sequence[Entry], given: Mapping[Entry, Node]) -> set[Node]:
    """The operators that `outputs` depend on beyond what is given."""
    found: set[Node] = set()
    waiting = [entry for entry in outputs if entry not in given]
    while waiting:
        node = waiting.pop().node
        if node not in found and not node.is_variable:
            found.add(node)
            waiting += [entry for entry in node.inputs if entry not in given]
    return found
