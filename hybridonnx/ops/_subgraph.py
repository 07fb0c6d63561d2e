"""Graphs inside of operators, known here by a protocol alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..errors import DTypeError
from ._operator import Array, Operator, Spec
from ._shapes import Shape, unify


class Subgraph(Protocol):
    """A graph as a function from its variables to its outputs."""

    @property
    def names(self) -> Sequence[str]:
        """The variables' names, in the order of the inputs."""

    @property
    def results(self) -> int:
        """The number of outputs."""

    @property
    def draws(self) -> int:
        """How many values inside are drawn, or computed by operators that draw."""

    @property
    def from_last(self) -> bool:
        """Whether a loop over the parts of arrays begins with the last ones."""

    def draws_early(self, training: bool) -> bool:
        """Whether there are draws, all of which can be made before it runs."""

    def sources(self, inputs: Sequence[Spec], training: bool) -> list[tuple[Operator, list[Spec]]]:
        """The operators that draw, in their order, each with the specs of its inputs."""

    def changing(self) -> str:
        """The name of a variable that training changes, or nothing."""

    def infer_specs(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec] = ()
    ) -> tuple[list[Spec], list[Spec]]:
        """All that can be known of inputs and outputs from what is known of them."""

    def run(self, arrays: Sequence[Array], training: bool, noise: Sequence[Any] = ()) -> list[Array]:
        """The outputs, computed on the kernels; `noise` was drawn before."""

    def with_draws(self) -> Subgraph:
        """The graph whose last outputs are the drawn values."""

    def without_draws(self, training: bool) -> Subgraph:
        """The graph in this mode whose last inputs are the drawn values."""

    def gradient(self, training: bool, numbers: Sequence[int] | None = None) -> Subgraph:
        """From the inputs, the outputs' gradients and the drawn values to the inputs' gradients.

        `numbers` are those of the outputs that have gradients, drawn values counted among them.
        """

    def trace(
        self,
        names: Sequence[str],
        build: Callable[..., Sequence[Any]],
        training: bool,
        from_last: bool = False,
    ) -> Subgraph:
        """The graph of `build(F, *symbols)` with variables of these names."""

    def __call__(self, *symbols: Any) -> list[Any]:
        """The outputs as symbols, computed from symbols."""


def merged(owner: str, a: Spec, b: Spec) -> Spec:
    """What two specs of one value tell together."""
    if a.dtype is not None and b.dtype is not None and a.dtype != b.dtype:
        raise DTypeError(
            f"{owner}: a variable of the loop of one dtype at every step is required, got {a.dtype} and "
            f"{b.dtype}. Cast with astype."
        )
    return Spec(unify(f"{owner}: a variable of the loop", a.shape, b.shape), a.dtype or b.dtype)


def step_shape(shape: Shape | None) -> Shape | None:
    """The shape of what one step of a loop takes of an array: MXNet has no arrays without axes."""
    return None if shape is None else shape[1:] or (1,)


def stacked_shape(length: Any, shape: Shape | None) -> Shape | None:
    """The shape of one value of each step together."""
    return None if shape is None else (length, *shape)
