"""What a comparison of two models gives, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .difference import ORDER, Difference, Verdict


@dataclass(frozen=True)
class ParameterDifference:
    """A parameter that is another one in the second model."""

    name: str
    other: str
    """What the second model calls it."""
    shape: tuple[int, ...]
    dtype: str
    """The second model's element type, in which both are compared."""
    size: int
    count: int = 0
    """How many elements differ."""
    absolute: float = 0.0
    """The largest difference."""
    index: tuple[int, ...] | None = None
    """Where that is."""
    expected: float | None = None
    """The first model's value there."""
    result: float | None = None
    """The second model's value there."""
    note: str = ""
    """Why elements cannot be compared."""

    def __str__(self) -> str:
        also = f", {self.other} in the second model," if self.other != self.name else ""
        most = "most " if self.count > 1 else ""
        if self.note or self.index is None:
            return f"the parameter {self.name}{also} differs: {self.note}"
        return (
            f"the parameter {self.name}{also} differs: {self.count:,} of {self.size:,} elements, {most}at "
            f"{self.index}: {self.expected:.9g} is required, got {self.result:.9g}"
        )


@dataclass(frozen=True)
class NodeFacts:
    """A node of one of the models."""

    name: str
    operator: str
    attributes: Mapping[str, str]
    """As texts."""

    def __str__(self) -> str:
        parts = [self.operator, *(f"{name}={text}" for name, text in self.attributes.items())]
        return f"{self.name or self.operator}: {', '.join(parts)}"


@dataclass(frozen=True)
class Layer:
    """One value between inputs and outputs."""

    own: Difference
    """What the second model's nodes add, from the first model's values before them."""
    whole: Difference | None
    """How far the value is off where both models run from their inputs."""
    nodes: tuple[str, ...] = ()
    """The second model's nodes from the values before to this one."""
    origins: tuple[str, ...] = ()
    """The first model's nodes from there."""
    parameters: tuple[ParameterDifference, ...] = ()
    """The parameters of these nodes that are others in the second model, if the layer is at fault."""
    facts: tuple[NodeFacts, ...] = ()
    """What the second model's nodes are."""
    origin_facts: tuple[NodeFacts, ...] = ()
    """What the first model's are."""
    step: float | None = None
    """The step from a number to the next where the second model has the value quantized."""
    saturated: int = 0
    """The elements that are beyond what its integers can say."""

    @property
    def name(self) -> str:
        """The first model's name of the value."""
        return self.own.name

    def __str__(self) -> str:
        if self.step is None:
            return str(self.own)
        return f"{self.own}, {self.own.absolute / self.step:.2g} steps of {self.step:.3g}"

    def ok(self, tol: float | None = None) -> bool:
        """Whether the layer's own error is rounding at most; with `tol`, whether it is within that."""
        return self.own.ok(tol)


@dataclass(frozen=True)
class SizeTrial:
    """Both models where free sizes are these."""

    sizes: Mapping[str, int]
    changed: tuple[str, ...] = ()
    """The names of those that are others than in the samples."""
    outputs: tuple[Difference, ...] = ()
    refusal: str = ""
    """Why the first model takes no such sizes; they prove nothing then."""

    def ok(self, tol: float | None = None) -> bool:
        """Whether both models agree, or the first one takes no such sizes."""
        return all(difference.ok(tol) for difference in self.outputs)

    def __str__(self) -> str:
        return ", ".join(f"{name}={self.sizes[name]}" for name in self.changed or self.sizes)


@dataclass(frozen=True)
class Change:
    """A sample that two models decide differently."""

    index: int
    """Its place in the set."""
    label: float
    first: int
    """The first model's class."""
    second: int


@dataclass(frozen=True)
class Score:
    """What a metric says of two models on a labelled set."""

    name: str
    first: float
    second: float
    samples: int
    changed: int = 0
    """The samples whose class, the largest of the first output's columns, is another one."""
    changes: tuple[Change, ...] = ()
    """The first of these."""
    added: int = 0
    """The rows that made batches as large as the models take them; what comes of these is left out."""

    @property
    def difference(self) -> float:
        """How much the second model's value is above the first's."""
        return self.second - self.first

    def __str__(self) -> str:
        lines = [
            f"{self.name} of {self.samples:,} samples: {self.first:.6g} and {self.second:.6g}, a difference "
            f"of {self.difference:+.3g}; {self.changed:,} decisions changed"
        ]
        lines += [f"  sample {c.index}, label {c.label:g}: {c.first}, then {c.second}" for c in self.changes]
        if self.changed > len(self.changes) > 0:
            lines.append(f"  and {self.changed - len(self.changes):,} more")
        return "\n".join(lines)


@dataclass(frozen=True)
class Results:
    """How far two models are apart in their outputs, and in the layers in between."""

    outputs: tuple[Difference, ...]
    layers: tuple[Layer, ...] = ()
    call: tuple[Difference, ...] = ()
    """For a block, which may run in ONNX Runtime as well: its own call beside the reference."""
    samples: int = 1
    notes: tuple[str, ...] = ()
    sizes: tuple[SizeTrial, ...] = ()
    """Both models at other sizes, where these are free."""
    metric: Score | None = None
    """What a metric says of both on a labelled set, which `ok` does not judge."""
    models: tuple[str, ...] = ()
    """What both models are called."""
    parameters: tuple[ParameterDifference, ...] = ()
    """If anything is at fault, the parameters of one name that are others in the second model."""
    reference: tuple[Difference, ...] = ()
    """Of an ONNX file that comes first: the outputs that ONNX Runtime gives, beside the reference, which `ok`
    does not judge. Where they are at fault, the second model is compared with ONNX Runtime's alone."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Versions and the machine."""

    @property
    def verdict(self) -> Verdict:
        """The worst of all verdicts."""
        found = [item.verdict for item in self._judged()]
        return max(found, key=ORDER.index, default=Verdict.AGREES)

    def ok(self, tol: float | None = None) -> bool:
        """Whether the models compute the same.

        Args:
            tol: The relative difference that every output may have, those of a block's own call too; `None`
                judges by what rounding can do, in outputs, layers and own call.
        """
        if tol is None:
            return self.verdict is not Verdict.FAULT
        return all(d.ok(tol) for d in (*self.outputs, *self.call)) and all(t.ok(tol) for t in self.sizes)

    def first_divergence(self, tol: float | None = None) -> Difference | None:
        """The first layer that errs by itself, or else the first output that does not agree."""
        return next((difference for difference in self._judged() if not difference.ok(tol)), None)

    def _judged(self) -> Iterator[Difference]:
        """All that a verdict is of, layers first."""
        yield from (layer.own for layer in self.layers)
        yield from self.outputs
        yield from self.call
        yield from (difference for trial in self.sizes for difference in trial.outputs)
