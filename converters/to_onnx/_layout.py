"""Convolutions whose weights are known, and what is between them, with channels in blocks.

That is how ONNX Runtime's kernels have them. It would bring a network into this layout when a session starts,
and take most of the start for it, as it copies weights again and again. Here norms, sums and activations
become parts of convolutions as they do there, and each weight is written once. Which nodes it has kernels
for, and which convolutions it takes into blocks, is in ONNX Runtime's `nchwc_transformer.cc`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.ops import Dim, alike

from ..elements import Array
from ..unused import UsedNames
from ._blocks import DOMAIN
from ._graph import Graph
from ._nodes import Node, Value, scalar
from ._readers import Readers
from ._write import used_inside

_float32 = np.dtype("float32")
_ALIGNMENT = 4
"""Data has so many channels, or times as many, that comes into blocks."""


class Recipe(NamedTuple):
    """What makes a parameter of others."""

    shape: tuple[int, ...]
    write: Callable[[Array], None]
    """Writes it into an array of float32 and of that shape."""

    def value(self) -> Array:
        """The parameter in memory of its own."""
        array = np.empty(self.shape, np.float32)
        self.write(array)
        return array


class _UnknownSizesError(Exception):
    """Sizes are not known that have to be for a layout which ONNX Runtime keeps."""


def arrange(
    graph: Graph,
    results: Sequence[Value],
    known: Mapping[Value, Array],
    rows: Mapping[Value, Dim],
    block: int,
    names: UsedNames,
) -> dict[Value, Recipe]:
    """Bring convolutions, and what is between them, into blocks.

    Args:
        graph: The graph that changes.
        results: Its outputs.
        known: What parameters are.
        rows: First sizes, as far as they are known: free ones as names and expressions of them.
        block: How many channels a block has.
        names: Those in use.

    Returns:
        The parameters that it takes from now on, with what makes them.
    """
    if not any(node.op_type == "Conv" and not node.domain for node in graph.nodes):
        return {}
    layout = _Layout(graph, results, known, rows, block)
    try:
        layout.arrange(results)
    except _UnknownSizesError:
        return {}
    return layout.commit(names)


class _Conv:
    """A convolution in blocks, and what became a part of it."""

    def __init__(self, node: Node, at: int, weight: Array, bias: Array | None, plain: bool) -> None:
        self.node, self.at = node, at
        """Its node, and which of the nodes that is."""
        self.weight, self.bias = weight, bias
        self.plain = plain
        """Whether its weights have no blocks of inputs: it is one of few channels, or each is a group."""
        self.factor: Array | None = None
        """By which its filters are multiplied."""

    @property
    def is_linear(self) -> bool:
        """Whether no activation is a part of it."""
        return "activation" not in self.node.attributes

    @property
    def is_alone(self) -> bool:
        """Whether neither a sum nor an activation is."""
        return self.is_linear and len(self.node.inputs) == 1

    def scale(self, factor: Array, mean: Array, shift: Array) -> None:
        """Have it give `(y - mean) * factor + shift`."""
        self.factor = factor if self.factor is None else self.factor * factor
        bias = -mean if self.bias is None else self.bias - mean
        self.bias = bias * factor + shift


class _Blocks(NamedTuple):
    """A value in blocks."""

    value: Value
    channels: int
    """Those that it has without what fills the last block."""
    conv: _Conv | None = None
    """The convolution that gives it."""


class _Layout:
    """A graph that is being brought into blocks. It changes at last, if at all."""

    def __init__(
        self,
        graph: Graph,
        results: Sequence[Value],
        known: Mapping[Value, Array],
        rows: Mapping[Value, Dim],
        block: int,
    ) -> None:
        self._graph, self._known, self._rows, self._block = graph, known, rows, block
        self._readers = Readers(graph, results)
        self._nodes: list[Node | None] = []
        self._convs: list[_Conv] = []
        self._blocks: dict[int, _Blocks] = {}
        """By the identity of the values that they stand for."""
        self._sources: dict[int, tuple[Value, Node | None]] = {}
        """The values that are there out of blocks, with the nodes that bring them out."""

    def arrange(self, results: Sequence[Value]) -> None:
        """Go through the nodes in their order.

        Raises:
            _UnknownSizesError: A value would have to leave blocks, as too little is known of it.
        """
        for node in self._readers.nodes:
            is_own = not node.domain and node.signature is not None  # not as another model has it
            bring = _IN_BLOCKS.get(node.op_type) if is_own else None
            if bring is None or not bring(self, node):
                for value in (*node.inputs, *node.captured.values(), *used_inside(node)):
                    self._bring_out(value)
                self._nodes.append(node)
        for value in results:
            self._bring_out(value)

    def commit(self, names: UsedNames) -> dict[Value, Recipe]:
        """Change the graph, and tell its new parameters."""
        if not self._convs:
            return {}
        for value, node in self._sources.values():
            if node is not None:
                value.shape = value.shape  # as the node before told it
                value.node, value.index, node.outputs = node, 0, [value]
        self._graph.nodes = [node for node in self._nodes if node is not None]
        self._graph.domains[DOMAIN] = 1
        recipes: dict[Value, Recipe] = {}
        for conv in self._convs:
            self._give_parameters(conv, names, recipes)
        return recipes

    def _give_parameters(self, conv: _Conv, names: UsedNames, recipes: dict[Value, Recipe]) -> None:
        (data, *rest), scope = conv.node.inputs, conv.node.scope
        filters, inputs, *kernel = conv.weight.shape
        rows = self._whole(filters)
        columns = inputs if conv.plain else self._whole(inputs)
        shape = rows, columns, *kernel
        weight = Value(self._graph, _float32, shape, names.new(f"{scope}_weight_in_blocks"))
        write = partial(_write_weights, conv.weight, conv.factor, self._block, conv.plain)
        recipes[weight] = Recipe(shape, write)
        bias = None
        if conv.bias is not None:
            bias = Value(self._graph, _float32, (rows,), names.new(f"{scope}_bias_in_blocks"))
            recipes[bias] = Recipe((rows,), partial(_write_bias, conv.bias))
        conv.node.inputs = [data, weight, bias, *rest] if bias is not None or rest else [data, weight]

    def _whole(self, channels: int) -> int:
        """So many channels as whole blocks have."""
        return -(-channels // self._block) * self._block

    def _array(self, value: Value | None) -> Array | None:
        """What a value is in each run, if that is known and of float32."""
        if value is None or value.dtype != _float32:
            return None
        return value.constant if value.constant is not None else self._known.get(value)

    # ---- into blocks, and out of them

    def _bring_in(self, value: Value, channels: int, scope: str) -> _Blocks:
        """A value in blocks."""
        blocks = self._blocks.get(id(value))
        if blocks is None:
            blocks = self._add(Node("ReorderInput", DOMAIN, [value], {}, scope), channels)
            self._blocks[id(value)], self._sources[id(value)] = blocks, (value, None)
        return blocks

    def _bring_out(self, value: Value | None) -> None:
        """Have a value out of blocks."""
        blocks = None if value is None else self._blocks.get(id(value))
        if value is None or blocks is None or id(value) in self._sources:
            return
        node = Node("ReorderOutput", DOMAIN, [blocks.value], {"channels": blocks.channels}, _scope(value))
        self._sources[id(value)] = value, node
        self._nodes.append(node)

    def _add(self, node: Node, channels: int, conv: _Conv | None = None) -> _Blocks:
        value = Value(self._graph, _float32)
        value.node = node
        node.outputs = [value]
        self._nodes.append(node)
        return _Blocks(value, channels, conv)

    def _alone(self, value: Value) -> _Conv | None:
        """The convolution that gives a value to one reader."""
        blocks = self._blocks.get(id(value))
        return blocks.conv if blocks is not None and self._readers.count(value) == 1 else None

    # ---- nodes

    def _conv(self, node: Node) -> bool:
        """A convolution: of data in blocks, or as it is if that has fewer channels than a block."""
        (x, weight, bias), group = (*node.inputs, None)[:3], node.attributes.get("group", 1)
        weights, biases = self._array(weight), self._array(bias)
        if x is None or weights is None or weights.ndim != 4 or (bias is not None and biases is None):
            return False
        filters, inputs = weights.shape[:2]
        is_depthwise = inputs == 1 and filters == group > 1
        few = group == 1 and inputs < self._block
        whole = group == 1 or (inputs % self._block == 0 == filters // group % self._block)
        if not weights.size or not (is_depthwise or whole) or (not few and inputs * group % _ALIGNMENT):
            return False
        if few:
            self._bring_out(x)
        data = x if few else self._bring_in(x, inputs * group, node.scope).value
        attributes = {**node.attributes, "group": self._whole(group)} if is_depthwise else node.attributes
        self._convolve(node, data, weights, biases, attributes, few or is_depthwise)
        return True

    def _convolve(
        self,
        node: Node,
        data: Value,
        weight: Array,
        bias: Array | None,
        attributes: Mapping[str, Any],
        plain: bool,
    ) -> _Conv:
        """Add a convolution in place of a node."""
        new = Node("Conv", DOMAIN, [data], dict(attributes), node.scope)
        conv = _Conv(new, len(self._nodes), weight, bias, plain)
        self._convs.append(conv)
        self._blocks[id(node.outputs[0])] = self._add(new, len(weight), conv)
        return conv

    def _norm(self, node: Node) -> bool:
        """A batch norm of known numbers: a part of a convolution, or one of single channels by itself."""
        x, *vectors = node.inputs
        blocks = self._blocks.get(id(x))
        known = [v for v in map(self._array, vectors) if v is not None]
        trains = node.attributes.get("training_mode") or len(node.outputs) > 1
        if x is None or blocks is None or len(known) < 4 or trains:
            return False
        gamma, beta, mean, var = (v.astype(np.float64) for v in known)
        conv = self._alone(x)
        if conv is None or not conv.is_alone:
            weight = np.ones((blocks.channels, 1, 1, 1), _float32)
            attributes = {"kernel_shape": (1, 1), "group": self._whole(blocks.channels)}
            conv = self._convolve(node, blocks.value, weight, None, attributes, True)
        else:
            self._blocks[id(node.outputs[0])] = blocks
        conv.scale(gamma / np.sqrt(var + node.attributes.get("epsilon", 1e-5)), mean, beta)
        return True

    def _same(self, node: Node) -> list[_Blocks]:
        """Both inputs of a node in blocks, if they have the same sizes."""
        a, b = (*node.inputs, None)[:2]
        blocks = [self._blocks[id(v)] for v in (a, b) if id(v) in self._blocks]
        if a is None or b is None or len(node.inputs) > 2 or len(blocks) < 2:
            return []
        if a.shape is None or b.shape is None or None in (*a.shape[1:], *b.shape[1:]):
            raise _UnknownSizesError
        return blocks if a.shape == b.shape else []

    def _sum(self, node: Node) -> bool:
        """A sum: a part of the convolution that comes last."""
        blocks = self._same(node)
        if not blocks:
            return False
        convs = [self._alone(x) for x in node.inputs if x is not None]
        pairs = [(c, other) for c, other in zip(convs, reversed(blocks), strict=True) if c and c.is_alone]
        first = tuple([None if x is None else self._rows.get(x) for x in node.inputs])
        if not pairs or None in first or not alike(first[:1], first[1:]):  # one of them may turn out to be 1
            return self._keep(node, blocks[0].channels)
        conv, other = max(pairs, key=lambda pair: pair[0].at)
        self._nodes[conv.at] = None  # here, where the other one is known
        conv.at = len(self._nodes)
        self._nodes.append(conv.node)
        conv.node.inputs.append(other.value)
        self._blocks[id(node.outputs[0])] = _Blocks(conv.node.outputs[0], other.channels, conv)
        return True

    def _product(self, node: Node) -> bool:
        blocks = self._same(node)
        return bool(blocks) and self._keep(node, blocks[0].channels)

    def _activation(self, node: Node) -> bool:
        """An activation: a part of the convolution in front of it."""
        x = node.inputs[0]
        blocks, numbers = self._blocks.get(id(x)), _ACTIVATIONS[node.op_type](node)
        if x is None or blocks is None or numbers is None:
            return False
        conv = self._alone(x)
        if conv is None or not conv.is_linear:
            return self._keep(node, blocks.channels)
        conv.node.attributes["activation"] = node.op_type
        if numbers:
            conv.node.attributes["activation_params"] = numbers
        self._blocks[id(node.outputs[0])] = blocks
        return True

    def _keep(self, node: Node, channels: int) -> bool:
        """A node that takes elements, or whole blocks, wherever they are."""
        known = [self._blocks.get(id(value)) for value in node.inputs]
        values = [value if b is None else b.value for value, b in zip(node.inputs, known, strict=True)]
        new = Node(node.op_type, "", values, node.attributes, node.scope)
        new.signature = node.signature
        self._blocks[id(node.outputs[0])] = self._add(new, channels)
        return True

    def _pool(self, node: Node) -> bool:
        blocks = self._blocks.get(id(node.inputs[0]))
        if blocks is None or len(node.outputs) > 1:
            return False
        attributes = node.attributes
        if node.op_type == "AveragePool" and (attributes.get("ceil_mode") or "dilations" in attributes):
            return False
        new = Node(node.op_type, DOMAIN, [blocks.value], dict(attributes), node.scope)
        self._blocks[id(node.outputs[0])] = self._add(new, blocks.channels)
        return True

    def _concat(self, node: Node) -> bool:
        """Channels of several values, if these are whole blocks."""
        blocks = [self._blocks[id(value)] for value in node.inputs if id(value) in self._blocks]
        whole = all(b.channels % self._block == 0 for b in blocks)
        if node.attributes["axis"] not in (1, -3) or len(blocks) < len(node.inputs) or not whole:
            return False
        return self._keep(node, sum(b.channels for b in blocks))

    def _transpose(self, node: Node) -> bool:
        """Channels that come last: they leave blocks so."""
        blocks = self._blocks.get(id(node.inputs[0]))
        if blocks is None or tuple(node.attributes.get("perm", ())) != (0, 2, 3, 1):
            return False
        attributes = {"channels": blocks.channels, "channels_last": 1}
        new = Node("ReorderOutput", DOMAIN, [blocks.value], attributes, node.scope)
        self._sources[id(node.outputs[0])] = node.outputs[0], new
        self._nodes.append(new)
        return True

    def _resize(self, node: Node) -> bool:
        if id(node.inputs[0]) in self._blocks:  # ONNX Runtime has more kernels for it than are told of here
            raise _UnknownSizesError
        return False


def _scope(value: Value) -> str:
    return "" if value.node is None else value.node.scope


# ---- activations, with their numbers, or `None` where these are not known


def _no_numbers(node: Node) -> tuple[float, ...]:
    return ()


def _alpha(node: Node) -> tuple[float, ...]:
    return (node.attributes.get("alpha", 0.01),)


def _slope(node: Node) -> tuple[float, ...]:
    return node.attributes.get("alpha", 0.2), node.attributes.get("beta", 0.5)


def _limits(node: Node) -> tuple[float, ...] | None:
    limits = []
    for value, default in zip((*node.inputs[1:], None, None)[:2], (_LEAST, _MOST), strict=True):
        limit = default if value is None else scalar(value)
        if limit is None:
            return None
        limits.append(limit)
    return tuple(limits)


_LEAST, _MOST = float(np.finfo(_float32).min), float(np.finfo(_float32).max)
_ACTIVATIONS: dict[str, Callable[[Node], tuple[float, ...] | None]] = {
    "Clip": _limits,
    "HardSigmoid": _slope,
    "LeakyRelu": _alpha,
    "Relu": _no_numbers,
    "Sigmoid": _no_numbers,
    "Tanh": _no_numbers,
}
_IN_BLOCKS: dict[str, Callable[[_Layout, Node], bool]] = {
    "Add": _Layout._sum,
    "AveragePool": _Layout._pool,
    "BatchNormalization": _Layout._norm,
    "Concat": _Layout._concat,
    "Conv": _Layout._conv,
    "GlobalAveragePool": _Layout._pool,
    "GlobalMaxPool": _Layout._pool,
    "MaxPool": _Layout._pool,
    "Mul": _Layout._product,
    "Resize": _Layout._resize,
    "Sum": _Layout._sum,
    "Transpose": _Layout._transpose,
    **dict.fromkeys(_ACTIVATIONS, _Layout._activation),
}
"""By operator what brings a node into blocks, and tells whether it could."""


# ---- weights


def _padded(array: Array, sizes: Sequence[int]) -> Array:
    """An array with zeros at the end of its first axes."""
    widths = [(0, size - n) for n, size in zip(array.shape, sizes, strict=False)]
    if not any(after for _, after in widths):
        return array
    return np.pad(array, [*widths, *[(0, 0)] * (array.ndim - len(widths))])


@np.errstate(all="ignore")  # numbers that float32 does not hold are infinite, as in kernels
def _write_bias(bias: Array, result: Array) -> None:
    result[: len(bias)] = bias
    result[len(bias) :] = 0


@np.errstate(all="ignore")
def _write_weights(weight: Array, factor: Array | None, block: int, plain: bool, result: Array) -> None:
    """Write weights with a block of filters innermost, and one of inputs in front of it unless `plain`.

    Args:
        weight: (filters, inputs, height, width).
        factor: By which each filter is multiplied.
        block: The size of a block.
        plain: Whether inputs are not in blocks.
        result: The same, but that the last blocks are whole.
    """
    rows, columns, *places = result.shape
    whole = _padded(weight, (rows, columns))
    if plain:
        blocks = whole.reshape(rows // block, block, columns, *places).transpose(0, 2, 3, 4, 1)
    else:
        split = whole.reshape(rows // block, block, columns // block, block, *places)
        blocks = split.transpose(0, 2, 4, 5, 3, 1)
    places_of_blocks = result.reshape(blocks.shape)
    if factor is None:
        np.copyto(places_of_blocks, blocks)
    else:
        factors = _padded(factor.astype(_float32), (rows,)).reshape(-1, *[1] * (blocks.ndim - 2), block)
        np.multiply(blocks, factors, out=places_of_blocks)
