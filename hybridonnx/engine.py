"""Bulks, into which MXNet's engine joins operators; here each runs at once, and they change nothing."""

from __future__ import annotations

from types import TracebackType

__all__ = ["bulk", "set_bulk_size"]

_size = [0]


def set_bulk_size(size: int) -> int:
    """Remember a size of bulks, which changes nothing.

    Args:
        size: Operators in a bulk.

    Returns:
        The size before.
    """
    before, _size[0] = _size[0], int(size)
    return before


class bulk:  # noqa: N801  (MXNet's name)
    """A `with` block that has another size of bulks; what runs inside is the same."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._before = 0

    def __enter__(self) -> bulk:
        self._before = set_bulk_size(self._size)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_bulk_size(self._before)
