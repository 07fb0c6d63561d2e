"""Rows of texts as a table in plain text."""

from __future__ import annotations

from collections.abc import Sequence


def table(heading: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table. The first `left` columns begin at the left, numbers end at the right."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (heading, *rows)
    ]


def shortened(text: str, width: int) -> str:
    """A text of at most so many characters, its end where it is too long, as names differ there."""
    return text if len(text) <= width else f"…{text[1 - width :]}"
