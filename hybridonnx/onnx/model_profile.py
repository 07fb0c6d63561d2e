"""Where the time of a model goes: by node, by operator and by layer."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from .._json import fields_of, json_text
from ..converters.from_onnx import read
from ..errors import AttributeValueError
from ..gluon.hybrid_block import HybridBlock
from ..pages.page import HasPage, Page
from ..pages.plot import Chart, Plot, Series
from ..pages.table import Column, Row, Table
from ..parity.isolation import Isolation, called, isolation_of
from ..parity.models import title
from ..parity.plain import plain, typed
from ..runtime.environment import environment
from ..runtime.node_times import Measurement, NodeRuns, measure, nodes_of
from ..runtime.session import ModelSession
from ._feeds import arrays_of, feeds, signature
from ._native import Model
from ._sources import as_onnx
from ._table import shortened, table
from .models import Inputs, Shapes

__all__ = ["NodeTime", "Profile", "TimeShare", "profile"]

_WIDTH = 48
_SCOPES = "pkg.torch.onnx.name_scopes"
_LONGEST = 10_000
"""Letters of a list of scopes; a parser can run out of stack over longer texts."""
_CALL = "_fwd"
"""How Gluon ends the names of operators that are a block's own."""


@dataclass(frozen=True)
class NodeTime:
    """A node, and the time that it takes."""

    name: str
    operator: str
    layer: str
    """The block or scope that it belongs to; empty for what ONNX Runtime adds of its own."""
    time: float
    """Milliseconds of a run, the median; those of nodes in its bodies are these nodes' own."""
    share: float
    """The part of all nodes' time that it takes, from 0 to 1."""
    calls: float = 1
    """How often it runs each time that the model does, on average."""
    output: str = ""
    """The types and shapes of its outputs."""
    provider: str = ""
    """The execution provider of ONNX Runtime's that runs it."""


@dataclass(frozen=True)
class TimeShare:
    """Some nodes together."""

    name: str
    nodes: int
    time: float
    """Milliseconds of a run."""
    share: float
    """The part of all nodes' time, from 0 to 1."""


@dataclass(frozen=True)
class Profile(HasPage):
    """Where the time of a model goes."""

    model: str
    total: float
    """Milliseconds of a run, the median; measuring takes a part of it."""
    nodes: tuple[NodeTime, ...]
    """In the order in which they run."""
    runs: int
    warmup: int
    threads: int
    """Threads of ONNX Runtime; 0: as many as it likes."""
    inputs: Mapping[str, str]
    """The types and shapes of the inputs that it was run with."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Versions and the machine."""

    def by_operator(self) -> tuple[TimeShare, ...]:
        """The time of each kind of operator.

        Returns:
            The operators, those that take the most time first.
        """
        return _shares(self.nodes, lambda node: node.operator)

    def by_layer(self, depth: int | None = None) -> tuple[TimeShare, ...]:
        """The time of each layer.

        Args:
            depth: Of how many parts layers' names are made, so that layers within one are counted together: 1
                is the outermost. Parts end at `/`, or at `_` in names without it. All parts by default.

        Returns:
            The layers, those that take the most time first. Nodes that ONNX Runtime adds have an empty name.

        Raises:
            AttributeValueError: If the depth is below 1.
        """
        if depth is not None and depth < 1:
            raise AttributeValueError(f"by_layer: a depth of at least 1 is required, got {depth}.")
        return _shares(self.nodes, lambda node: _part(node.layer, depth))

    def to_json(self) -> str:
        """The profile as a JSON text: the fields, and the times by operator and by layer.

        Returns:
            The text.
        """
        more = {"operators": self.by_operator(), "layers": self.by_layer()}
        return json_text({**more, **fields_of(self)})

    def text(self, depth: int | None = None, rows: int = 15) -> str:
        """The times as three tables: by operator, by layer, and the slowest nodes.

        Args:
            depth: Of how many parts layers' names are made, as in `by_layer`.
            rows: How many rows each table has at most.

        Returns:
            The text.
        """
        inputs = ", ".join(f"{name} {text}" for name, text in self.inputs.items())
        threads = f"{self.threads or 'all'} thread{'s' * (self.threads != 1)}"
        slowest = sorted(self.nodes, key=lambda node: -node.time)[:rows]
        cells = [
            (shortened(n.name, _WIDTH), n.operator, f"{n.time:.3f}", f"{n.share:.1%}", n.output)
            for n in slowest
        ]
        lines = [
            f"{self.model}: {self.total:.3f} ms a run on {threads}, the median of {self.runs} after "
            f"{self.warmup} to warm up",
            f"inputs: {inputs}",
            "",
            *_share_lines("operator", self.by_operator(), rows),
            "",
            *_share_lines("layer", self.by_layer(depth), rows),
            "",
            *table(("node", "operator", "ms", "share", "output"), cells, left=2),
            *_more(len(self.nodes), rows),
        ]
        return "\n".join(lines)

    def _page(self) -> Page:
        return _page(self)

    def __str__(self) -> str:
        return self.text()


