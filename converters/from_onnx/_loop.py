"""What ONNX's Loop says, as MXNet's `_while_loop` needs it: the most steps, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.symbol.graph import Entry

from ._inner import InnerGraph

_MOST = (1 << 31) - 1
"""The most steps of a loop that keeps nothing of each step."""
_MOST_STACKED = 1 << 20
"""The most steps for which there is room made before it is known how many there will be."""


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

    @property
    def exact(self) -> bool:
        """Whether the loop takes the most steps in any case."""
        return self.trips is None and self.going is None and not self.ends


def steps_of(F: Any, trips: Any, going: Any, graph: InnerGraph, variables: int) -> Steps:
    """What the inputs and the body tell; outputs after the `variables` have a value for each step."""
    known = None if trips is None else F.value(trips)
    first = None if going is None else F.value(going)
    bound = _MOST if known is None else min(max(int(known.item()), 0), _MOST)
    if len(graph.outputs) > 1 + variables and bound > _MOST_STACKED:
        declared = F.result(variables)
        bound = declared[0] if declared and isinstance(declared[0], int) else bound
        if bound > _MOST_STACKED:
            raise ConversionError(
                "Loop: a constant trip count, or a known length of its outputs, is required where they have "
                f"a value for each step, got {'neither' if known is None else known.item()}. "
                "Export the model with fixed shapes."
            )
    return Steps(
        most=max(bound, 1),
        trips=trips if known is None or not bound else None,
        going=None if first is not None and bool(first.item()) else going,
        ends=not _always(F, graph),
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
