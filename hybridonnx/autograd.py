"""Recording of operators as they run, and the reverse sweep that differentiates what was recorded.

The sweep knows no operator by name and no array type: it asks operators for their `gradient` and serves both
the eager tape, where values are arrays, and symbolic graphs, where they are symbols.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Protocol, TypeAlias

from .attrs import text
from .errors import DTypeError, MXNetError, ShapeError


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


class _Scope:
    """A `with` block that sets both, or one; it may be entered again, and inside itself."""

    __slots__ = ("_before", "_recording", "_training")

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._recording = recording
        self._training = training
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((state.recording, state.training))
        if self._recording is not None:
            state.recording = self._recording
        if self._training is not None:
            state.training = self._training

    def __exit__(self, *_: object) -> None:
        state.recording, state.training = self._before.pop()


def record(train_mode: bool | None = True) -> _Scope:
    """A scope whose operators are recorded, by default as in training."""
    return _Scope(True, train_mode)


def pause(train_mode: bool | None = False) -> _Scope:
    """A scope inside `record` whose operators are not recorded."""
    return _Scope(False, train_mode)


def train_mode() -> _Scope:
    """A scope in which operators behave as in training, recorded or not."""
    return _Scope(None, True)


def predict_mode() -> _Scope:
    """A scope in which operators behave as in prediction, recorded or not."""
    return _Scope(None, False)


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
_receiving = threading.Lock()
"""Held while a gradient is written: NumPy lets other threads run meanwhile, whose additions would be lost."""


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
        self.arrays, self.outputs, self.inputs, self.op = None, (), (), None


class Recorded:
    """One execution of a whole graph, as the operator of a node on the tape."""

    names = ("hybridized graph",)
    not_differentiable = ""
    broadcasts = False

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The sweep's question; see `Operator.gradient`."""
        raise NotImplementedError

    def symbolic(self, inputs: Sequence[Any]) -> list[Any]:
        """The graph's outputs as entries, computed from entries."""
        raise NotImplementedError


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
        with _receiving:
            if self.req == "write":
                self.grad._data[...] = gradient._data
            elif self.req == "add":
                self.grad._data[...] += gradient._data
        self.fresh = True

    def receive_nothing(self) -> None:
        """Write or add zero: the heads depend on the variable by values that do not change with it."""
        if self.req == "write":
            self.grad._data[...] = 0
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
        if op is None:
            continue
        if op.not_differentiable:
            _allow_zero(node, op, grads)
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
            summed = _summed(F, gradient, x) if op.broadcasts else gradient
            grads[entry] = F.elemwise_add(grads[entry], summed) if entry in grads else summed


def _summed(F: Any, gradient: Any, x: Any) -> Any:
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

    with _Scope(create_graph, train_mode):
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
        entry = head._entry
        if entry is None:
            raise MXNetError(
                "Cannot differentiate node because it is not in a computational graph: the array was not "
                "computed from variables while recording. Call attach_grad() on the variables and compute "
                "inside autograd.record()."
            )
        gradient = F.ones_like(head.detach()) if gradient is None else _fitting(gradient, head)
        grads[entry] = grads[entry] + gradient if entry in grads else gradient
    return grads


def _fitting(gradient: Any, head: Any) -> Any:
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


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _heads(heads: Any) -> list[Any]:
    listed = _listed(heads)
    strange = [head for head in listed if not hasattr(head, "_entry")]
    if strange or not listed:
        got = type(strange[0]).__name__ if strange else "none"
        raise MXNetError(f"backward: an NDArray or a list of NDArrays is required as heads, got {got}.")
    return listed


