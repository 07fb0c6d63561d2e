"""Graphs on integers in ONNX's own form: QuantizeLinear and DequantizeLinear around operators.

Between the two an operator is what it was: an engine runs it on integers if it has a kernel for that, and
gets the same numbers if it has none. Means of windows alone become convolutions by channel, as ONNX Runtime's
kernel for means of integers is slow. An array is `(integer - zero point) * scale`. Weights have 0 as zero
point, and if asked a scale for each filter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import DType
from ..ops import Array, Shape, node_text
from .graph import Entry, Node, moved, output_name, topological, values_in, variable, with_inputs
from .symbol import Symbol

PRODUCTS = frozenset({"Convolution", "Convolution_v1", "FullyConnected"})
"""Operators that are worth integers by themselves; their weights and biases are parameters."""
PASSING = frozenset({"Flatten", "Reshape", "transpose", "squeeze", "expand_dims"})
"""Operators that move numbers, and compute none: what they give has the steps of what they take."""
BETWEEN = PASSING | {"Pooling", "elemwise_add", "broadcast_add", "elemwise_mul", "broadcast_mul", "Concat"}
"""Operators that engines run on integers, which is worth it between others."""
CUTS = frozenset({"relu", "clip"})
"""Operators that integers do by the ends of their range."""
_INT32 = np.dtype("int32")
_LARGEST = 2.0**31 - 1
_OPSET = 13


class Steps(NamedTuple):
    """How numbers become integers.

    The integers of weights are within ±`weights`: 127, or 63 where processors keep the sum of two products in
    16 bits.
    """

    dtype: DType = np.dtype("uint8")
    """The integers of what is computed: uint8 or int8."""
    weights: int = 127
    per_channel: bool = True
    """Whether each filter has a scale of its own."""


class Grid(NamedTuple):
    """The integers of an array."""

    scale: Array
    """(), or (C,) along the first axis, in float32."""
    zero: Array
    """Of the scale's shape, in the integers' dtype."""


@dataclass(frozen=True)
class Choice:
    """Which nodes of a graph compute on integers, and what follows from it."""

    nodes: frozenset[Node]
    cut: Mapping[Node, Node]
    """What cuts off a node's numbers, and nothing else reads the node."""
    tensors: Sequence[Entry]
    """What has to be quantized, whose ranges have to be known."""


def choose(
    symbol: Symbol,
    params: Collection[str],
    names: Collection[str] = (),
    operators: Collection[str] = (),
    alone: bool = True,
) -> Choice:
    """Choose what computes on integers.

    Args:
        symbol: A graph on float32 for prediction.
        params: The names of the parameters whose values are known.
        names: Nodes that stay.
        operators: Operators that stay.
        alone: Whether operators on integers need not lie between products.
    """
    order = [node for node in topological(symbol.outputs) if not node.is_variable]
    kinds = {node: _kind(node, params) for node in order}
    for node in order:
        if node.name in names or (kinds[node] and {node.op_name, *node.op.names} & {*operators}):
            kinds[node] = ""
    able = [node for node in order if kinds[node] and kinds[node] != "cut"]
    cut = _cuts(symbol, order, kinds)
    nodes = frozenset(able) if alone else _between(order, able, kinds, cut)
    return Choice(nodes, {n: c for n, c in cut.items() if n in nodes}, _tensors(symbol, order, nodes, cut))


def _kind(node: Node, params: Collection[str]) -> str:
    """What a node can be on integers: a "product", something "between", a "cut", or nothing."""
    if not node.is_known:
        return ""
    op, name = node.op, node.op.names[0]
    if name in PRODUCTS:
        own = [entry.node for entry in node.inputs[1:]]
        if not all(n.is_variable and n.name in params for n in own):
            return ""
        return "between" if _is_by_channel(op) else "product"
    if name in CUTS or (name == "Activation" and op.act_type == "relu"):
        return "cut" if name != "clip" or (op.a_min <= 0 <= op.a_max) else ""
    if name == "Pooling" and op.pool_type not in ("max", "avg"):
        return ""
    return "between" if name in BETWEEN else ""


def _is_by_channel(op: Any) -> bool:
    """Whether a product has one factor for each channel, as batch norms have."""
    return op.names[0] != "FullyConnected" and set(op.kernel) == {1} and op.num_group == op.num_filter > 1


def _readers(symbol: Symbol, order: Sequence[Node]) -> dict[Entry, list[Node | None]]:
    """Who reads each entry; `None` is who reads the outputs."""
    readers: dict[Entry, list[Node | None]] = {}
    for node in order:
        for entry in node.inputs:
            readers.setdefault(entry, []).append(node)
    for entry in symbol.outputs:
        readers.setdefault(entry, []).append(None)
    return readers


def _cuts(symbol: Symbol, order: Sequence[Node], kinds: Mapping[Node, str]) -> dict[Node, Node]:
    """What alone reads a node and cuts its numbers off."""
    result: dict[Node, Node] = {}
    for entry, nodes in _readers(symbol, order).items():
        reader = nodes[0]
        if kinds.get(entry.node) not in ("product", "between") or len(nodes) > 1 or reader is None:
            continue
        if kinds[reader] == "cut" and not entry.output:
            result[entry.node] = reader
    return result


