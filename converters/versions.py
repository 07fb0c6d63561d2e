"""A node of one opset as nodes of another that compute the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, helper, numpy_helper

from hybridonnx.ops import Spec

from .elements import Array
from .opsets import Signature, signature
from .subgraphs import mentioned
from .values import to_tensor

_SETTLED = 13
"""Operators that are older may differ from newer versions in what they mean."""
_CHANGES = {
    "DFT": 20,
    "GridSample": 20,
    "GroupNormalization": 21,
    "Hardmax": 13,
    "LogSoftmax": 13,
    "Mod": 28,
    "RoiAlign": 16,
    "Scan": 9,
    "Softmax": 13,
}
"""Operators of which a newer version has the same form and means something else: that version."""
_VALUES = {
    ("Pad", "mode"): {b"wrap": 19},
    ("Resize", "coordinate_transformation_mode"): {b"half_pixel_symmetric": 19},
    ("ScatterElements", "reduction"): {b"max": 18, b"min": 18},
    ("ScatterND", "reduction"): {b"max": 18, b"min": 18},
}
"""Values of attributes that are newer than the attribute, with the opset that has them."""


class AnotherError(Exception):
    """The node has no form at the other opset."""


@dataclass
class Use:
    """A node on its way from one version of its operator to another."""

    node: NodeProto
    own: Signature
    other: Signature
    constants: Mapping[str, Array] = field(default_factory=dict)
    """The values that are constants."""
    specs: Mapping[str, Spec] = field(default_factory=dict)
    """What is known of the shapes and dtypes of values."""
    names: set[str] = field(default_factory=set)
    """Those that values have."""
    nodes: list[NodeProto] = field(default_factory=list)
    """Those that the other version needs before the node."""

    @property
    def falls(self) -> bool:
        """Whether the other version is the older one."""
        return self.other.since < self.own.since

    def input(self, name: str) -> str:
        """The value of a parameter, empty if it is left out."""
        names = [parameter.name for parameter in self.own.inputs]
        at = names.index(name) if name in names else len(self.node.input)
        return self.node.input[at] if at < len(self.node.input) else ""

    def constant(self, name: str) -> Array | None:
        """The value of a parameter that is left out or constant. Raises `AnotherError` if it is computed."""
        source = self.input(name)
        if source and source not in self.constants:
            raise AnotherError(f"a constant is required as {name}")
        return self.constants[source] if source else None

    def spec(self, value: str) -> Spec:
        """What is known of a value."""
        return self.specs.get(value, Spec())

    def rank(self, name: str) -> int:
        """The number of axes of a parameter. Raises `AnotherError` if it is unknown."""
        shape = self.spec(self.input(name)).shape
        if shape is None:
            raise AnotherError(f"a known rank is required of {name}")
        return len(shape)

    def attribute(self, name: str, default: Any = None) -> Any:
        """The value of an attribute, or `default`."""
        for attribute in self.node.attribute:
            if attribute.name == name:
                value = helper.get_attribute_value(attribute)
                return value.decode() if isinstance(value, bytes) else value
        return default

    def add(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        """The result of a further node, of an operator that is the same in all opsets from 13 on."""
        name = self.name()
        self.nodes.append(helper.make_node(op_type, inputs, [name], **attributes))
        return name

    def name(self) -> str:
        """A name that no value has yet."""
        stem, number = next(filter(None, self.node.output)), 0
        while f"{stem}_{number}" in self.names:
            number += 1
        self.names.add(f"{stem}_{number}")
        return f"{stem}_{number}"

    def value(self, value: Any, dtype: Any = np.int64) -> str:
        """A constant."""
        return self.add("Constant", value=to_tensor("", np.asarray(value, dtype)))

    def written(
        self, inputs: Sequence[str] | None = None, drop: Sequence[str] = (), **attributes: Any
    ) -> list[NodeProto]:
        """The node with other inputs and attributes, behind those that it needs."""
        node = NodeProto()
        node.CopyFrom(self.node)
        kept = [a for a in node.attribute if a.name not in (*drop, *attributes)]
        del node.attribute[:]
        node.attribute.extend(kept)
        node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items() if v is not None)
        if inputs is not None:
            node.input[:] = inputs
            while node.input and not node.input[-1]:
                node.input.pop()
        return [*self.nodes, node]

    def result(self, op_type: str, *inputs: str, **attributes: Any) -> list[NodeProto]:
        """A node of another operator in place of the node, behind those that it needs."""
        return [*self.nodes, helper.make_node(op_type, inputs, self.node.output, **attributes)]


Translation = Callable[[Use], list[NodeProto]]
_TRANSLATIONS: dict[str, Translation] = {}


def translates(*op_types: str) -> Callable[[Translation], Translation]:
    """Register how an operator's versions say each other. It raises `AnotherError` for what one lacks."""

    def register(function: Translation) -> Translation:
        _TRANSLATIONS.update(dict.fromkeys(op_types, function))
        return function

    return register


