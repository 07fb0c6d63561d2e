"""The gradients of a partition as sessions that run in turn, each of which gives those of one group.

So whoever waits for a group of gradients, to sum them over processes, begins while the others are computed,
and what the forward session has kept for a group is gone when those of the next are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ..autograd.tape import Leaf, Receiver
from ..ndarray.exchange import whole_memory
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from ..symbol.compose import Outputs
from ..symbol.graph import Entry, Node, topological
from ..symbol.infer import infer
from .graph_session import GraphSession, Origin, graph_session
from .parts import part_of, results_of


def _leaf_of(array: NDArray) -> Leaf | None:
    """The variable that an array is, if nothing is added to the gradient that the sweep computes next."""
    entry = array._entry
    leaf = entry[0] if entry is not None else None
    return leaf if type(leaf) is Leaf and leaf.req == "write" and leaf.uses == 1 else None


def receiver_of(array: NDArray) -> Receiver | None:
    """Who has the memory for the gradient of a variable, if nothing is added to what is computed next."""
    leaf = _leaf_of(array)
    return None if leaf is None else leaf.receiver


def memory_of(array: NDArray) -> Array | None:
    """The memory for the gradient of a variable that nobody waits for, if it may be computed right there.

    Nothing is added to it in the sweep that is going on, and nothing else refers to it, such as an input.
    """
    leaf = _leaf_of(array)
    if leaf is None or leaf.receiver is not None or leaf.is_zero or leaf.grad.stype != "default":
        return None
    return whole_memory(leaf.grad)


def write_into(
    session: GraphSession, feeds: dict[str, Any], receivers: Sequence[Receiver | None]
) -> list[Array]:
    """The gradients that one session gives, each written where its receiver has it."""
    targets = {i: receiver.memory() for i, receiver in enumerate(receivers) if receiver is not None}
    gradients = session.into(feeds, targets)
    for receiver in receivers:
        if receiver is not None:
            receiver.complete()
    return gradients


class _Stage(NamedTuple):
    """A session with what it takes and gives."""

    session: GraphSession
    inputs: Sequence[tuple[str, Entry]]
    """What it takes of the stages before it."""
    results: Sequence[Entry]
    gradients: Sequence[tuple[int, int]]
    """Which of its results are gradients, and of which of the variables."""
    dropped: Sequence[Entry]
    """What no later stage takes."""
    spent: Sequence[str]
    """The variables that no later stage takes."""


class Stages:
    """The entries `outputs`, of which those of smaller `groups` are computed first.

    `specs` tells what is known of the graph's variables, `available` which of them it may take.

    Raises:
        UnsupportedOperators: ONNX Runtime refuses a part of what it takes as a whole.
        KeyError: A part takes what is not available.
    """

    def __init__(
        self,
        outputs: Sequence[Entry],
        groups: Sequence[int],
        specs: Mapping[str, Spec],
        available: Collection[str],
        training: bool,
        origin: Origin,
    ) -> None:
        nodes = sorted(topological(outputs), key=attrgetter("serial"))
        levels = _levels(nodes, outputs, groups)
        inferred = infer(Outputs(outputs), specs, partial=True)
        results = results_of(nodes, outputs, levels)
        self._given = [(i, e.node.name) for i, e in enumerate(outputs) if e.node.is_variable]
        """The gradients that are inputs of the graph themselves."""
        stages = []
        for level in sorted(level for level, entries in results.items() if entries):
            part = part_of(results[level], levels, level)
            known = {name: inferred[entry] for name, entry in zip(part.names, part.inputs, strict=True)}

            def made_for(node: Node, originals: Mapping[Node, Node] = part.originals) -> Node | None:
                return origin(originals.get(node, node))

            session = graph_session(part.results, known, training, made_for, None, views=True, in_arena=True)
            pairs = zip(part.names, part.inputs, strict=True)
            taken = [(name, entry) for name, entry in pairs if name in session.inputs]
            lacking = [n for n, e in taken if e.node.is_variable and n not in available]
            if lacking:
                raise KeyError(lacking[0])
            places = {entry: i for i, entry in enumerate(results[level])}
            gradients = [(places[entry], i) for i, entry in enumerate(outputs) if entry in places]
            stages.append((session, taken, results[level], gradients))
        last = {entry: i for i, stage in enumerate(stages) for _, entry in stage[1]}
        names = [name for stage in stages for name in stage[0].inputs if name in available]
        self.inputs = list(dict.fromkeys(names))
        """The variables that it takes."""
        latest = {name: i for i, stage in enumerate(stages) for name in stage[0].inputs}
        self._stages = [
            _Stage(
                session,
                [(name, entry) for name, entry in taken if not entry.node.is_variable],
                entries,
                gradients,
                [entry for entry, at in last.items() if at == i],
                [name for name in self.inputs if latest[name] == i],
            )
            for i, (session, taken, entries, gradients) in enumerate(stages)
        ]

    def __call__(
        self,
        feeds: dict[str, Any],
        receivers: Sequence[Receiver | None],
        spend: bool = False,
        memory: Sequence[Array | None] = (),
    ) -> list[Array]:
        """The gradients; those that have receivers are written there, and announced stage by stage.

        With `spend` the arrays of `feeds` are taken out as they are used. Gradients without a receiver are
        written into `memory` where there is some.
        """
        own = memory or [None] * len(receivers)
        gradients: list[Any] = [None] * len(receivers)
        values: dict[Entry, Array] = {}
        for i, name in self._given:
            gradients[i] = feeds[name]
        for stage in self._stages:
            taken = {name: feeds[name] for name in stage.session.inputs if name in feeds}
            taken |= {name: values[entry] for name, entry in stage.inputs}
            targets: dict[int, Array] = {}
            for place, i in stage.gradients:
                receiver = receivers[i]
                if place in targets:
                    continue
                target = own[i] if receiver is None else receiver.memory()
                if target is not None:
                    targets[place] = gradients[i] = target
            outputs = stage.session.into(taken, targets)
            for place, i in stage.gradients:
                if gradients[i] is None:
                    gradients[i] = outputs[place]
                elif (receiver := receivers[i]) is not None:
                    receiver.complete()
            values.update(zip(stage.results, outputs, strict=True))
            for entry in stage.dropped:
                values.pop(entry, None)
            for name in stage.spent if spend else ():
                feeds.pop(name, None)
            taken.clear()
        return gradients


def groups_of(outputs: Sequence[Entry], sizes: Mapping[Node, int], most: int) -> list[int]:
    """A group for each output, those that are computed first in the first ones.

    What a group takes of the nodes with `sizes`, in bytes, and no group before it does, is about `most`.
    """
    groups, visited, group, taken = [0] * len(outputs), set[Node](), 0, 0
    for i, entry in sorted(enumerate(outputs), key=lambda item: item[1].node.serial):
        more, stack = 0, [entry.node]
        while stack:
            node = stack.pop()
            if node not in visited:
                visited.add(node)
                more += sizes.get(node, 0)
                stack += [e.node for e in node.inputs]
        if taken and taken + more > most:
            group, taken = group + 1, 0
        taken += more
        groups[i] = group
    return groups


def _levels(nodes: Sequence[Node], outputs: Sequence[Entry], groups: Sequence[int]) -> dict[Node, int]:
    """The smallest group for which each node is computed; `nodes` are in the order of their making."""
    levels: dict[Node, int] = {}
    for entry, group in sorted(zip(outputs, groups, strict=True), key=lambda pair: pair[1]):
        stack = [entry.node]
        while stack:
            node = stack.pop()
            if node not in levels:
                levels[node] = group
                stack += [e.node for e in node.inputs]
    return {node: levels[node] for node in nodes}
