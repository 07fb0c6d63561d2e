"""What is different between two models, in their structure and in their weights."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from .._json import fields_of, json_text
from ..converters.opsets import OLDEST
from ..converters.outline import ABSENT, Outline, OutlineNode, Weight, outline
from ..errors import ConversionError
from ..formats.files import scratch_folder
from ..pages.page import HasPage, Page, Part
from ..pages.plot import Chart, Plot, Series
from ..pages.table import Column, Row, Table
from ..parity.distances import distance
from ..parity.models import title
from ._casts import Reduced, pairs_of_casts, without_casts
from ._matching import Matching
from ._native import Model, Native, native
from ._sources import exported
from ._symbol_outline import outline_of_symbol

__all__ = ["Change", "ModelDiff", "NodeDiff", "WeightDiff", "diff"]

Kind: TypeAlias = Literal["changed", "removed", "added"]
"""Removed is what only the first model has, added what only the second has."""

_ROWS = 40
"""How many rows of each kind a text shows."""
_SIGNS: Mapping[str, str] = {"changed": "~", "removed": "-", "added": "+"}


class Change(NamedTuple):
    """What both models have, and how."""

    what: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.what}: {self.first or 'none'} → {self.second or 'none'}"


@dataclass(frozen=True)
class NodeDiff:
    """A node that is different, or that only one of the models has."""

    kind: Kind
    operator: str
    first: str
    """What the first model calls it; empty if it has none."""
    second: str
    changes: tuple[Change, ...] = ()
    """Its attributes and inputs that differ, and its operator."""

    def __str__(self) -> str:
        start = f"  {_SIGNS[self.kind]} {self.operator} {_both(self.first, self.second)}"
        return start + (f": {'; '.join(map(str, self.changes))}" if self.changes else "")


@dataclass(frozen=True)
class WeightDiff:
    """A weight that is different, or that only one of the models has."""

    kind: Kind
    first: str
    """What the first model calls it; empty if it has none."""
    second: str
    first_type: str
    """Its element type and shape: `float32 (64, 3, 7, 7)`."""
    second_type: str
    size: int = 0
    """How many elements were compared; none where the shapes differ."""
    count: int = 0
    """How many of them differ."""
    largest: float = 0.0
    """The largest absolute difference."""
    mean: float = 0.0
    """The mean absolute difference of all elements."""
    index: tuple[int, ...] = ()
    """Where the largest one is."""
    values: tuple[float, float] = (0.0, 0.0)
    """What the models have there."""

    def __str__(self) -> str:
        types = self.first_type or self.second_type
        if self.first_type and self.second_type and self.first_type != self.second_type:
            types = f"{self.first_type} → {self.second_type}"
        start = f"  {_SIGNS[self.kind]} {_both(self.first, self.second)} {types}"
        if not self.count:
            return start
        a, b = self.values
        where = f" at {list(self.index)} ({a:.6g} → {b:.6g})" if self.index else ""
        return (
            f"{start}: {self.count:,} of {self.size:,} elements, by {self.mean:.3g} on average, "
            f"at most by {self.largest:.3g}{where}"
        )


@dataclass(frozen=True)
class ModelDiff(HasPage):
    """What is different between two models."""

    first: str
    second: str
    changes: tuple[Change, ...]
    """Inputs, outputs, opsets, functions and metadata that differ."""
    nodes: tuple[NodeDiff, ...]
    weights: tuple[WeightDiff, ...]
    equal_nodes: int
    equal_weights: int
    renames: tuple[Change, ...] = ()
    """What is the same under another name; this is no difference."""
    notes: tuple[Change, ...] = ()
    """What is said of the models without changing them, such as who wrote them; nor is this."""

    @property
    def equal(self) -> bool:
        """Whether the models are the same but for names and notes."""
        return not (self.changes or self.nodes or self.weights)

    def to_json(self) -> str:
        """The difference as a JSON text: the fields, and `equal`.

        Returns:
            The text. Numbers that are not finite are the texts "inf" and "nan".
        """
        return json_text({"equal": self.equal, **fields_of(self)})

    def _page(self) -> Page:
        return _page(self)

    def __str__(self) -> str:
        verdict = self._verdict()
        lines = [f"{self.first} and {self.second} {verdict}"]
        lines += _section("inputs, outputs and opsets", [f"  ~ {change}" for change in self.changes])
        if self.equal_nodes or self.nodes:
            lines += _section(f"nodes: {_counts(self.equal_nodes, self.nodes)}", list(map(str, self.nodes)))
        lines += _section(
            f"weights: {_counts(self.equal_weights, self.weights)}", list(map(str, self.weights))
        )
        if self.renames:
            kinds = [change.what for change in self.renames]
            counts = [
                f"{kinds.count(kind)} {kind}{'s' * (kinds.count(kind) != 1)}" for kind in dict.fromkeys(kinds)
            ]
            lines.append(f"under other names: {', '.join(counts)}")
        if self.notes:
            lines.append(f"notes: {'; '.join(map(str, self.notes))}")
        return "\n".join(lines)

    def _verdict(self) -> str:
        if not self.equal:
            return "differ"
        return "are equal but for names" if self.renames else "are equal"


def diff(first: Model, second: Model) -> ModelDiff:
    """Compare two models: their inputs and outputs, opsets and metadata, nodes, and weights.

    Nodes are the same where all that leads to them, or all that comes of them, is the same; where that does
    not tell, names do, if they are the same elsewhere, and then their places. So a file whose values were
    numbered anew is equal but for names, and one changed node is one difference. Where only one model casts
    floating-point numbers, as one network in float32 and in float16, the rest is compared without the casts.
    Weights are matched by name, by what they hold, and by their place. They are read one at a time.

    Two of MXNet's models are compared in its operators. Beside an ONNX model, one of MXNet's is exported for
    its inputs and opset, and both are compared in ONNX's. With parameters alone, only weights are compared.

    Args:
        first: A model: an ONNX file, its bytes or a ModelProto; a Symbol with its parameters as a tuple, or
            the files of both; a HybridBlock; a symbol.json with one file of parameters beside it; or
            parameters, as a file or by name.
        second: The same, of any kind.

    Returns:
        What is different. Printed it is a list; `equal` tells whether there is anything.

    Raises:
        MissingFileError: If there is no such file.
        FormatError: If a file is damaged.
        ConversionError: If one model is MXNet's and the other is not, and the first cannot be exported.
    """
    with ExitStack() as stack:
        return _compared(*without_casts(*_outlines(first, second, stack)))


def _compared(first: Reduced, second: Reduced) -> ModelDiff:
    match = Matching(first.outline, second.outline)
    one, other = match.first, match.second
    casts = dict(pairs_of_casts(first, second, match.values))
    nodes = (*_node_diffs(match), *_cast_diffs(first, second, casts))
    weights, equal_weights = _weight_diffs(match)
    return ModelDiff(
        first=one.title,
        second=other.title,
        changes=(*_interface_changes(match), *_text_changes(one.facts, other.facts)),
        nodes=nodes,
        weights=tuple(weights),
        equal_nodes=len(match.nodes) + len(casts) - sum(item.kind == "changed" for item in nodes),
        equal_weights=equal_weights,
        renames=tuple(_renames(match)),
        notes=tuple(_text_changes(one.notes, other.notes)),
    )


def _outlines(first: Any, second: Any, stack: ExitStack) -> tuple[Outline, Outline]:
    """Both models in the operators of one side."""
    one, other = native(first), native(second)
    if one is None and other is None:
        return outline(first, title(first)), outline(second, title(second))
    if one is None or other is None:
        own, foreign = (first, second) if other is None else (second, first)
        known, beside = one or other, outline(foreign, title(foreign))
        if known is not None and known.symbol is None:
            pair = _weights_alone(_of_native(known, own)), _weights_alone(beside)
        else:
            pair = _as_onnx(own, beside, stack), beside
        return pair if other is None else (pair[1], pair[0])
    pair = _of_native(one, first), _of_native(other, second)
    if one.symbol is None or other.symbol is None:
        return _weights_alone(pair[0]), _weights_alone(pair[1])
    return pair


def _of_native(model: Native, source: Any) -> Outline:
    return outline_of_symbol(model.symbol, model.arrays, title(source))


def _as_onnx(model: Any, beside: Outline, stack: ExitStack) -> Outline:
    """One of MXNet's models, exported for the inputs and the opset of an ONNX model."""
    folder = stack.enter_context(scratch_folder())
    unknown = [name for name, (_, shape) in beside.signature.items() if shape is None]
    if unknown:
        raise ConversionError(
            f"diff: the shape of input {unknown[0]} is required of {beside.title}, which has none."
        )
    shapes = [shape for _, shape in beside.signature.values()]
    types = [dtype for dtype, _ in beside.signature.values()]
    opset = max(int(beside.facts.get("opset of ONNX", OLDEST)), OLDEST)
    path = exported(model, shapes, types, os.path.join(folder, "model.onnx"), opset)
    return outline(path, title(model))


