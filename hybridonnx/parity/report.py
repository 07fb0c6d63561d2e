"""What a comparison of two models has to say, as data and as text."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._json import fields_of, json_text
from ..errors import MXNetError
from ..pages.markup import tag
from ..pages.notebook import table
from .difference import BUT, PERCENTS, Difference
from .page import headline, parity_page
from .results import Layer, ParameterDifference, Results, SizeTrial


class ParityError(MXNetError, AssertionError):
    """Two models do not compute the same."""

    report: Parity | None = None
    """What there is to say of them."""


_HEADER = f"{'{}':<40} {'shape':<20} {'absolute':>9} {'relative':>9} {'ulps':>9} {'of bound':>9} verdict"
_FEW = 5
"""So many parameters that differ are told."""
_MANY = 20
"""So many layers at fault are told."""


@dataclass(frozen=True)
class Parity(Results):
    """How far two models are apart in their outputs, and in the layers in between."""

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
            "reference": [_facts(item) for item in self.reference],
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
        faulty = [layer for layer in self.layers if not layer.ok()]
        saturated = [layer for layer in self.layers if layer.ok() and layer.saturated]
        yield from _table("output", self.outputs)
        yield from _table("layer at fault, own error", faulty[:_MANY])
        yield from _table("layer that is cut off, own error", saturated[:_MANY])
        yield from _table("own call", self.call)
        yield from self.notes
        if self.layers:
            yield _layers_line(self.layers, len(faulty))
        if self.call:
            verb = "agrees with" if all(difference.ok() for difference in self.call) else "differs from"
            yield f"the block's own call {verb} the kernels"
        yield from _proven(self.sizes)
        if self.metric is not None:
            yield str(self.metric)
        if not all(row.ok() for row in self.reference):
            yield _HEADER.format("ONNX Runtime beside the reference")
            yield from map(str, self.reference)
        worst = self.first_divergence()
        if worst is None:
            but = BUT.get(self.verdict, "")
            yield f"all agree{but}, in {self.samples} sample{'s' if self.samples > 1 else ''}"
            return
        place = next((layer for layer in self.layers if layer.own is worst), None)
        nodes = f", computed by {', '.join(place.nodes)}" if place else ""
        yield f"first divergence: {worst.name}{nodes}"
        if worst.index is not None:
            yield f"  at {worst.index}: {worst.expected:.9g} is required, got {worst.result:.9g}"
        elif worst.note:
            yield f"  {worst.note}"
        yield from _parameters(place.parameters if place else (), self.parameters)


def _table(title: str, rows: Sequence[Any]) -> Iterator[str]:
    if rows:
        yield _HEADER.format(title)
        yield from map(str, rows)
        yield ""


def _layers_line(layers: Sequence[Layer], faulty: int) -> str:
    """How many layers there are, how many are at fault, and which of the others is the farthest off."""
    count = f"{len(layers):,} layer{'s' if len(layers) > 1 else ''}"
    if faulty:
        more = f", of which the first {_MANY} are above" if faulty > _MANY else ""
        return f"{count}, {faulty:,} at fault{more}"
    worst = max(layers, key=lambda layer: layer.own.share)
    farthest = f"; the farthest off is {worst.name}, {worst.own.share:.2g} times its bound"
    return f"{count}, none at fault{farthest if worst.own.share else ''}"


def _parameters(near: Sequence[ParameterDifference], others: Sequence[ParameterDifference]) -> Iterator[str]:
    """The parameters that differ: those of the layer at fault, or else the first ones of all."""
    yield from (f"  {item}" for item in near or others[:_FEW])
    told = {item.name for item in near or others[:_FEW]}
    rest = [item.name for item in others if item.name not in told]
    if rest:
        more = f" and {len(rest) - _FEW:,} more" if len(rest) > _FEW else ""
        yield f"  parameters that differ as well: {', '.join(rest[:_FEW])}{more}"


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
