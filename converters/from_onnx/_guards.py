"""Branches around loops for a length of 0, which ONNX Runtime's Scan refuses and MXNet's `_foreach` does not.

Exported models have them where a length is free: they say what a Scan alone says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from onnx import GraphProto, NodeProto

Constant = Callable[[str], Any]
"""The value of a constant by its name, `None` of what is computed."""


def guarded(node: NodeProto, around: Iterable[NodeProto], constant: Constant) -> GraphProto | None:
    """The branch of an `If` that has the loop, if the other one says what a loop of no steps gives."""
    graphs = {a.name: a.g for a in node.attribute}
    if node.op_type != "If" or not {"then_branch", "else_branch"} <= graphs.keys():
        return None
    empty, loop = graphs["then_branch"], graphs["else_branch"]
    outer = producers(around)
    data = _tested(outer.get(node.input[0]), outer, constant)
    inner = producers(loop.node)
    scans = [n for n in loop.node if n.op_type == "Scan"]
    if not data or len(scans) != 1 or any(inner.get(o.name) is not scans[0] for o in loop.output):
        return None
    count = next((a.i for a in scans[0].attribute if a.name == "num_scan_inputs"), 0)
    if not 0 < count <= len(scans[0].input) or len(empty.output) != len(loop.output):
        return None
    states, steps = scans[0].input[: len(scans[0].input) - count], scans[0].input[-count:]
    if data not in [_without_axis(name, inner) for name in steps]:
        return None
    first = dict(zip(scans[0].output, states, strict=False))
    same = all(
        _is_empty(producers(empty.node).get(e.name), producers(empty.node), constant, first.get(o.name))
        for e, o in zip(empty.output, loop.output, strict=True)
    )
    return loop if same else None


def producers(nodes: Iterable[NodeProto]) -> dict[str, NodeProto]:
    """Which node computes a value."""
    return {name: node for node in nodes for name in node.output}


def _tested(test: NodeProto | None, nodes: Mapping[str, NodeProto], constant: Constant) -> str:
    """The value whose first size a condition holds against 0, if that is what it does."""
    if (
        test is None
        or test.op_type != "Equal"
        or len(test.input) != 2
        or not _are(constant(test.input[1]), [0])
    ):
        return ""
    part = nodes.get(test.input[0])
    if part is None or part.op_type != "Slice" or len(part.input) < 3:
        return ""
    shape = nodes.get(part.input[0])
    limits = [constant(name) for name in part.input[1:3]]
    if shape is None or shape.op_type != "Shape" or shape.attribute or not _are(limits[0], [0]):
        return ""
    return str(shape.input[0]) if _are(limits[1], [1]) else ""


def _without_axis(name: str, nodes: Mapping[str, NodeProto]) -> str:
    """What a loop's data is, without the axis that parts without one receive."""
    node = nodes.get(name)
    return str(node.input[0]) if node is not None and node.op_type == "Unsqueeze" else name


def _is_empty(
    node: NodeProto | None, nodes: Mapping[str, NodeProto], constant: Constant, state: str | None
) -> bool:
    """Whether a node gives the first value of a loop's variable, or an array of length 0."""
    if node is None or state is not None:
        return node is not None and node.op_type == "Identity" and list(node.input) == [state]
    if node.op_type != "ConstantOfShape":
        return False
    sizes = constant(node.input[0])
    parts = nodes.get(node.input[0])
    if sizes is None and parts is not None and parts.op_type == "Concat":
        sizes = constant(parts.input[0])
    return sizes is not None and _are(sizes[:1], [0])


def _are(value: Any, numbers: list[int]) -> bool:
    return value is not None and value.tolist() == numbers
