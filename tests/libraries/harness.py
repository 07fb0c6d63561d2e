"""What the user's side of a library says: its models and what else is to run.

    @model("ssd_512_mobilenet1.0")
    def ssd() -> Sample: ...

    @check("translate a toy corpus")
    def translate() -> Numbers | None: ...

Both run with `import mxnet as mx`, under hybridonnx's switch and, where a library has an environment for it,
with real MXNet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CHECKS", "MODELS", "REASONS", "TOLERANCES", "Numbers", "Sample", "check", "model"]


Numbers = Mapping[str, Any]
"""Arrays of any kind, or numbers, by name."""


@dataclass
class Sample:
    """A model with what it takes for one training step.

    Attributes:
        net: A block with initialized parameters.
        inputs: Arrays for prediction.
        loss: A function of the block's outputs while training that gives an array; its mean is minimized.
        train_inputs: Arrays for training, where they are others than for prediction.
        free: Axes of all inputs whose sizes stay open in the ONNX file.
        nodes: Operators that the ONNX file has to have, such as NonMaxSuppression.
        tolerance: How far outputs and losses may be apart, relative to the largest of each.
        step_tolerance: The same for gradients' norms, and for what comes after a step: deep networks with
            weights that are drawn make much of the last bit.
        learning_rate: Of the steps of SGD.
        names: The inputs' names in exported files, where they are not data, or data0, data1 …
        skip: Steps that are known to fail, with the reason; one that passes is a failure.
        settled: What is called with the block before a comparison with real MXNet, where taking the
            dropout out is not enough to make training steps comparable.
    """

    net: Any
    inputs: Sequence[Any]
    loss: Callable[[Any], Any]
    train_inputs: Sequence[Any] | None = None
    free: Sequence[int] = ()
    nodes: Sequence[str] = ()
    tolerance: float = 1e-3
    step_tolerance: float = 2e-2
    learning_rate: float = 1e-3
    names: Sequence[str] | None = None
    skip: Mapping[str, str] = field(default_factory=dict)
    settled: Callable[[Any], object] | None = None


MODELS: dict[str, Callable[[], Sample]] = {}
CHECKS: dict[str, Callable[[], Numbers | None]] = {}
TOLERANCES: dict[str, float] = {}
REASONS: dict[str, Mapping[str, str]] = {}
"""Why steps fail, by row; of models, what is known before they are built."""


def model(
    name: str, skip: Mapping[str, str] | None = None
) -> Callable[[Callable[[], Sample]], Callable[[], Sample]]:
    """Register what builds a model; `skip` gives reasons as a Sample's does, for `build` as well."""

    def register(build: Callable[[], Sample]) -> Callable[[], Sample]:
        MODELS[_new(name)] = build
        REASONS[name] = skip or {}
        return build

    return register


def check(
    name: str, skip: Mapping[str, str] | None = None, tolerance: float = 1e-4
) -> Callable[[Callable[[], Numbers | None]], Callable[[], Numbers | None]]:
    """Register what else is to run: it raises on failure, or gives numbers by name.

    The numbers have to be those that real MXNet gives, relative to the largest of each array. `skip` may give
    reasons for `run` (here) and `mxnet` (with real MXNet, and the comparison).
    """

    def register(run: Callable[[], Numbers | None]) -> Callable[[], Numbers | None]:
        CHECKS[_new(name)] = run
        REASONS[name] = skip or {}
        TOLERANCES[name] = tolerance
        return run

    return register


def _new(name: str) -> str:
    if name in MODELS or name in CHECKS:
        raise ValueError(f"{name} is there twice.")
    return name
