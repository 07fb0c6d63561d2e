"""Nodes and values of a graph being built, and a node as ONNX's message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from hybridonnx.dtypes import DType
from hybridonnx.errors import ConversionError
from hybridonnx.ops import NumericShape

from .. import messages
from ..elements import Array
from ..messages import AttributeKind
from ..opsets import Signature


class NeedsShape(ConversionError):  # noqa: N818  (what is needed, not what is wrong)
    """A lowering needs a size that is not known; with fixed input shapes it can be written."""

    def __init__(self, required: str) -> None:
        super().__init__(f"{required} Give every size of the inputs.")
        self.required = required


class Builder(Protocol):
    """What values ask of the graph that they are in."""

    def node(self, op_type: str, inputs: Sequence[Any], /) -> Any:
        """Add a node and give its output."""

    def node_shapes(self, node: Node, /) -> Sequence[NumericShape | None]:
        """What is known of the shapes of a node's outputs."""


class Node:
    """One ONNX node before it is written."""

    __slots__ = (
        "all_outputs",
        "attributes",
        "captured",
        "domain",
        "inputs",
        "note",
        "op_type",
        "outputs",
        "scope",
        "signature",
    )

    def __init__(
        self, op_type: str, domain: str, inputs: list[Value | None], attributes: dict[str, Any], scope: str
    ):
        self.op_type, self.domain, self.inputs, self.attributes = op_type, domain, inputs, attributes
        self.scope = scope
        self.note = ""
        """Its `doc_string`."""
        self.outputs: list[Value] = []
        self.signature: Signature | None = None
        self.all_outputs = False
        """Whether outputs that nobody uses are written too."""
        self.captured: dict[str, Value] = {}
        """The values that graphs among the attributes, as another model has them, take by name."""


class Value:
    """A value of the graph: an input, a parameter, a constant, or an output of a node."""

    __slots__ = ("_shape", "absent", "constant", "dtype", "graph", "index", "name", "node", "wish")

    def __init__(
        self, graph: Builder, dtype: DType | None, shape: NumericShape | None = None, name: str = ""
    ):
        self.graph, self._shape, self.name = graph, shape, name
        self.dtype: Any = dtype
        """The element type; `None` only for values that no lowering sees."""
        self.wish = ""
        """The name that the value gets if nothing else has it."""
        self.node: Node | None = None
        self.index = 0
        self.constant: Array | None = None
        self.absent = False
        """Whether it is an optional output that its node does not have."""

    @property
    def shape(self) -> NumericShape | None:
        """The sizes, `None` for each unknown one, or `None` if even the rank is unknown."""
        if self._shape is None and self.node is not None and self.node.signature is not None:
            for output, shape in zip(self.node.outputs, self.graph.node_shapes(self.node), strict=False):
                output._shape = output._shape or shape
        return self._shape

    @shape.setter
    def shape(self, shape: NumericShape | None) -> None:
        self._shape = shape

    @property
    def dims(self) -> NumericShape:
        """The sizes, `None` for each unknown one. Raises `NeedsShape` if the rank is unknown."""
        if self.shape is None:
            raise NeedsShape("a value of known rank is required.")
        return self.shape

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.dims)

    def __repr__(self) -> str:
        return f"<Value {self.name or '?'} {self.dtype} {self._shape}>"

    def _node(self, op_type: str, inputs: list[Any]) -> Value:
        value: Value = self.graph.node(op_type, inputs)
        return value

    def __neg__(self) -> Value:
        return self._node("Neg", [self])

    def __add__(self, other: Any) -> Value:
        return self._node("Add", [self, other])

    def __radd__(self, other: Any) -> Value:
        return self._node("Add", [other, self])

    def __sub__(self, other: Any) -> Value:
        return self._node("Sub", [self, other])

    def __rsub__(self, other: Any) -> Value:
        return self._node("Sub", [other, self])

    def __mul__(self, other: Any) -> Value:
        return self._node("Mul", [self, other])

    def __rmul__(self, other: Any) -> Value:
        return self._node("Mul", [other, self])

    def __truediv__(self, other: Any) -> Value:
        return self._node("Div", [self, other])

    def __rtruediv__(self, other: Any) -> Value:
        return self._node("Div", [other, self])


class ForeignAttribute(NamedTuple):
    """An attribute as another model has it."""

    proto: Any
    """onnx's `AttributeProto`."""


def bodies(node: Node) -> list[Any]:
    """The graphs among a node's attributes, such as a loop's body."""
    if node.signature is None or not node.signature.graphs:
        return []
    return [node.attributes[name] for name in node.signature.graphs if name in node.attributes]


# ---- as messages


def node_message(
    node: Node,
    inputs: Sequence[str],
    outputs: Sequence[str],
    title: str = "",
    graph: Callable[[Any], bytes] | None = None,
    foreign: Callable[[ForeignAttribute], bytes] | None = None,
) -> bytes:
    """A node called `title` whose inputs and outputs have these names.

    `graph` writes the graphs among its attributes, and `foreign` those that another model has: nodes without
    such need neither.
    """
    attributes = []
    for name, value in node.attributes.items():
        if isinstance(value, ForeignAttribute):
            assert foreign is not None
            attributes.append(foreign(value))
            continue
        kind = node.signature.attributes[name] if node.signature else messages.kind_of(value)
        if kind == AttributeKind.GRAPH:
            assert graph is not None
            value = graph(value)
        attributes.append(messages.attribute(name, kind, value))
    return messages.node(node.op_type, node.domain, inputs, outputs, title, attributes, node.note)


def reduced_axes(node: Node) -> list[int] | None:
    """The axes that a Reduce node reduces, as numbers from 0 on; `None` if they are not known, or all."""
    data, axes = (*node.inputs, None)[:2]
    known = node.attributes.get("axes") if axes is None else axes.constant
    if data is None or data.shape is None or known is None:
        return None
    return [int(axis) % data.rank for axis in known]


def scalar(value: Value | None) -> float | None:
    """The number of a constant that is one of floating-point numbers."""
    constant = None if value is None else value.constant
    if constant is None or constant.size != 1 or constant.dtype.kind != "f":
        return None
    return float(constant.item())