def profile(
    model: Model,
    inputs: Inputs | None = None,
    *,
    shapes: Shapes | None = None,
    sizes: Mapping[str, int] | None = None,
    runs: int = 20,
    warmup: int = 3,
    threads: int = 0,
    trace: str | os.PathLike[str] | None = None,
    seed: int = 0,
    isolated: bool | Isolation = False,
) -> Profile:
    """Measure the time of every node of a model in ONNX Runtime, by its own profiler.

    Nodes are those that ONNX Runtime runs: it makes one of several, and lays arrays out anew between them.
    They are called as in the model where they come of it. Their layers are what is before the last `/` of
    their names, the blocks that they are of, or the modules that PyTorch's exporter says in metadata.

    Args:
        model: An ONNX file, its bytes or a ModelProto; or one of MXNet's, which is exported before: a
            HybridBlock, a Symbol with its parameters as a tuple, or their files.
        inputs: Arrays by name or in order; without them they are drawn.
        shapes: Shapes of the inputs, by name or in order; those that an ONNX model says by default.
        sizes: Free sizes by name; a first one is 1 unless it is among them.
        runs: How many runs are measured.
        warmup: How many runs come before, and do not count.
        threads: Threads of ONNX Runtime; 0: as many as it likes.
        trace: A file that ONNX Runtime's profile is kept in, for chrome://tracing and the like.
        seed: Of the draws.
        isolated: Whether the model runs in a process of its own, with limits; for files of strangers.

    Returns:
        The times. Printed they are three tables: by operator, by layer, and the slowest nodes.

    Raises:
        AttributeValueError: If a free size is not given, or `runs` is below 1.
        IsolationError: If a process of its own was ended by a fault or at a limit.
        MissingFileError: If there is no such file.
        MXNetError: If ONNX Runtime cannot run the model.
    """
    _require(runs, warmup, threads)
    numbers = [runs, warmup, threads, seed]
    return _measured(model, inputs, shapes, sizes, numbers, trace, isolation_of(isolated))


def _measured(
    model: Any,
    inputs: Any,
    shapes: Any,
    sizes: Any,
    numbers: list[int],
    trace: str | os.PathLike[str] | None,
    limits: Isolation | None,
) -> Profile:
    """The times of any model, here or in another process."""
    known = None if inputs is None else arrays_of(inputs)
    with as_onnx(model, *signature(shapes, known)) as source:
        request = {
            "source": source,
            "inputs": known,
            "shapes": shapes,
            "sizes": sizes,
            "numbers": numbers,
            "trace": None if trace is None else os.fspath(trace),
            "title": title(model),
            "prefixes": _prefixes(model),
        }
        if limits is None:
            return _profile(request)
        result: Profile = typed(Profile, called("profile", f"{__name__}:serve", request, limits), "profile")
        return result


def serve(request: dict[str, Any], ask: Any) -> Any:
    """Measure as another process asks.

    Args:
        request: What `profile` is asked for.
        ask: Asks the other process, which this does not.

    Returns:
        The times as plain values.
    """
    return plain(_profile(request))


def _profile(request: Mapping[str, Any]) -> Profile:
    """The times of an ONNX model, and what its layers are told by."""
    source, (runs, warmup, threads, seed) = request["source"], request["numbers"]
    session = ModelSession(source, threads=1)
    arrays = feeds(
        "profile", source, session, request["inputs"], request["shapes"], request["sizes"], None, seed
    )
    graph = read(source).proto.graph
    measurement = measure(source, graph, arrays, runs, warmup, threads, request["trace"])
    nodes = tuple(_node_times(measurement, request["prefixes"], _scopes(graph)))
    types = {name: f"{a.dtype} {a.shape}" for name, a in arrays.items()}
    total = median(measurement.totals)
    return Profile(request["title"], total, nodes, runs, warmup, threads, types, environment())


def _require(runs: int, warmup: int, threads: int) -> None:
    """Refuse numbers that are too small."""
    if runs < 1 or warmup < 0 or threads < 0:
        raise AttributeValueError(
            "profile: at least 1 run, and 0 or more to warm up and threads, are required, got "
            f"runs={runs}, warmup={warmup}, threads={threads}."
        )


def _node_times(
    measurement: Measurement, prefixes: Sequence[str], scopes: Mapping[str, str]
) -> Iterable[NodeTime]:
    times = [median(node.times) for node in measurement.nodes]
    whole = sum(times) or 1.0
    for node, time in zip(measurement.nodes, times, strict=True):
        yield NodeTime(
            node.name,
            node.operator,
            scopes.get(node.name) or _layer(node, prefixes),
            time,
            time / whole,
            node.calls / len(measurement.totals),
            node.output,
            node.provider,
        )


