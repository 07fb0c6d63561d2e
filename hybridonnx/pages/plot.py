"""Numbers along a list of things, such as errors along the depth of a network, as pictures in a page.

A picture fills the width that there is: lines and dots keep their thickness, and what is written stands
beside the picture as HTML. Each has a logarithmic and a linear scale, between which the script switches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Any, Literal, NamedTuple

from .bars import step
from .markup import Markup, number, tag, together

_WIDTH, _HEIGHT = 1000, 300
_DECADES = 18
"""How many powers of ten a logarithmic scale has at most, from its top."""
_LABELS = 7
"""How many numbers stand at a scale at most."""


@dataclass(frozen=True)
class Series:
    """Some numbers of one meaning."""

    title: str
    values: Sequence[float | None]
    color: int = 0
    form: Literal["dots", "dashes", "stems"] = "dots"
    """Dashes are for what others are beside, such as limits; stems stand on the ground."""
    bad: Collection[int] = ()
    """Which of them stand out."""


@dataclass(frozen=True)
class Chart:
    """Series of one quantity."""

    title: str
    series: Sequence[Series]
    limit: float | None = None
    limit_title: str = ""


@dataclass(frozen=True)
class Plot:
    """Charts of which one is shown."""

    name: str
    """Which the script calls it by; one word."""
    table: str
    """The table whose rows the numbers belong to."""
    axis: str
    """What lies along the width: "layers, from inputs to outputs"."""
    charts: Sequence[Chart]
    linear: bool = False
    """Whether it is the linear scale that is shown first."""

    def markup(self) -> Markup:
        """The charts as HTML, all but one of them hidden."""
        first = ("linear" if self.linear else "logarithmic", 0)
        charts = [
            tag(
                "div",
                _markup(chart, scale, self.axis),
                class_="chart",
                data_scale=scale,
                data_quantity=i,
                data_title=chart.title,
                hidden=(scale, i) != first,
            )
            for i, chart in enumerate(self.charts)
            for scale in ("logarithmic", "linear")
        ]
        return tag("figure", together(charts), class_="plot", data_name=self.name)

    def data(self) -> dict[str, Any]:
        """The numbers, which the script says of what a pointer is at."""
        quantities = [
            {
                "series": [s.title for s in chart.series],
                "values": [[*map(number, s.values)] for s in chart.series],
            }
            for chart in self.charts
        ]
        return {self.name: {"table": self.table, "quantities": quantities}}


class _Scale(NamedTuple):
    """Where numbers are between the bottom, 0, and the top, 1."""

    low: float
    high: float
    logarithmic: bool

    def place(self, value: float) -> float:
        if value != value or value == float("inf"):
            return 1.0
        if self.logarithmic:
            value = log10(value) if value > 0 else self.low
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Where there are lines, and what stands at them."""
        if not self.logarithmic:
            each = step(self.high)
            for i in range(round(self.high / each) + 1):
                yield self.place(i * each), f"{i * each:.6g}"
            return
        every = ceil((self.high - self.low + 1) / _LABELS)
        for power in range(int(self.high), int(self.low) - 1, -every):
            yield self.place(10.0**power), f"1e{power}" if abs(power) > 3 else f"{10.0**power:g}"


def _scale(chart: Chart, logarithmic: bool) -> _Scale:
    values = [v for s in chart.series for v in s.values if v is not None and isfinite(v)]
    values += [] if chart.limit is None else [chart.limit]
    if not logarithmic:
        top = max(values, default=0.0)
        each = step(top)
        return _Scale(0.0, each * max(ceil(top / each - 1e-9), 1), False)
    sizes = [v for v in values if v > 0] or [1.0]
    high = ceil(log10(max(sizes)) - 1e-9)
    low = floor(log10(min(sizes)) - 1e-9)  # below all, so that they are apart from 0
    return _Scale(max(low, high - _DECADES), high, True)


def _markup(chart: Chart, kind: Literal["logarithmic", "linear"], axis: str) -> Markup:
    scale = _scale(chart, kind == "logarithmic")
    ticks = list(scale.ticks())
    labels = [tag("span", text, style=f"bottom:{100 * place:.2f}%") for place, text in ticks]
    lines = [_across("grid", place) for place, _ in ticks]
    if chart.limit is not None:
        lines.append(_across("limit", scale.place(chart.limit)))
    count = max((len(s.values) for s in chart.series), default=0)
    size = "small" if count > 400 else ""
    parts = [part for s in chart.series for part in _paths(s, scale, size)]
    picture = tag(
        "svg",
        *lines,
        *parts,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=_summary(chart, kind, axis),
    )
    return together(
        [
            tag("p", f"{chart.title}, {kind} scale", class_="title"),
            tag("div", *labels, tag("div", picture, class_="canvas"), class_="frame"),
            tag("p", f"{axis}: {count:,}" if count else "nothing to show", class_="axis"),
            tag("ul", *_legend(chart), class_="legend"),
        ]
    )


def _legend(chart: Chart) -> Iterator[Markup]:
    for s in chart.series:
        yield tag("li", tag("i", class_=f"{'line' if s.form == 'dashes' else 'dot'} color{s.color}"), s.title)
    if chart.limit is not None:
        yield tag("li", tag("i", class_="line limit"), chart.limit_title)


def _summary(chart: Chart, kind: str, axis: str) -> str:
    """What those hear who do not see the picture."""
    parts = [f"{chart.title} of {axis}, {kind} scale"]
    for s in chart.series:
        values = [v for v in s.values if v is not None]
        if values:
            parts.append(f"{s.title}: from {number(min(values))} to {number(max(values))}")
    return "; ".join(parts)


def _across(kind: str, place: float) -> Markup:
    y = _HEIGHT * (1 - place)
    return tag("path", d=f"M0 {y:.1f}H{_WIDTH}", class_=kind)


def _paths(series: Series, scale: _Scale, size: str) -> Iterator[Markup]:
    count = max(len(series.values), 1)
    points = [
        (i, _WIDTH * (i + 0.5) / count, _HEIGHT * (1 - scale.place(value)))
        for i, value in enumerate(series.values)
        if value is not None
    ]
    if series.form == "dashes":
        half = 0.4 * _WIDTH / count
        dashes = "".join(f"M{x - half:.1f} {y:.1f}h{2 * half:.1f}" for _, x, y in points)
        yield tag("path", d=dashes, class_=f"line color{series.color}")
        return
    if series.form == "stems":
        stems = "".join(f"M{x:.1f} {_HEIGHT}V{y:.1f}" for _, x, y in points)
        yield tag("path", d=stems, class_=f"stems color{series.color}")
    good = [p for p in points if p[0] not in series.bad]
    for some, more in ((good, ""), ([p for p in points if p[0] in series.bad], "bad")):
        if some:
            d = "".join(f"M{x:.1f} {y:.1f}h0" for _, x, y in some)
            yield tag(
                "path", d=d, class_=" ".join(filter(None, ["dots", f"color{series.color}", size, more]))
            )
