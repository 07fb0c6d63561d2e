"""The values of a file: each given once, and before a node takes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set

from onnx import GraphProto, ModelProto, NodeProto

from hybridonnx.errors import FormatError

from ..subgraphs import subgraphs
from ._places import located, short

_SHOWN = 5


def require_single_assignment(proto: ModelProto, title: str) -> None:
    """Hold the order of values in a model's graphs and functions to ONNX's rules.

    ONNX's own code for shapes and definitions takes it for granted.

    Args:
        proto: The model, its graphs not too deep.
        title: What the model is called.

    Raises:
        FormatError: If several nodes, inputs or initializers of a graph give one value, or a node or an
            output takes a value that nothing gives, or only a later node.
    """
    _graph(proto.graph, (), title)
    for function in proto.functions:
        _require_once(function.node, function.input, (), title)
        visible = _nodes(function.node, (set(function.input),), title)
        _require_values(function.output, function.node, visible, title)


def _graph(graph: GraphProto, outside: tuple[Set[str], ...], title: str) -> None:
    inputs = [info.name for info in graph.input]
    weights = [*(t.name for t in graph.initializer), *(t.values.name for t in graph.sparse_initializer)]
    _require_once(graph.node, inputs, weights, title)
    visible = _nodes(graph.node, ({*inputs, *weights}, *outside), title)
    _require_values([output.name for output in graph.output], graph.node, visible, title)


def _nodes(
    nodes: Iterable[NodeProto], visible: tuple[set[str], *tuple[Set[str], ...]], title: str
) -> tuple[Set[str], ...]:
    """Go through nodes that see values, their own graph's first; what is seen behind them."""
    for node in nodes:
        try:
            _require_values(node.input, nodes, visible, title)
        except FormatError as exc:
            raise located(exc, node) from None
        for inner in subgraphs(node):
            _graph(inner, visible, title)
        visible[0].update(node.output)
    return visible


def _require_once(
    nodes: Iterable[NodeProto], inputs: Iterable[str], weights: Iterable[str], title: str
) -> None:
    """Raise if a value is given twice; an input may have an initializer."""
    results = Counter(name for node in nodes for name in node.output if name)
    counts = Counter(inputs), Counter(weights)
    results.update({*counts[0], *counts[1]} & results.keys())
    twice = [short(name) for items in (results, *counts) for name, count in items.items() if count > 1]
    if twice:
        raise FormatError(
            f"{title}: one node, input or initializer for each value is required, got several that "
            f"give {', '.join(twice[:_SHOWN])}. Give each result a name of its own."
        )


def _require_values(
    names: Iterable[str], nodes: Iterable[NodeProto], visible: tuple[Set[str], ...], title: str
) -> None:
    """Raise if one of the values cannot be seen."""
    for name in names:
        if name and not any(name in values for values in visible):
            raise FormatError(f"{title}: {_why_missing(name, nodes)}")


def _why_missing(name: str, nodes: Iterable[NodeProto]) -> str:
    if any(name in node.output for node in nodes):
        return f"{short(name)!r} is used before a node computes it. Sort the model's nodes."
    return (
        f"a node, an input or an initializer that gives {short(name)!r} is required, got none. The file is "
        "damaged, or a part of a model."
    )