def _weights_alone(model: Outline) -> Outline:
    """The parameters of a model without its graph, and without the numbers that only the graph is made of."""
    weights = {value: weight for value, weight in model.weights.items() if not weight.constant}
    return Outline(model.title, names=model.names, weights=weights)


# ---- inputs, outputs, metadata


def _interface_changes(match: Matching) -> Iterator[Change]:
    one, other = match.first, match.second
    letters, others = _Letters(), _Letters()
    for a, text in one.inputs.items():
        yield from _typed("input", one, a, text, other, match.inputs.get(a), other.inputs, (letters, others))
    for b in other.inputs.keys() - set(match.inputs.values()):
        yield Change("input", "", _title(other.names[b], other.inputs[b]))
    types = {j: text for j, (_, text) in enumerate(other.outputs)}
    names = replace(other, names=[other.names[value] for value, _ in other.outputs])
    for i, (a, text) in enumerate(one.outputs):
        j = match.outputs.get(i)
        yield from _typed("output", one, a, text, names, j, types, (letters, others))
        if j is not None and match.values.get(a) != other.outputs[j][0]:
            yield Change(f"output {one.names[a]}", "", "the result of another node")
    for j in types.keys() - set(match.outputs.values()):
        yield Change("output", "", _title(names.names[j], types[j]))


