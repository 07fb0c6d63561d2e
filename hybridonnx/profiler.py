"""Records which operators, compiled graphs and parts of a program run when, and for how long.

    mx.profiler.set_config(profile_all=True, aggregate_stats=True, filename="profile.json")
    mx.profiler.set_state("run")
    ...
    mx.profiler.set_state("stop")
    print(mx.profiler.dumps())  # a table
    mx.profiler.dump()  # the file, which chrome://tracing and ui.perfetto.dev show

Operators are in the category `operator`, those of gradients as `_backward_<operator>`. Of a hybridized block
each run is an event in the category `session` as well, and the nodes that ONNX Runtime ran in it are events
in `operator` under the names of the operators that they were made for, each with the names of the node in the
network and of ONNX's operator; the table counts all nodes of an operator as one. What ONNX Runtime computes
as one is under the name of the first. While the profiler runs a block is compiled anew when it is first
called, so that the first call takes longer. HYBRIDONNX_PROFILE has ONNX Runtime write files of its own.
"""

from __future__ import annotations

import atexit
import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn, Self

from ._profile import Statistic, now, profile
from .errors import AttributeValueError, MXNetError, RequirementError, suggest
from .formats.files import write_atomically

__all__ = [
    "Counter",
    "Domain",
    "Event",
    "Frame",
    "Marker",
    "Task",
    "dump",
    "dump_profile",
    "dumps",
    "pause",
    "profiler_set_config",
    "profiler_set_state",
    "resume",
    "set_config",
    "set_kvstore_handle",
    "set_state",
]

_DEFAULTS: dict[str, Any] = {
    "profile_all": False,
    "profile_symbolic": True,
    "profile_imperative": True,
    "profile_memory": True,
    "profile_api": True,
    "filename": "profile.json",
    "continuous_dump": True,
    "dump_period": 1.0,
    "aggregate_stats": False,
    "profile_process": "worker",
}
_config = dict(_DEFAULTS)
_runs = [False]
"""Whether `set_state` said "run" last, during a pause as well."""
_ORDERS: dict[str, Callable[[Statistic], float]] = {
    "total": lambda s: s.total,
    "avg": lambda s: s.total / s.count,
    "min": lambda s: s.least,
    "max": lambda s: s.most,
    "count": lambda s: s.count,
}


def set_config(**kwargs: Any) -> None:
    """Say what is recorded, and where it is written.

    Args:
        **kwargs: `profile_imperative` (operators on kernels) and `profile_symbolic` (hybridized blocks), by
            default True, or `profile_all`; `aggregate_stats`, by default False, which `dumps` needs;
            `filename`, by default `profile.json`; `continuous_dump`, by default True, to write the rest when
            the process ends. `profile_memory`, `profile_api`, `dump_period` and `profile_process` are taken,
            and record nothing: there are no pools of memory, no calls of a library, and no servers.

    Raises:
        AttributeValueError: If there is no such setting, or it has a value of another type.
    """
    for name, value in kwargs.items():
        if name not in _DEFAULTS:
            known = ", ".join(_DEFAULTS)
            raise AttributeValueError(
                f"profiler.set_config: one of {known} is required, got {name!r}.{suggest(name, _DEFAULTS)}"
            )
        if isinstance(_DEFAULTS[name], bool) and value not in (0, 1):
            raise AttributeValueError(f"profiler.set_config: {name}: a boolean is required, got {value!r}.")
    _process(kwargs.get("profile_process", "worker"))
    _config.update(kwargs)
    if profile.runs:
        _record(True)


def _process(name: str) -> None:
    """Refuse another process than this one."""
    if name != "worker":
        raise AttributeValueError(
            f"profiler: profile_process 'worker' is required, got {name!r}; there are no servers."
        )


def _record(runs: bool) -> None:
    everything = bool(_config["profile_all"])
    profile.runs = runs
    profile.operators = runs and bool(everything or _config["profile_imperative"])
    profile.sessions = runs and bool(everything or _config["profile_symbolic"])
    profile.aggregates = bool(_config["aggregate_stats"])


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Begin or cease to record.

    Args:
        state: `run` or `stop`.
        profile_process: `worker`.

    Raises:
        AttributeValueError: If the state is another.
    """
    _process(profile_process)
    if state not in ("run", "stop"):
        raise AttributeValueError(f"profiler.set_state: 'run' or 'stop' is required, got {state!r}.")
    _runs[0] = state == "run"
    _record(_runs[0])
    if _runs[0]:
        _written[0] = False
    else:
        profile.collect()


def pause(profile_process: str = "worker") -> None:
    """Record nothing until `resume`.

    Args:
        profile_process: `worker`.
    """
    _process(profile_process)
    _record(False)


def resume(profile_process: str = "worker") -> None:
    """Record again after `pause`; nothing without a run, or after its stop.

    Args:
        profile_process: `worker`.
    """
    _process(profile_process)
    _record(_runs[0])


# ---- what was recorded

_written = [True]
"""Whether the file has all that was recorded since it ran."""


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the trace to the file, in Chrome's format.

    Args:
        finished: Whether that is all: what is recorded next begins another trace.
        profile_process: `worker`.

    Raises:
        MXNetError: If nothing was recorded since the last trace was finished.
    """
    _process(profile_process)
    profile.collect()
    if _written[0]:
        raise MXNetError("profiler.dump: a run is required; call set_config and set_state('run') before.")
    text = json.dumps({"traceEvents": list(_trace()), "displayTimeUnit": "ms"}, indent=1)
    write_atomically(_config["filename"], [text.encode()])
    if finished:
        profile.forget()
        _written[0] = True


