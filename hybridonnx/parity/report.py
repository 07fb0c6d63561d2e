"""What a comparison of two models has to say, as data and as text."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._json import fields_of, json_text
from ..errors import MXNetError
from ..pages.markup import tag
from ..pages.notebook import table
from .difference import ORDER, PERCENTS, Difference, Verdict
from .page import headline, parity_page


class ParityError(MXNetError, AssertionError):
    """Two models do not compute the same."""

    report: Parity | None = None
    """What there is to say of them."""


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

    @property
    def name(self) -> str:
        """The first model's name of the value."""
        return self.own.name

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


_HEADER = f"{'{}':<40} {'shape':<20} {'absolute':>9} {'relative':>9} {'ulps':>9} {'of bound':>9} verdict"
_TITLES = {"outputs": "output", "layers": "layer, own error", "call": "own call"}


@dataclass(frozen=True)
class Parity:
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

    def raise_if_failed(self, tol: float | None = None) -> None:
        """Raise `ParityError` with the report, unless `ok(tol)`."""
        if not self.ok(tol):
            error = ParityError(str(self))
            error.report = self
            raise error

    def to_json(self, indent: int | None = None) -> str:
        """All of it as a JSON document, with percentiles of the elements' shares of their bounds."""
        content = {
            "outputs": [_facts(item) for item in self.outputs],
            "layers": [_layer_facts(item) for item in self.layers],
            "call": [_facts(item) for item in self.call],
        }
        return json_text({"ok": self.ok(), "verdict": self.verdict, **fields_of(self), **content}, indent)

    def to_html(self, path: str | os.PathLike[str] | None = None, tol: float | None = None) -> str:
        """All of it as a page for a browser: one file, which needs no network.

        Args:
            path: A file to write it to, if it shall be.
            tol: What the page's first line judges by, as in `ok`.

        Returns:
            The page.
        """
        return parity_page(self, tol).write(path)

    def _repr_html_(self) -> str:
        answer, _ = headline(self, None)
        rows = [(d.name, str(d.verdict), d.share, d.absolute, str(d.shape)) for d in self.outputs]
        rows += [
            (x.name, str(x.own.verdict), x.own.share, x.own.absolute, str(x.own.shape))
            for x in self.layers
            if not x.ok()
        ]
        return tag(
            "div",
            tag("p", tag("b", answer)),
            table(("output, or layer at fault", "verdict", "of bound", "absolute", "shape"), rows),
        )

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for attribute, title in _TITLES.items():
            rows = [getattr(row, "own", row) for row in getattr(self, attribute)]
            if rows:
                yield _HEADER.format(title)
                yield from map(str, rows)
                yield ""
        yield from self.notes
        if self.call:
            verb = "agrees with" if all(difference.ok() for difference in self.call) else "differs from"
            yield f"the block's own call {verb} the kernels"
        yield from _proven(self.sizes)
        if self.metric is not None:
            yield str(self.metric)
        worst = self.first_divergence()
        if worst is None:
            but = "" if self.verdict is Verdict.AGREES else " but for rounding"
            yield f"all agree{but}, in {self.samples} sample{'s' if self.samples > 1 else ''}"
            return
        place = next((layer for layer in self.layers if layer.own is worst), None)
        nodes = f", computed by {', '.join(place.nodes)}" if place else ""
        yield f"first divergence: {worst.name}{nodes}"
        if worst.index is not None:
            yield f"  at {worst.index}: {worst.expected:.9g} is required, got {worst.result:.9g}"


def _proven(trials: Sequence[SizeTrial]) -> Iterator[str]:
    """Which free sizes are proven, which are not, and which the first model does not take."""
    proven: dict[str, dict[int, None]] = {}
    refused: dict[str, str] = {}
    for trial in trials:
        if trial.refusal:
            refused[str(trial)] = trial.refusal
        elif trial.ok():
            for name, size in trial.sizes.items():
                proven.setdefault(name, {})[size] = None
    if proven:
        texts = [f"{name} at {', '.join(map(str, sorted(sizes)))}" for name, sizes in proven.items()]
        yield f"free sizes agree: {'; '.join(texts)}"
    for trial in trials:
        if not trial.ok():
            worst = next(difference for difference in trial.outputs if not difference.ok())
            reason = worst.note or f"{worst.name} is {worst.share:.3g} times its bound off"
            yield f"fault at {trial}: {reason}"
    alone = [text for text in refused if ", " not in text and not _is_in(text, proven)]
    if alone:
        yield f"left out, as the first model does not take them: {', '.join(alone)}"


def _is_in(text: str, proven: Mapping[str, Collection[int]]) -> bool:
    name, _, size = text.rpartition("=")
    return int(size) in proven.get(name, ())


def _facts(item: Difference) -> dict[str, Any]:
    return {**fields_of(item), "percentiles": {p: item.percentile(p) for p in PERCENTS}}


def _layer_facts(item: Layer) -> dict[str, Any]:
    whole = None if item.whole is None else _facts(item.whole)
    return {**fields_of(item), "own": _facts(item.own), "whole": whole}
