"""MXNet's graphs as the plain data that models are compared by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import attrs
from ..converters.outline import Outline, OutlineNode, Weight
from ..dtypes import name_of
from ..ops import Array
from ..symbol.graph import Node
from ..symbol.symbol import Symbol

_WITHOUT_MEANING = {"cudnn_off", "cudnn_tune", "workspace"}
"""Attributes that change how a GPU computes, and not what."""

Numbers = dict[tuple[Node, int], int]
"""The numbers of the values that nodes make."""


def outline_of_symbol(symbol: Symbol | None, arrays: Mapping[str, Array], title: str) -> Outline:
    """The outline of a Symbol with its parameters; without one, of the parameters alone."""
    result = Outline(title)
    if symbol is None:
        for name, array in arrays.items():
            result.weights[result.value(name)] = _weight(name, array)
        return result
    numbers: Numbers = {}
    _read(symbol.nodes(), arrays, result, numbers, "")
    for name, entry in zip(symbol.list_outputs(), symbol.outputs, strict=True):
        number = numbers[entry.node, entry.output]
        result.outputs.append((number, ""))
        if not entry.node.is_variable:
            result.names[number] = name
    for name in arrays.keys() - {node.name for node in symbol.nodes()}:
        result.weights[result.value(name)] = _weight(name, arrays[name])
    return result


def _weight(name: str, array: Array) -> Weight:
    return Weight(name, name_of(array.dtype), array.shape, lambda: array)


def _read(
    nodes: Sequence[Node], arrays: Mapping[str, Array], result: Outline, numbers: Numbers, owner: str
) -> None:
    """Read nodes into an outline; `owner` says whose body they are, if they are one's."""
    places = 0
    for node in nodes:
        if not node.is_variable:
            _read_operator(node, result, numbers)
            continue
        number = numbers[node, 0] = result.value(node.name)
        if owner:
            result.variables[number] = f"variable {places} of {owner}"
            places += 1
        elif node.name in arrays:
            result.weights[number] = _weight(node.name, arrays[node.name])
        else:
            result.inputs[number] = _type_text(node.attrs)


def _read_operator(node: Node, result: Outline, numbers: Numbers) -> None:
    inputs = [numbers[entry.node, entry.output] for entry in node.inputs]
    slots = [f"input {i}" for i in range(len(inputs))]
    for i, body in enumerate(node.subgraphs):
        inner: Numbers = {}
        _read(body.nodes, {}, result, inner, f"{node.op_name}'s graph {i}")
        inputs += [inner[entry.node, entry.output] for entry in body.outputs]
        slots += [f"result {k} of graph {i}" for k in range(len(body.outputs))]
    names = node.output_names()
    outputs = []
    for k in range(node.count()):
        name = names[k] if k < len(names) else f"{node.name}_output{k}"
        numbers[node, k] = result.value(name)
        outputs.append(numbers[node, k])
    result.nodes.append(
        OutlineNode(node.name, node.op_name, _attributes(node), tuple(inputs), tuple(outputs), tuple(slots))
    )


def _attributes(node: Node) -> dict[str, str]:
    """The attributes of an operator as texts, defaults among them where the operator is known."""
    known: Mapping[str, object] = node.op.attributes() if node.is_known else node.attrs
    return {
        name: attrs.text(value)
        for name, value in known.items()
        if name not in _WITHOUT_MEANING and not name.startswith("__")
    }


def _type_text(attributes: Mapping[str, str]) -> str:
    return attributes.get("__shape__", "")
