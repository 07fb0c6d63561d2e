"""How long models take, beside each other: percentiles over threads and batch sizes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from .._json import fields_of, json_text
from ..errors import AttributeValueError
from ..formats.files import write_atomically
from ..ops import Array
from ..pages.bars import Bar, bars
from ..pages.markup import Markup, tag
from ..pages.page import HasPage, Page
from ..pages.table import Column, Row, Table
from ..parity.isolation import Isolation, called, isolation_of
from ..parity.models import title
from ..parity.plain import plain, typed
from ..parity.progress import say
from ..runtime.contention import share_received
from ..runtime.environment import environment, processors
from ..runtime.session import ModelSession
from ..symbol.symbol import Symbol
from ._feeds import arrays_of, declared_sizes, feeds, has_free_rows, signature
from ._native import Model
from ._sources import as_onnx
from ._table import shortened, table
from .models import Inputs, Shapes

__all__ = ["Benchmark", "Timing", "bench"]

_RECEIVED = 0.9
"""Below this part of the processors' time, others take too much for the times to be believed."""
_STEADY = 0.25
"""Medians of rounds may be apart by this part of their median."""
_NOTICEABLE = 0.1
"""Milliseconds by which the medians of rounds are apart at least, where that is said."""
_WIDTH = 48

Sources: TypeAlias = Model | list[Model] | Mapping[str, Model]
"""A model, a list of some, or some by the names that the table calls them."""


@dataclass(frozen=True)
class Timing:
    """The times of one model, with so many threads and rows."""

    model: str
    threads: int
    """Threads of ONNX Runtime; 0: as many as it likes."""
    batch_size: int
    """The rows of its first input."""
    runs: int
    p50: float
    """Milliseconds of a run that half of the runs do not exceed."""
    p90: float
    """The same of nine in ten runs."""
    p99: float
    """The same of 99 in a hundred."""
    mean: float
    least: float
    throughput: float
    """Rows in a second."""
    rounds: tuple[float, ...] = ()
    """The median of each round."""
    received: float = 1.0
    """The part of the processors' time that there was between the rounds for so many threads at work."""


@dataclass(frozen=True)
class Benchmark(HasPage):
    """The times of some models beside each other."""

    timings: tuple[Timing, ...]
    warmup: int
    environment: Mapping[str, str] = field(default_factory=dict)
    """Versions and the machine."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the times may not be believed, such as a machine that does other work; none if they may."""
        return tuple(_doubts(self.timings))

    def to_json(self) -> str:
        """The times as a JSON text: the fields, and `doubts`.

        Returns:
            The text. Times are in milliseconds.
        """
        return json_text({"doubts": self.doubts, **fields_of(self)})

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """The times as a picture: bars up to the median, lines on to the 99th percentile.

        Args:
            path: A file to write it to, if it shall be.

        Returns:
            The text of the picture.
        """
        picture = _picture(self.timings)
        if path is not None:
            write_atomically(path, [picture.encode()])
        return picture

    def _page(self) -> Page:
        return _page(self)

    def __str__(self) -> str:
        several = len({timing.model for timing in self.timings}) > 1
        heading = ("model", "threads", "rows", "runs", "p50 ms", "p90 ms", "p99 ms", "rows/s")
        base: dict[tuple[int, int], float] = {}
        rows = []
        for t in self.timings:
            first = base.setdefault((t.threads, t.batch_size), t.p50)
            times = [f"{time:.3f}" for time in (t.p50, t.p90, t.p99)]
            row = [shortened(t.model, _WIDTH), str(t.threads or "all"), str(t.batch_size), str(t.runs)]
            row += [*times, f"{t.throughput:,.1f}"]
            rows.append([*row, f"{t.p50 / first:.2f}" if first else "–"] if several else row)
        lines = table([*heading, "to first"] if several else heading, rows)
        return "\n".join([*lines, *(f"in doubt: {doubt}" for doubt in self.doubts)])


