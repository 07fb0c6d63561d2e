"""Python's garbage collector, kept from looking through what is being made."""

from __future__ import annotations

import gc
import threading
from contextlib import ContextDecorator
from types import TracebackType


class _NoCollection(ContextDecorator):
    """A `with` block, or a function, in which no garbage is looked for, if that was so before it began.

    Graphs are made of many objects, all of which live on for a while: with each few hundred of them the
    collector looks through the newest ones in vain, which takes a seventh of the time of a first call.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # what is collected once it may be may trace a graph, too
        self._blocks = 0
        self._enabled = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._blocks:
                self._enabled = gc.isenabled()
                gc.disable()
            self._blocks += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks and self._enabled:
                gc.enable()


no_collection = _NoCollection()
"""For blocks of any threads, inside of `no_fork`: a child forked meanwhile would collect nothing any more."""
