"""What objects look like in notebooks: small, escaped, and without scripts or styles of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .markup import Markup, number, shown, tag, together

_ROWS = 60
_LENGTH = 120


@dataclass(frozen=True)
class Item:
    """A thing, and those that it is made of."""

    title: str
    text: str
    parts: Sequence[Item] = ()

    def markup(self, open: bool = True) -> Markup:
        """The things as lists within each other; those at the top are open."""
        line = [tag("code", shown(self.text, _LENGTH))]
        if self.title:
            line = [tag("b", shown(self.title, _LENGTH)), Markup(" "), *line]
        if not self.parts:
            return tag("div", *line)
        parts = [part.markup(False) for part in self.parts[:_ROWS]]
        parts += _more(len(self.parts))
        box = tag("div", together(parts), style="margin-left: 1.5em")
        return tag("details", tag("summary", *line), box, open=open)


def table(heading: Sequence[str], rows: Sequence[Sequence[Any]]) -> Markup:
    """The first rows of a table, and how many there are beside."""
    head = tag("thead", tag("tr", *(tag("th", text) for text in heading)))
    lines = [tag("tr", *(tag("td", _text(cell)) for cell in row)) for row in rows[:_ROWS]]
    return together([tag("table", head, tag("tbody", together(lines))), *_more(len(rows))])


def _text(cell: Any) -> str:
    return shown(cell, _LENGTH) if isinstance(cell, str) else number(cell)


def _more(count: int) -> list[Markup]:
    return [tag("p", f"… and {count - _ROWS:,} more")] if count > _ROWS else []
