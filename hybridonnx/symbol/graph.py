"""The graph below symbols: nodes, the entries that join them, and their order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, NamedTuple

from ..dtypes import flag_of
from ..errors import MXNetError, add_place
from ..ops import Array, Operator, find, lookup

VARIABLE = "null"
"""The operator name that files give to variables."""


_serials = itertools.count()


def next_serial() -> int:
    """A number above the serials of all nodes that there are, and below those to come."""
    return next(_serials)


class Entry(NamedTuple):
    """One output of a node."""

    node: Node
    output: int


class Node:
    """A variable or an operator in a graph. Its attributes are text, as files have them.

    `inputs` never change, so that graphs have no cycles and nodes are shared freely.
    """

    __slots__ = (
        "_op",
        "attrs",
        "changes",
        "inputs",
        "name",
        "op_name",
        "serial",
        "stored_outputs",
        "subgraphs",
        "versions",
    )

    def __init__(
        self,
        op_name: str,
        name: str,
        attrs: dict[str, str] | None = None,
        inputs: Sequence[Entry] = (),
        subgraphs: Sequence[Any] = (),
        op: Operator | None = None,
    ) -> None:
        self.serial = next_serial()
        """Where it stands among all nodes in the order of their making, which is after their inputs."""
        self.op_name = op_name
        self.name = name
        self.attrs = {} if attrs is None else attrs
        self.inputs = tuple(inputs)
        self.subgraphs = tuple(subgraphs)
        self.versions: tuple[int, ...] = ()
        """The versions of the inputs that files name; none: all 0."""
        self.changes = 0
        """How many operators change this variable: its version for those to come."""
        self.stored_outputs: int | None = None
        """The number of outputs that a file states, for operators that are not known."""
        self._op = op
        """The operator that name, attributes and graphs say, once it is known."""

    def complete(self, inputs: Sequence[Entry]) -> None:
        """Add inputs that an old file left out, before anything uses the node."""
        self.inputs += tuple(inputs)
        self.serial = next_serial()

    @property
    def is_variable(self) -> bool:
        """Whether the node is an input of the graph."""
        return self.op_name == VARIABLE

    @property
    def op(self) -> Any:
        """The operator, `None` for a variable. Raises `UnknownOperatorError` if none has the name."""
        if self._op is None and not self.is_variable:
            with self.named():
                attributes = {key: text for key, text in self.attrs.items() if not key.startswith("__")}
                self._op = find(self.op_name).make(attributes, lenient=True).with_hints(self.attrs)
                if self._op.graphs:
                    self._op = self._op.with_subgraphs(self.subgraphs)
        return self._op

    @property
    def is_known(self) -> bool:
        """Whether the node is a variable or its operator is in the registry."""
        return self.is_variable or self._op is not None or is_operator(self.op_name, self.attrs)

    def count(self) -> int:
        """The number of outputs, hidden ones included."""
        if self.is_variable:
            return 1
        if self.is_known:
            return len(self.op.output_names())
        return self.stored_outputs or 1

    def counted(self) -> int:
        """The number of outputs that files count."""
        return self.count() if self.is_variable or not self.is_known else self.op.counted()

    def visible(self) -> int:
        """The number of outputs that a user sees."""
        return self.op.visible() if self.is_known and not self.is_variable else self.count()

    def output_names(self) -> list[str]:
        """The full names of the outputs that a user sees."""
        if self.is_variable:
            return [self.name]
        if self.is_known:
            return [f"{self.name}_{output}" for output in self.op.output_names()[: self.op.visible()]]
        count = self.count()
        return [f"{self.name}_output{i if count > 1 else ''}" for i in range(count)]

    def set_attribute(self, key: str, text: str) -> None:
        """Change one attribute."""
        self.attrs[key] = text
        self._op = None

    @contextmanager
    def named(self) -> Iterator[None]:
        """A scope whose errors tell that they come from this node."""
        try:
            yield
        except MXNetError as exc:
            self.locate(exc)
            raise

    def locate(self, exc: MXNetError, sentence: str = "") -> None:
        """Name the node in an error's message, unless it is there; `sentence` tells more than `described`."""
        if f"In node {self.name} (" not in str(exc):
            add_place(exc, sentence or self.described())

    def described(self) -> str:
        """The node, its operator and its inputs' names, as a sentence for errors."""
        inputs = ", ".join(entry_name(e) for e in self.inputs[:8]) + (", …" if len(self.inputs) > 8 else "")
        return f"In node {self.name} ({self.op_name}{' of ' if inputs else ''}{inputs})."

    def __repr__(self) -> str:
        return f"<Node {self.name} ({self.op_name})>"


def variable(name: str, array: Array) -> Entry:
    """A variable of an array's shape and dtype."""
    attrs = {"__dtype__": str(flag_of(array.dtype)), "__shape__": str(array.shape)}
    return Entry(Node(VARIABLE, name, attrs), 0)


def made_of(op: Operator, name: str, inputs: Sequence[Entry]) -> Node:
    """A node that executes an operator, which no registry needs to have."""
    return Node(op.names[0], name, {}, inputs, op.subgraphs, op)


def is_operator(name: str, attributes: Mapping[str, str]) -> bool:
    """Whether the registry has an operator of this name, defined for these attributes."""
    cls = lookup(name)
    return cls is not None and cls.knows(attributes)