def translated(
    node: NodeProto,
    own: int,
    opset: int,
    constants: Mapping[str, Array],
    specs: Mapping[str, Spec],
    names: set[str] | None = None,
) -> list[NodeProto]:
    """The node as nodes of another opset, with the graphs inside. Raises `AnotherError` if there are none.

    `names` are those that values around it have.
    """
    if node.domain:
        return [node]
    names = {*node.input, *node.output, *mentioned(node)} if names is None else names
    copy = NodeProto()
    copy.CopyFrom(node)
    for attribute in copy.attribute:
        if attribute.HasField("g"):
            _translate(attribute.g, own, opset, constants, names)
    kinds = signature(copy.op_type, own), signature(copy.op_type, opset)
    use = Use(copy, *kinds, constants, specs, names)
    if use.own.since == use.other.since:
        return [copy]
    if use.falls:
        _drop_defaults(use)
    if means_the_same(copy, use.own, use.other):
        return [copy]
    translation = _TRANSLATIONS.get(copy.op_type)
    if translation is None:
        raise AnotherError(copy.op_type)
    nodes = translation(use)
    if not all(fits(new, signature(new.op_type, opset)) for new in nodes):
        raise AnotherError(copy.op_type)
    return nodes


def _translate(
    graph: GraphProto, own: int, opset: int, outside: Mapping[str, Array], names: set[str]
) -> None:
    """Say all nodes of a graph inside of a node at another opset."""
    constants = {**outside, **dict(_constants(graph))}
    nodes = [new for node in graph.node for new in translated(node, own, opset, constants, {}, names)]
    del graph.node[:]
    graph.node.extend(nodes)


def _constants(graph: GraphProto) -> Iterator[tuple[str, Array]]:
    for tensor in graph.initializer:
        yield tensor.name, numpy_helper.to_array(tensor)
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].type == AttributeProto.TENSOR:
            yield node.output[0], numpy_helper.to_array(node.attribute[0].t)


def _drop_defaults(use: Use) -> None:
    """Leave out attributes that the other version lacks, where their values are what it does without."""
    defaults = {name: a.default_value for name, a in use.own.schema.attributes.items()}
    kept = []
    for attribute in use.node.attribute:
        default = defaults.get(attribute.name)
        is_default = default is not None and default.type and _value(attribute) == _value(default)
        if attribute.name in use.other.attributes or not is_default:
            kept.append(attribute)
    del use.node.attribute[:]
    use.node.attribute.extend(kept)


def _value(attribute: AttributeProto) -> Any:
    return helper.get_attribute_value(attribute)


def means_the_same(node: NodeProto, a: Signature, b: Signature) -> bool:
    """Whether a node is one of both versions of its operator: newer ones mostly add element types.

    The graphs that it has are not looked at.
    """
    if a.since == b.since:
        return True
    change = _CHANGES.get(node.op_type)
    if max(a.since, b.since) < _SETTLED if change is None else min(a.since, b.since) < change:
        return False
    count = len(node.input)
    same_inputs = [p.name for p in a.inputs[:count]] == [p.name for p in b.inputs[:count]]
    return same_inputs and fits(node, a) and fits(node, b)


def fits(node: NodeProto, kind: Signature) -> bool:
    """Whether a version of an operator has all inputs, attributes and their values."""
    if kind.schema.deprecated or (len(node.input) > len(kind.inputs) and not _is_variadic(kind)):
        return False
    return all(
        attribute.name in kind.attributes
        and _VALUES.get((node.op_type, attribute.name), {}).get(attribute.s, 0) <= kind.since
        for attribute in node.attribute
    )


def _is_variadic(kind: Signature) -> bool:
    return bool(kind.inputs) and kind.inputs[-1].variadic