@atexit.register
def _dump_the_rest() -> None:
    if _config["continuous_dump"] and profile.events and not _written[0]:
        dump()


def _trace() -> Iterable[dict[str, Any]]:
    """The events as Chrome has them; each category is shown as a process."""
    processes: dict[str, int] = {"operator": 0}
    yield {"ph": "M", "args": {"name": "cpu/0"}, "pid": 0, "name": "process_name"}
    for event in profile.events:
        if event.category not in processes:
            processes[event.category] = number = len(processes)
            yield {"ph": "M", "args": {"name": event.category}, "pid": number, "name": "process_name"}
        yield {
            "name": event.name,
            "cat": event.category,
            "ph": event.phase,
            "ts": event.time,
            "pid": processes[event.category],
            "tid": event.thread,
            **event.extra,
        }


def dumps(reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False) -> str:
    """The statistics of what was recorded, by category.

    Args:
        reset: Whether the statistics begin anew afterwards.
        format: `table` or `json`.
        sort_by: `total`, `avg`, `min`, `max` or `count`.
        ascending: Whether the least come first.

    Returns:
        The text; without `aggregate_stats` there is none. Times are in milliseconds; a counter has its last
        value as the total, and the least, the most and the mean of its values.

    Raises:
        RequirementError: If an argument has another value.
    """
    for name, value, allowed in (
        ("format", format, ("table", "json")),
        ("sort_by", sort_by, tuple(_ORDERS)),
        ("reset", reset, (False, True)),
        ("ascending", ascending, (False, True)),
    ):
        if value not in allowed:
            raise RequirementError(f"profiler.dumps: {name}: one of {allowed} is required, got {value!r}.")
    profile.collect()
    order = _ORDERS[sort_by]
    groups: dict[str, list[tuple[str, Statistic]]] = {}
    rows = sorted(profile.statistics.items(), key=lambda row: order(row[1]), reverse=not ascending)
    for (category, name), statistic in rows:
        groups.setdefault(category, []).append((name, statistic))
    groups = dict(sorted(groups.items()))
    if reset:
        profile.statistics = {}
    if not profile.aggregates:
        return ""
    return _json(groups) if format == "json" else _table(groups)


_HEAD = ("Name", "Total Count", "Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)")


def _numbers(statistic: Statistic) -> tuple[float, float, float, float]:
    """Total, least, most and mean: milliseconds, or a counter's values."""
    mean = statistic.total / statistic.count
    if statistic.is_counter:
        return statistic.last, statistic.least, statistic.most, mean
    total, least, most = statistic.total / 1000, statistic.least / 1000, statistic.most / 1000
    return total, least, most, mean / 1000


def _table(groups: Mapping[str, Sequence[tuple[str, Statistic]]]) -> str:
    lines = ["", "Profile Statistics:", "\tNote the difference in units for different entries."]
    for category, rows in groups.items():
        lines += [category, "=" * 17, _line(*_HEAD), _line(*("-" * len(title) for title in _HEAD))]
        for name, statistic in rows:
            lines.append(_line(name, str(statistic.count), *(f"{n:.4f}" for n in _numbers(statistic))))
        lines.append("")
    return "\n".join([*lines, ""])


def _line(name: str, count: str, *numbers: str) -> str:
    return f"{name:<25}{count:>16}" + "".join(f" {number:>16}" for number in numbers)


def _json(groups: Mapping[str, Sequence[tuple[str, Statistic]]]) -> str:
    times = {
        category: {
            name: {
                "Count": statistic.count,
                **dict(zip(("Total", "Min", "Max", "Avg"), _numbers(statistic), strict=True)),
            }
            for name, statistic in rows
        }
        for category, rows in groups.items()
    }
    return json.dumps({"Time": times, "Memory": {}, "Unit": {"Time": "ms", "Memory": "kB"}}, indent=4) + "\n"


# ---- parts of a program


