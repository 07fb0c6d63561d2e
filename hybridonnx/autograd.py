"""Recording of operators as they run, and the reverse sweep that differentiates what was recorded.

The sweep knows no operator by name and no array type: it asks operators for their `gradient` and serves both
the eager tape, where values are arrays, and symbolic graphs, where they are symbols.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, Protocol, TypeAlias

from .errors import MXNetError


class _State(threading.local):
    recording = False
    training = False


state = _State()
"""Whether this thread records, and whether it trains."""

_GRAD_REQS = ("write", "add", "null")


# ---- scopes


def is_recording() -> bool:
    """Whether operators are being recorded for differentiation."""
    return state.recording


def is_training() -> bool:
    """Whether operators such as Dropout and BatchNorm behave as in training."""
    return state.training


def set_recording(is_record: bool) -> bool:
    """Turn recording on or off; returns what it was."""
    before, state.recording = state.recording, bool(is_record)
    return before


def set_training(train_mode: bool) -> bool:
    """Turn training mode on or off; returns what it was."""
    before, state.training = state.training, bool(train_mode)
    return before


@contextmanager
def _scope(recording: bool | None, training: bool | None) -> Iterator[None]:
    before = state.recording, state.training
    if recording is not None:
        state.recording = recording
    if training is not None:
        state.training = training
    try:
        yield
    finally:
        state.recording, state.training = before


def record(train_mode: bool = True) -> Any:
    """A scope whose operators are recorded, by default as in training."""
    return _scope(True, train_mode)


def pause(train_mode: bool = False) -> Any:
    """A scope inside `record` whose operators are not recorded."""
    return _scope(False, train_mode)


def train_mode() -> Any:
    """A scope in which operators behave as in training, recorded or not."""
    return _scope(None, True)


def predict_mode() -> Any:
    """A scope in which operators behave as in prediction, recorded or not."""
    return _scope(None, False)


# ---- the tape


class Node(Protocol):
    """What the sweep asks of a node, on the tape or in a symbol."""

    @property
    def op(self) -> Any: ...
    @property
    def inputs(self) -> Sequence[Any]: ...


Entry: TypeAlias = tuple[Any, int]
"""A node and the number of one of its outputs."""

_order = itertools.count()


class TapeNode:
    """One recorded execution of an operator: the arrays taken and given, and where the former came from."""

    __slots__ = ("arrays", "ctx", "inputs", "op", "order", "outputs")

    def __init__(
        self, op: Any, inputs: Sequence[Entry | None], arrays: Sequence[Any], outputs: Sequence[Any], ctx: Any
    ) -> None:
        self.op = op
        self.inputs: Sequence[Entry | None] = inputs
        self.arrays: Sequence[Any] | None = arrays
        self.outputs: Sequence[Any] = outputs
        self.ctx = ctx
        self.order = next(_order)

    def release(self) -> None:
        """Let go of the arrays, after which the node cannot be differentiated."""
        self.arrays, self.outputs, self.inputs = None, (), ()


class Leaf:
    """A variable that gradients are wanted for: `grad` receives them as `req` says."""

    __slots__ = ("fresh", "grad", "req")

    op = None
    inputs: Sequence[Entry] = ()
    order = -1

    def __init__(self, grad: Any, req: str) -> None:
        if req not in _GRAD_REQS:
            raise MXNetError(f"grad_req: one of {', '.join(_GRAD_REQS)} is required, got {req!r}.")
        self.grad = grad
        self.req = req
        self.fresh = False

    def receive(self, gradient: Any) -> None:
        """Write or add a gradient that a sweep has found."""
        if self.req == "write":
            self.grad._data[...] = gradient._data
        elif self.req == "add":
            self.grad._data[...] += gradient._data
        self.fresh = True


def sweep(
    nodes: Sequence[Any],
    grads: dict[Entry, Any],
    F: Any,
    values: Callable[[Any], tuple[Sequence[Any], Sequence[Any]]],
    operator: Callable[[Any], Any] = attrgetter("op"),
) -> None:
    """Extend `grads`, the heads' gradients by entry, to everything that the heads depend on.

    `nodes` are in topological order; `values(node)` gives its outputs and inputs as values of `F`, and
    `operator(node)` what it executes.
    """
    for node in reversed(nodes):
        op = operator(node)
        if op is None or op.not_differentiable:
            continue
        wanted = [entry is not None for entry in node.inputs]
        if not any(wanted):
            continue
        ys, xs = values(node)
        dys = [grads.get((node, i)) for i in range(len(ys))]
        if all(dy is None for dy in dys):
            continue
        dys = [F.zeros_like(y) if dy is None else dy for dy, y in zip(dys, ys, strict=True)]
        single = len(ys) == 1
        found = op.gradient(F, dys[0] if single else tuple(dys), ys[0] if single else tuple(ys), *xs)
        for entry, x, gradient in zip(node.inputs, xs, found, strict=True):
            if entry is None or gradient is None:
                continue
            summed = F._sum_like(gradient, x) if op.broadcasts else gradient
            grads[entry] = F.elemwise_add(grads[entry], summed) if entry in grads else summed


def _recorded(heads: Iterable[Entry]) -> list[Any]:
    """The tape nodes that `heads` depend on, in the order of their execution."""
    seen: set[Any] = set()
    waiting = [node for node, _ in heads]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, TapeNode) and node.arrays is None:
            raise MXNetError(
                "backward: the recorded graph was already differentiated and released. "
                "Pass retain_graph=True to the first call to keep it for another."
            )
        waiting += [entry[0] for entry in node.inputs if entry is not None]
    return sorted(seen, key=lambda n: n.order)


def _differentiate(
    heads: Sequence[Any], head_grads: Any, retain_graph: bool, create_graph: bool, train_mode: bool
) -> tuple[dict[Entry, Any], list[Any]]:
    """The gradients of every entry that `heads` depend on, and the leaves among them."""
    array_type = type(heads[0])
    F = array_type.F
    grads = _head_gradients(heads, head_grads, F)
    nodes = _recorded(grads)

    def values(node: TapeNode) -> tuple[Sequence[Any], Sequence[Any]]:
        ys = [array_type._on_tape(y, node.ctx, (node, i)) for i, y in enumerate(node.outputs)]
        xs = [
            array_type._on_tape(x, node.ctx, e) for x, e in zip(node.arrays or (), node.inputs, strict=True)
        ]
        return ys, xs

    with _scope(create_graph, train_mode):
        sweep(nodes, grads, F, values)
    if not (retain_graph or create_graph):
        for node in nodes:
            if isinstance(node, TapeNode):
                node.release()
    return grads, [node for node in nodes if isinstance(node, Leaf)]


def _head_gradients(heads: Sequence[Any], head_grads: Any, F: Any) -> dict[Entry, Any]:
    if head_grads is None:
        head_grads = [None] * len(heads)
    if len(head_grads) != len(heads):
        raise MXNetError(f"backward: {len(heads)} head gradients are required, got {len(head_grads)}.")
    grads: dict[Entry, Any] = {}
    for head, gradient in zip(heads, head_grads, strict=True):
        if head._entry is None:
            raise MXNetError(
                "backward: this array was not computed from variables while recording, so it cannot be "
                "differentiated. Call attach_grad() on the variables and compute inside autograd.record()."
            )
        if gradient is not None and gradient.shape != head.shape:
            raise MXNetError(
                f"backward: a head gradient of shape {head.shape} is required, got {gradient.shape}."
            )
        gradient = F.ones_like(head.detach()) if gradient is None else gradient
        entry = head._entry
        grads[entry] = grads[entry] + gradient if entry in grads else gradient
    return grads


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def backward(heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
    """Differentiate `heads` and write the gradients of the variables that they depend on."""
    heads = _listed(heads)
    head_grads = None if head_grads is None else _listed(head_grads)
    grads, leaves = _differentiate(heads, head_grads, retain_graph, False, train_mode)
    for leaf in leaves:
        if (leaf, 0) in grads:
            leaf.receive(grads[leaf, 0])


def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> Any:
    """The gradients of `heads` with respect to `variables`, themselves differentiable with `create_graph`."""
    wanted = _listed(variables)
    if not wanted:
        raise MXNetError("grad: at least one variable is required, got none.")
    for variable in wanted:
        if variable._entry is None:
            raise MXNetError(
                "grad: variables must be marked by attach_grad() or be computed while recording."
            )
    heads = _listed(heads)
    head_grads = None if head_grads is None else _listed(head_grads)
    retain = create_graph if retain_graph is None else retain_graph
    entries = [variable._entry for variable in wanted]
    grads, _ = _differentiate(heads, head_grads, retain, create_graph, train_mode)
    missing = [i for i, entry in enumerate(entries) if entry not in grads]
    if missing:
        raise MXNetError(f"grad: the heads do not depend on variable {missing[0]}.")
    found = [grads[entry] for entry in entries]
    return found if isinstance(variables, list | tuple) else found[0]


def mark_variables(variables: Any, gradients: Any, grad_reqs: Any = "write") -> None:
    """Make arrays variables: `backward` writes into `gradients` as `grad_reqs` say."""
    variables, gradients = _listed(variables), _listed(gradients)
    reqs = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else list(grad_reqs)
    for variable, gradient, req in zip(variables, gradients, reqs, strict=True):
        variable._entry = None if req == "null" else (Leaf(gradient, req), 0)
        variable._leaf = Leaf(gradient, req) if req == "null" else variable._entry[0]


# ---- functions written by users


class Function:
    """A differentiable function in user code: `forward(*arrays)` and `backward(*output_gradients)`."""

    not_differentiable = ""
    broadcasts = False

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._used = False

    def save_for_backward(self, *args: Any) -> None:
        """Keep arrays for `backward`, which finds them in `saved_tensors`."""
        self._saved = args

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept."""
        return self._saved

    def forward(self, *inputs: Any) -> Any:
        """The outputs, computed from the inputs."""
        raise NotImplementedError(f"{type(self).__name__}: forward must be defined.")

    def backward(self, *output_grads: Any) -> Any:
        """The inputs' gradients, computed from the outputs'."""
        raise NotImplementedError(f"{type(self).__name__}: backward must be defined.")

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The sweep's question, answered by the user's `backward`."""
        found = _listed(self.backward(*dy) if isinstance(dy, tuple) else self.backward(dy))
        if len(found) != len(inputs):
            raise MXNetError(
                f"{type(self).__name__}.backward: one gradient for each of {len(inputs)} inputs is required, "
                f"got {len(found)}."
            )
        return found

    def __call__(self, *inputs: Any) -> Any:
        if self._used:
            raise MXNetError(f"{type(self).__name__}: each Function object can be called once; make another.")
        self._used = True
        with pause(train_mode=state.training):
            result = self.forward(*inputs)
        outputs = _listed(result)
        entries = [x._entry for x in inputs]
        if state.recording and any(entry is not None for entry in entries):
            arrays = [x._data for x in inputs]
            node = TapeNode(self, entries, arrays, [y._data for y in outputs], inputs[0].context)
            outputs = [type(y)._on_tape(y._data, node.ctx, (node, i)) for i, y in enumerate(outputs)]
        return outputs if isinstance(result, list | tuple) else outputs[0]
