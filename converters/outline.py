"""ONNX models as plain data, for programs that compare them: inputs, outputs, nodes and weights."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, defs

from hybridonnx.dtypes import name_of, strings
from hybridonnx.errors import FormatError

from . import notes
from .elements import Array, dtype_of
from .from_onnx import Model, Source, read
from .opsets import plain

ABSENT = -1
"""Stands for an optional input that a node does without."""
_SHOWN = 8
"""Arrays of at most so many elements are attributes by their elements, larger ones by their digest."""


@dataclass(frozen=True)
class Weight:
    """An array of a model, which is read when it is asked for."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    array: Callable[[], Array] = field(repr=False, compare=False)
    constant: bool = False
    """Whether it is known to be no parameter, but a number of the graph."""


@dataclass(frozen=True)
class OutlineNode:
    """An operator and the numbers of the values that it reads and makes."""

    name: str
    operator: str
    attributes: Mapping[str, str]
    """As texts that are equal where the attributes mean the same."""
    inputs: tuple[int, ...]
    """Those of the node, `ABSENT` where it has none, then the results of its bodies."""
    outputs: tuple[int, ...]
    slots: tuple[str, ...]
    """What each of the inputs is called."""


@dataclass
class Outline:
    """A model as numbered values, the nodes between them in their order, and what is said beside the graph.

    The nodes of bodies, as loops and branches have them, stand before the node that runs them.
    """

    title: str
    names: list[str] = field(default_factory=list)
    """The values' names."""
    inputs: dict[int, str] = field(default_factory=dict)
    """What is known of the type of each input."""
    signature: dict[str, tuple[str, tuple[int | str | None, ...] | None]] = field(default_factory=dict)
    """The element types and sizes of an ONNX model's inputs, of which free ones are names or `None`."""
    outputs: list[tuple[int, str]] = field(default_factory=list)
    weights: dict[int, Weight] = field(default_factory=dict)
    nodes: list[OutlineNode] = field(default_factory=list)
    variables: dict[int, str] = field(default_factory=dict)
    """The inputs of bodies, and what they are there."""
    facts: dict[str, str] = field(default_factory=dict)
    """What changes the meaning of a model: opsets, functions, metadata of the user's."""
    notes: dict[str, str] = field(default_factory=dict)
    """What does not: who wrote it, and texts."""

    def value(self, name: str) -> int:
        """The number of a new value."""
        self.names.append(name)
        return len(self.names) - 1


def digest(array: Array) -> str:
    """A text that tells arrays apart: element type, shape and elements."""
    known = hashlib.blake2b(f"{array.dtype}{array.shape}".encode(), digest_size=16)
    if array.dtype == strings or array.dtype.hasobject:
        for item in array.reshape(-1):
            text = str(item).encode()
            known.update(f"{len(text)}:".encode() + text)
    else:
        known.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return known.hexdigest()


def outline(source: Source, title: str = "") -> Outline:
    """The outline of an ONNX model, from its file's name, its bytes, or a ModelProto.

    What Constant nodes give are weights as initializers are. Attributes that say an operator's default are
    left out. Weights stay where they lie until they are asked for.
    """
    try:
        container = read(source)
        result = Outline(title or container.title)
        _Reader(container, result).graph(container.proto.graph)
        result.facts.update(_facts(container.proto))
        result.notes.update(_notes(container.proto))
    except UnicodeDecodeError:  # protobuf reads texts when they are asked for
        raise FormatError(
            "ONNX model: text in UTF-8 is required, got other bytes. The file is damaged."
        ) from None
    return result


