"""What takes long says how far it is: to whoever listens, or on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from time import monotonic
from typing import TypeVar

LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)
"""Who is told; without one a terminal is, after a second."""
_PATIENCE = 1.0
_T = TypeVar("_T")


def counted(
    items: Iterable[_T], text: Callable[[int, float], str], size: Callable[[_T], int]
) -> Iterator[_T]:
    """The items, while what is done with them shows.

    Args:
        items: What is worked on.
        text: What is said of a number, and of the seconds that it took.
        size: How much an item counts.
    """
    listener = LISTENER.get()
    begin, count, shown = monotonic(), 0, False
    for item in items:
        yield item
        count += size(item)
        line = text(count, monotonic() - begin)
        if listener is not None:
            listener(line)
        elif sys.stderr.isatty() and monotonic() - begin > _PATIENCE:
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
            shown = True
    if shown:
        print(file=sys.stderr)


def say(text: str) -> None:
    """Tell whoever listens what is done now; a step may take too short a time for a terminal alone.

    Args:
        text: What is done.
    """
    listener = LISTENER.get()
    if listener is not None:
        listener(text)