def output_name(entry: Entry) -> str:
    """The full name of an output."""
    return entry.node.output_names()[entry.output]


def entry_name(entry: Entry) -> str:
    """An entry's name: the node's, with the number of the output if it is not the first."""
    return f"{entry.node.name}[{entry.output}]" if entry.output else entry.node.name


def topological(heads: Iterable[Entry]) -> list[Node]:
    """Every node that `heads` depend on, each after its inputs: depth first, in the order of the inputs."""
    order: list[Node] = []
    visited: set[Node] = set()
    for head, _ in heads:
        if head in visited:
            continue
        visited.add(head)
        stack = [(head, iter(head.inputs))]
        while stack:
            node, rest = stack[-1]
            for entry in rest:
                if entry.node not in visited:
                    visited.add(entry.node)
                    stack.append((entry.node, iter(entry.node.inputs)))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def fingerprint(heads: Sequence[Entry]) -> str:
    """A text that two graphs have in common only if they compute the same, in half of `tojson`'s time."""
    order = topological(heads)
    numbers = {node: number for number, node in enumerate(order)}
    rows = [
        (
            node.op_name,
            node.name,
            sorted(node.attrs.items()),
            [(numbers[entry.node], entry.output) for entry in node.inputs],
            node.versions,
            [(b.names, b.training, b.from_last, fingerprint(b.outputs)) for b in node.subgraphs],
        )
        for node in order
    ]
    return repr((rows, [(numbers[node], output, node.changes) for node, output in heads]))


def changed(nodes: Iterable[Node]) -> set[Node]:
    """The variables among `nodes` that some operator changes: the auxiliary states."""
    variables: set[Node] = set()
    for node in nodes:
        for index in changed_inputs(node):
            entry = node.inputs[index]
            if entry.node.is_variable:
                variables.add(entry.node)
    return variables


def changed_inputs(node: Node) -> list[int]:
    """Which inputs an operator changes."""
    if node.is_variable:
        return []
    if not node.is_known:  # a file says so by a version
        return [i for i, version in enumerate(node.versions) if version]
    if not node.op.aux:
        return []
    aux = node.op.aux_names()
    names = node.op.input_names()
    return [i for i in range(min(len(names), len(node.inputs))) if names[i] in aux]


def copied(nodes: Iterable[Node], replaced: dict[Node, Entry] | None = None) -> dict[Node, Node]:
    """Copies of `nodes`, in topological order, by original; `replaced` variables give way to entries."""
    copies: dict[Node, Node] = {}
    for node in nodes:
        if replaced and node in replaced:
            continue
        copies[node] = copy(node, [moved(entry, copies, replaced) for entry in node.inputs])
    return copies


def copy(node: Node, inputs: Sequence[Entry]) -> Node:
    """A node like `node` with other inputs."""
    clone = Node(node.op_name, node.name, dict(node.attrs), inputs, node.subgraphs, node._op)
    clone.versions, clone.changes, clone.stored_outputs = node.versions, node.changes, node.stored_outputs
    return clone


def with_inputs(node: Node, inputs: Sequence[Entry]) -> Node:
    """A node like `node` with these inputs: itself, if it has them."""
    return node if tuple(inputs) == node.inputs else copy(node, inputs)


def values_in(outputs: Iterable[Entry], values: Mapping[str, Array]) -> dict[str, Array]:
    """Those of the values by name that are of variables of a graph."""
    names = {node.name for node in topological(outputs) if node.is_variable}
    return {name: value for name, value in values.items() if name in names}


def with_one_variable_each(outputs: Sequence[Entry]) -> list[Entry]:
    """The same graph with one variable for each name."""
    nodes = sorted(topological(outputs), key=attrgetter("serial"))
    variables = [node for node in nodes if node.is_variable]
    first: dict[str, Entry] = {}
    replaced = {node: first.setdefault(node.name, Entry(node, 0)) for node in variables}
    if len(first) == len(variables):
        return list(outputs)
    copies = copied(nodes, replaced)
    return [moved(entry, copies, replaced) for entry in outputs]


def with_own_names(outputs: Sequence[Entry]) -> tuple[list[Entry], dict[str, list[str]]]:
    """The same graph with another name for each operator, and the new names by the old ones.

    Operators of a layer that is called more than once have one name; the first keeps it.
    """
    nodes = topological(outputs)
    used = {node.name for node in nodes}
    names: dict[str, list[str]] = {}
    copies: dict[Node, Node] = {}
    for node in nodes:
        inputs = [moved(entry, copies) for entry in node.inputs]
        copies[node] = with_inputs(node, inputs)
        if node.is_variable:
            continue
        if node.name in names:
            copies[node] = copy(node, inputs)
            numbered = (f"{node.name}_{i}" for i in itertools.count(len(names[node.name])))
            copies[node].name = next(name for name in numbered if name not in used)
            used.add(copies[node].name)
        names.setdefault(node.name, []).append(copies[node].name)
    return [moved(entry, copies) for entry in outputs], names


def moved(entry: Entry, copies: dict[Node, Node], replaced: dict[Node, Entry] | None = None) -> Entry:
    """Where an entry of the original nodes is among the copies."""
    if replaced and entry.node in replaced:
        return replaced[entry.node]
    return Entry(copies[entry.node], entry.output)
