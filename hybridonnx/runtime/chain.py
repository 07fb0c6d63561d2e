"""A graph of thousands of operators with constant parameters, as sessions that run one after another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from ..ops import Array
from ..symbol.compose import Outputs
from ..symbol.execute import count_uses, run_steps
from ..symbol.graph import Entry, topological, with_one_variable_each
from .device_session import GraphOnDevice
from .parts import Part, by_level, levels_of, part_of, results_of
from .session import Session

MOST_WHOLE = 4000
"""Operators of a graph that is one session, whose start takes longer for its size alone up to here."""
_OPERATORS_A_CROSSING = 100
"""A graph is cut where at least so many operators come to each value between sessions, which Python hands on:
that takes about as long as three small operators."""

StartPart = Callable[[Part, Collection[Entry]], Session | GraphOnDevice]
"""Makes the session of a part, given the entries in it that are known to be finite."""


class _Link(NamedTuple):
    """A part with its session."""

    session: Session | GraphOnDevice
    names: Sequence[str]
    """The inputs that the session takes."""
    inputs: Sequence[Entry]
    """What they are in the whole graph."""
    outputs: Sequence[Entry]


class Chain:
    """Sessions of a graph's parts, called as one session of the whole graph would be."""

    def __init__(self, outputs: Sequence[Entry], links: Sequence[_Link]) -> None:
        self._outputs, self._links = outputs, links
        self._variables = {e.node.name: e for link in links for e in link.inputs if e.node.is_variable}
        self._uses = count_uses(links, outputs)
        self.inputs: Sequence[str] = list(self._variables)
        """The names of the inputs that the graph uses."""

    def __call__(self, feeds: Mapping[str, Array]) -> list[Array]:
        """The outputs for the inputs by name."""
        arrays = {entry: feeds[name] for name, entry in self._variables.items()}
        return run_steps(self._links, arrays, self._uses.copy(), self._outputs, _run)


def _run(link: _Link, arrays: Sequence[Array]) -> list[Array]:
    return link.session(dict(zip(link.names, arrays, strict=True)))


class Cut(NamedTuple):
    """A graph in parts, in the order in which they run."""

    outputs: Sequence[Entry]
    parts: Sequence[Part]


def cut_of(symbol: Outputs) -> Cut | None:
    """The parts of a graph, `None` if it is to be one session.

    Graphs are left whole whose parts would exchange many values, such as thousands of branches side by side,
    or whose outputs are variables, or one value twice: sessions give arrays of their own for these.
    """
    outputs = with_one_variable_each(symbol.outputs)
    nodes = sorted(topological(outputs), key=attrgetter("serial"))
    operators = sum(not node.is_variable for node in nodes)
    if (
        operators <= MOST_WHOLE
        or len(set(outputs)) < len(outputs)
        or any(e.node.is_variable for e in outputs)
    ):
        return None
    levels = levels_of(nodes)
    results = results_of(nodes, outputs, levels)
    crossings = len({entry for entries in results.values() for entry in entries})
    if crossings * _OPERATORS_A_CROSSING > operators:
        return None
    parts = [part_of(results[level], levels, level) for level, _ in by_level(nodes, levels)]
    crossings = sum(not entry.node.is_variable for part in parts for entry in part.inputs)
    return Cut(outputs, parts) if crossings * _OPERATORS_A_CROSSING <= operators else None


def chained(cut: Cut, start: StartPart, finite: Collection[Entry]) -> Chain:
    """The sessions of a graph's parts; `finite` are entries of the graph."""
    links = []
    for part in cut.parts:
        session = start(part, part.inside(finite))
        entries = dict(zip(part.names, part.inputs, strict=True))
        names = [name for name in part.names if name in session.inputs]
        links.append(_Link(session, names, [entries[name] for name in names], part.outputs))
    return Chain(cut.outputs, links)
