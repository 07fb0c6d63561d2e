"""The nodes of an onnx model in a graph that is being built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from onnx import ModelProto, NodeProto, numpy_helper

from hybridonnx.ops import Spec

from ..elements import Array
from ..onnx_nodes import values_of
from ..opsets import plain
from ..subgraphs import mentioned
from ._nodes import ForeignAttribute, Node, Value


class Host(Protocol):
    """What the graph offers that they come into."""

    opset: int
    scope: str
    domains: dict[str, int]

    def const(self, value: Array, /) -> Value:
        """A constant."""

    def node(self, op_type: str, inputs: Sequence[Any], outputs: int, attributes: dict[str, Any], /) -> Any:
        """Add a node of ONNX's own, and give its outputs."""

    def _add(self, node: Node, outputs: Sequence[Spec], /) -> list[Value]:
        """Add a node without a look at what ONNX says of its operator, with outputs of these specs."""


def spliced(
    g: Host, model: ModelProto, inputs: Sequence[Value], outputs: Sequence[Spec]
) -> tuple[Value, ...]:
    """Add the nodes of a model with these values for its inputs; its outputs are as `outputs` says."""
    graph = model.graph
    g.domains.update((o.domain, o.version) for o in model.opset_import if plain(o.domain))
    values = dict(zip((i.name for i in graph.input), inputs, strict=True))
    values |= {t.name: g.const(numpy_helper.to_array(t)) for t in graph.initializer}
    specs = dict(zip((o.name for o in graph.output), outputs, strict=True))
    for proto in graph.node:
        arguments = [values[name] if name else None for name in proto.input]
        declared = [specs.get(name, Spec()) for name in proto.output]
        attributes = None if plain(proto.domain) else values_of(proto, g.opset)
        if attributes is None:
            inside = set(mentioned(proto))
            captured = {name: value for name, value in values.items() if name in inside}
            results = _as_it_is(g, proto, arguments, declared, captured)
        else:
            several = g.node(proto.op_type, arguments, len(declared), attributes)
            results = [several] if len(declared) == 1 else list(several)
        for name, value in zip(proto.output, results, strict=True):
            if not name and value.node is not None:
                value.node.outputs[value.index].absent = True
            values[name] = value
    return tuple(values[o.name] for o in graph.output)


def _as_it_is(
    g: Host,
    proto: NodeProto,
    inputs: list[Value | None],
    outputs: Sequence[Spec],
    captured: Mapping[str, Value],
) -> list[Value]:
    """Add a node as it is, with the graphs that it has; these take the values `captured` by name."""
    attributes = {attribute.name: ForeignAttribute(attribute) for attribute in proto.attribute}
    node = Node(proto.op_type, plain(proto.domain), inputs, attributes, g.scope)
    node.captured = dict(captured)
    return g._add(node, outputs)
