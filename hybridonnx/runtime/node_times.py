"""The time that each node of an ONNX model takes, by ONNX Runtime's own profile."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..errors import FormatError
from ..formats.files import scratch_folder, write_atomically
from ..ops import Array
from .measured import Names
from .session import ModelSession

Event: TypeAlias = Mapping[str, Any]

_ENDING = "_kernel_time"


@dataclass
class NodeRuns:
    """A node as ONNX Runtime runs it, and the time that it took in each run."""

    name: str
    """What the model calls it, or ONNX Runtime where it made the node."""
    operator: str
    provider: str
    output: str
    """The types and shapes of its outputs in the first run, as far as ONNX Runtime tells."""
    in_model: bool
    """Whether the model has a node of this name."""
    times: list[float] = field(default_factory=list)
    """Milliseconds of each run, without those of the nodes in its bodies; 0 where it did not run."""
    calls: int = 0
    """How often it ran in all."""


class Measurement(NamedTuple):
    """What a profile tells of some runs."""

    totals: list[float]
    """Milliseconds of each run."""
    nodes: list[NodeRuns]
    """In the order in which they first began."""


def measure(
    model: str | bytes,
    graph: Any,
    feeds: Mapping[str, Array],
    runs: int,
    warmup: int,
    threads: int,
    trace: str | None,
) -> Measurement:
    """Run a model under ONNX Runtime's profiler; `trace` names a file that its profile goes to as well."""
    with scratch_folder() as folder:
        session = ModelSession(model, threads=threads, profile=str(Path(folder, "profile")))
        for _ in range(warmup + runs):
            session(feeds)
        path = session.end_profile()
        if trace is not None:
            with open(path, "rb") as file:
                write_atomically(trace, iter(partial(file.read, 1 << 20), b""))
        try:
            events = json.loads(Path(path).read_bytes())
        except ValueError as exc:
            raise FormatError(
                f"ONNX Runtime's profile: JSON is required, got a file that is cut ({exc}). "
                "Ask for fewer runs, or make room on the disk."
            ) from None
    return node_times(events, graph, warmup)


def node_times(events: Sequence[Event], graph: Any, warmup: int = 0) -> Measurement:
    """What the events of a profile say of each run but the first `warmup` ones.

    The time of a node that runs others, as loops and branches do, is without theirs.
    """
    whole = sorted((e for e in events if e["name"] == "model_run"), key=lambda e: e["ts"])[warmup:]
    parts = sorted(
        (e for e in events if e["cat"] == "Node" and e["name"].endswith(_ENDING)),
        key=lambda e: (e["ts"], -e["dur"]),
    )
    starts = [part["ts"] for part in parts]
    titles = _Titles(graph)
    nodes: dict[tuple[str, str], NodeRuns] = {}
    for run, event in enumerate(whole):
        end = event["ts"] + event["dur"]
        inside = parts[bisect_left(starts, event["ts"]) : bisect_right(starts, end)]
        for part, time, owner in _own_times(inside):
            name, in_model = titles.of(part, owner)
            args = part["args"]
            key = name, args.get("op_name", "")
            if key not in nodes:
                nodes[key] = NodeRuns(*key, args.get("provider", ""), _output(args), in_model)
            node = nodes[key]
            node.times += [0.0] * (run + 1 - len(node.times))
            node.times[run] += time / 1000
            node.calls += 1
    for node in nodes.values():
        node.times += [0.0] * (len(whole) - len(node.times))
    return Measurement([event["dur"] / 1000 for event in whole], list(nodes.values()))


def _own_times(parts: Sequence[Event]) -> Iterator[tuple[Event, float, Event | None]]:
    """Each event with its time less that of the events inside of it, and the event that it is inside of."""
    owners: list[Event | None] = []
    inner = [0.0] * len(parts)
    open_parts: list[int] = []
    for i, part in enumerate(parts):
        while open_parts and not _holds(parts[open_parts[-1]], part):
            open_parts.pop()
        owners.append(parts[open_parts[-1]] if open_parts else None)
        if open_parts:
            inner[open_parts[-1]] += part["dur"]
        open_parts.append(i)
    for part, spent, owner in zip(parts, inner, owners, strict=True):
        yield part, max(part["dur"] - spent, 0), owner


def _holds(outer: Event, inner: Event) -> bool:
    return bool(inner["tid"] == outer["tid"] and inner["ts"] < outer["ts"] + outer["dur"])


def _output(args: Mapping[str, Any]) -> str:
    outputs = args.get("output_type_shape") or []
    pairs = [pair for output in outputs if isinstance(output, dict) for pair in output.items()]
    return ", ".join(f"{dtype} {tuple(shape)}" for dtype, shape in pairs)


class _Titles:
    """The model's names of nodes for ONNX Runtime's."""

    def __init__(self, graph: Any) -> None:
        self._names = Names(graph, {})
        self._known = {node.name for node in nodes_of(graph) if node.name}
        plain = [node for node in graph.node if node.op_type != "Constant"]  # those become initializers
        self._unnamed = {
            f"{node.op_type}_{i}": node.output[0]
            for i, node in enumerate(plain)
            if not node.name and node.output
        }

    def of(self, event: Event, owner: Event | None) -> tuple[str, bool]:
        """A node's name, and whether the model has it; what has none is called by its first output."""
        kind = event["args"].get("op_name", "")
        title = event["name"].removesuffix(_ENDING)
        unnamed = title == f"{kind}_{event['args'].get('node_index', '')}" and title not in self._known
        if unnamed and owner is None:
            return self._unnamed.get(title, title), title in self._unnamed
        if unnamed and owner is not None:
            return f"{self.of(owner, None)[0]}/{title}", True
        name = self._names.original(title.removeprefix("fused "), kind)
        shorter = name
        while shorter not in self._known and "/" in shorter:
            shorter = shorter.rpartition("/")[0]
        return (shorter, True) if shorter in self._known else (name, False)


def nodes_of(graph: Any) -> Iterator[Any]:
    """The nodes of a graph, those in bodies included."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from nodes_of(body)
