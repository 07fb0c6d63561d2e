"""Gradients of arrays: `backward`, `grad`, and the variables that they are written to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from ..errors import DTypeError, MXNetError, RequirementError, ShapeError
from .scopes import Scope
from .sweep import sweep
from .tape import Entry, Leaf, Recorded, TapeNode, recorded, refuse_released


def differentiate(
    heads: Sequence[Any],
    head_grads: Any,
    retain_graph: bool,
    create_graph: bool,
    train_mode: bool,
    operator: Callable[[Any], Any] | None = None,
    wanted: Sequence[Entry] | None = None,
    reception: _Reception | None = None,
) -> tuple[dict[Entry, Any], list[Any]]:
    """The gradients of what `heads` depend on: of the entries `wanted`, by default of variables; and these.

    There may be those of other entries as well. `operator` gives what nodes of the tape are to execute, by
    default their own operators. A `reception` has variables receive theirs as soon as they are there.
    """
    heads = [head.as_nd_ndarray() for head in heads]  # rules are written for these
    if head_grads is not None:
        head_grads = [None if g is None else g.as_nd_ndarray() for g in head_grads]
    array_type = heads[0].dense
    F = heads[0].F
    grads = _head_gradients(heads, head_grads, F)
    nodes = recorded(grads)
    _refuse_indices(nodes)
    if reception is not None:
        reception.begin(nodes)

    def values(node: TapeNode) -> tuple[Sequence[Any], Sequence[Any]]:
        ys = [array_type._on_tape(y, node.ctx, (node, i)) for i, y in enumerate(node.outputs)]
        xs = [
            array_type._as_recorded(x, node.ctx, e)
            for x, e in zip(node.arrays or (), node.inputs, strict=True)
        ]
        return ys, xs

    _tell_whether_last(nodes, not (retain_graph or create_graph))
    with Scope(create_graph, train_mode):
        known = None
        if not create_graph and operator is None:
            known = array_type._known_gradients(nodes, grads, wanted, train_mode)
        if known is None:
            derive = None if create_graph else array_type._derived
            done = None if reception is None else reception.told(grads)
            sweep(nodes, grads, F, values, operator or attrgetter("op"), derive, done)
        else:
            grads |= known
    if not (retain_graph or create_graph):
        for node in nodes:
            if isinstance(node, TapeNode):
                node.release()
    return grads, [node for node in nodes if isinstance(node, Leaf)]


def _tell_whether_last(nodes: Sequence[Any], is_last: bool) -> None:
    """Tell graphs that were recorded as a whole whether anybody may ask for their gradients again."""
    for node in nodes:
        if isinstance(node.op, Recorded):
            node.op.is_last = is_last


def _refuse_indices(nodes: Sequence[Any]) -> None:
    """Raise if a variable with a gradient serves as indices."""
    for node in nodes:
        if not isinstance(node, TapeNode) or not node.op.index_inputs:
            continue
        for name, entry in zip(node.op.input_names(), node.inputs, strict=True):
            if name in node.op.index_inputs and entry is not None and isinstance(entry[0], Leaf):
                raise MXNetError(
                    f"{node.op.names[0]}: {name} holds indices and has no gradient, but one was asked for. "
                    "Do not attach a gradient to it; for an executor, grad_req='null'."
                )


def _head_gradients(heads: Sequence[Any], head_grads: Any, F: Any) -> dict[Entry, Any]:
    if head_grads is None:
        head_grads = [None] * len(heads)
    if len(head_grads) != len(heads):
        raise RequirementError(f"backward: {len(heads)} head gradients are required, got {len(head_grads)}.")
    grads: dict[Entry, Any] = {}
    for head, gradient in zip(heads, head_grads, strict=True):
        entry = head._entry
        if entry is None:
            if head._origin is not None:
                refuse_released()
            raise MXNetError(
                "Cannot differentiate node because it is not in a computational graph: the array was not "
                "computed from variables while recording. Call attach_grad() on the variables and compute "
                "inside autograd.record(). A result that was differentiated already is a constant."
            )
        gradient = F.ones_like(head.detach()) if gradient is None else _checked(gradient, head)
        grads[entry] = grads[entry] + gradient if entry in grads else gradient
    return grads


def _checked(gradient: Any, head: Any) -> Any:
    op = head._entry[0].op
    if gradient.shape != head.shape and op and (op.ignores_head or op.not_differentiable):
        return type(head).F.ones_like(head.detach())
    if gradient.shape != head.shape:
        raise ShapeError(
            f"backward: a head gradient of shape {head.shape} is required, got {gradient.shape}."
        )
    if gradient.dtype != head.dtype:
        raise DTypeError(
            f"backward: a head gradient of dtype {head.dtype.__name__} is required, "
            f"got {gradient.dtype.__name__}. Cast with astype."
        )
    return gradient


def as_list(value: Any) -> list[Any]:
    """A list or tuple as a list, one value as a list of one."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _heads(heads: Any) -> list[Any]:
    arrays = as_list(heads)
    others = [head for head in arrays if not hasattr(head, "_entry")]
    if others or not arrays:
        got = type(others[0]).__name__ if others else "none"
        raise MXNetError(f"backward: an NDArray or a list of NDArrays is required as heads, got {got}.")
    return arrays


