"""What ONNX Runtime measures inside of a session, as events of the profiler under MXNet's names."""

from __future__ import annotations

import json
import os
import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from .._locks import follow, new_lock, no_fork
from .._profile import now, profile
from ..formats.files import ScratchFolder
from ..symbol.graph import Node, topological
from .started import keep_forever


class Operator(NamedTuple):
    """What a node of a lowered graph was made for."""

    name: str
    """An operator's name, with `_backward_` before it if the node is of its gradient."""
    node: str
    """The name of the node of MXNet's graph."""


Operators: TypeAlias = Callable[[], Mapping[str, Operator]] | None
"""What tells which operators the nodes of a lowered graph were made for, by the names in it."""


def operators_of(nodes: Iterable[Node]) -> dict[str, Operator]:
    """What is made for nodes, and for those of graphs inside of them, by their names."""
    made: dict[str, Operator] = {}
    for node in nodes:
        for body in node.subgraphs:
            made = operators_of(topological(body.outputs)) | made
        if not node.is_variable:
            made[node.name] = Operator(node.op_name, node.name)
    return made


class _Run(NamedTuple):
    start: float
    thread: int
    native: int
    """The thread as ONNX Runtime has it."""
    operators: Operators


class _Runs:
    """Which run each of ONNX Runtime's events is of: threads may run a session at once, each its own runs."""

    def __init__(self, runs: Sequence[_Run], events: Sequence[Mapping[str, Any]]) -> None:
        self._starts: dict[int, list[float]] = defaultdict(list)
        self._numbers: dict[int, list[int]] = defaultdict(list)
        for event in sorted((e for e in events if e["name"] == "model_run"), key=itemgetter("ts")):
            self._starts[event.get("tid", 0)].append(event["ts"])
        for i, run in enumerate(runs):
            self._numbers[run.native].append(i)
        if self._starts.keys() != self._numbers.keys():  # it has other numbers for threads
            self._starts = {0: sorted(ts for starts in self._starts.values() for ts in starts)}
            self._numbers = {0: list(range(len(runs)))}

    def first(self) -> tuple[int, float]:
        """A run, and when it began by ONNX Runtime's clock."""
        thread, starts = next(iter(self._starts.items()))
        return self._numbers[thread][0], starts[0]

    def of(self, event: Mapping[str, Any]) -> int:
        """The number of the run that an event is of."""
        thread = event.get("tid", 0) if event.get("tid", 0) in self._starts else next(iter(self._starts))
        numbers = self._numbers[thread]
        return numbers[min(max(bisect_right(self._starts[thread], event["ts"]) - 1, 0), len(numbers) - 1)]


_ENDING = "_kernel_time"
_BLOCKED = "_nchwc"
_NORMALIZED = "_bn"
"""What ONNX Runtime adds to names of outputs, for names of nodes that it makes in blocked layouts."""


class MeasuredSession:
    """A session beside another one, which is there while the profiler runs, and counts the time of each node.

    `start` makes a session from settings, and `graph` tells the lowered graph if anybody asks for its nodes.
    """

    def __init__(
        self, start: Callable[[Any], Any], settings: Callable[[], Any], graph: Callable[[], Any]
    ) -> None:
        self._start, self._settings, self._graph = start, settings, graph
        self._session: Any = None
        self._folder: ScratchFolder | None = None
        """Where ONNX Runtime writes what it measures."""
        self._runs: list[_Run] = []
        self._lock = new_lock()
        follow(self)

    def forked(self) -> None:
        """Leave what is measured, and the folder, to the process that measures it."""
        if self._session is not None:
            keep_forever(self._session)
            self._session, self._runs = None, []
            profile.sources.remove(self.collect)

    def begin(self, operators: Operators) -> Any:
        """The session to run now, for a graph of which `operators` tells."""
        with no_fork(), self._lock:
            if self._session is None:
                settings = self._settings()
                settings.enable_profiling = True
                self._folder = ScratchFolder()  # which nobody else can write to
                settings.profile_file_prefix = os.path.join(self._folder.path, "profile")
                self._session = self._start(settings)
                profile.sources.append(self.collect)
            self._runs.append(_Run(now(), threading.get_ident(), threading.get_native_id(), operators))
            return self._session

    def names(self, operators: Operators) -> Names:
        """What the nodes of the session were made for."""
        return Names(self._graph(), {} if operators is None else operators())

    def collect(self) -> None:
        """Make events of what was measured so far, and let go of the session."""
        with no_fork(), self._lock:  # from here on another thread may begin anew, with a folder of its own
            session, self._session = self._session, None
            runs, self._runs = self._runs, []
            folder = self._folder
        try:
            with open(session.end_profiling(), encoding="utf-8") as file:
                events = json.load(file)
        except (OSError, ValueError):  # a full disk
            return
        finally:
            if folder is not None:
                folder.close()
        self._record(runs, events)

    def _record(self, runs: Sequence[_Run], events: Sequence[Mapping[str, Any]]) -> None:
        if not any(e["name"] == "model_run" for e in events):
            return
        places = _Runs(runs, events)
        first, start = places.first()
        shift = runs[first].start - start
        names: dict[Operators, Names] = {}
        spent: dict[tuple[int, Operator], float] = defaultdict(float)
        for event in events:
            if event["cat"] != "Node" or not event["name"].endswith(_ENDING):
                continue
            kind = event["args"].get("op_name", "")
            run = places.of(event)
            operators = runs[run].operators
            if operators not in names:
                names[operators] = self.names(operators)
            operator = names[operators].of(event["name"].removesuffix(_ENDING), kind)
            spent[run, operator] += event["dur"]
            profile.span(
                "operator",
                operator.name,
                event["ts"] + shift,
                end=event["ts"] + shift + event["dur"],
                thread=runs[run].thread,
                counts=False,
                args={"node": operator.node, "onnx": kind},
            )
        for (_, operator), time in spent.items():
            profile.count("operator", operator.name, time)


class Names:
    """The operators that the nodes of a session were made for, by ONNX Runtime's names of these."""

    def __init__(self, graph: Any, operators: Mapping[str, Operator]) -> None:
        self._operators = operators
        self._nodes = {node.name: node for node in graph.node}
        self._makers = {name: node for node in graph.node for name in node.output}
        self._known: dict[tuple[str, str], Operator] = {}

    def of(self, name: str, kind: str) -> Operator:
        """The operator; what ONNX Runtime adds of its own has the kind of the node for a name."""
        key = name, kind
        if key not in self._known:
            self._known[key] = self._operator(self.original(name.removeprefix("fused "), kind), kind)
        return self._known[key]

    def _operator(self, name: str, kind: str) -> Operator:
        while name not in self._operators and "/" in name:
            name = name.rpartition("/")[0]
        first, _, number = name.rpartition("_")
        if name not in self._operators and number.isdecimal():  # one more of that name
            name = first if first in self._operators else name
        return self._operators.get(name) or Operator(kind, name)

    def original(self, name: str, kind: str) -> str:
        """The name of the node in the lowered graph."""
        if not name.endswith(_BLOCKED):
            return name
        output = name.removesuffix(_BLOCKED)
        if output.endswith(_NORMALIZED) and output.removesuffix(_NORMALIZED) in self._makers:
            return str(self._makers[output.removesuffix(_NORMALIZED)].name)
        node = self._makers.get(output)
        while node is not None and node.op_type != kind:  # it is one with what follows it
            node = self._makers.get(node.input[0]) if node.input else None
        return name if node is None else str(node.name)
