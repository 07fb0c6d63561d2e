"""Casts between widths of floating-point numbers, set aside where two models are of different precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ..converters.outline import ABSENT, Outline, OutlineNode

_FLOATS = {"1": "float32", "10": "float16", "11": "float64", "16": "bfloat16"}
"""Types of floating-point numbers by ONNX's codes."""


class Reduced(NamedTuple):
    """A model without its casts to floating-point numbers."""

    outline: Outline
    """What reads the result of a cast reads here what is cast."""
    casts: list[OutlineNode]
    """The casts, whose inputs are values that are left."""


def without_casts(first: Outline, second: Outline) -> tuple[Reduced, Reduced]:
    """Both models without casts to floating-point numbers; as they are if both have as many of each type."""
    if Counter(map(_target, first.nodes)) == Counter(map(_target, second.nodes)):
        return Reduced(first, []), Reduced(second, [])
    return _reduced(first, second), _reduced(second, first)


def pairs_of_casts(first: Reduced, second: Reduced, values: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The places of casts to one type of values that are the same."""
    rest = dict(enumerate(second.casts))
    for a, cast in enumerate(first.casts):
        key = values.get(cast.inputs[0]), _target(cast)
        b = next((b for b, other in rest.items() if (other.inputs[0], _target(other)) == key), None)
        if b is not None:
            del rest[b]
            yield a, b


def _target(node: OutlineNode) -> str:
    """The type of floating-point numbers that a node casts to; nothing if it is no such cast."""
    if node.operator not in ("Cast", "cast", "amp_cast") or not node.inputs or node.inputs[0] == ABSENT:
        return ""
    text = node.attributes.get("to", node.attributes.get("dtype", "")).strip("'")
    return _FLOATS.get(text, text if text in _FLOATS.values() else "")


def _reduced(model: Outline, other: Outline) -> Reduced:
    known = {other.names[value] for node in other.nodes for value in node.outputs if value != ABSENT}
    made = {value for node in model.nodes for value in node.outputs}
    outputs = {value for value, _ in model.outputs}
    names, sources = list(model.names), dict[int, int]()
    nodes, casts = [], []
    for node in model.nodes:
        moved = replace(node, inputs=tuple(sources.get(value, value) for value in node.inputs))
        if not _target(node):
            nodes.append(moved)
            continue
        source, result = moved.inputs[0], node.outputs[0]
        if result in outputs and (source in outputs or source not in made):
            nodes.append(moved)  # another output, or an input, has the name of what is cast
            continue
        if result in outputs or (names[result] in known and names[source] not in known):
            names[source], names[result] = names[result], names[source]
        outputs |= {source} if result in outputs else set()
        sources[result] = source
        casts.append(moved)
    ends = [(sources.get(value, value), text) for value, text in model.outputs]
    return Reduced(replace(model, names=names, nodes=nodes, outputs=ends), casts)