class _Reader:
    """Reads the graphs of one model into an outline."""

    def __init__(self, container: Model, result: Outline) -> None:
        self._container, self._outline = container, result

    def graph(self, graph: GraphProto) -> None:
        """Read the model's own graph."""
        scope: dict[str, int] = {}
        constants = self._initializers(graph, scope)
        for info in graph.input:
            if info.name not in constants:
                scope[info.name] = self._outline.value(info.name)
                self._outline.inputs[scope[info.name]] = type_text(info.type)
                self._outline.signature[info.name] = _signature(info.type)
        self._nodes(graph, scope)
        for info in graph.output:
            self._outline.outputs.append((self._number(info.name, scope), type_text(info.type)))

    def _initializers(self, graph: GraphProto, scope: dict[str, int]) -> set[str]:
        for tensor in graph.initializer:
            self._weight(tensor.name, tensor, scope, tensor.doc_string == notes.CONSTANT)
        for sparse in graph.sparse_initializer:
            name = sparse.values.name
            scope[name] = self._outline.value(name)
            self._outline.facts[f"sparse weight {name}"] = _bytes_digest(sparse.SerializeToString())
        return {*(t.name for t in graph.initializer), *(t.values.name for t in graph.sparse_initializer)}

    def _weight(self, name: str, tensor: TensorProto, scope: dict[str, int], constant: bool) -> None:
        number = scope[name] = self._outline.value(name)
        dtype, shape = name_of(dtype_of(tensor.data_type)), tuple(tensor.dims)
        array = partial(self._container.array, tensor)
        self._outline.weights[number] = Weight(name, dtype, shape, array, constant)

    def _nodes(self, graph: GraphProto, scope: dict[str, int]) -> None:
        for node in graph.node:
            constant = _constant(node)
            if isinstance(constant, TensorProto):
                self._weight(node.output[0], constant, scope, True)
            elif constant is not None:
                self._array(node.output[0], constant, scope)
            else:
                self._node(node, scope)

    def _array(self, name: str, array: Array, scope: dict[str, int]) -> None:
        number = scope[name] = self._outline.value(name)
        self._outline.weights[number] = Weight(name, name_of(array.dtype), array.shape, lambda: array, True)

    def _node(self, node: NodeProto, scope: dict[str, int]) -> None:
        operator = f"{plain(node.domain)}::{node.op_type}" if plain(node.domain) else node.op_type
        inputs = [self._number(name, scope) if name else ABSENT for name in node.input]
        while inputs and inputs[-1] == ABSENT:
            inputs.pop()
        slots = [f"input {i}" for i in range(len(inputs))]
        attributes = {}
        for attribute in node.attribute:
            bodies = [attribute.g] if attribute.HasField("g") else list(attribute.graphs)
            for body in bodies:
                results = self._body(body, attribute.name, operator, scope)
                inputs += results
                slots += [f"result {i} of {attribute.name}" for i in range(len(results))]
            attributes[attribute.name] = f"{len(bodies)} graphs" if bodies else self._text(attribute)
        for key, text in self._defaults(node).items():
            if attributes.get(key) == text:
                del attributes[key]
        outputs = tuple(self._number(name, scope, new=True) if name else ABSENT for name in node.output)
        name = node.name or next(iter(node.output), "")
        self._outline.nodes.append(
            OutlineNode(name, operator, attributes, tuple(inputs), outputs, tuple(slots))
        )

    def _body(self, graph: GraphProto, attribute: str, operator: str, outer: dict[str, int]) -> list[int]:
        """Read a graph inside of a node. Returns the numbers of its outputs."""
        scope = dict(outer)
        constants = self._initializers(graph, scope)
        for i, info in enumerate(graph.input):
            if info.name not in constants:
                number = scope[info.name] = self._outline.value(info.name)
                self._outline.variables[number] = f"variable {i} of {operator}'s {attribute}"
        self._nodes(graph, scope)
        return [self._number(info.name, scope) for info in graph.output]

    def _number(self, name: str, scope: dict[str, int], new: bool = False) -> int:
        if new or name not in scope:
            scope[name] = self._outline.value(name)
        return scope[name]

    def _defaults(self, node: NodeProto) -> Mapping[str, str]:
        domain = plain(node.domain)
        return _defaults(node.op_type, self._container.opsets.get(domain, 1), domain)

    def _text(self, attribute: AttributeProto) -> str:
        if attribute.HasField("t"):
            array = self._container.array(attribute.t)
            elements = array.tolist() if array.size <= _SHOWN else digest(array)
            return f"{array.dtype} {array.shape} {elements}"
        return plain_text(attribute)


