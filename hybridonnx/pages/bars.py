"""Bars with whiskers as an SVG picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999")
"""Told apart by those who do not see all colours, too."""
_BAR, _GAP, _LEFT, _TOP, _HEIGHT = 28, 24, 72, 56, 260
_LETTER = 7
"""About the width of a letter."""
_FONT = "font-family='system-ui, sans-serif'"


class Bar(NamedTuple):
    """A bar up to `value`, with a line on to `whisker`."""

    series: int
    """Which of the series it belongs to."""
    value: float
    whisker: float
    text: str
    """What is shown when a pointer is on it."""


def bars(
    title: str,
    unit: str,
    series: Sequence[str],
    groups: Sequence[tuple[str, Sequence[Bar]]],
    background: str = "white",
) -> str:
    """A picture of groups of bars, which have a bar of each series.

    The values are also in the picture as texts, for screen readers. Texts have the colour of what is around.
    """
    top = max((bar.whisker for _, row in groups for bar in row), default=0.0)
    each = step(top)
    lines = max(ceil(top / each), 1)
    longest = max((len(name) for name, _ in groups), default=0)
    group = max(_BAR * len(series), _LETTER * longest) + _GAP
    width = max(_LEFT + group * len(groups) + _GAP, _LEFT + 8 * max(map(len, [title, *series])) + _GAP)
    height = _TOP + _HEIGHT + 44 + 18 * len(series)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' role='img' aria-label='{escape(title)}'>",
        f"<title>{escape(title)}</title>",
        f"<rect width='{width}' height='{height}' fill='{background}'/>",
        _text(_GAP / 2, 24, title, size=15),
        *_grid(each, lines, width, unit),
    ]
    scale = _HEIGHT / (each * lines)
    for i, (name, row) in enumerate(groups):
        middle = _LEFT + (i + 0.5) * group
        left = middle - _BAR * len(series) / 2
        parts += [_bar(bar, left + _BAR * bar.series, scale) for bar in row]
        parts.append(_text(middle, _TOP + _HEIGHT + 18, name, anchor="middle"))
    for i, name in enumerate(series):
        y = _TOP + _HEIGHT + 40 + 18 * i
        parts.append(f"<rect x='{_LEFT}' y='{y - 10}' width='12' height='12' fill='{_color(i)}'/>")
        parts.append(_text(_LEFT + 18, y, name))
    return "\n".join([*parts, "</svg>", ""])


def _grid(each: float, lines: int, width: int, unit: str) -> list[str]:
    parts = [_text(_GAP / 2, _TOP - 12, unit)]
    for i in range(lines + 1):
        y = _TOP + _HEIGHT - _HEIGHT * i / lines
        parts.append(
            f"<line x1='{_LEFT}' x2='{width - _GAP / 2:g}' y1='{y:.1f}' y2='{y:.1f}' stroke='#888' "
            "stroke-opacity='.35'/>"
        )
        parts.append(_text(_LEFT - 8, y + 4, f"{each * i:g}", anchor="end"))
    return parts


def _bar(bar: Bar, x: float, scale: float) -> str:
    base = _TOP + _HEIGHT
    y, end, middle = base - bar.value * scale, base - bar.whisker * scale, x + _BAR / 2
    return (
        f"<g><title>{escape(bar.text)}</title>"
        f"<rect class='bar' x='{x + 2:g}' y='{y:.2f}' width='{_BAR - 4}' height='{base - y:.2f}' "
        f"fill='{_color(bar.series)}'/>"
        f"<path d='M{middle:g} {y:.2f}V{end:.2f}M{middle - 6:g} {end:.2f}h12' stroke='currentColor' "
        "fill='none'/></g>"
    )


def _text(x: float, y: float, text: str, size: int = 12, anchor: str = "start") -> str:
    return (
        f"<text x='{x:g}' y='{y:g}' font-size='{size}' text-anchor='{anchor}' fill='currentColor' {_FONT}>"
        f"{escape(text)}</text>"
    )


def _color(series: int) -> str:
    return COLORS[series % len(COLORS)]


def step(top: float) -> float:
    """A round number of which about five reach `top`."""
    if top <= 0:
        return 1.0
    power = 10.0 ** floor(log10(top / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor * 5 >= top)
