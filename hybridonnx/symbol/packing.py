"""Dense layers whose weights are integers of 4 or 8 bits, with a scale for each block of a row.

What is multiplied by them stays floating-point numbers. It is ONNX Runtime's MatMulNBits: a fraction of the
memory, and with few rows of the time, as that is spent on reading weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..ops import Array, node_text, onnx_name
from .graph import Entry, Node, moved, topological, variable, with_inputs
from .symbol import Symbol

_DOMAIN = "com.microsoft"
_OPERATOR = "MatMulNBits"


class Packing(NamedTuple):
    """How weights are packed."""

    bits: int = 4
    """4 or 8."""
    block_size: int = 32
    """How many elements of a row have one scale: a power of 2 from 16 on."""
    accuracy_level: int = 4
    """What ONNX Runtime multiplies in: 0 and 1 float32, 2 float16, 3 bfloat16, 4 int8."""


def packed(weight: Array, packing: Packing) -> tuple[Array, Array]:
    """The integers and the scales of a weight.

    An element is `(integer - 2**(bits - 1)) * scale`. The largest of a block, of either sign, is integer 0.

    Args:
        weight: (N, K).
        packing: The number of bits, and the size of blocks.

    Returns:
        (N, blocks, bytes of a block) of uint8, with the first of two integers of 4 bits in the low ones, and
        (N * blocks,) of float32.
    """
    rows, width = weight.shape
    blocks = -(-width // packing.block_size)
    padded = np.zeros((rows, blocks * packing.block_size), np.float64)
    padded[:, :width] = weight
    padded = padded.reshape(rows, blocks, packing.block_size)
    half = 1 << (packing.bits - 1)
    place = np.abs(padded).argmax(axis=-1, keepdims=True)
    scale = (np.take_along_axis(padded, place, -1) / -half).astype(np.float32)
    steps = np.divide(padded, scale, out=np.zeros_like(padded), where=scale != 0)
    integers = np.clip(np.rint(steps) + half, 0, 2 * half - 1).astype(np.uint8)
    if packing.bits < 8:
        integers = integers[..., 0::2] | (integers[..., 1::2] << 4)
    return integers, scale.reshape(-1)


def with_packed_weights(
    symbol: Symbol, params: Mapping[str, Array], packing: Packing, names: Collection[str] = ()
) -> tuple[Symbol, dict[str, Array]]:
    """A graph whose dense layers have packed weights, and its parameters.

    Args:
        symbol: A graph on float32.
        params: Its parameters and states.
        packing: How to pack.
        names: Nodes that stay.
    """
    order = topological(symbol.outputs)
    readers = Counter(entry.node.name for node in order for entry in node.inputs)
    copies: dict[Node, Node] = {}
    values = dict(params)
    for node in order:
        inputs = [moved(entry, copies) for entry in node.inputs]
        if node.name not in names and _has_own_weight(node, params, readers):
            copies[node] = _product(node, inputs, packing, values)
        else:
            copies[node] = with_inputs(node, inputs)
    return Symbol([moved(entry, copies) for entry in symbol.outputs]), values


def _has_own_weight(node: Node, params: Collection[str], readers: Mapping[str, int]) -> bool:
    """Whether a node is a dense layer with a weight that is known and no one else's."""
    if node.is_variable or not node.is_known or node.op.names[0] != "FullyConnected":
        return False
    weight = node.inputs[1].node
    return weight.is_variable and weight.name in params and readers[weight.name] == 1


def _product(node: Node, inputs: Sequence[Entry], packing: Packing, values: dict[str, Array]) -> Node:
    """What stands for a dense layer, whose weight in `values` gives way to what is packed."""
    data, weight, *biases = inputs
    if node.op.flatten:
        data = Entry(Node("Flatten", f"{node.name}_flatten", {}, [data]), 0)
    name = weight.node.name
    array = values.pop(name)
    parts = dict(zip((f"{name}_quantize", f"{name}_scale"), packed(array, packing), strict=True))
    values |= parts
    sizes = {"N": len(array), "K": array.shape[1]}
    text = node_text(_OPERATOR, [True, True, True], 1, {**sizes, **packing._asdict()}, domain=_DOMAIN)
    attrs = {"model": text, "num_args": "3", "num_outputs": "1"}
    operands = [data, *(variable(key, part) for key, part in parts.items())]
    product = Node(
        onnx_name(_OPERATOR, _DOMAIN), f"{node.name}_product" if biases else node.name, attrs, operands
    )
    return Node("broadcast_add", node.name, {}, [Entry(product, 0), *biases]) if biases else product
