"""What became of a prediction of many rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .._json import fields_of, json_text

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """What became of a prediction of many rows."""

    folder: Path
    """Where its files are."""
    rows: int
    """That are predicted."""
    bad: int
    """That are set aside."""
    shards: int
    """In how many files they are."""
    done: int
    """How many of these were there already."""
    seconds: float
    """What the others took."""
    rate: float
    """Rows of them in a second."""

    def to_json(self) -> str:
        """All of it as JSON."""
        return json_text({**fields_of(self), "folder": str(self.folder)}, ascii=False)

    def __str__(self) -> str:
        lines = [f"{self.rows:,} rows in {self.shards:,} files in {self.folder}"]
        if self.done:
            lines.append(f"{self.done:,} of the files were there already")
        if self.rate:
            lines.append(f"{self.seconds:.1f} s, {self.rate:,.0f} rows/s")
        if self.bad:
            lines.append(f"{self.bad:,} rows were set aside; {self.folder / '_bad'} tells why")
        return "\n".join(lines)