# ---- layers


def _prefixes(model: Any) -> list[str]:
    """The prefixes of a block's blocks, the longest first; none of another model."""
    if not isinstance(model, HybridBlock):
        return []
    known: set[str] = set()
    model.apply(lambda block: known.add(block.prefix))
    return sorted(known - {""}, key=len, reverse=True)


def _scopes(graph: Any) -> dict[str, str]:
    """The modules that nodes belong to, where a file says them beside the names, as PyTorch's exporter does.

    It lists the names of the modules around a node, each with those around it, and the node's own one last.
    """
    scopes: dict[str, str] = {}
    for node in nodes_of(graph):
        text = next((item.value for item in node.metadata_props if item.key == _SCOPES), "")
        try:
            names = ast.literal_eval(text) if len(text) <= _LONGEST else ()
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(names, list) and len(names) > 1 and isinstance(names[-2], str):
            scopes[node.name or next(iter(node.output), "")] = names[-2].replace(".", "/")
    return scopes


def _layer(node: NodeRuns, prefixes: Sequence[str]) -> str:
    """The block or scope of a node: what is before the last `/`, or the prefix of its block."""
    if not node.in_model:
        return ""
    name, slash, _ = node.name.strip("/").rpartition("/")
    name = name if slash else node.name
    prefix = next((p for p in prefixes if name.startswith(p)), None)
    if prefix is not None:
        return prefix.removesuffix("_")
    return name.removesuffix(_CALL)


def _part(name: str, depth: int | None) -> str:
    if depth is None:
        return name
    separator = "/" if "/" in name else "_"
    return separator.join(name.split(separator)[:depth])


# ---- rows


def _shares(nodes: Iterable[NodeTime], key: Callable[[NodeTime], str]) -> tuple[TimeShare, ...]:
    groups: dict[str, list[NodeTime]] = {}
    for node in nodes:
        groups.setdefault(key(node), []).append(node)
    rows = [
        TimeShare(name, len(part), sum(n.time for n in part), sum(n.share for n in part))
        for name, part in groups.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.time))


def _share_lines(heading: str, shares: Sequence[TimeShare], rows: int) -> list[str]:
    cells = [
        (
            shortened(row.name, _WIDTH) or _ADDED,
            str(row.nodes),
            f"{row.time:.3f}",
            f"{row.share:.1%}",
        )
        for row in shares[:rows]
    ]
    return table((heading, "nodes", "ms", "share"), cells) + _more(len(shares), rows)


def _more(count: int, rows: int) -> list[str]:
    return [f"… and {count - rows} more"] if count > rows else []


# ---- page

_ADDED = "(added by ONNX Runtime)"
_COLUMNS = (
    Column("node"),
    Column("operator", "short"),
    Column("layer", minor=True),
    Column("ms", "number", hint="milliseconds of a run, the median"),
    Column("share", "part", hint="of all nodes' time"),
    Column("calls", "number", minor=True, hint="how often it runs in a run of the model"),
    Column("output", minor=True),
    Column("provider", minor=True),
)


def _page(result: Profile) -> Page:
    rows = [
        Row((n.name, n.operator, n.layer or _ADDED, n.time, n.share, n.calls, n.output, n.provider))
        for n in result.nodes
    ]
    times = Chart(
        "Milliseconds of a run", [Series("node", [node.time for node in result.nodes], form="stems")]
    )
    plot = Plot("order", "nodes", "nodes, in the order in which they run", [times], linear=True)
    return Page(
        "Where the time of a model goes",
        f"{result.total:.3f} ms a run",
        facts={
            "model": result.model,
            "in nodes": f"{sum(n.time for n in result.nodes):.3f} ms; measuring takes a part of the rest",
            "threads": str(result.threads or "all"),
            "runs": f"{result.runs:,} after {result.warmup:,} to warm up",
            **{f"input {name}": text for name, text in result.inputs.items()},
        },
        sections={
            "Operators": [_shares_table("operators", "operator", result.by_operator())],
            "Layers": [_shares_table("layers", "layer", result.by_layer())],
            "Nodes": [plot, Table("nodes", "Nodes", _COLUMNS, rows)],
        },
        environment=result.environment,
    )


def _shares_table(name: str, heading: str, shares: Sequence[TimeShare]) -> Table:
    columns = (
        Column(heading),
        Column("nodes", "number"),
        Column("ms", "number"),
        Column("share", "part"),
    )
    rows = [Row((row.name or _ADDED, row.nodes, row.time, row.share)) for row in shares]
    return Table(name, name.capitalize(), columns, rows)
