"""What an operator's rule gives for its inputs, as one operator that is composed of the rule's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ._composition import Composed, Trace
from ._operator import Operator, Spec, record


@record
class Gradient(Composed):
    """The gradients of an operator with respect to some of its inputs, each of that input's shape.

    It is in no registry, so graphs and files have none.

    Inputs:
        *args: The gradients of those outputs that have one, then the outputs, then the inputs.

    Attributes:
        of: The operator.
        heads: For each output whether it has a gradient.
        wanted: The inputs whose gradients the outputs are.
    """

    names: ClassVar[tuple[str, ...]] = ("_gradient",)
    saves: ClassVar[float] = 1.0
    takes_extensions: ClassVar[bool] = True
    of: Operator
    heads: tuple[bool, ...]
    wanted: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", (f"_backward_{self.of.names[0]}",))  # as MXNet's profiler calls it

    def input_names(self) -> tuple[str, ...]:
        heads = [f"head{i}" for i, has in enumerate(self.heads) if has]
        outputs = [f"y{i}" for i in range(len(self.heads))]
        return (*heads, *outputs, *(f"x{i}" for i in range(len(self.of.input_names()))))

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"gradient{i}" for i in self.wanted)

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        """The nanoseconds that a session of the whole rule saves."""
        heads, count = sum(self.heads), len(self.heads)
        ys, xs = inputs[heads : heads + count], inputs[heads + count :]
        return int(self.of.gradient_saves * self.of.work(xs, ys)) if self.of.gradient_saves else 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        gradients = self._ruled(F, inputs)
        return [gradients[i] for i in self.wanted]

    def possible(self, inputs: Sequence[Spec]) -> tuple[int, ...]:
        """Those of `wanted` that the rule gives a gradient for."""
        trace = Trace(inputs)
        gradients = self._ruled(trace, [trace.term(i) for i in range(len(inputs))])
        return tuple(i for i in self.wanted if gradients[i] is not None)

    def _ruled(self, F: Any, inputs: Sequence[Any]) -> list[Any]:
        heads, count = sum(self.heads), len(self.heads)
        own, ys, xs = iter(inputs[:heads]), inputs[heads : heads + count], inputs[heads + count :]
        dys = [next(own) if has else None for has in self.heads]
        if not self.of.takes_no_head:
            dys = [F.zeros_like(y) if dy is None else dy for dy, y in zip(dys, ys, strict=True)]
        single = count == 1
        gradients = self.of.gradient(F, dys[0] if single else tuple(dys), ys[0] if single else tuple(ys), *xs)
        if not self.of.broadcasts:
            return list(gradients)
        return [
            dx if dx is None or dx.shape == x.shape else F._sum_like(dx, x)
            for dx, x in zip(gradients, xs, strict=True)
        ]