def backward(heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
    """Differentiate `heads` and write the gradients of the variables that they depend on."""
    heads = _heads(heads)
    head_grads = None if head_grads is None else _listed(head_grads)
    grads, leaves = _differentiate(heads, head_grads, retain_graph, False, train_mode)
    for leaf in leaves:
        if (leaf, 0) in grads:
            leaf.receive(grads[leaf, 0])
        else:
            leaf.receive_nothing()


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
    variables = _listed(variables)
    if not variables:
        raise MXNetError("grad: at least one variable is required, got none.")
    for i, variable in enumerate(variables):
        if variable._entry is None:
            raise MXNetError(
                f"grad: Cannot differentiate with respect to the variable {i} because it does not require "
                "gradient. Call attach_grad() on it, or compute it while recording."
            )
    heads = _heads(heads)
    head_grads = None if head_grads is None else _listed(head_grads)
    retain = create_graph if retain_graph is None else retain_graph
    entries = [variable._entry for variable in variables]
    reached = set(_recorded(head._entry for head in heads if head._entry is not None))
    for i, (node, _) in enumerate(entries):
        if node not in reached:
            raise MXNetError(
                f"grad: Cannot differentiate with respect to the variable {i} because it is unreachable from "
                "the outputs."
            )
    grads, _ = _differentiate(heads, head_grads, retain, create_graph, train_mode)
    F = type(heads[0]).F
    given = {id(gradient) for gradient in head_grads or ()}
    found = []
    with _Scope(create_graph, None):
        for entry, variable in zip(entries, variables, strict=True):
            gradient = grads.get(entry)
            if gradient is None:
                gradient = F.zeros_like(variable)
            elif id(gradient) in given:  # another's array: a change in place would be seen there
                gradient = F._copy(gradient)
            given.add(id(gradient))
            found.append(gradient)
    return found


def mark_variables(variables: Any, gradients: Any, grad_reqs: Any = "write") -> None:
    """Make arrays variables: `backward` writes into `gradients` as `grad_reqs` say."""
    variables, gradients = _listed(variables), _listed(gradients)
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


def get_symbol(x: Any) -> Any:
    """What was recorded to compute an array, as a symbol; arrays that nothing computed are variables."""
    from .symbol.graph import VARIABLE, Entry, Node
    from .symbol.symbol import Symbol

    if x._entry is None:
        raise MXNetError("get_symbol: the array was not computed from variables while recording.")
    made: dict[Any, list[Entry]] = {}

    def entry_of(found: Any, array: Any = None) -> Entry:
        key = found[0] if found else object() if array is None else id(array)
        if key not in made:
            made[key] = [Entry(Node(VARIABLE, f"var{len(made)}"), 0)]
        return made[key][0 if found is None else found[1]]

    nodes = [node for node in _recorded([x._entry]) if isinstance(node, TapeNode)]
    for i, node in enumerate(nodes):
        inputs = [entry_of(e, a) for e, a in itertools.zip_longest(node.inputs, node.arrays or ())]
        if isinstance(node.op, Recorded):
            made[node] = node.op.symbolic(inputs)
            continue
        attributes = _stated(node.op)
        single = Node(node.op.names[0], f"node_{i}", attributes, inputs)
        made[node] = [Entry(single, k) for k in range(single.count())]
    return Symbol([entry_of(x._entry)])


def _stated(op: Any) -> dict[str, str]:
    """The attributes that are not the default, as text."""
    if isinstance(op, Function):
        raise MXNetError(f"get_symbol: operators are required, got the Function {type(op).__name__}.")
    defaults = {name: attribute.default for name, attribute in op.schema().items()}
    return {name: text(value) for name, value in op.attributes().items() if value != defaults[name]}


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
        return [
            None if g is None else self._shaped(i, g, x)
            for i, (g, x) in enumerate(zip(found, inputs, strict=True))
        ]

    def _shaped(self, index: int, gradient: Any, x: Any) -> Any:
        if not hasattr(gradient, "_entry") or gradient.size != x.size:
            raise ShapeError(
                f"{type(self).__name__}.backward: an array of shape {x.shape} is required as gradient "
                f"{index}, got {getattr(gradient, 'shape', type(gradient).__name__)}."
            )
        return gradient if gradient.shape == x.shape else gradient.reshape(x.shape)

    def __call__(self, *inputs: Any) -> Any:
        if self._used:
            raise MXNetError(f"{type(self).__name__}: each Function object can be called once; make another.")
        self._used = True
        for x in inputs:
            if not hasattr(x, "_entry"):
                raise TypeError(
                    f"{type(self).__name__}: arrays are required as inputs, got {type(x).__name__}. "
                    "Pass other values to __init__."
                )
        with pause(train_mode=state.training):
            result = self.forward(*inputs)
        outputs = _listed(result)
        entries = [x._entry for x in inputs]
        if state.recording and any(entry is not None for entry in entries):
            arrays = [x._data for x in inputs]
            node = TapeNode(self, entries, arrays, [y._data for y in outputs], inputs[0].context)
            outputs = [type(y)._on_tape(y._data, node.ctx, (node, i)) for i, y in enumerate(outputs)]
        return type(result)(outputs) if isinstance(result, list | tuple) else outputs[0]
