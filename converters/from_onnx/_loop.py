"""What ONNX's Loop says, as a `_while_loop` needs it: the most steps, and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from hybridonnx.ops import same
from hybridonnx.symbol.graph import Entry

from ._inner import Convert, InnerGraph, Known
from ._model_info import Dims

_Study = TypeVar("_Study")

_MOST = (1 << 31) - 1
"""The most steps of a loop that nothing bounds."""
_MOST_PADDED = 1 << 12
"""The most steps for which there is room made before it is known how many there will be."""


def body_at_all_steps(F: Any, body: Convert, variables: Sequence[Any]) -> tuple[InnerGraph, bool]:
    """A body's graph, made of what is known of the variables at every step, and whether their sizes stay.

    What is not known to stay is not known at all.
    """
    first = [F.known(x) for x in variables]
    graph, steady = at_all_steps(body, lambda graph: graph.dims[1:], first)
    return graph, steady == first


def at_all_steps(
    study: Callable[[Sequence[Known]], _Study],
    after: Callable[[_Study], Sequence[Dims | None]],
    first: list[Known],
) -> tuple[_Study, list[Known]]:
    """What is learned of a body from what is known of its variables at every step, and that.

    `first` is known of the first values; `after` gives the shapes that variables have after a step.
    """
    at = first
    while True:
        result = study([Known((), np.dtype("int64")), Known((), np.dtype("bool")), *at])
        steady = [_steady(known, dims) for known, dims in zip(at, after(result), strict=False)]
        if steady == at:
            return result, at
        at = steady


def _steady(before: Known, after: Dims | None) -> Known:
    """What is known of a variable before a step, as far as it is so after it."""
    dims = before.dims
    if dims is None or after is None or len(dims) != len(after):
        return Known(None, before.dtype)
    return before._replace(dims=tuple(d if same(d, e) else None for d, e in zip(dims, after, strict=True)))


@dataclass
class Steps:
    """How many steps a Loop takes."""

    most: int
    """No more than these."""
    trips: Any
    """The number of steps as a symbol, if it is computed."""
    going: Any
    """The condition for the first step as a symbol, if there is one that may be false."""
    ends: bool
    """Whether the body may end the loop."""
    stacked: bool
    """Whether there are outputs with a value for each step."""
    steady: bool
    """Whether the variables keep their sizes."""

    @property
    def exact(self) -> bool:
        """Whether the loop takes the most steps in any case."""
        return self.trips is None and self.going is None and not self.ends

    @property
    def as_mxnets(self) -> bool:
        """Whether MXNet's loop says them, whose outputs have room for the most steps."""
        return self.steady and (self.exact or not self.stacked or self.most <= _MOST_PADDED)


def steps_of(F: Any, trips: Any, going: Any, graph: InnerGraph, variables: int, steady: bool) -> Steps:
    """What the inputs and the body tell; outputs after the `variables` have a value for each step."""
    known = None if trips is None else F.value(trips)
    first = None if going is None else F.value(going)
    bound = _MOST if known is None else min(max(int(known.item()), 0), _MOST)
    stacked = len(graph.outputs) > 1 + variables
    if stacked and bound > _MOST_PADDED:
        declared = F.result(variables)
        bound = declared[0] if declared and isinstance(declared[0], int) else bound
    return Steps(
        most=max(bound, 1),
        trips=trips if known is None or not bound else None,
        going=None if first is not None and bool(first.item()) else going,
        ends=not _always(F, graph),
        stacked=stacked,
        steady=steady,
    )


def _always(F: Any, graph: InnerGraph) -> bool:
    """Whether the body's condition is what came in, or a constant that holds."""
    entry = source(graph.outputs[0])
    if not entry.node.is_variable:
        return False
    if entry.node.name in graph.around:
        value = F.value(graph.around[entry.node.name])
        return value is not None and bool(value.item())
    return entry.node.name == graph.inputs[1]


def source(entry: Entry) -> Entry:
    """The entry that one is a copy of."""
    while not entry.node.is_variable and entry.node.op_name in ("identity", "_copy"):
        entry = entry.node.inputs[0]
    return entry


def first_steps(F: Any, stack: Any, count: Any, most: int) -> Any:
    """As many parts of a stack as there were steps."""
    numbers = F._arange(start=0, stop=most, dtype="int64")
    return F._contrib_boolean_mask(stack, F.broadcast_lesser(numbers, count))


def number(F: Any, value: int) -> Any:
    """An integer without axes as a symbol, and no parameter."""
    return F._np_squeeze(F._full(shape=(1,), value=value, dtype="int64"), axis=(0,))


def flag(F: Any, x: Any) -> Any:
    """A condition as bool, as which MXNet's comparisons do not come."""
    return F.cast(x, dtype="bool")