def _between(
    order: Sequence[Node], able: Collection[Node], kinds: Mapping[Node, str], cut: Mapping[Node, Node]
) -> frozenset[Node]:
    """The products, and what lies on a way of integers from one to another."""
    through = {*able, *cut.values()}
    behind: set[Node] = set()
    before: set[Node] = set()
    for node in order:
        if node in through and (kinds[node] == "product" or any(e.node in behind for e in node.inputs)):
            behind.add(node)
    for node in reversed(order):
        if node in through and (kinds[node] == "product" or node in before):
            before |= {node, *(e.node for e in node.inputs)}
    return frozenset(node for node in able if node in behind and node in before)


def _tensors(
    symbol: Symbol, order: Sequence[Node], nodes: Collection[Node], cut: Mapping[Node, Node]
) -> list[Entry]:
    """What nodes on integers read, and what they give to others on integers."""
    result: dict[Entry, None] = {}
    for node in order:
        if node in nodes:
            most = 1 if node.op.names[0] in PRODUCTS else len(node.inputs)
            result |= dict.fromkeys(node.inputs[:most])
            if node.op.names[0] != "FullyConnected":  # which gives floating-point numbers as well
                result[Entry(cut.get(node, node), 0)] = None
    return [*result]


# ---- the graph


def with_integers(
    symbol: Symbol,
    params: Mapping[str, Array],
    ranges: Mapping[str, tuple[float, float]],
    choice: Choice,
    steps: Steps,
    shapes: Mapping[str, Shape],
) -> tuple[Symbol, dict[str, Array]]:
    """The graph on integers, and its parameters.

    Args:
        symbol: The graph that `choose` saw.
        params: Its parameters.
        ranges: The least and the largest number of what is quantized, by the outputs' names. What has none
            stays on floating-point numbers.
        choice: What is to compute on integers.
        steps: What integers there are.
        shapes: Those of outputs, by name, as far as they are known.
    """
    graph = _Graph(params, ranges, choice, steps, shapes)
    for node in topological(symbol.outputs):
        graph.add(node)
    result = Symbol([graph.read(entry) for entry in symbol.outputs])
    return result, values_in(result.outputs, {**params, **graph.values})


def grid(low: float, high: float, dtype: DType) -> Grid:
    """The integers for numbers between two, of which 0 is one."""
    info = np.iinfo(dtype)
    low, high = min(low, 0.0), max(high, 0.0)
    scale = np.float32((high - low) / (info.max - info.min)) or np.float32(1)
    zero = np.clip(np.rint(info.min - low / float(scale)), info.min, info.max)
    return Grid(np.asarray(scale), np.asarray(zero, dtype))


