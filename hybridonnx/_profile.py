"""What the profiler records while it runs: operators and sessions ask whether it wants them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from ._locks import new_lock, no_fork

_T = TypeVar("_T")

_EPOCH = time.time_ns() - time.perf_counter_ns()


def now() -> float:
    """Microseconds since 1970, of a clock that is never set."""
    return (_EPOCH + time.perf_counter_ns()) / 1000


class Event(NamedTuple):
    """Something that began, ended, or happened in a thread, as Chrome's traces have it."""

    category: str
    name: str
    phase: str
    time: float
    thread: int
    extra: dict[str, Any]
    """What else the trace says of it."""


@dataclass
class Statistic:
    """How often something happened, and how long it took, in microseconds; or the values of a counter."""

    is_counter: bool = False
    count: int = 0
    total: float = 0.0
    last: float = 0.0
    least: float = float("inf")
    most: float = float("-inf")

    def add(self, value: float) -> None:
        """Count one more."""
        self.count += 1
        self.total += value
        self.last = value
        self.least, self.most = min(self.least, value), max(self.most, value)


class Profile:
    """The events and statistics so far, and what is recorded at present."""

    def __init__(self) -> None:
        self.runs = False
        """Whether what users time by themselves is recorded."""
        self.operators = False
        """Whether operators that run on kernels are."""
        self.sessions = False
        """Whether runs of compiled graphs are."""
        self.aggregates = False
        self.events: list[Event] = []
        self.sources: list[Callable[[], None]] = []
        """What measures by itself, and makes events of that when it is called."""
        self.statistics: dict[tuple[str, str], Statistic] = {}
        self._lock = new_lock()

    def call(self, category: str, name: str, function: Callable[..., _T], *args: Any) -> _T:
        """What the function gives, after its time was recorded, whether it raises or not."""
        start = now()
        try:
            return function(*args)
        finally:
            self.span(category, name, start)

    def span(
        self,
        category: str,
        name: str,
        start: float,
        end: float | None = None,
        thread: int | None = None,
        counts: bool = True,
        **extra: Any,
    ) -> None:
        """Record what began at `start` and ends now, or at `end`; it `counts` in statistics."""
        end = now() if end is None else end
        thread = threading.get_ident() if thread is None else thread
        with no_fork(), self._lock:
            self.events.append(Event(category, name, "B", start, thread, extra))
            self.events.append(Event(category, name, "E", end, thread, extra))
        if counts:
            self.count(category, name, end - start)

    def count(self, category: str, name: str, time: float) -> None:
        """Count what took so many microseconds, if statistics are asked for."""
        if self.aggregates:
            with no_fork(), self._lock:
                self.statistics.setdefault((category, name), Statistic()).add(time)

    def collect(self) -> None:
        """Have the events of what measures by itself."""
        sources, self.sources = self.sources, []
        for source in sources:
            source()

    def moment(self, category: str, name: str, phase: str, **extra: Any) -> None:
        """Record what happens now."""
        event = Event(category, name, phase, now(), threading.get_ident(), extra)
        with no_fork(), self._lock:
            self.events.append(event)

    def value(self, category: str, name: str, value: float) -> None:
        """Record a counter's new value."""
        self.moment(category, name, "C", args={name: value})
        if self.aggregates:
            with no_fork(), self._lock:
                self.statistics.setdefault((category, name), Statistic(is_counter=True)).add(value)

    def forget(self) -> None:
        """Let go of the events."""
        with no_fork(), self._lock:
            self.events = []


profile = Profile()
"""The profile of the process."""
