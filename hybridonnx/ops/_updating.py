"""An operator with the new values of its auxiliary states, as one operator that is composed of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ._composition import Composed
from ._operator import Operator, record


@record
class Updating(Composed):
    """The outputs of an operator in training, and then its auxiliary states after the step.

    It is in no registry, so graphs and files have none.

    Inputs:
        *args: Those of the operator.

    Attributes:
        of: The operator.
    """

    names: ClassVar[tuple[str, ...]] = ("_updating",)
    saves: ClassVar[float] = 1.0
    takes_extensions: ClassVar[bool] = True
    of: Operator

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", self.of.names)  # for errors and the profiler it is the operator

    def input_names(self) -> tuple[str, ...]:
        return self.of.input_names()

    def output_names(self) -> tuple[str, ...]:
        return *self.of.output_names(), *self.of.aux_names()

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        """The nanoseconds that a session saves."""
        return int(self.of.saves * self.of.work(inputs, outputs)) if self.of.saves else 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        ys = F.add(self.of, [x.number for x in inputs])
        return [*ys, *self.of.updated(F, ys if len(ys) > 1 else ys[0], *inputs)]


def with_updates(op: Operator) -> Updating:
    """The operator together with the new values of its states, one for each operator."""
    known: Updating | None = op.__dict__.get(_WHOLE)
    if known is None:
        known = op.__dict__[_WHOLE] = Updating(of=op)
    return known


_WHOLE = "_ways_updating"
"""The attribute in which an operator remembers it."""