def bench(
    models: Sources,
    inputs: Inputs | None = None,
    *,
    shapes: Shapes | None = None,
    threads: int | Sequence[int] = (1, 2),
    batch_sizes: int | Sequence[int] | None = None,
    sizes: Mapping[str, int] | None = None,
    runs: int = 100,
    rounds: int = 5,
    warmup: int = 5,
    seconds: float = 10.0,
    seed: int = 0,
    isolated: bool | Isolation = False,
) -> Benchmark:
    """Measure how long ONNX Runtime takes for models, with several numbers of threads and rows.

    Several models run in turns, a round of each after the other and back, so that what holds the machine up
    for a while holds up all of them. Whether other programs take processors is measured before each round.

    Args:
        models: A model, a list of some, or some by name: ONNX files, bytes and ModelProtos; and MXNet's,
            which are exported before: HybridBlocks, Symbols with parameters as tuples, or their files.
        inputs: Arrays by name or in order; without them they are drawn.
        shapes: Shapes of the inputs, by name or in order; those that an ONNX model says by default.
        threads: Threads of ONNX Runtime, or several numbers; 0: as many as it likes.
        batch_sizes: The first size of drawn inputs where it is free, or several; 1 by default.
        sizes: Other free sizes by name.
        runs: How many runs are measured of each model at each number of threads and rows.
        rounds: How many rounds these are divided into.
        warmup: How many runs come before, and do not count.
        seconds: After so many for each model no more rounds begin at one number of threads and rows.
        seed: Of the draws.
        isolated: Whether the models run in a process of their own, with limits; for files of strangers.

    Returns:
        The times. Printed they are a table, `to_svg` draws them, and `doubts` says if others held them up.

    Raises:
        AttributeValueError: If a number is too small, a free size is not given, or there are `batch_sizes`
            for arrays, or for a model whose first sizes are fixed.
        IsolationError: If a process of their own was ended by a fault or at a limit.
        MissingFileError: If there is no such file.
        MXNetError: If ONNX Runtime cannot run a model.
    """
    rows = None if batch_sizes is None else _listed(batch_sizes)
    plan = _Plan(_listed(threads), rows, runs, rounds, warmup, seconds)
    if inputs is not None and batch_sizes is not None:
        raise AttributeValueError("bench: inputs or batch_sizes are required, got both.")
    return _measured(plan, models, inputs, shapes, sizes, seed, isolation_of(isolated))


def _measured(
    plan: _Plan, models: Any, inputs: Any, shapes: Any, sizes: Any, seed: int, limits: Isolation | None
) -> Benchmark:
    """The times of any models, here or in another process."""
    known = None if inputs is None else arrays_of(inputs)
    with ExitStack() as stack:
        sources = {}
        for name, model in _named(models).items():
            say(f"reading {name}")
            sources[name] = stack.enter_context(as_onnx(model, *signature(shapes, known)))
        request = {"sources": sources, "inputs": known, "shapes": shapes, "sizes": sizes, "seed": seed}
        if limits is None:
            return _bench(plan, **request)
        answer = called("bench", f"{__name__}:serve", {"plan": plain(plan), **request}, limits)
        result: Benchmark = typed(Benchmark, answer, "bench")
        return result


def serve(request: dict[str, Any], ask: Any) -> Any:
    """Measure as another process asks.

    Args:
        request: What `bench` is asked for, with models as ONNX Runtime takes them.
        ask: Asks the other process, which this does not.

    Returns:
        The times as plain values.
    """
    return plain(_bench(_Plan(**request.pop("plan")), **request))


def _bench(plan: _Plan, **request: Any) -> Benchmark:
    return Benchmark(tuple(plan.timings(**request)), plan.warmup, environment())


@dataclass(frozen=True)
class _Plan:
    """How often models run, and with what."""

    threads: Sequence[int]
    batch_sizes: Sequence[int] | None
    runs: int
    rounds: int
    warmup: int
    seconds: float

    def __post_init__(self) -> None:
        """Refuse numbers that are too small."""
        least = {
            "runs": (self.runs, 1),
            "rounds": (self.rounds, 1),
            "warmup": (self.warmup, 0),
            "threads": (min(self.threads), 0),
            "batch_sizes": (1 if self.batch_sizes is None else min(self.batch_sizes), 1),
        }
        for name, (number, bound) in least.items():
            if number < bound:
                raise AttributeValueError(f"bench: {name} of at least {bound} is required, got {number}.")

    def timings(
        self,
        sources: Mapping[str, str | bytes],
        inputs: Any,
        shapes: Any,
        sizes: Mapping[str, int] | None,
        seed: int,
    ) -> Iterator[Timing]:
        """Run all models with every number of threads and rows."""
        for threads in self.threads:
            say(f"opening {', '.join(sources)} with {_threads(threads)}")
            sessions = {name: ModelSession(source, threads=threads) for name, source in sources.items()}
            for rows in [None] if self.batch_sizes is None else self.batch_sizes:
                calls = {
                    name: _Calls(
                        session, _feeds(name, sources[name], session, inputs, shapes, sizes, rows, seed)
                    )
                    for name, session in sessions.items()
                }
                at = _threads(threads) if rows is None else f"{_threads(threads)}, {_rows(rows)}"
                received = self.run(calls, threads, at)
                yield from (call.timing(name, threads, received) for name, call in calls.items())

    def run(self, calls: Mapping[str, _Calls], threads: int, at: str) -> float:
        """Run all models in turns. Returns the part of the processors' time that there was for it."""
        for name, call in calls.items():
            say(f"{at}: warming up {name}")
            call.warm_up(self.warmup)
        begin, shares = perf_counter(), []
        counts = [len(part) for part in np.array_split(np.arange(self.runs), min(self.rounds, self.runs))]
        for i, count in enumerate(counts):
            if i and perf_counter() - begin > self.seconds * len(calls):
                break
            shares.append(share_received(threads or processors()))
            for name, call in list(calls.items())[:: 1 if i % 2 == 0 else -1]:
                say(f"{at}: round {i + 1} of {len(counts)}, {name}")
                call.round(count)
        return float(np.median(shares))


