"""Graphs taken apart for sessions of limited size."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..symbol.cut import cut
from ..symbol.graph import VARIABLE, Entry, Node

MOST_NODES = 1000
"""Operators of one part. A session starts in a time that grows with the square of its size: for each constant
that a node takes ONNX Runtime looks through all inputs of the graph, and for each initializer through all
initializers."""


class Part(NamedTuple):
    """Some operators of a graph as a graph of their own."""

    outputs: Sequence[Entry]
    """What it computes, in the whole graph."""
    inputs: Sequence[Entry]
    """What it takes from there: variables, and results of other parts."""
    names: Sequence[str]
    """What the variables for these are called in it."""
    results: Sequence[Entry]
    """What it computes, in itself."""
    originals: Mapping[Node, Node]
    """The node of the whole graph that each of its nodes was copied from."""

    def inside(self, entries: Collection[Entry]) -> set[Entry]:
        """Those of some entries of the whole graph that its operators take, as it has them."""
        return {
            own
            for node, original in self.originals.items()
            for own, entry in zip(node.inputs, original.inputs, strict=True)
            if entry in entries
        }


def levels_of(nodes: Sequence[Node], refused: Collection[Node] = ()) -> dict[Node, int]:
    """A number for each node that is not below those of its inputs: odd for nodes that run on kernels.

    No even one, which is a part, has more than `MOST_NODES`; `nodes` are in the order of their making.
    """
    levels: dict[Node, int] = {}
    operators = 0
    for node in nodes:
        operators += not node.is_variable
        below = max((levels[entry.node] for entry in node.inputs), default=0)
        if not node.is_variable:
            below = max(below, operators // MOST_NODES * 2)
        levels[node] = below if node.is_variable else below + (below + (node in refused)) % 2
    return levels


def by_level(nodes: Sequence[Node], levels: Mapping[Node, int]) -> list[tuple[int, list[Node]]]:
    """The operators of each level, which have an order, in the order of the levels."""
    inside: dict[int, list[Node]] = {}
    for node in nodes:
        if not node.is_variable:
            inside.setdefault(levels[node], []).append(node)
    return sorted(inside.items())


def results_of(
    nodes: Sequence[Node], outputs: Sequence[Entry], levels: Mapping[Node, int]
) -> dict[int, list[Entry]]:
    """Of each level, what other levels or the graph's outputs take; variables are no results."""
    results: dict[int, dict[Entry, None]] = {}
    for node in nodes:
        for entry in node.inputs:
            if levels[entry.node] != levels[node]:
                results.setdefault(levels[entry.node], {})[entry] = None
    for entry in outputs:
        results.setdefault(levels[entry.node], {})[entry] = None
    return {
        level: [entry for entry in entries if not entry.node.is_variable]
        for level, entries in results.items()
    }


def part_of(outputs: Sequence[Entry], levels: Mapping[Node, int], level: int) -> Part:
    """What computes `outputs` on one level, from variables and the other levels' results."""
    inside = {e.node for e in outputs}
    inputs: dict[Entry, None] = {}
    stack = list(inside)
    while stack:
        for entry in stack.pop().inputs:
            if entry.node.is_variable or levels[entry.node] != level:
                inputs[entry] = None
            elif entry.node not in inside:
                inside.add(entry.node)
                stack.append(entry.node)
    taken = [entry for entry in inputs if not entry.node.is_variable]
    variables = [entry.node.name for entry in inputs if entry.node.is_variable]
    border = dict(zip(taken, unused("_from", len(taken), variables), strict=True))
    names = [border.get(entry) or entry.node.name for entry in inputs]
    results, originals = cut(outputs, {e: Node(VARIABLE, name) for e, name in border.items()})
    return Part(outputs, list(inputs), names, results, originals)


def unused(stem: str, count: int, names: Collection[str]) -> list[str]:
    """Names for `count` variables that none of `names` has."""
    used = set(names)
    while any(f"{stem}{i}" in used for i in range(count)):
        stem += "_"
    return [f"{stem}{i}" for i in range(count)]
