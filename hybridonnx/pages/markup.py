"""HTML made of elements: whatever is not markup already is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import isfinite, isinf
from typing import Any

EMPTY = frozenset({"link", "meta", "input", "br"})
"""Elements without an end."""


class Markup(str):
    """A text that is HTML."""

    __slots__ = ()


def tag(name: str, /, *content: Any, **attributes: Any) -> Markup:
    """An element.

    Args:
        name: As in "td".
        content: Markup, and texts, which are escaped.
        attributes: `class_` is `class`, `aria_label` is `aria-label`. Those that are `True` have no value,
            those that are `None` or `False` are left out.
    """
    start = "".join([name, *(_attribute(key, value) for key, value in attributes.items())])
    inside = "".join(
        [item if isinstance(item, Markup) else escape(str(item), quote=False) for item in content]
    )
    return Markup(f"<{start}>" if name in EMPTY else f"<{start}>{inside}</{name}>")


def together(parts: Iterable[Markup]) -> Markup:
    """Markup after each other, in lines."""
    return Markup("\n".join(parts))


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


def number(value: float | None) -> str:
    """A number as tables have it, from which the script of pages sorts."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if not isfinite(value):
        return ("∞" if value > 0 else "-∞") if isinf(value) else "NaN"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


def shown(text: str, length: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
