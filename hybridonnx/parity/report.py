"""What a comparison of two models has to say, as data, as text and as a page."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from .._json import fields_of, json_text
from ..dtypes import DType
from ..errors import MXNetError
from ..ops import Array
from ..pages.markup import tag
from ..pages.notebook import table
from ..pages.page import Page, Part
from ..pages.plot import Chart, Plot, Series
from ..pages.table import Column, Histogram, Row, State, Table

_FEW_ULPS = 4.0
"""Up to how many units in the last place values agree."""
_LEAST = 1e-45
"""The least unit in the last place: of numbers below that all digits are lost."""
_DECADES = (-10, 6)
"""The powers of ten between which the histogram has its bins."""
_BINS = 4
"""How many bins a power of ten has."""
PERCENTS = (50, 90, 99)
"""The percentiles that reports have."""


class Verdict(StrEnum):
    """What a difference is."""

    AGREES = "agrees"
    """Equal, or within a few units in the last place."""
    ROUNDING = "rounding"
    """Within what rounding can do to this graph at these inputs."""
    FAULT = "fault"
    """More than rounding can do."""


_ORDER = list(Verdict)


class ParityError(MXNetError, AssertionError):
    """Two models do not compute the same."""

    report: Parity | None = None
    """What there is to say of them."""


@dataclass(frozen=True)
class Difference:
    """How far a value of the second model is from the first's."""

    name: str
    shape: tuple[int, ...]
    absolute: float
    """The largest difference."""
    relative: float
    """The largest difference over the largest magnitude of the first model's value."""
    verdict: Verdict = Verdict.AGREES
    other: str = ""
    """What the second model calls the value."""
    dtype: str = ""
    """The second model's element type."""
    size: int = 0
    """Elements, of all samples."""
    mean: float = 0.0
    """The mean absolute difference."""
    ulps: float = 0.0
    """The largest difference in units of the last place of the first model's element."""
    share: float = 0.0
    """The largest difference over the bound of what rounding can do to that element."""
    mismatches: int = 0
    """Elements beyond the bound."""
    index: tuple[int, ...] | None = None
    """The element that is farthest from its bound, or farthest off if all are within."""
    bound: float | None = None
    """How far off rounding can put that element; `None` where anything may come out."""
    expected: float | None = None
    """The first model's value there."""
    result: float | None = None
    """The second model's value there."""
    histogram: tuple[int, ...] = ()
    """How many elements are at which share of their bounds: from 1e-10 to 1e6, four bins to a decade."""
    note: str = ""
    """What there is to say beside."""

    def ok(self, tol: float | None = None) -> bool:
        """Whether it is rounding at most; with `tol`, whether the relative difference is within it."""
        return self.verdict is not Verdict.FAULT if tol is None else self.relative <= tol

    def percentile(self, percent: float) -> float:
        """The share of their bounds that so many percent of the elements stay below."""
        counts = np.cumsum(self.histogram)
        if not counts.size or not counts[-1]:
            return 0.0
        place = int(np.searchsorted(counts, counts[-1] * percent / 100))
        return float(min(10.0 ** (_DECADES[0] + place / _BINS), self.share))

    def __str__(self) -> str:
        return (
            f"{self.name:<40} {self.shape!s:<20} {self.absolute:9.2e} {self.relative:9.2e} {self.ulps:9.3g} "
            f"{self.share:9.2e} {self.verdict}{f': {self.note}' if self.note else ''}"
        )


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
        return max(found, key=_ORDER.index, default=Verdict.AGREES)

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
        return _page(self, tol).write(path)

    def _repr_html_(self) -> str:
        headline, _ = _headline(self, None)
        rows = [(d.name, str(d.verdict), d.share, d.absolute, str(d.shape)) for d in self.outputs]
        rows += [
            (x.name, str(x.own.verdict), x.own.share, x.own.absolute, str(x.own.shape))
            for x in self.layers
            if not x.ok()
        ]
        return tag(
            "div",
            tag("p", tag("b", headline)),
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


# ---- page

_STATES: Mapping[Verdict, State] = {
    Verdict.AGREES: "good",
    Verdict.ROUNDING: "fair",
    Verdict.FAULT: "bad",
}
_MEANINGS = (
    "Each element has a bound of what rounding can do to it, and “of bound” is the largest error over that "
    "bound: above 1 it is a fault. An ulp is the distance from a number to the next one of its dtype."
)
_LAYERS = (
    "The own error is what the second model's nodes add to the first model's values before them; the whole "
    "error is that of both models run from their inputs, and so has what the layers before add."
)
_COLUMNS = (
    Column("verdict", "verdict"),
    Column("of bound", "number", hint="the largest error over what rounding can do"),
    Column("99 %", "number", minor=True, hint="99 of 100 elements stay below this part of their bounds"),
    Column("absolute", "number", minor=True, hint="the largest difference"),
    Column("relative", "number", minor=True, hint="that over the largest magnitude"),
    Column("ulps", "number", minor=True, hint="in units of the last place"),
    Column("faults", "number", minor=True, hint="elements beyond their bounds"),
    Column("shape", "short", minor=True),
)
_LABELS = (
    "called in the second model",
    "first model's nodes",
    "second model's nodes",
    "dtype",
    "elements",
    "worst at",
    "required there",
    "result there",
    "bound there",
    *(f"{p} % of elements below, of bound" for p in PERCENTS[:-1]),
    "mean absolute error",
    "whole error, of bound",
    "whole error, absolute",
    "verdict of the whole error",
    "note",
)


def _page(parity: Parity, tol: float | None) -> Page:
    headline, state = _headline(parity, tol)
    inside = [layer.own for layer in parity.layers]
    counts = {v: sum(item.verdict is v for item in inside) for v in Verdict}
    facts = {"first model": parity.models[0], "second model": parity.models[1]} if parity.models else {}
    facts["samples"] = f"{parity.samples:,}"
    if inside:
        facts["layers"] = ", ".join(f"{count:,} {v}" for v, count in counts.items() if count)
    columns = [Column("layer"), *_COLUMNS]
    columns.insert(3, Column("whole", "number", minor=True, hint="the whole error over its bound"))
    layers = Table("layers", "Layers", columns, [*map(_layer_row, parity.layers)], _LABELS, _HISTOGRAM)
    sections: dict[str, Sequence[Part]] = {
        "Outputs": [_MEANINGS, _differences_table("outputs", "Outputs", parity.outputs)],
        "The block's own call": [_differences_table("call", "The block's own call", parity.call)],
        "Layers": [_LAYERS, _depth_plot(parity.layers), layers],
    }
    kept = {
        "Outputs": bool(parity.outputs),
        "The block's own call": bool(parity.call),
        "Layers": bool(parity.layers),
    }
    return Page(
        "Parity of two models",
        headline,
        state,
        facts,
        (*_where(parity, tol), *parity.notes),
        {heading: parts for heading, parts in sections.items() if kept[heading]},
        parity.environment,
    )


def _headline(parity: Parity, tol: float | None) -> tuple[str, State]:
    """The answer in a sentence."""
    if tol is not None:
        within = "agree" if parity.ok(tol) else "do not agree"
        return f"The models {within} within the tolerance of {tol:g}", "good" if parity.ok(tol) else "bad"
    worst = parity.first_divergence()
    if worst is None:
        but = "" if parity.verdict is Verdict.AGREES else " but for rounding"
        return f"The models compute the same{but}", _STATES[parity.verdict]
    kind = (
        "the first layer that errs by itself" if any(x.own is worst for x in parity.layers) else "an output"
    )
    return f"The models differ: {worst.name} is {kind}", "bad"


def _where(parity: Parity, tol: float | None) -> Iterator[str]:
    """The place of the first fault in words."""
    worst = parity.first_divergence(tol)
    if worst is None:
        return
    nodes = next((", ".join(layer.nodes) for layer in parity.layers if layer.own is worst), "")
    if nodes:
        yield f"{worst.name} is computed by {nodes} in the second model."
    if worst.index is not None:
        bound = "" if worst.bound is None else f" Rounding can put it off by {worst.bound:.3g}."
        yield f"At {_place(worst)}, {worst.expected:.9g} is required, and {worst.result:.9g} is there.{bound}"
    elif worst.note:
        yield f"{worst.name}: {worst.note}."


_HISTOGRAM = Histogram(
    "Elements by their error over its bound; the dashed line is the bound",
    (_DECADES[1] - _DECADES[0]) * _BINS,
    [
        ((power - _DECADES[0]) / (_DECADES[1] - _DECADES[0]), f"1e{power}" if power else "1")
        for power in range(_DECADES[0] + 2, _DECADES[1], 2)
    ],
)


def _differences_table(name: str, caption: str, items: Sequence[Difference]) -> Table:
    rows = [
        Row((item.name, *_cells(item)), _STATES[item.verdict], _details(item), item.histogram)
        for item in items
    ]
    return Table(name, caption, [Column("output"), *_COLUMNS], rows, _LABELS, _HISTOGRAM)


def _layer_row(layer: Layer) -> Row:
    cells = [layer.name, *_cells(layer.own)]
    cells.insert(3, None if layer.whole is None else layer.whole.share)
    details = _details(layer.own, layer)
    return Row(cells, _STATES[layer.own.verdict], details, layer.own.histogram)


def _cells(item: Difference) -> list[Any]:
    numbers = [item.share, item.percentile(99), item.absolute, item.relative, item.ulps, item.mismatches]
    return [str(item.verdict), *numbers, str(item.shape)]


def _details(item: Difference, layer: Layer | None = None) -> list[Any]:
    whole = None if layer is None else layer.whole
    there = item.index is not None
    return [
        item.other if item.other != item.name else None,
        ", ".join(layer.origins) if layer else None,
        ", ".join(layer.nodes) if layer else None,
        item.dtype,
        item.size,
        _place(item) if there else None,
        f"{item.expected:.9g}" if there else None,
        f"{item.result:.9g}" if there else None,
        item.bound if there else None,
        *(item.percentile(p) for p in PERCENTS[:-1]),
        item.mean,
        *((None, None, None) if whole is None else (whole.share, whole.absolute, str(whole.verdict))),
        item.note,
    ]


def _place(item: Difference) -> str:
    return f"[{', '.join(map(str, item.index or ()))}]"


def _depth_plot(layers: Sequence[Layer]) -> Plot:
    own, whole = [layer.own for layer in layers], [layer.whole for layer in layers]
    faults = frozenset(i for i, item in enumerate(own) if item.verdict is Verdict.FAULT)
    shares = Chart(
        "Error over its bound",
        [
            Series("whole error", [None if item is None else item.share for item in whole], 1),
            Series("own error", [item.share for item in own], bad=faults),
        ],
        limit=1.0,
        limit_title="the bound",
    )
    errors = Chart(
        "Error beside its bound, at the element that is nearest to its bound",
        [
            Series("bound of the whole error", [_bound(item) for item in whole], 1, form="dashes"),
            Series("bound of the own error", [_bound(item) for item in own], form="dashes"),
            Series("whole error", [_error(item) for item in whole], 1),
            Series("own error", [_error(item) for item in own], bad=faults),
        ],
    )
    return Plot("depth", "layers", "layers, from inputs to outputs", [shares, errors])


def _bound(item: Difference | None) -> float | None:
    return None if item is None else item.bound


def _error(item: Difference | None) -> float | None:
    """The difference where a value is farthest from its bound."""
    if item is None or item.expected is None or item.result is None:
        return None if item is None else item.absolute
    if item.expected == item.result:
        return 0.0
    off = abs(item.expected - item.result)
    return off if np.isfinite(off) else float("inf")


# ---- comparison


class Exact(NamedTuple):
    """What a value should be."""

    value: Array
    """In float64 where it is a floating-point number."""
    bound: Any
    """How far off each element may be by rounding; infinite where anything may come out."""


def difference(name: str, expected: Array, result: Array, exact: Exact | None = None) -> Difference:
    """Compare two values.

    Args:
        name: What the value is called.
        expected: The first model's.
        result: The second's. Of another shape it differs infinitely.
        exact: What both should be; without it they should be equal.
    """
    shape, dtype = result.shape, str(result.dtype)
    if expected.shape != shape:
        note = f"shape {expected.shape} is required, got {shape}"
        return Difference(name, shape, np.inf, np.inf, Verdict.FAULT, dtype=dtype, share=np.inf, note=note)
    if not result.size:
        return Difference(name, shape, 0.0, 0.0, dtype=dtype)
    if result.dtype.kind not in "biufV" or expected.dtype.kind not in "biufV":
        return _of_texts(name, expected, result)
    a, b = np.asarray(expected, np.float64), np.asarray(result, np.float64)
    off, unit = _distances(a, b), unit_of(expected.dtype)
    finite = np.where(np.isfinite(a), np.abs(a), 0.0)
    ulps = np.zeros(shape)
    np.divide(off, np.maximum(unit * finite, _LEAST) if unit else 1.0, out=ulps, where=off > 0)
    share = np.where(off > 0, np.inf, 0.0) if exact is None else _shares(exact, off, b)
    worst = int(share.argmax()) if share.max() > 1 else int(off.argmax())
    index = tuple(map(int, np.unravel_index(worst, shape)))
    largest, counted = float(off.max()), off[np.isfinite(off)]
    beyond = int((share > 1).sum())
    few = (ulps <= _FEW_ULPS if unit else off == 0).all()
    return Difference(
        name,
        shape,
        largest,
        largest / max(float(finite.max()), 1e-6),
        Verdict.FAULT if beyond else Verdict.AGREES if few else Verdict.ROUNDING,
        dtype=dtype,
        size=a.size,
        mean=float(counted.mean()) if counted.size else float("inf"),
        ulps=float(ulps.max()),
        share=float(share.max()),
        mismatches=beyond,
        index=index,
        bound=_bound_at(exact, index, shape),
        expected=float(a[index]),
        result=float(b[index]),
        histogram=_histogram(share),
    )


def _shares(exact: Exact, off: Array, result: Array) -> Array:
    """How far elements are from what they should be, or from the first model's, over their bounds."""
    off = np.minimum(off, _distances(np.asarray(exact.value, np.float64), result))
    bounds = np.broadcast_to(np.asarray(exact.bound, np.float64), off.shape)
    with np.errstate(all="ignore"):
        return np.where((off == 0) | np.isposinf(bounds), 0.0, off / bounds)


def _bound_at(exact: Exact | None, index: tuple[int, ...], shape: tuple[int, ...]) -> float | None:
    """How far off an element may be."""
    bound = 0.0 if exact is None else float(np.broadcast_to(exact.bound, shape)[index])
    return bound if np.isfinite(bound) else None


def _of_texts(name: str, expected: Array, result: Array) -> Difference:
    other = np.asarray(expected.astype(str) != result.astype(str))
    off = float(other.any())
    verdict = Verdict.FAULT if off else Verdict.AGREES
    return Difference(
        name, result.shape, off, off, verdict, size=result.size, mismatches=int(other.sum()), share=off
    )


def _distances(a: Array, b: Array) -> Array:
    """How far elements are apart: not at all where both are the same infinity, or NaN."""
    with np.errstate(all="ignore"):
        off = np.abs(a - b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0.0, np.where(np.isfinite(off), off, np.inf))


def _histogram(share: Array) -> tuple[int, ...]:
    low, high = _DECADES
    bins = (high - low) * _BINS
    with np.errstate(all="ignore"):
        places = np.floor((np.log10(share.ravel()) - low) * _BINS)
    counts = np.bincount(np.clip(np.nan_to_num(places, posinf=bins), 0, bins - 1).astype(int), minlength=bins)
    return tuple(map(int, counts))


def together(differences: Sequence[Difference]) -> Difference:
    """The differences of one value in several samples as one."""
    if len(differences) == 1:
        return differences[0]
    worst = max(differences, key=lambda d: (_ORDER.index(d.verdict), d.share, d.absolute))
    size = sum(d.size for d in differences)
    return replace(
        worst,
        absolute=max(d.absolute for d in differences),
        relative=max(d.relative for d in differences),
        ulps=max(d.ulps for d in differences),
        share=max(d.share for d in differences),
        mean=sum(d.mean * d.size for d in differences) / max(size, 1),
        size=size,
        mismatches=sum(d.mismatches for d in differences),
        histogram=tuple(map(sum, zip(*(d.histogram for d in differences if d.histogram), strict=True))),
    )


def unit_of(dtype: DType) -> float:
    """The distance from 1 to the next number of a dtype; 0 of integers."""
    if dtype.kind == "f":
        return float(np.finfo(dtype).eps)
    return 2.0**-7 if dtype.kind == "V" else 0.0