@dataclass
class _Graph:
    """A graph in the making."""

    params: Mapping[str, Array]
    ranges: Mapping[str, tuple[float, float]]
    choice: Choice
    steps: Steps
    shapes: Mapping[str, Shape]
    copies: dict[Node, Node] = field(default_factory=dict)
    values: dict[str, Array] = field(default_factory=dict)
    """New parameters."""
    variables: dict[str, Entry] = field(default_factory=dict)
    grids: dict[Entry, Grid] = field(default_factory=dict)
    """The integers of what is quantized, by the original's entry."""
    rounded: dict[Entry, Entry] = field(default_factory=dict)
    """What is read in place of an entry of the original."""

    def __post_init__(self) -> None:
        self.tensors = frozenset(self.choice.tensors)

    def read(self, entry: Entry) -> Entry:
        """What stands for an entry of the original."""
        return self.rounded.get(entry) or moved(entry, self.copies)

    def add(self, node: Node) -> None:
        """Add a node of the original graph, and the rounding of what it gives."""
        inputs = [self.read(entry) for entry in node.inputs]
        entry = Entry(node, 0)
        clone = with_inputs(node, inputs)
        if node in self.choice.nodes and node.inputs[0] in self.grids:
            shape = self.shapes.get(output_name(entry))
            if node.op.names[0] in PRODUCTS:
                clone = with_inputs(node, [self._flat(node, inputs[0]), *self._parameters(node)])
            elif _is_mean(node) and shape and isinstance(shape[1], int):
                clone = self._mean(node, inputs[0], shape[1])
        self.copies[node] = clone
        if entry in self.tensors and (scale := self._grid(entry)) is not None:
            self.grids[entry] = scale
            self.rounded[entry] = self._rounded(Entry(self.copies[node], 0), scale, output_name(entry))

    def _grid(self, entry: Entry) -> Grid | None:
        node = entry.node
        if node in self.choice.nodes and _passes(node):
            return self.grids.get(node.inputs[0])
        ends = self.ranges.get(output_name(entry))
        return None if ends is None or not np.isfinite(ends).all() else grid(*ends, self.steps.dtype)

    def _rounded(self, entry: Entry, scale: Grid, name: str) -> Entry:
        """Rounded to integers, and back."""
        integers = Entry(_node("QuantizeLinear", f"{name}_quantize", entry, scale), 0)
        return Entry(_node("DequantizeLinear", f"{name}_dequantize", integers, scale), 0)

    def _flat(self, node: Node, data: Entry) -> Entry:
        """A product's data, as a matrix of integers where it takes one."""
        if node.op.names[0] != "FullyConnected" or not node.op.flatten:
            return data
        flat = Entry(Node("Flatten", f"{node.name}_flatten", {}, [data]), 0)
        return self._rounded(flat, self.grids[node.inputs[0]], f"{node.name}_flatten")

    def _parameters(self, node: Node) -> Iterator[Entry]:
        """A product's weight and bias as integers that are dequantized."""
        weight, *biases = (self.params[entry.node.name] for entry in node.inputs[1:])
        data = float(self.grids[node.inputs[0]].scale)
        scale = self._weight_scale(weight, biases, data)
        name = node.inputs[1].node.name
        along = scale.reshape(-1, *(1 for _ in weight.shape[1:])) if scale.ndim else scale
        limit = self.steps.weights
        integers = np.clip(np.rint(weight / along), -limit, limit).astype(np.int8)
        yield self._parameter(name, integers, scale)
        for bias, entry in zip(biases, node.inputs[2:], strict=True):
            step = np.asarray(scale * np.float32(data), np.float32)
            whole = np.clip(np.rint(bias.astype(np.float64) / step), -_LARGEST, _LARGEST)
            yield self._parameter(entry.node.name, whole.astype(np.int32), step)

    def _weight_scale(self, weight: Array, biases: Sequence[Array], data: float) -> Array:
        """The steps of a weight, and no less than the bias in int32 needs."""
        per_channel = self.steps.per_channel or weight.size == len(weight)
        axes = tuple(range(1, weight.ndim)) if per_channel else None
        largest = np.abs(weight).max(axis=axes, initial=0.0).astype(np.float64)
        scale = largest / self.steps.weights
        for bias in biases:
            needed = np.abs(bias).astype(np.float64) / (_LARGEST * data)
            scale = np.maximum(scale, needed if per_channel else needed.max(initial=0.0))
        least = float(np.finfo(np.float32).tiny) / min(data, 1.0)
        return np.asarray(np.where(scale > least, scale, 1.0), np.float32)

    def _parameter(self, name: str, integers: Array, scale: Array) -> Entry:
        """A parameter's integers as a parameter, dequantized along their first axis."""
        zeros = [] if integers.dtype == _INT32 else [np.zeros(scale.shape, integers.dtype)]
        attributes = {"axis": 0} if scale.ndim else {}
        data = self._variable(f"{name}_quantize", integers)
        node = _node("DequantizeLinear", f"{name}_dequantize", data, (scale, *zeros), **attributes)
        return Entry(node, 0)

    def _mean(self, node: Node, data: Entry, channels: int) -> Node:
        """The mean of each window as a convolution by channel, whose weights are exact."""
        op, limit = node.op, self.steps.weights
        weight = np.full((channels, 1, *op.kernel), limit, np.int8)
        step = np.asarray(1 / (prod(op.kernel) * limit), np.float32)
        stride, pad = op.window()
        attrs = {"kernel": op.kernel, "stride": stride, "pad": pad, "no_bias": True}
        attrs |= {"num_filter": channels, "num_group": channels}
        inputs = [data, self._parameter(f"{node.name}_weight", weight, step)]
        return Node("Convolution", node.name, {name: str(value) for name, value in attrs.items()}, inputs)

    def _variable(self, name: str, value: Array) -> Entry:
        """A new parameter, or one that has the value: a shared layer's bias has other steps in each use."""
        numbered = (f"{name}{i}" if i else name for i in count())
        free = next(n for n in numbered if n not in self.values or np.array_equal(self.values[n], value))
        if free not in self.variables:
            self.values[free], self.variables[free] = value, variable(free, value)
        return self.variables[free]


def _passes(node: Node) -> bool:
    """Whether what a node gives are numbers that it takes."""
    return node.op.names[0] in PASSING or (node.op.names[0] == "Pooling" and node.op.pool_type == "max")


def _is_mean(node: Node) -> bool:
    """Whether a node is the means of the windows of images, all of as many elements."""
    op = node.op
    if op.names[0] != "Pooling" or op.pool_type != "avg" or op.global_pool or len(op.kernel) != 2:
        return False
    is_whole = op.pooling_convention == "valid" and (op.counts_pad() or not any(op.window()[1]))
    return is_whole and (op.layout or "NCHW") == "NCHW"


def _node(op_type: str, name: str, data: Entry, constants: Sequence[Array], **attributes: int) -> Node:
    """A node of ONNX's, of one input and constants."""
    text = node_text(op_type, [True, *constants], _OPSET, attributes)
    return Node(f"_onnx_{op_type}", name, {"model": text, "num_args": "1", "num_outputs": "1"}, [data])
