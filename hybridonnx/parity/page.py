"""What a comparison of two models has to say, as a page for a browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..pages.markup import shown
from ..pages.page import Page, Part
from ..pages.plot import Chart, Plot, Series
from ..pages.table import Column, Histogram, Row, State, Table
from .difference import BINS, BUT, DECADES, PERCENTS, Difference, Verdict
from .results import Layer, NodeFacts, ParameterDifference, Results, Score, SizeTrial

_STATES: Mapping[Verdict, State] = {
    Verdict.AGREES: "good",
    Verdict.ROUNDING: "fair",
    Verdict.QUANTIZED: "fair",
    Verdict.FAULT: "bad",
}
_LENGTH = 150
"""How much of a name stands in a sentence; the tables have all of it."""
_MEANINGS = (
    "Each element has a bound of what rounding can do to it, and “of bound” is the largest error over that "
    "bound: above 1 it is a fault. An ulp is the distance from a number to the next one of its dtype."
)
_LAYERS = (
    "The own error is what the second model's nodes add to the first model's values before them; the whole "
    "error is that of both models run from their inputs, and so has what the layers before add."
)
_SIZES = "What is left out the first model does not take; it proves nothing."
_REFERENCE = (
    "The float64 reference is what the first model is imported as. It reads that otherwise than ONNX Runtime "
    "runs it, so that the second model is compared with what ONNX Runtime gives alone."
)
_PARAMETERS = "Of one name in both models, and not equal: a hint at what is at fault."
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
    "parameters that differ",
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
    "step of its scale",
    "own error in steps",
    "elements beyond its integers",
    "note",
)


def parity_page(parity: Results, tol: float | None) -> Page:
    """The report as a page, whose first line judges by `tol`, as in `ok`."""
    answer, state = headline(parity, tol)
    inside = [layer.own for layer in parity.layers]
    counts = {v: sum(item.verdict is v for item in inside) for v in Verdict}
    facts = {"first model": parity.models[0], "second model": parity.models[1]} if parity.models else {}
    facts["samples"] = f"{parity.samples:,}"
    if inside:
        facts["layers"] = ", ".join(f"{count:,} {v}" for v, count in counts.items() if count)
    columns = [Column("layer"), *_COLUMNS]
    columns.insert(3, Column("whole", "number", minor=True, hint="the whole error over its bound"))
    layers = Table("layers", "Layers", columns, [*map(_layer_row, parity.layers)], _LABELS, _HISTOGRAM)
    metric = parity.metric
    sections: dict[str, tuple[bool, Sequence[Part]]] = {
        "Outputs": (
            bool(parity.outputs),
            [_MEANINGS, _differences_table("outputs", "Outputs", parity.outputs)],
        ),
        "The block's own call": (
            bool(parity.call),
            [_differences_table("call", "The block's own call", parity.call)],
        ),
        "ONNX Runtime beside the reference": (
            not all(row.ok() for row in parity.reference),
            [_REFERENCE, _differences_table("reference", "The first model's outputs", parity.reference)],
        ),
        "Parameters that differ": (
            bool(parity.parameters),
            [_PARAMETERS, _parameters_table(parity.parameters)],
        ),
        "Free sizes": (bool(parity.sizes), [_SIZES, _sizes_table(parity.sizes)]),
        "Metric": (metric is not None, [_decided(metric), _changes_table(metric)] if metric else []),
        "Layers": (bool(parity.layers), [_LAYERS, _depth_plot(parity.layers), layers]),
    }
    return Page(
        "Parity of two models",
        answer,
        state,
        facts,
        (*_where(parity, tol), *parity.notes),
        {heading: parts for heading, (exists, parts) in sections.items() if exists},
        parity.environment,
    )


def headline(parity: Results, tol: float | None) -> tuple[str, State]:
    """The answer in a sentence."""
    if tol is not None:
        within = "agree" if parity.ok(tol) else "do not agree"
        return f"The models {within} within the tolerance of {tol:g}", "good" if parity.ok(tol) else "bad"
    worst = parity.first_divergence()
    if worst is None:
        but = BUT.get(parity.verdict, "")
        return f"The models compute the same{but}", _STATES[parity.verdict]
    kind = (
        "the first layer that errs by itself" if any(x.own is worst for x in parity.layers) else "an output"
    )
    return f"The models differ: {shown(worst.name, _LENGTH)} is {kind}", "bad"


def _where(parity: Results, tol: float | None) -> Iterator[str]:
    """The place of the first fault in words."""
    worst = parity.first_divergence(tol)
    if worst is None:
        return
    name = shown(worst.name, _LENGTH)
    nodes = next((", ".join(layer.nodes) for layer in parity.layers if layer.own is worst), "")
    if nodes:
        yield f"{name} is computed by {shown(nodes, 2 * _LENGTH)} in the second model."
    for layer in parity.layers:
        if layer.own is worst:
            yield from (f"{str(item)[:1].upper()}{str(item)[1:]}." for item in layer.parameters)
    if worst.index is not None:
        bound = "" if worst.bound is None else f" Rounding can put it off by {worst.bound:.3g}."
        yield f"At {_place(worst)}, {worst.expected:.9g} is required, and {worst.result:.9g} is there.{bound}"
    elif worst.note:
        yield f"{name}: {worst.note}."


_HISTOGRAM = Histogram(
    "Elements by their error over its bound; the dashed line is the bound",
    (DECADES[1] - DECADES[0]) * BINS,
    [
        ((power - DECADES[0]) / (DECADES[1] - DECADES[0]), f"1e{power}" if power else "1")
        for power in range(DECADES[0] + 2, DECADES[1], 2)
    ],
)


def _differences_table(name: str, caption: str, items: Sequence[Difference]) -> Table:
    rows = [
        Row((item.name, *_cells(item)), _STATES[item.verdict], _details(item), item.histogram)
        for item in items
    ]
    return Table(name, caption, [Column("output"), *_COLUMNS], rows, _LABELS, _HISTOGRAM)


def _sizes_table(trials: Sequence[SizeTrial]) -> Table:
    columns = (
        Column("free sizes"),
        Column("verdict", "verdict"),
        Column("of bound", "number", hint="the largest error over what rounding can do"),
        Column("note", minor=True),
    )
    return Table("sizes", "Free sizes", columns, [*map(_trial_row, trials)])


def _trial_row(trial: SizeTrial) -> Row:
    if trial.refusal:
        return Row((str(trial), "left out", None, trial.refusal))
    worst = max(trial.outputs, key=lambda d: (d.verdict is Verdict.FAULT, d.share))
    return Row((str(trial), str(worst.verdict), worst.share, worst.note), _STATES[worst.verdict])


def _parameters_table(items: Sequence[ParameterDifference]) -> Table:
    columns = (
        Column("parameter"),
        Column("differ", "number", hint="elements that differ"),
        Column("of", "number", hint="all elements"),
        Column("absolute", "number", hint="the largest difference"),
        Column("at", "short", minor=True),
        Column("required there", "number", minor=True),
        Column("result there", "number", minor=True),
        Column("note", minor=True),
    )
    rows = [
        Row(
            (
                *(item.name, item.count, item.size, item.absolute),
                str(list(item.index or ())),
                *(item.expected, item.result, item.note),
            )
        )
        for item in items
    ]
    return Table("parameters", "Parameters that differ", columns, rows)


def _decided(metric: Score) -> str:
    return (
        f"{metric.name} of {metric.samples:,} samples is {metric.first:.6g} for the first model and "
        f"{metric.second:.6g} for the second. {metric.changed:,} samples are decided otherwise."
    )


def _changes_table(metric: Score) -> Table:
    columns = (Column("sample", "number"), *(Column(t, "number") for t in ("label", "first", "second")))
    rows = [Row((change.index, change.label, change.first, change.second)) for change in metric.changes]
    return Table("changes", "Samples that are decided otherwise", columns, rows)


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
        _nodes(layer.origin_facts, layer.origins) if layer else None,
        _nodes(layer.facts, layer.nodes) if layer else None,
        "; ".join(str(item).removeprefix("the parameter ") for item in layer.parameters) if layer else None,
        item.dtype,
        item.size,
        _place(item) if there else None,
        f"{item.expected:.9g}" if there else None,
        f"{item.result:.9g}" if there else None,
        item.bound if there else None,
        *(item.percentile(p) for p in PERCENTS[:-1]),
        item.mean,
        *((None, None, None) if whole is None else (whole.share, whole.absolute, str(whole.verdict))),
        *((None, None, None) if layer is None or layer.step is None else _in_steps(layer, layer.step)),
        item.note,
    ]


def _nodes(facts: Sequence[NodeFacts], names: Sequence[str]) -> str:
    """Nodes with operators and attributes, as far as these are known."""
    return "; ".join(map(str, facts)) if facts else ", ".join(names)


def _in_steps(layer: Layer, step: float) -> tuple[float, float, int]:
    return step, layer.own.absolute / step, layer.saturated


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