def backward(
    heads: Any,
    head_grads: Any = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Differentiate `heads` and write the gradients of the variables that they depend on."""
    write_gradients(heads, head_grads, retain_graph, train_mode)


def write_gradients(
    heads: Any,
    head_grads: Any,
    retain_graph: bool,
    train_mode: bool,
    operator: Callable[[Any], Any] | None = None,
) -> None:
    """What `backward` does; `operator` gives what nodes of the tape are to execute."""
    heads = _heads(heads)
    head_grads = None if head_grads is None else as_list(head_grads)
    with _Reception() as reception:
        grads, leaves = differentiate(
            heads, head_grads, retain_graph, False, train_mode, operator, reception=reception
        )
        own = [gradient for gradient in head_grads or () if gradient is not None]
        uses = Counter(id(gradient._memory()) for gradient in (*grads.values(), *own))
        for leaf in leaves:
            if leaf in reception.received:
                continue
            if (leaf, 0) in grads:
                gradient = grads[leaf, 0]
                leaf.receive(gradient, exchange=uses[id(gradient._memory())] == 1)
            else:
                leaf.receive_nothing()


class _Reception:
    """The variables of a tape whose gradients others wait for: they receive them while the sweep goes on."""

    def __init__(self) -> None:
        self.left: Counter[Leaf] = Counter()
        """For each, the places that it is taken at and that are not swept yet."""
        self.received: set[Leaf] = set()
        self._counted: Counter[Leaf] = Counter()

    def begin(self, nodes: Sequence[Any]) -> None:
        """Count how often nodes take each variable, which it is told.

        Nobody asks but receivers and what was recorded as a whole graph.
        """
        received = any(type(node) is Leaf and node.receiver is not None for node in nodes)
        if not received and not any(isinstance(node.op, Recorded) for node in nodes):
            return
        taken = [entry[0] for node in nodes for entry in node.inputs if entry is not None]
        self._counted = Counter(leaf for leaf in taken if type(leaf) is Leaf)
        for leaf, count in self._counted.items():
            leaf.uses = count
            if leaf.receiver is not None:
                self.left[leaf] = count

    def told(self, grads: dict[Entry, Any]) -> Callable[[Any], object] | None:
        """What is to be called after each node, if anybody waits."""
        return partial(self._done, grads) if self.left else None

    def _done(self, grads: dict[Entry, Any], node: Any) -> None:
        """Go on with the variables that no node is left of after this one."""
        for entry in node.inputs:
            if entry is None or entry[0] not in self.left:
                continue
            leaf = entry[0]
            self.left[leaf] -= 1
            if self.left[leaf]:
                continue
            if (leaf, 0) in grads:
                leaf.receive(grads[leaf, 0])
            else:
                leaf.receive_nothing()
            self.received.add(leaf)

    def __enter__(self) -> _Reception:
        return self

    def __exit__(self, *_: object) -> None:
        for leaf in self._counted:
            leaf.uses = 0


def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[Any]:
    """The gradients of `heads` with respect to `variables`, themselves differentiable with `create_graph`.

    A list, for a single variable as well.
    """
    variables = as_list(variables)
    if not variables:
        raise MXNetError("grad: at least one variable is required, got none.")
    for i, variable in enumerate(variables):
        if variable._entry is None:
            raise MXNetError(
                f"grad: Cannot differentiate with respect to the variable {i} because it does not require "
                "gradient. Call attach_grad() on it, or compute it while recording."
            )
    heads = _heads(heads)
    head_grads = None if head_grads is None else as_list(head_grads)
    retain = create_graph if retain_graph is None else retain_graph
    entries = [variable._entry for variable in variables]
    reached = set(recorded(head._entry for head in heads if head._entry is not None))
    for i, (node, _) in enumerate(entries):
        if node not in reached:
            raise MXNetError(
                f"grad: Cannot differentiate with respect to the variable {i} because it is unreachable from "
                "the outputs."
            )
    grads, _ = differentiate(heads, head_grads, retain, create_graph, train_mode, wanted=entries)
    F = heads[0].F
    others = {id(gradient._memory()) for gradient in head_grads or () if gradient is not None}
    gradients = []
    with Scope(create_graph, None):
        for entry, variable in zip(entries, variables, strict=True):
            gradient = grads.get(entry)
            if gradient is None:
                gradient = F.zeros_like(variable)
            elif id(gradient._memory()) in others:  # a change in place would be seen in another's array
                gradient = F._copy(gradient)
            others.add(id(gradient._memory()))
            gradients.append(gradient.as_np_ndarray() if variable._as_numpy else gradient)
    return gradients


def mark_variables(
    variables: Any,
    gradients: Any,
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Make arrays variables: `backward` writes into `gradients` as `grad_reqs` say."""
    variables, gradients = as_list(variables), as_list(gradients)
    reqs = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else list(grad_reqs)
    if not len(variables) == len(gradients) == len(reqs):
        raise MXNetError(
            f"mark_variables: a gradient and a grad_req for each of {len(variables)} variables are required, "
            f"got {len(gradients)} and {len(reqs)}."
        )
    for variable, gradient, req in zip(variables, gradients, reqs, strict=True):
        if gradient.shape != variable.shape or gradient.dtype != variable.dtype:
            raise ShapeError(
                f"mark_variables: a gradient of shape {variable.shape} and dtype {variable.dtype.__name__} "
                f"is required, got {gradient.shape} and {gradient.dtype.__name__}."
            )
        variable._leaf = Leaf(gradient, req)
        variable._entry = None if req == "null" else (variable._leaf, 0)