class _Calls:
    """The runs of one model, and their times."""

    def __init__(self, session: ModelSession, arrays: Mapping[str, Array]) -> None:
        self._session, self._arrays = session, arrays
        self._rounds: list[list[float]] = []

    def warm_up(self, count: int) -> None:
        for _ in range(count):
            self._session(self._arrays)

    def round(self, count: int) -> None:
        """Run so many times, and keep how long each run took."""
        times = []
        for _ in range(count):
            begin = perf_counter()
            self._session(self._arrays)
            times.append(perf_counter() - begin)
        self._rounds.append(times)

    def timing(self, name: str, threads: int, received: float) -> Timing:
        rows = next((a.shape[0] for a in self._arrays.values() if a.ndim), 1)
        return summary(name, threads, rows, self._rounds, received)


def summary(
    model: str, threads: int, rows: int, rounds: Sequence[Sequence[float]], received: float = 1.0
) -> Timing:
    """The percentiles of times in seconds, of which there are some in each round."""
    times = np.array([time for part in rounds for time in part]) * 1000
    p50, p90, p99 = (float(p) for p in np.percentile(times, (50, 90, 99)))
    return Timing(
        model,
        threads,
        rows,
        runs=len(times),
        p50=p50,
        p90=p90,
        p99=p99,
        mean=float(times.mean()),
        least=float(times.min()),
        throughput=float(rows * len(times) / (times.sum() / 1000)),
        rounds=tuple(float(np.median(part)) * 1000 for part in rounds),
        received=received,
    )


def _feeds(
    name: str,
    source: str | bytes,
    session: ModelSession,
    inputs: Any,
    shapes: Any,
    sizes: Mapping[str, int] | None,
    rows: int | None,
    seed: int,
) -> dict[str, Array]:
    """The inputs of a model, whose first sizes must be free where a batch size is asked for."""
    if rows is not None and not has_free_rows(declared_sizes("bench", session, shapes)):
        raise AttributeValueError(
            f"bench: a free first size is required of {name} for batch_sizes, and its sizes are fixed. "
            'Export it with a name for that size, such as "batch", or leave batch_sizes out.'
        )
    return feeds("bench", source, session, inputs, shapes, sizes, rows, seed)


def _listed(values: int | Sequence[int]) -> list[int]:
    result = [values] if isinstance(values, int) else list(values)
    if not result:
        raise AttributeValueError("bench: at least one of threads and of batch_sizes is required, got none.")
    return result


def _are_several(models: Any) -> bool:
    """Whether a list or tuple has models, and not a Symbol and its parameters, or the files of both."""
    if not isinstance(models, list | tuple):
        return False
    first = models[0] if models else None
    is_file = isinstance(first, str | os.PathLike) and os.fspath(first).endswith(".json")
    return not isinstance(first, Symbol) and not (is_file and isinstance(models, tuple))


def _named(models: Any) -> dict[str, Any]:
    """The models by name; models of one name get numbers."""
    if isinstance(models, Mapping):
        return dict(models)
    result: dict[str, Any] = {}
    for model in models if _are_several(models) else [models]:
        name, number = title(model), 1
        while name in result:
            number += 1
            name = f"{title(model)} ({number})"
        result[name] = model
    if not result:
        raise AttributeValueError("bench: at least one model is required, got none.")
    return result


