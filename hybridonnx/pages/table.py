"""Tables that can be sorted and searched where scripts run, and read where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .markup import Markup, number, tag, together

State: TypeAlias = Literal["good", "fair", "bad", ""]
"""How a row is coloured; its texts say the same."""
Kind: TypeAlias = Literal["text", "short", "number", "part", "verdict"]

_CLASSES: Mapping[Kind, str] = {"text": "", "short": "s", "number": "n", "part": "p", "verdict": "v"}
"""What page.css and page.js know columns by; one letter, as it stands in every row."""


@dataclass(frozen=True)
class Column:
    """What a column has."""

    title: str
    kind: Kind = "text"
    """Short texts have one line; parts are from 0 to 1, beside a bar; rows can be chosen by a verdict."""
    minor: bool = False
    """Whether a narrow screen has it among the details only."""
    hint: str = ""
    """What the title means, in some words."""

    def classes(self) -> str | None:
        """The classes of its cells."""
        return " ".join(filter(None, [_CLASSES[self.kind], "m" if self.minor else ""])) or None


@dataclass(frozen=True)
class Row:
    """What a row has."""

    cells: Sequence[Any]
    """The first is the row's title. Texts, and numbers, of which `None` are unknown."""
    state: State = ""
    details: Sequence[Any] = ()
    """What is shown on demand, a text or number for each of the table's `labels`; `None` is left out."""
    histogram: Sequence[int] = ()


@dataclass(frozen=True)
class Table:
    """A table."""

    name: str
    """Which the script calls it by; one word."""
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    labels: Sequence[str] = ()
    histogram: Histogram | None = field(default=None)

    def markup(self) -> Markup:
        """The table as HTML, in a box that scrolls if it is too wide."""
        head = tag("tr", *(_heading(column) for column in self.columns))
        body = together([_row(self.columns, row) for row in self.rows])
        table = tag(
            "table", tag("caption", self.caption), tag("thead", head), tag("tbody", body), data_name=self.name
        )
        return tag("div", table, class_="scroll", role="region", tabindex="0", aria_label=self.caption)

    def data(self) -> dict[str, Any]:
        """What the script shows on demand."""
        if not self.labels:
            return {}
        details = [[_text(value) for value in row.details] for row in self.rows]
        content: dict[str, Any] = {"labels": self.labels, "details": details}
        if self.histogram is not None:
            content["histogram"] = self.histogram.title
            content["ticks"] = self.histogram.ticks
            content["bins"] = [list(_packed(row.histogram)) for row in self.rows]
            content["length"] = self.histogram.length
        return {self.name: content}


@dataclass(frozen=True)
class Histogram:
    """What the bars of all rows stand for."""

    title: str
    length: int
    """How many bars."""
    ticks: Sequence[tuple[float, str]]
    """What is written below, and at which part of the width."""


def _heading(column: Column) -> Markup:
    return tag("th", column.title, scope="col", class_=column.classes(), title=column.hint or None)


def _row(columns: Sequence[Column], row: Row) -> Markup:
    head = tag("th", _text(row.cells[0]) or "", scope="row")
    cells = zip(columns[1:], row.cells[1:], strict=True)
    return tag("tr", head, *(_cell(column, value) for column, value in cells), class_=row.state or None)


def _cell(column: Column, value: Any) -> Markup:
    content: Sequence[Any] = [_text(value) or ""]
    if column.kind == "number" and value is None:
        content = [number(None)]
    elif column.kind == "part":
        content = [f"{value:.1%}", tag("i", style=f"--part:{min(value, 1.0):.4f}")]
    return tag("td", *content, class_=column.classes())


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else number(value)


def _packed(counts: Sequence[int]) -> Iterator[Any]:
    """Where the counts that are not 0 begin, and those up to the last one of them."""
    places = [i for i, count in enumerate(counts) if count]
    if places:
        yield places[0]
        yield counts[places[0] : places[-1] + 1]
