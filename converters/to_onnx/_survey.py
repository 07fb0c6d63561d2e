"""What an export would write, node by node, and all that stands in its way, without writing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hybridonnx.errors import MXNetError, without_places
from hybridonnx.ops import Spec, without_symbols
from hybridonnx.symbol.compose import Outputs
from hybridonnx.symbol.cut import cut
from hybridonnx.symbol.graph import VARIABLE, Entry, Node

from ..elements import Array
from ..opsets import NeedsOpset
from ._graph import Graph, Value
from ._nodes import Node as OnnxNode
from ._onnxruntime import guard
from ._walk import WAY_OUT, Start, Walk, lower_node, needed, nodes_text, refusal, start
from ._write import live_nodes


class NodeSupport(NamedTuple):
    """One node of an MXNet graph, and what becomes of it."""

    name: str
    operator: str
    written: tuple[str, ...]
    """The ONNX operators that it is written as, in their order; none if nothing needs its values."""
    problem: str
    """Why it cannot be written, and what to do; nothing if it can."""


@dataclass(frozen=True)
class Support:
    """What an export would write, and what it cannot."""

    opset: int
    nodes: tuple[NodeSupport, ...]

    def ok(self) -> bool:
        """Whether every node can be written."""
        return not self.problems()

    def problems(self) -> dict[str, list[str]]:
        """The names of the nodes that cannot be written, by the reason."""
        reasons: dict[str, list[str]] = {}
        for node in self.nodes:
            if node.problem:
                reasons.setdefault(node.problem, []).append(node.name)
        return reasons

    def __str__(self) -> str:
        rows = Counter(
            (node.operator, _listing(node.written), bool(node.problem))
            for node in sorted(self.nodes, key=lambda node: node.operator)
        )
        lines = [f"{'operator':<32} {'nodes':>5}  ONNX at opset {self.opset}"]
        lines += [
            f"{operator:<32} {count:>5}  {'cannot be written' if problem else written or 'nothing'}"
            for (operator, written, problem), count in rows.items()
        ]
        problems = self.problems()
        if not problems:
            return "\n".join([*lines, f"all {len(self.nodes)} nodes can be written"])
        count = sum(map(len, problems.values()))
        lines.append(f"{count} of {len(self.nodes)} nodes cannot be written:")
        lines += [f"  {reason} ({nodes_text(names)})" for reason, names in problems.items()]
        return "\n".join([*lines, WAY_OUT])


def _listing(op_types: Sequence[str]) -> str:
    counts = Counter(op_types)
    return ", ".join(name if count == 1 else f"{count} {name}" for name, count in counts.items())


def survey(
    symbol: Outputs,
    inputs: Mapping[str, Spec],
    params: Mapping[str, Array],
    opset: int,
    unused_inputs: bool = False,
) -> tuple[Support, int]:
    """Lower a Symbol, going on behind every node that cannot be lowered; and the opset that some need."""
    unknown = [node for node in needed(symbol.outputs, False) if not node.is_known]
    rows = [NodeSupport(node.name, node.op_name, (), refusal(node, False)) for node in unknown]
    results = {
        entry: Node(VARIABLE, f"{entry.node.name}_output{entry.output}")
        for entry in _entries_of(symbol, unknown)
    }
    # what unknown operators read is surveyed as well
    outputs, _ = cut([*symbol.outputs, *(entry for node in unknown for entry in node.inputs)], results)
    sources = {node.name: Spec() for node in results.values()}
    known = start(Outputs(outputs), {**inputs, **sources}, params, opset, unused_inputs=unused_inputs)
    progress = _Progress(known.walk, {known.variables[name] for name in sources if name in known.variables})
    steps = [(node, *progress.lower(node, known)) for node in known.nodes if not node.is_variable]
    read = [entry for node, _, problem in steps if problem for entry in node.inputs]
    values = [known.walk.values[entry] for entry in (*outputs, *read) if entry in known.walk.values]
    written = _written(known.walk.graph, values, [nodes for _, nodes, _ in steps])
    rows += [
        NodeSupport(node.name, node.op_name, op_types, problem)
        for (node, _, problem), op_types in zip(steps, written, strict=True)
    ]
    return Support(opset, tuple(rows)), progress.needed


def _entries_of(symbol: Outputs, nodes: Sequence[Node]) -> set[Entry]:
    """What the graph reads of some nodes' outputs."""
    entries = {entry for node in needed(symbol.outputs, False) for entry in node.inputs}
    return {entry for entry in (*entries, *symbol.outputs) if entry.node in nodes}


class _Progress:
    """The lowering of node after node, and the values that stand for what could not be lowered."""

    def __init__(self, walk: Walk, unknown: set[Value]) -> None:
        self._walk, self._unknown = walk, unknown
        self.needed = 0
        """The newest opset that a node asks for."""

    def lower(self, node: Node, known: Start) -> tuple[list[OnnxNode], str]:
        """The ONNX nodes for one node, or why there are none."""
        graph = self._walk.graph
        before, problem = len(graph.nodes), refusal(node, False, custom=True)
        if not problem:
            try:
                lower_node(self._walk, node, known.specs)
            except MXNetError as exc:
                problem = self._problem(node, without_places(exc))
                self.needed = max(self.needed, exc.opset if isinstance(exc, NeedsOpset) else 0)
        if problem:
            del graph.nodes[before:]
            self._stand_in(node, known)
        return graph.nodes[before:], problem

    def _problem(self, node: Node, text: str) -> str:
        values = [self._walk.values.get(entry) for entry in node.inputs]
        if any(value in self._unknown and value.shape is None for value in values if value is not None):
            return "not known before what it reads can be written"
        return text

    def _stand_in(self, node: Node, known: Start) -> None:
        for i in range(node.count()):
            spec = known.specs.get(Entry(node, i), Spec())
            value = Value(self._walk.graph, spec.dtype, without_symbols(spec.shape), f"{node.name}_output{i}")
            self._walk.values[Entry(node, i)] = value
            self._unknown.add(value)


def _written(
    graph: Graph, results: Sequence[Value], steps: Sequence[Sequence[OnnxNode]]
) -> list[tuple[str, ...]]:
    """The ONNX operators of each step that the results need, with what guards them against ONNX Runtime."""
    guard(graph, results)
    owners = {node: index for index, nodes in enumerate(steps) for node in nodes}
    op_types: list[list[str]] = [[] for _ in steps]
    owner = len(steps) - 1
    for node in reversed(live_nodes(graph, results)[0]):
        owner = owners.get(node, owner)  # a guard stands before the node that it is for
        op_types[owner].append(node.op_type)
    return [tuple(reversed(names)) for names in op_types]
