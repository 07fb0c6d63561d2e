"""Batch norms of prediction as a part of the layers before them: fewer passes over the data, equal numbers.

With the moving statistics a batch norm multiplies each channel by a constant and adds another one. Behind a
layer whose weight and bias are known these do it at no cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..ops import Array
from .graph import (
    VARIABLE,
    Entry,
    Node,
    copy,
    moved,
    output_name,
    topological,
    values_in,
    variable,
    with_inputs,
)
from .symbol import Symbol

_NORMS = frozenset({"BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm"})
_LAYERS = frozenset({"Convolution", "Convolution_v1", "FullyConnected"})


class Affine(NamedTuple):
    """What a batch norm does to each channel when it predicts."""

    scale: Array
    """(C,), in float64."""
    shift: Array


class Folded(NamedTuple):
    """A symbol for prediction whose batch norms are in the layers before them."""

    symbol: Symbol
    params: dict[str, Array]
    names: dict[str, str]
    """By the names of layers those of the norms in them, which they have now: they give what these gave."""


def with_norms_folded(symbol: Symbol, params: Mapping[str, Array]) -> Folded:
    """Make batch norms a part of the layers before them.

    Parameters keep their names, and a layer gets a bias if it had none. What other nodes read too, or whose
    parameters are not known, stays as it is.

    Args:
        symbol: A graph.
        params: Parameters and auxiliary states by name; those that are not there are not known.
    """
    order = topological(symbol.outputs)
    readers = Counter(entry for node in order for entry in node.inputs)
    readers.update(symbol.outputs)
    copies: dict[Node, Node] = {}
    merged: dict[Node, Node] = {}
    """The layers that batch norms have become a part of."""
    names: dict[str, str] = {}
    values = dict(params)
    for node in order:
        affine = None if node.is_variable else _affine(node, values)
        layer = node.inputs[0].node if affine else node
        if affine and _can_take(layer, node, readers, values):
            merged[node] = _layer(copies[layer], node.name, affine, values)
            names[layer.name] = node.name
            continue
        inputs = [_moved(entry, copies, merged) for entry in node.inputs]
        copies[node] = with_inputs(node, inputs)
    result = Symbol([_moved(entry, copies, merged) for entry in symbol.outputs])
    return Folded(result, values_in(result.outputs, values), names)


def _moved(entry: Entry, copies: Mapping[Node, Node], merged: Mapping[Node, Node]) -> Entry:
    return Entry(merged.get(entry.node) or copies[entry.node], entry.output)


def _known(entry: Entry, params: Mapping[str, Array]) -> Array | None:
    """The value of a variable whose value is known."""
    return params.get(entry.node.name) if entry.node.is_variable else None


def _affine(node: Node, params: Mapping[str, Array]) -> Affine | None:
    """What a node does to each channel if it is a batch norm of known parameters."""
    if not node.is_known or node.op.names[0] not in _NORMS or node.op.output_mean_var:
        return None
    values = [_known(entry, params) for entry in node.inputs[1:]]
    if any(value is None for value in values):
        return None
    gamma, beta, mean, var = (np.asarray(value, np.float64) for value in values)
    scale = (np.ones_like(var) if node.op.fix_gamma else gamma) / np.sqrt(var + node.op.eps)
    return Affine(scale, beta - mean * scale)


def _can_take(layer: Node, norm: Node, readers: Counter[Entry], params: Mapping[str, Array]) -> bool:
    """Whether a layer with parameters of its own goes into nothing but a batch norm along its channels."""
    if layer.is_variable or not layer.is_known or layer.op.names[0] not in _LAYERS:
        return False
    own = layer.inputs[1:]
    if readers[Entry(layer, 0)] != 1 or any(readers[entry] != 1 for entry in own):
        return False
    if any(_known(entry, params) is None for entry in own):
        return False
    return int(norm.op.axis) == _channel_axis(layer.op)


def _channel_axis(op: Any) -> int:
    """The axis of a layer's output along which its filters are."""
    if op.names[0] == "FullyConnected":
        return 1 if op.flatten else -1
    return len(op.kernel) + 1 if (op.layout or "NC").endswith("C") and op.layout else 1


def _layer(layer: Node, name: str, affine: Affine, params: dict[str, Array]) -> Node:
    """A layer with what follows it, under another name. Its parameters' values change."""
    weight, *biases = layer.inputs[1:]
    value = params[weight.node.name]
    along = (-1, *(1 for _ in value.shape[1:]))
    params[weight.node.name] = (value * affine.scale.reshape(along)).astype(value.dtype)
    bias = biases[0] if biases else Entry(Node(VARIABLE, f"{layer.name}_bias"), 0)
    before = np.asarray(params[bias.node.name], np.float64) if biases else 0.0
    params[bias.node.name] = (before * affine.scale + affine.shift).astype(value.dtype)
    clone = copy(layer, [layer.inputs[0], weight, bias])
    clone.name = name
    clone.set_attribute("no_bias", "False")
    return clone


def with_norms_as_convolutions(
    symbol: Symbol, params: Mapping[str, Array], ranks: Mapping[str, int]
) -> tuple[Symbol, dict[str, Array]]:
    """A symbol for prediction whose batch norms are convolutions channel by channel, and its parameters.

    Engines have those on integers, and no batch norms. Those along another axis than the second, and on data
    without spatial axes, stay.

    Args:
        symbol: A graph.
        params: Parameters and auxiliary states by name.
        ranks: How many axes outputs have, by their names.
    """
    copies: dict[Node, Node] = {}
    values = dict(params)
    for node in topological(symbol.outputs):
        inputs = [moved(entry, copies) for entry in node.inputs]
        affine = None if node.is_variable else _affine(node, values)
        spatial = 0 if affine is None else ranks.get(output_name(node.inputs[0]), 0) - 2
        if affine is not None and spatial > 0 and node.op.axis == 1:
            copies[node] = _by_channel(node, inputs[0], affine, spatial, values)
        else:
            copies[node] = with_inputs(node, inputs)
    result = Symbol([moved(entry, copies) for entry in symbol.outputs])
    return result, values_in(result.outputs, values)


def _by_channel(node: Node, data: Entry, affine: Affine, spatial: int, params: dict[str, Array]) -> Node:
    """A batch norm as a convolution, whose parameters are added."""
    count = len(affine.scale)
    arrays = {
        f"{node.name}_weight": affine.scale.reshape(-1, 1, *(1,) * spatial).astype(np.float32),
        f"{node.name}_bias": affine.shift.astype(np.float32),
    }
    params |= arrays
    attrs = {"kernel": str((1,) * spatial), "num_filter": str(count), "num_group": str(count)}
    inputs = [data, *(variable(name, array) for name, array in arrays.items())]
    return Node("Convolution", node.name, attrs, inputs)