def plain_text(attribute: AttributeProto) -> str:
    """An attribute without arrays and graphs."""
    kind = attribute.type
    if attribute.ref_attr_name:
        return f"attribute {attribute.ref_attr_name} of the function"
    if kind == AttributeProto.INT:
        return str(attribute.i)
    if kind == AttributeProto.FLOAT:
        return str(np.float32(attribute.f))
    if kind == AttributeProto.STRING:
        return repr(attribute.s.decode(errors="replace"))
    if kind == AttributeProto.INTS:
        return str(tuple(attribute.ints))
    if kind == AttributeProto.FLOATS:
        return _listing(str(np.float32(f)) for f in attribute.floats)
    if kind == AttributeProto.STRINGS:
        return _listing(repr(s.decode(errors="replace")) for s in attribute.strings)
    if kind == AttributeProto.TYPE_PROTO:
        return type_text(attribute.tp)
    copy = AttributeProto()
    copy.CopyFrom(attribute)
    copy.ClearField("doc_string")
    return _bytes_digest(copy.SerializeToString(deterministic=True))


def _listing(texts: Iterable[str]) -> str:
    return f"({', '.join(texts)})"


def _bytes_digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@cache
def _defaults(op_type: str, opset: int, domain: str) -> Mapping[str, str]:
    """The attributes of an operator that have a default, which is no array."""
    try:
        schema = defs.get_schema(op_type, opset, domain)
    except defs.SchemaError:
        return {}
    known = {name: item.default_value for name, item in schema.attributes.items()}
    return {name: plain_text(value) for name, value in known.items() if value.type}


_NUMBERS: Mapping[str, tuple[str, Any]] = {
    "value_float": ("f", np.float32),
    "value_floats": ("floats", np.float32),
    "value_int": ("i", np.int64),
    "value_ints": ("ints", np.int64),
}
"""The attributes that give the numbers of a Constant, with their fields."""


def _constant(node: NodeProto) -> TensorProto | Array | None:
    """What a Constant node gives, if it is an array of numbers."""
    if node.op_type != "Constant" or plain(node.domain) or len(node.attribute) != 1 or len(node.output) != 1:
        return None
    attribute = node.attribute[0]
    if attribute.name == "value" and attribute.HasField("t"):
        tensor: TensorProto = attribute.t
        return tensor
    if attribute.name in _NUMBERS and not attribute.ref_attr_name:
        name, dtype = _NUMBERS[attribute.name]
        return np.array(getattr(attribute, name), dtype)
    return None


def type_text(proto: TypeProto) -> str:
    """The type of a value in a few characters: `float32 (batch, 3, ?)`."""
    kind = proto.WhichOneof("value")
    if kind != "tensor_type":
        return kind.removesuffix("_type") if kind else ""
    tensor = proto.tensor_type
    dtype = name_of(dtype_of(tensor.elem_type)) if tensor.elem_type else "?"
    if not tensor.HasField("shape"):
        return dtype
    sizes = [str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "?" for d in tensor.shape.dim]
    return f"{dtype} ({', '.join(sizes)})"


def _signature(proto: TypeProto) -> tuple[str, tuple[int | str | None, ...] | None]:
    tensor = proto.tensor_type
    dtype = name_of(dtype_of(tensor.elem_type)) if tensor.elem_type else ""
    if not tensor.HasField("shape"):
        return dtype, None
    sizes = (d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in tensor.shape.dim)
    return dtype, tuple(sizes)


def _facts(model: ModelProto) -> dict[str, str]:
    facts = {
        f"opset of {plain(item.domain) or 'ONNX'}": str(item.version)
        for item in sorted(model.opset_import, key=lambda item: item.domain)
    }
    facts |= {f"metadata {item.key}": item.value for item in model.metadata_props}
    for function in model.functions:
        copy = type(function)()
        copy.CopyFrom(function)
        copy.ClearField("doc_string")
        title = f"function {function.domain}::{function.name}"
        facts[title] = _bytes_digest(copy.SerializeToString(deterministic=True))
    return facts


def _notes(model: ModelProto) -> dict[str, str]:
    notes = {
        "producer": f"{model.producer_name} {model.producer_version}".strip(),
        "IR version": str(model.ir_version),
        "model version": str(model.model_version),
        "domain": model.domain,
        "text": model.doc_string,
        "graph": model.graph.name,
    }
    return {key: text for key, text in notes.items() if text}
