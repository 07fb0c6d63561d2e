"""The tape: what was recorded of operators as they ran, and the variables that it began with."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, TypeAlias

from .._locks import new_lock, no_fork
from ..errors import MXNetError

Entry: TypeAlias = tuple[Any, int]
"""A node and the number of one of its outputs."""
GradReq: TypeAlias = str | Sequence[str] | Mapping[str, str]
"""What becomes of gradients, of all arguments or of each: "write", "add" or "null"."""

_GRAD_REQS = ("write", "add", "null")

_order = itertools.count()
_receiving = new_lock()
"""Held while a gradient is written: NumPy lets other threads run meanwhile, whose additions would be lost."""
_making = new_lock()
"""Held while the array of a gradient is made."""


class TapeNode:
    """One recorded execution of an operator: its inputs and outputs, and where the inputs came from."""

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

    @property
    def released(self) -> bool:
        """Whether the node was differentiated: what it computed is a constant for what comes."""
        return self.arrays is None


class Recorded:
    """One execution of a whole graph, as the operator of a node on the tape."""

    names = ("hybridized graph",)
    not_differentiable = ""
    broadcasts = False
    index_inputs = ()
    ignores_head = False
    takes_no_head = False
    is_last = False
    """Whether nobody asks for its gradient after the present sweep: what is kept for it goes with its use."""

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The sweep's question; see `Operator.gradient`."""
        raise NotImplementedError

    def symbolic(self, inputs: Sequence[Any], name: str) -> list[Any]:
        """The graph's outputs as entries, computed from entries; `name` is for a node of the whole."""
        raise NotImplementedError


class Moved(Recorded):
    """A copy from one device to another, whose gradient comes back."""

    names = ("_copyto",)

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The gradient on the device that the array came from."""
        return [dy.as_in_context(self._ctx)]

    def symbolic(self, inputs: Sequence[Any], name: str) -> list[Any]:
        """The input itself: graphs have no devices."""
        return list(inputs)


class Receiver(Protocol):
    """Who has the memory of a variable's gradient, and is told when it is there, to sum it over processes."""

    group: int
    """The gradients of a group are computed together, those of smaller numbers first."""

    def memory(self) -> Any:
        """The array to write the gradient into."""

    def complete(self) -> None:
        """Go on: the gradient is in that memory, and this sweep writes it no more."""


class Leaf:
    """A variable that has a gradient: `grad` receives them as `req` says.

    The gradient is an array, or a function that makes one of zeros when it is first asked for: models that
    only predict need no memory for it.
    """

    __slots__ = ("_gradient", "fresh", "receiver", "req", "uses")

    op = None
    inputs: Sequence[Entry] = ()
    order = -1
    released = False

    def __init__(self, gradient: Any, req: str) -> None:
        if req not in _GRAD_REQS:
            raise MXNetError(f"grad_req: one of {', '.join(_GRAD_REQS)} is required, got {req!r}.")
        self._gradient = gradient
        self.req = req
        self.fresh = False
        self.receiver: Receiver | None = None
        self.uses = 0
        """How many nodes the sweep that is going on has for the variable; 0 if it writes no gradients."""

    @property
    def grad(self) -> Any:
        """The gradient's array."""
        if callable(self._gradient):
            with no_fork(), _making:
                if callable(self._gradient):  # no other thread was faster
                    self._gradient = self._gradient()
        return self._gradient

    @property
    def is_zero(self) -> bool:
        """Whether nobody has asked for the gradient, so that it can only be zero."""
        return callable(self._gradient)

    def receive(self, gradient: Any, exchange: bool = False) -> None:
        """Write or add a gradient that a sweep has computed; with `exchange` its memory may be taken."""
        with no_fork(), _receiving:
            if self.receiver is not None:
                self._hand_over(self.receiver, gradient)
            elif self.req == "write" and gradient._data is self.grad._data:
                pass  # it was computed there
            elif self.req == "write":
                (self.grad._take if exchange else self.grad._assign)(gradient)
            elif self.req == "add":
                self.grad._accumulate(gradient)
        self.fresh = True

    def _hand_over(self, receiver: Receiver, gradient: Any) -> None:
        """Write a gradient where its receiver has it, unless it was computed there."""
        if gradient._data is not self.grad._data:
            receiver.memory()
            (self.grad._assign if self.req == "write" else self.grad._accumulate)(gradient)
        if self.req == "write":
            receiver.complete()

    def receive_nothing(self) -> None:
        """Write or add zero: the heads depend on the variable by values that do not change with it."""
        if self.req == "write" and not self.is_zero:
            if self.receiver is not None:
                self.receiver.memory()
            self.grad._clear()
            if self.receiver is not None:
                self.receiver.complete()
        self.fresh = True


def refuse_released() -> NoReturn:
    """Raise the error for a graph that is differentiated once more."""
    raise MXNetError(
        "backward: the recorded graph was already differentiated and released. "
        "Pass retain_graph=True to the first call to keep it for another."
    )


def recorded(heads: Iterable[Entry]) -> list[Any]:
    """The tape nodes that `heads` depend on, in the order of their execution."""
    nodes: set[Any] = set()
    stack = [node for node, _ in heads]
    while stack:
        node = stack.pop()
        if node in nodes:
            continue
        nodes.add(node)
        if node.released:
            refuse_released()
        stack += [entry[0] for entry in node.inputs if entry is not None]
    return sorted(nodes, key=lambda n: n.order)
