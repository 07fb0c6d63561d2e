"""Gradients as graphs: the operators' own rules, applied to symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import name
from ..autograd.sweep import sweep
from ..errors import MXNetError, suggest
from ..ops import find
from .compose import Outputs, call
from .graph import Entry, Node, changed_inputs, next_serial, topological


class _Operators:
    """Every operator by its registered name, as a function on symbols: `F` in operators' rules."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        cls = find(name)

        def function(*args: Any, **kwargs: Any) -> Any:
            return call(cls, name, args, kwargs, Outputs.broadcasting)

        setattr(self, name, function)
        return function


F = _Operators()


class _Selection(NamedTuple):
    """An operator that selects, with its output, the gradient of that, and its visit, if visits are noted."""

    op: Any
    selected: Any
    head: Any
    visit: Sequence[tuple[int, Node]]


class Chains:
    """Gradients of operators that select from the output of another, in a graph: what a sweep asks first.

    What the one in front does to a gradient depends on its output alone, so it may do that to what was
    selected, which is less: relu in front of max pooling passes on a quarter of what it would.

    `visited` has the nodes that are differentiated, as `gradients` tells it.
    """

    def __init__(self, visited: list[tuple[int, Node]] | None = None) -> None:
        self._visited = [] if visited is None else visited
        self._selections: dict[Entry, _Selection] = {}
        """By the gradients of what was selected from."""

    def __call__(
        self, op: Any, dys: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], wanted: Sequence[bool]
    ) -> Sequence[Any] | None:
        """The gradients of an operator's inputs, `None` if its own rule gives them."""
        dy = dys[0]
        if dy is None:
            return None
        if op.selects():
            (dx,) = op.gradient(F, dy, ys[0], *xs)
            self._selections[dx.outputs[0]] = _Selection(op, ys[0], dy, self._visited[-1:])
            return (dx,)
        if op.slopes_by_output() and dy.outputs[0] in self._selections:
            selection = self._selections[dy.outputs[0]]
            (head,) = op.gradient(F, selection.head, selection.selected, *xs)
            self._visited += [(next_serial(), node) for _, node in selection.visit]
            shares: Sequence[Any] = selection.op.gradient(F, head, selection.selected, *ys)
            return shares
        return None


def gradients(
    symbol: Outputs,
    entries: Sequence[Entry],
    heads: Sequence[Outputs | None] | None = None,
    training: bool = True,
    visited: list[tuple[int, Node]] | None = None,
) -> list[Any]:
    """The gradients of `symbol`'s outputs with respect to `entries`, `None` where there is none.

    `heads` are the outputs' own gradients (`None`: ones). With `training`, operators are differentiated as
    they are in training. The results stand on `symbol`'s own nodes, of which they read hidden outputs too.
    `visited` receives the nodes that were differentiated, with the serial from which on nodes are theirs.
    """
    nodes = _between(topological(symbol.outputs), entries)
    grads: dict[Any, Any] = {}
    with name.Prefix("_gradient_"):
        for entry, head in zip(symbol.outputs, heads or [None] * len(symbol.outputs), strict=True):
            head_gradient = F.ones_like(_of(entry)) if head is None else Outputs.broadcasting(head.outputs)
            grads[entry] = F._grad_add(grads[entry], head_gradient) if entry in grads else head_gradient
        _sweep(nodes, grads, training, [] if visited is None else visited)
    return [grads.get(entry) for entry in entries]


def _sweep(
    nodes: Sequence[Node], grads: dict[Any, Any], training: bool, visited: list[tuple[int, Node]]
) -> None:
    def operator(node: Node) -> Any:
        visited.append((next_serial(), node))
        return node.op and node.op.in_mode(training)

    try:
        sweep(nodes, grads, F, _values, operator, Chains(visited))
    except MXNetError as exc:
        exc.node = visited[-1][1]
        exc.node.locate(exc)
        raise


def updates(symbol: Outputs) -> list[tuple[str, Any]]:
    """The auxiliary states that training changes, by name, each with its value after a step."""
    values_by_state: dict[str, Any] = {}
    with name.Prefix("_update_"):
        for node in topological(symbol.outputs):
            if node.is_variable or not node.op.aux or not node.op.in_mode(True).training:
                continue
            ys, xs = _values(node)
            values = node.op.in_mode(True).updated(F, ys[0] if len(ys) == 1 else tuple(ys), *xs)
            for index, value in zip(changed_inputs(node), values, strict=False):
                values_by_state[node.inputs[index].node.name] = value
    return list(values_by_state.items())


def gradient_symbol(symbol: Outputs, names: Sequence[str]) -> Outputs:
    """A symbol whose outputs are the gradients of the sum of all outputs with respect to variables.

    They have the variables' dtypes, as on the tape: a bool variable's gradient may be of integers before.
    """
    by_name = {node.name: Entry(node, 0) for node in topological(symbol.outputs) if node.is_variable}
    for variable in names:
        if variable not in by_name:
            raise MXNetError(f"gradient: no variable is named {variable!r}.{suggest(variable, by_name)}")
    entries = [by_name[variable] for variable in names]
    grads = gradients(symbol, entries)
    with name.Prefix("_gradient_"):
        filled = [
            F.zeros_like(_of(e)) if gradient is None else F._cast_like(gradient, _of(e))
            for e, gradient in zip(entries, grads, strict=True)
        ]
    return Outputs([entry for gradient in filled for entry in gradient.outputs])


def _between(nodes: Sequence[Node], entries: Sequence[Entry]) -> list[Node]:
    """Those of `nodes` that depend on one of `entries`, or have one."""
    dependents: set[Node] = {entry.node for entry in entries}
    for node in nodes:
        if any(entry.node in dependents for entry in node.inputs):
            dependents.add(node)
    return [node for node in nodes if node in dependents]


def _of(entry: Entry) -> Any:
    return Outputs.broadcasting([entry])


def _values(node: Node) -> tuple[list[Any], list[Any]]:
    """A node's outputs, hidden ones included, and inputs as symbols."""
    return [_of(Entry(node, i)) for i in range(node.count())], [_of(entry) for entry in node.inputs]
