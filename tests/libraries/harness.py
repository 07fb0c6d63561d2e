"""What the user's side of a library says: its models and what else is to run.

    @model("ssd_512_mobilenet1.0")
    def ssd() -> Sample: ...

    @check("translate a toy corpus")
    def translate() -> None: ...

Both run with `import mxnet as mx`, under hybridonnx's switch and, where a library has an environment for it,
with real MXNet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CHECKS", "MODELS", "REASONS", "Sample", "check", "model"]


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
        tolerance: How far numbers may be apart, relative to the largest of each output.
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
    learning_rate: float = 0.01
    names: Sequence[str] | None = None
    skip: Mapping[str, str] = field(default_factory=dict)
    settled: Callable[[Any], object] | None = None


MODELS: dict[str, Callable[[], Sample]] = {}
CHECKS: dict[str, Callable[[], None]] = {}
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
    name: str, skip: Mapping[str, str] | None = None
) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register what else is to run; it raises on failure. `skip` may give reasons for `run` and `mxnet`."""

    def register(run: Callable[[], None]) -> Callable[[], None]:
        CHECKS[_new(name)] = run
        REASONS[name] = skip or {}
        return run

    return register


def _new(name: str) -> str:
    if name in MODELS or name in CHECKS:
        raise ValueError(f"{name} is there twice.")
    return name
