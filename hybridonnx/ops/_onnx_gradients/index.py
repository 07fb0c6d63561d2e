"""Gradients of nodes that look up, choose and write elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._onnx_text import NodeText
from ._nodes import Nodes, is_value
from ._table import gradient_of
from .reduce import others
from .shape import collected, places_of

_Move = Callable[..., Any]


@gradient_of("Gather")
def gather(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, indices: Any
) -> Sequence[Any]:
    """Added at the indices."""
    places = indices if is_value(indices) else g.Identity(indices)
    return (g.F._take_grad(dy[0], places, x, axis=node.attributes.get("axis", 0), mode="wrap"),)


@gradient_of("GatherElements")
def gather_elements(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, indices: Any
) -> Sequence[Any]:
    """Added at the indices."""
    axis = node.attributes.get("axis", 0)
    wide = g.wide(dy[0])  # ONNX Runtime adds no numbers of float16 there
    sums = g.ScatterElements(g.wide(g.F.zeros_like(x)), indices, wide, axis=axis, reduction="add")
    return (g.narrow(sums, x),)


@gradient_of("GatherND")
def gather_nd(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, indices: Any
) -> Sequence[Any]:
    """Added at the indices; with axes of batches by the places of the elements."""
    if node.attributes.get("batch_dims", 0):
        return (collected(g, dy[0], g.again(node, places_of(g, x), indices), x),)
    sums = g.ScatterND(g.wide(g.F.zeros_like(x)), indices, g.wide(dy[0]), reduction="add")
    return (g.narrow(sums, x),)


@gradient_of("ScatterElements", "Scatter")
def scatter_elements(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, indices: Any, updates: Any
) -> Sequence[Any]:
    """By elements."""
    axis = node.attributes.get("axis", 0)

    def scatter(data: Any, values: Any, reduction: str = "none") -> Any:
        return g.ScatterElements(data, indices, values, axis=axis, reduction=reduction)

    def read(data: Any) -> Any:
        return g.GatherElements(data, indices, axis=axis)

    return _scattered(g, node, dy[0], y[0], x, updates, scatter, read)


@gradient_of("ScatterND")
def scatter_nd(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, indices: Any, updates: Any
) -> Sequence[Any]:
    """By slices."""

    def scatter(data: Any, values: Any, reduction: str = "none") -> Any:
        return g.ScatterND(data, indices, values, reduction=reduction)

    return _scattered(g, node, dy[0], y[0], x, updates, scatter, lambda data: g.GatherND(data, indices))


def _scattered(
    g: Nodes, node: NodeText, dy: Any, y: Any, x: Any, updates: Any, scatter: _Move, read: _Move
) -> Sequence[Any]:
    """The gradients of data and updates by the reduction; equal extremes share."""
    F, reduction = g.F, node.attributes.get("reduction", "none")
    x, updates = g.operand(x), g.operand(updates)
    if reduction == "none":
        return scatter(dy, F.zeros_like(updates)), None, read(dy) * _last(g, y, updates, scatter, read)
    if reduction == "add":
        return dy, None, read(dy)
    if reduction == "mul":
        return _of_products(g, dy, x, updates, scatter, read)
    chosen, own = updates == read(y), x == y
    dy = dy / F._maximum_scalar(scatter(own, chosen, "add"), scalar=1)
    return dy * own, None, read(dy) * chosen


def _last(g: Nodes, y: Any, updates: Any, scatter: _Move, read: _Move) -> Any:
    """1 for what stays of the updates, 0 for what another at the same index takes the place of."""
    places = places_of(g, updates)
    written = read(scatter(places_of(g, y), places))
    return g.CastLike(g.Equal(written, places), updates)


def _of_products(g: Nodes, dy: Any, x: Any, updates: Any, scatter: _Move, read: _Move) -> Sequence[Any]:
    """The products of the other factors; those that are 0, of which two matter, are multiplied apart."""
    zero, zeros = x == 0, updates == 0
    count = scatter(zero, zeros, "add")
    total = scatter(zero * x, zeros * updates, "add")
    rest = dy * scatter(x * (1 - zero) + zero, updates * (1 - zeros) + zeros, "mul")

    def share(rest: Any, count: Any, total: Any, zero: Any, factor: Any) -> Any:
        return rest / (factor * (1 - zero) + zero) * others(count, total, zero, factor)

    of_updates = share(read(rest), read(count), read(total), zeros, updates)
    return share(rest, count, total, zero, x), None, of_updates


@gradient_of("TensorScatter")
def tensor_scatter(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], cache: Any, update: Any, at: Any = None
) -> Sequence[Any]:
    """To what has stayed and to what was written, by their places."""
    cache, update = g.operand(cache), g.operand(update)
    old, new = places_of(g, cache), places_of(g, update)
    kept = g.again(node, old, g.Mul(new, 0), at)
    written = g.again(node, g.Mul(old, 0), new, at)
    return collected(g, dy[0], kept, cache), collected(g, dy[0], written, update)


@gradient_of("TopK")
def topk(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, *_: Any) -> Sequence[Any]:
    """To the elements that were chosen."""
    axis = node.attributes.get("axis", -1)
    return (g.ScatterElements(g.F.zeros_like(x), y[1], dy[0], axis=axis),)


@gradient_of("Unique")
def unique(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
    """To the first of equal ones."""
    axis = node.attributes.get("axis")
    first = g.again(node, x, outputs=4)[1]
    if axis is None:
        return (collected(g, dy[0], g.Add(first, 1), x),)
    return (g.F._take_grad(dy[0], first, x, axis=axis, mode="wrap"),)


@gradient_of("OneHot")
def one_hot(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], indices: Any, depth: Any, values: Any
) -> Sequence[Any]:
    """To the value beside the chosen ones, and to that of these."""
    chosen = g.again(node, indices, depth, g.CastLike(np.array([0, 1], np.float32), dy[0]))
    on = g.ReduceSum(dy[0] * chosen, keepdims=0)
    total = g.ReduceSum(dy[0], keepdims=0)
    return None, None, g.Concat(g.Reshape(g.Sub(total, on), [1]), g.Reshape(on, [1]), axis=0)
