"""The reverse sweep, which differentiates what was recorded.

It knows no operator by name and no array type: it asks operators for their `gradient` and serves both the
eager tape, where values are arrays, and symbolic graphs, where they are symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Protocol, TypeAlias

from ..errors import MXNetError
from ..ops import mixing
from .tape import Entry

Derive: TypeAlias = Callable[
    [Any, Sequence[Any], Sequence[Any], Sequence[Any], Sequence[bool]], Sequence[Any] | None
]
"""From an operator, its outputs' gradients, its outputs, its inputs, and whether their gradients are wanted,
to these gradients; `None` if it knows nothing of the operator."""


class Node(Protocol):
    """What the sweep asks of a node, on the tape or in a symbol."""

    @property
    def op(self) -> Any: ...
    @property
    def inputs(self) -> Sequence[Any]: ...


def sweep(
    nodes: Sequence[Node],
    grads: dict[Entry, Any],
    F: Any,
    values: Callable[[Any], tuple[Sequence[Any], Sequence[Any]]],
    operator: Callable[[Any], Any] = attrgetter("op"),
    derive: Derive | None = None,
    done: Callable[[Any], object] | None = None,
) -> None:
    """Extend `grads`, the heads' gradients by entry, to everything that the heads depend on.

    `nodes` are in topological order; `values(node)` gives its outputs and inputs as values of `F`, and
    `operator(node)` what it executes. `derive` may know another way than to call the operator's `gradient`.
    `done` is told each node after its share is added.
    """
    with mixing.paused():  # the casts were recorded, and have gradients
        for node in reversed(nodes):
            _add_gradients(node, grads, F, values, operator, derive)
            if done is not None:
                done(node)


def _add_gradients(
    node: Node,
    grads: dict[Entry, Any],
    F: Any,
    values: Callable[[Any], tuple[Sequence[Any], Sequence[Any]]],
    operator: Callable[[Any], Any],
    derive: Derive | None,
) -> None:
    """Extend `grads` to the inputs of a node."""
    op = operator(node)
    if op is None:
        return
    if op.not_differentiable:
        _allow_zero(node, op, grads)
        return
    if all(entry is None for entry in node.inputs):
        return
    ys, xs = values(node)
    dys = [grads.get((node, i)) for i in range(len(ys))]
    if all(dy is None for dy in dys):
        return
    wanted = [entry is not None for entry in node.inputs]
    shares = None if derive is None else derive(op, dys, ys, xs, wanted)
    if shares is None:
        shares = _shares(op, F, dys, ys, xs)
    for entry, x, share in zip(node.inputs, xs, shares, strict=True):
        if entry is None or share is None:
            continue
        share = summed(F, share, x) if op.broadcasts else share
        grads[entry] = F._grad_add(grads[entry], share) if entry in grads else share


def _shares(op: Any, F: Any, dys: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any]) -> Sequence[Any]:
    """What the operator's rule gives for its inputs."""
    if not op.takes_no_head:
        dys = [F.zeros_like(y) if dy is None else dy for dy, y in zip(dys, ys, strict=True)]
    single = len(ys) == 1
    shares: Sequence[Any] = op.gradient(
        F, dys[0] if single else tuple(dys), ys[0] if single else tuple(ys), *xs
    )
    return shares


def summed(F: Any, gradient: Any, x: Any) -> Any:
    """The gradient of an input that was broadcast: summed over where it was repeated."""
    shape = getattr(gradient, "shape", None)  # symbols have none
    return gradient if shape is not None and shape == x.shape else F._sum_like(gradient, x)


def _allow_zero(node: Any, op: Any, grads: dict[Entry, Any]) -> None:
    """Raise if gradients have come to an operator that has none, unless they are zero beyond it."""
    if op.refuses_gradient and any((node, i) in grads for i in range(len(op.output_names()))):
        raise MXNetError(
            f"{op.names[0]}: cannot be differentiated, because {op.not_differentiable}. "
            "Use detach() on its result where no gradient is meant."
        )