class Domain:
    """A name that tasks, frames, counters and markers are shown under."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> Task:
        """A task of this domain.

        Args:
            name: Its name.

        Returns:
            The task.
        """
        return Task(self, name)

    def new_frame(self, name: str) -> Frame:
        """A frame of this domain.

        Args:
            name: Its name.

        Returns:
            The frame.
        """
        return Frame(self, name)

    def new_counter(self, name: str, value: float | None = None) -> Counter:
        """A counter of this domain.

        Args:
            name: Its name.
            value: Its first value.

        Returns:
            The counter.
        """
        return Counter(self, name, value)

    def new_marker(self, name: str) -> Marker:
        """A marker of this domain.

        Args:
            name: Its name.

        Returns:
            The marker.
        """
        return Marker(self, name)


class _Timed:
    """What has a beginning and an end, both recorded at the end; also a `with` block."""

    def __init__(self, name: str, category: str) -> None:
        self.name = name
        self._category = category
        self._start: float | None = None

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Begin."""
        self._start = now() if profile.runs else None

    def stop(self) -> None:
        """End; nothing is recorded of what began while nothing was."""
        start, self._start = self._start, None
        if start is not None and profile.runs:
            profile.span(self._category, self.name, start)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class Task(_Timed):
    """A part of a program that is timed, in a domain."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, domain.name)


class Frame(_Timed):
    """A pass of a loop that is timed, in a domain."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, f"{domain.name},frame")


class Event(_Timed):
    """A part of a program that is timed, in no domain."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "event")


class Counter:
    """A number that changes, as `counter += 1`, `counter -= 1`, and by its methods."""

    def __init__(self, domain: Domain, name: str, value: float | None = None) -> None:
        self.name = name
        self._category = domain.name
        self._value: float = 0
        if value is not None:
            self.set_value(value)

    def __str__(self) -> str:
        return self.name

    def set_value(self, value: float) -> None:
        """Give it a value.

        Args:
            value: A number, or an array of one.

        Raises:
            ValueError: If it is no number.
        """
        self._value = value if isinstance(value, int) else float(value)  # what JSON can hold
        if profile.runs:
            profile.value(self._category, self.name, self._value)

    def increment(self, delta: float = 1) -> None:
        """Add to it.

        Args:
            delta: What is added.
        """
        self.set_value(self._value + delta)

    def decrement(self, delta: float = 1) -> None:
        """Subtract from it.

        Args:
            delta: What is subtracted.
        """
        self.set_value(self._value - delta)

    def __iadd__(self, delta: float) -> Self:
        self.increment(delta)
        return self

    def __isub__(self, delta: float) -> Self:
        self.decrement(delta)
        return self


_SCOPES = {"global": "g", "process": "p", "thread": "t", "task": "p", "marker": "p"}


class Marker:
    """A moment that is recorded, in a domain."""

    def __init__(self, domain: Domain, name: str) -> None:
        self.name = name
        self._category = f"{domain.name},instant_marker"

    def mark(self, scope: str = "process") -> None:
        """Record this moment.

        Args:
            scope: What the trace shows it for: `global`, `process`, `thread`, `task` or `marker`.

        Raises:
            AttributeValueError: If it is another.
        """
        if scope not in _SCOPES:
            raise AttributeValueError(f"Marker.mark: one of {', '.join(_SCOPES)} is required, got {scope!r}.")
        if profile.runs:
            profile.moment(self._category, self.name, "i", s=_SCOPES[scope])


# ---- names of older releases


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """As `set_config`, which takes its place.

    Args:
        mode: `symbolic`, `imperative`, `api`, `memory` or `all`.
        filename: The file of the trace.

    Raises:
        AttributeValueError: If the mode is another.
    """
    warnings.warn("profiler_set_config is deprecated, use set_config.", DeprecationWarning, stacklevel=2)
    modes = ("symbolic", "imperative", "api", "memory", "all")
    if mode not in modes:
        known = ", ".join(modes)
        raise AttributeValueError(f"profiler_set_config: one of {known} is required, got {mode!r}.")
    only = {f"profile_{each}": each == mode for each in modes}
    set_config(**only, filename=filename)


def profiler_set_state(state: str = "stop") -> None:
    """As `set_state`, which takes its place.

    Args:
        state: `run` or `stop`.
    """
    warnings.warn("profiler_set_state is deprecated, use set_state.", DeprecationWarning, stacklevel=2)
    set_state(state)


def dump_profile() -> None:
    """As `dump`, which takes its place."""
    warnings.warn("dump_profile is deprecated, use dump.", DeprecationWarning, stacklevel=2)
    dump()


def set_kvstore_handle(handle: object) -> NoReturn:
    """Refuse the store of a server to profile.

    Args:
        handle: The store.

    Raises:
        MXNetError: Always.
    """
    raise MXNetError("profiler.set_kvstore_handle: servers are required, and there are none.")