def _typed(
    kind: str,
    one: Outline,
    a: int,
    text: str,
    other: Outline,
    b: int | None,
    types: Mapping[int, str],
    letters: tuple[_Letters, _Letters],
) -> Iterator[Change]:
    """What is different in the type of an input or output."""
    if b is None:
        yield Change(kind, _title(one.names[a], text), "")
    elif letters[0](text) != letters[1](types[b]):
        yield Change(f"{kind} {one.names[a]}", text, types[b])


class _Letters:
    """Names of free sizes as the order in which they first appear, so that renamed ones are equal."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        start, bracket, sizes = text.partition(" (")
        return start + bracket + re.sub(r"[A-Za-z_]\w*", self._letter, sizes)

    def _letter(self, text: re.Match[str]) -> str:
        return self._known.setdefault(text[0], f"size{len(self._known)}")


def _text_changes(first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[Change]:
    for key in dict.fromkeys([*first, *second]):
        if first.get(key) != second.get(key):
            yield Change(key, first.get(key, ""), second.get(key, ""))


# ---- nodes


def _node_diffs(match: Matching) -> Iterator[NodeDiff]:
    others = {b: a for a, b in match.nodes.items()}
    for a, node in enumerate(match.first.nodes):
        if a not in match.nodes:
            yield NodeDiff("removed", node.operator, node.name, "")
            continue
        other = match.second.nodes[match.nodes[a]]
        changes = tuple(_changes(match, node, other))
        if changes:
            yield NodeDiff("changed", node.operator, node.name, other.name, changes)
    for b, node in enumerate(match.second.nodes):
        if b not in others:
            yield NodeDiff("added", node.operator, "", node.name)


def _cast_diffs(first: Reduced, second: Reduced, pairs: Mapping[int, int]) -> Iterator[NodeDiff]:
    """The casts that only one of the models has."""
    for a, node in enumerate(first.casts):
        if a not in pairs:
            yield NodeDiff("removed", node.operator, node.name, "")
    taken = set(pairs.values())
    for b, node in enumerate(second.casts):
        if b not in taken:
            yield NodeDiff("added", node.operator, "", node.name)


def _changes(match: Matching, node: OutlineNode, other: OutlineNode) -> Iterator[Change]:
    if node.operator != other.operator:
        yield Change("operator", node.operator, other.operator)
    yield from _text_changes(node.attributes, other.attributes)
    for i in range(max(len(node.inputs), len(other.inputs))):
        a = node.inputs[i] if i < len(node.inputs) else ABSENT
        b = other.inputs[i] if i < len(other.inputs) else ABSENT
        if match.values.get(a) != b:
            slot = node.slots[i] if i < len(node.inputs) else other.slots[i]
            yield Change(slot, _value(match.first, a), _value(match.second, b))
    if len(node.outputs) != len(other.outputs):
        yield Change("outputs", str(len(node.outputs)), str(len(other.outputs)))


def _value(model: Outline, value: int) -> str:
    return "" if value == ABSENT else model.names[value]


# ---- weights


def _weight_diffs(match: Matching) -> tuple[list[WeightDiff], int]:
    """The weights that differ, and how many do not."""
    rows, equal = [], 0
    for a, weight in match.first.weights.items():
        if a not in match.weights:
            rows.append(WeightDiff("removed", weight.name, "", _type(weight), ""))
            continue
        b = match.weights[a]
        row = None
        if match.digests[0][a] != match.digests[1][b]:
            row = _weight_diff(weight, match.second.weights[b])
        rows += [] if row is None else [row]
        equal += row is None
    taken = set(match.weights.values())
    for b, weight in match.second.weights.items():
        if b not in taken:
            rows.append(WeightDiff("added", "", weight.name, "", _type(weight)))
    return rows, equal


def _weight_diff(first: Weight, second: Weight) -> WeightDiff | None:
    """How two weights differ; `None` if their elements are equal."""
    types = _type(first), _type(second)
    row = WeightDiff("changed", first.name, second.name, *types)
    if first.shape != second.shape or {"string"} & {first.dtype, second.dtype}:
        return row
    known = distance(first.array(), second.array())
    if not known.count and types[0] == types[1]:
        return None
    size = 1
    for length in first.shape:
        size *= length
    return replace(row, size=size, **vars(known))


def _type(weight: Weight) -> str:
    return f"{weight.dtype} {weight.shape}"


# ---- names and texts


def _renames(match: Matching) -> Iterator[Change]:
    one, other = match.first, match.second
    for a, b in match.inputs.items():
        yield from _renamed("input", one.names[a], other.names[b])
    for i, j in match.outputs.items():
        yield from _renamed("output", one.names[one.outputs[i][0]], other.names[other.outputs[j][0]])
    for a, b in match.nodes.items():
        yield from _renamed("node", one.nodes[a].name, other.nodes[b].name)
    for a, b in match.weights.items():
        yield from _renamed("weight", one.weights[a].name, other.weights[b].name)


def _renamed(kind: str, first: str, second: str) -> Iterator[Change]:
    if first != second:
        yield Change(kind, first, second)


def _both(first: str, second: str) -> str:
    return f"{first} → {second}" if first and second and first != second else first or second


def _title(name: str, text: str) -> str:
    return f"{name} {text}".rstrip()


def _counts(equal: int, rows: Sequence[NodeDiff] | Sequence[WeightDiff]) -> str:
    kinds = [row.kind for row in rows]
    parts = {
        "different": kinds.count("changed"),
        "only in the first": kinds.count("removed"),
        "only in the second": kinds.count("added"),
    }
    return ", ".join([f"{equal} equal", *(f"{count} {text}" for text, count in parts.items() if count)])


def _section(heading: str, rows: list[str]) -> list[str]:
    if not rows and ":" not in heading:
        return []
    more = [f"  … and {len(rows) - _ROWS} more"] if len(rows) > _ROWS else []
    return [heading, *rows[:_ROWS], *more]


# ---- page

_CHANGES = (Column("what"), Column("first model"), Column("second model"))
_NODES = (
    Column("node"),
    Column("difference", "verdict"),
    Column("operator", "short", minor=True),
    Column("called in the second", minor=True),
    Column("changes"),
)
_WEIGHTS = (
    Column("weight"),
    Column("difference", "verdict"),
    Column("type", minor=True),
    Column("differ", "number", hint="elements that differ"),
    Column("of", "number", minor=True),
    Column("largest", "number", hint="the largest absolute difference"),
    Column("mean", "number", minor=True, hint="the mean absolute difference of all elements"),
)
_PLACES: Mapping[str, str] = {
    "changed": "one in both models",
    "removed": "one in the first model only",
    "added": "one in the second model only",
}
_LABELS = (
    "there is",
    "called in the second",
    "type in the second",
    "largest at",
    "first there",
    "second there",
)


def _page(result: ModelDiff) -> Page:
    sections: dict[str, Sequence[Part]] = {
        "Inputs, outputs and opsets": _change_parts("changes", result.changes),
        "Nodes": _node_parts(result.nodes),
        "Weights": _weight_parts(result.weights),
        "The same under other names": _change_parts("renames", result.renames),
        "Notes": _change_parts("notes", result.notes),
    }
    return Page(
        "Difference of two models",
        f"The models {result._verdict()}",
        "good" if result.equal else "bad",
        {
            "first model": result.first,
            "second model": result.second,
            "nodes": _counts(result.equal_nodes, result.nodes),
            "weights": _counts(result.equal_weights, result.weights),
        },
        sections=sections,
    )


def _change_parts(name: str, changes: Sequence[Change]) -> list[Part]:
    return [Table(name, name.capitalize(), _CHANGES, [Row(change) for change in changes])] if changes else []


def _node_parts(nodes: Sequence[NodeDiff]) -> list[Part]:
    rows = [
        Row(
            (
                n.first or n.second,
                n.kind,
                n.operator,
                n.second if n.first else "",
                "; ".join(map(str, n.changes)),
            )
        )
        for n in nodes
    ]
    return [Table("nodes", "Nodes that differ", _NODES, rows)] if rows else []


def _weight_parts(weights: Sequence[WeightDiff]) -> list[Part]:
    if not weights:
        return []
    rows = [
        Row(
            (w.first or w.second, w.kind, w.first_type or w.second_type, *_numbers(w)),
            details=(
                _PLACES[w.kind],
                w.second if w.second != w.first else None,
                w.second_type if w.first_type and w.second_type != w.first_type else None,
                str(list(w.index)) if w.count else None,
                *(f"{value:.9g}" if w.count else None for value in w.values),
            ),
        )
        for w in weights
    ]
    series = [
        Series("largest difference", [w.largest if w.size else None for w in weights]),
        Series("mean difference", [w.mean if w.size else None for w in weights], 1),
    ]
    plot = Plot("differences", "weights", "weights that differ", [Chart("Absolute difference", series)])
    return [plot, Table("weights", "Weights that differ", _WEIGHTS, rows, _LABELS)]


def _numbers(weight: WeightDiff) -> tuple[float | None, ...]:
    """How many elements differ, of how many, and by how much; unknown where none were compared."""
    if not weight.size:
        return None, None, None, None
    return weight.count, weight.size, weight.largest, weight.mean