# ---- what is said of times


def _doubts(timings: Sequence[Timing]) -> Iterator[str]:
    by_threads: dict[int, float] = {}
    for timing in timings:
        by_threads[timing.threads] = min(timing.received, by_threads.get(timing.threads, 1.0))
    for threads, received in by_threads.items():
        if received < _RECEIVED:
            yield (
                f"with {_threads(threads)}, {received:.0%} of the processors' time was there that was asked "
                "for: the machine does other work, or has fewer processors"
            )
    unsteady = [t for t in timings if _apart(t) > max(_STEADY * t.p50, _NOTICEABLE)]
    if unsteady:
        worst = max(unsteady, key=lambda t: _apart(t) / t.p50)
        yield (
            f"{len(unsteady)} of {len(timings)} medians differ between rounds, most of all {worst.model} "
            f"with {_threads(worst.threads)} and {_rows(worst.batch_size)}, from {min(worst.rounds):.3f} to "
            f"{max(worst.rounds):.3f} ms"
        )


def _apart(timing: Timing) -> float:
    """By how much the medians of rounds differ."""
    return max(timing.rounds, default=0.0) - min(timing.rounds, default=0.0)


def _threads(count: int) -> str:
    return f"{count or 'all'} thread{'s' * (count != 1)}"


def _rows(count: int) -> str:
    return f"{count} row{'s' * (count != 1)}"


def _picture(timings: Sequence[Timing], background: str = "white") -> str:
    series = list(dict.fromkeys(timing.model for timing in timings))
    groups: dict[str, list[Bar]] = {}
    for t in timings:
        threads = _threads(t.threads)
        text = f"{t.model}, {threads}, {_rows(t.batch_size)}: {t.p50:.3f} ms, 99 % within {t.p99:.3f} ms"
        bar = Bar(series.index(t.model), t.p50, t.p99, text)
        groups.setdefault(f"{threads}, {_rows(t.batch_size)}", []).append(bar)
    heading = "Milliseconds of a run: median, and 99th percentile"
    return bars(heading, "ms", series, list(groups.items()), background)


_COLUMNS = (
    Column("model"),
    Column("threads", "number", hint="threads of ONNX Runtime; 0: as many as it likes"),
    Column("rows", "number", hint="rows of the first input"),
    Column("p50 ms", "number", hint="half of the runs take so long at most"),
    Column("p90 ms", "number", minor=True, hint="nine of ten runs take so long at most"),
    Column("p99 ms", "number", hint="99 of 100 runs take so long at most"),
    Column("mean ms", "number", minor=True),
    Column("least ms", "number", minor=True),
    Column("rows/s", "number", minor=True),
    Column("to first", "number", minor=True, hint="the median over that of the first model"),
)


def _page(result: Benchmark) -> Page:
    times = result.timings
    base: dict[tuple[int, int], float] = {}
    rows = [
        Row(
            (
                *(t.model, t.threads, t.batch_size, t.p50, t.p90, t.p99, t.mean, t.least, t.throughput),
                t.p50 / base.setdefault((t.threads, t.batch_size), t.p50) if t.p50 else None,
            ),
            details=(t.runs, ", ".join(f"{median:.3g}" for median in t.rounds), f"{t.received:.0%}"),
        )
        for t in times
    ]
    labels = ("runs", "medians of rounds, ms", "processors' time received")
    picture = tag(
        "div",
        Markup(_picture(times, "none")),
        class_="picture",
        role="region",
        tabindex="0",
        aria_label="Times as a picture",
    )
    return Page(
        "Times of models in ONNX Runtime",
        _headline(times),
        "fair" if result.doubts else "",
        {"models": ", ".join(dict.fromkeys(t.model for t in times)), "runs to warm up": f"{result.warmup:,}"},
        [f"In doubt: {doubt}." for doubt in result.doubts],
        {"Times": [picture, Table("times", "Times", _COLUMNS, rows, labels)]},
        result.environment,
    )


def _headline(timings: Sequence[Timing]) -> str:
    """The fastest run in a sentence."""
    if not timings:
        return "Nothing was measured"
    best = min(timings, key=lambda t: t.p50 / max(t.batch_size, 1))
    several = len({t.model for t in timings}) > 1
    start = f"{best.model} takes the least time for a row" if several else "At its best"
    return f"{start}: {best.p50:.3g} ms a run with {_threads(best.threads)} and {_rows(best.batch_size)}"
