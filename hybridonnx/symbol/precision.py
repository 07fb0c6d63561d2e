"""Graphs that compute in two precisions, with the casts between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .graph import Entry, Node, copy, topological
from .symbol import Symbol

_SINGLE = "float32"


class _Kind(Enum):
    """What is known of an entry's dtype."""

    LOW = "the lower precision"
    SINGLE = "float32"
    WIDEST = "the widest of some"
    OPEN = "what a variable has"


@dataclass(frozen=True)
class Lists:
    """Which operators, by name, compute in which precision; others compute in that of their inputs."""

    low: Collection[str]
    single: Collection[str]
    widest: Collection[str]
    conditional: Mapping[tuple[str, str], Collection[str]]
    """Operators and attributes to the values with which they compute in float32."""
    excluded: Collection[str] = ()
    """Names of nodes that compute in float32."""


def with_casts(symbol: Symbol, dtype: str, lists: Lists) -> Symbol:
    """The graph of a symbol with `amp_cast` and `amp_multicast` where a precision ends; outputs are float32.

    Args:
        symbol: A graph on float32.
        dtype: The lower precision.
        lists: What computes in which precision.

    Returns:
        A new symbol with the same variables.
    """
    graph = _Graph(dtype, lists)
    for node in topological(symbol.outputs):
        graph.add(node)
    return Symbol([graph.single(graph.places[entry.node, entry.output]) for entry in symbol.outputs])


@dataclass
class _Graph:
    """The copies of nodes, and the casts that are there already."""

    dtype: str
    lists: Lists
    places: dict[tuple[Node, int], Entry] = field(default_factory=dict)
    kinds: dict[Entry, _Kind] = field(default_factory=dict)
    casts: dict[tuple[Entry, str], Entry] = field(default_factory=dict)

    def add(self, node: Node) -> None:
        """Copy a node, whose inputs are here."""
        inputs = [self.places[entry.node, entry.output] for entry in node.inputs]
        if node.is_variable:
            clone, kind = copy(node, ()), _Kind.OPEN
        else:
            inputs, kind = self._inputs(node, inputs)
            clone = copy(node, inputs)
        for i in range(node.count()):
            entry = self.places[node, i] = Entry(clone, i)
            self.kinds[entry] = kind

    def _inputs(self, node: Node, inputs: list[Entry]) -> tuple[list[Entry], _Kind]:
        """The inputs that an operator gets, and what its outputs are."""
        names = {node.op_name, *(node.op.names[:1] if node.is_known else ())}
        if (
            node.name in self.lists.excluded
            or names & {*self.lists.single}
            or self._is_conditional(node, names)
        ):
            return [self._unless_variable(entry) for entry in inputs], _Kind.SINGLE
        if names & {*self.lists.low}:
            return [self._cast(entry, self.dtype, _Kind.LOW) for entry in inputs], _Kind.LOW
        if names & {*self.lists.widest} and len(inputs) > 1:
            return self._widest(inputs)
        kinds = {self.kinds[entry] for entry in inputs} - {_Kind.OPEN}
        if len(kinds) > 1 and _Kind.SINGLE in kinds:
            return [self._unless_variable(entry) for entry in inputs], _Kind.SINGLE
        return inputs, kinds.pop() if len(kinds) == 1 else _Kind.WIDEST if kinds else _Kind.OPEN

    def _is_conditional(self, node: Node, names: Collection[str]) -> bool:
        attributes = node.op.attributes() if node.is_known else node.attrs
        return any(
            operator in names and str(attributes.get(key)) in values
            for (operator, key), values in self.lists.conditional.items()
        )

    def _widest(self, inputs: list[Entry]) -> tuple[list[Entry], _Kind]:
        kinds = {self.kinds[entry] for entry in inputs}
        if kinds <= {_Kind.LOW, _Kind.SINGLE}:
            if len(kinds) == 1:
                return inputs, kinds.pop()
            return [self.single(entry) for entry in inputs], _Kind.SINGLE
        if not kinds & {_Kind.LOW, _Kind.WIDEST}:
            return inputs, _Kind.SINGLE if _Kind.SINGLE in kinds else _Kind.OPEN
        attributes = {"num_outputs": str(len(inputs))}
        cast = Node("amp_multicast", f"{_name(inputs[0])}_amp_multicast", attributes, inputs)
        return [Entry(cast, i) for i in range(len(inputs))], _Kind.WIDEST

    def _unless_variable(self, entry: Entry) -> Entry:
        return entry if self.kinds[entry] is _Kind.OPEN else self.single(entry)

    def single(self, entry: Entry) -> Entry:
        """An entry as float32."""
        return self._cast(entry, _SINGLE, _Kind.SINGLE)

    def _cast(self, entry: Entry, dtype: str, kind: _Kind) -> Entry:
        if self.kinds[entry] is kind:
            return entry
        if (entry, dtype) not in self.casts:
            cast = Node("amp_cast", f"{_name(entry)}_amp_cast_{dtype}", {"dtype": dtype}, [entry])
            self.casts[entry, dtype] = Entry(cast, 0)
            self.kinds[Entry(cast, 0)] = kind
        return self.casts[entry, dtype]


def _name(entry: Entry) -> str:
    names: Sequence[Any] = entry.node.output_names()
    return str(names[entry.output]) if entry.output < len(names) else f"{entry.node.name}_{entry.output}"
