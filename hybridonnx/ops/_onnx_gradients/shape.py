"""Gradients of nodes that arrange elements: their operands may be computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._onnx_text import NodeText
from ._nodes import OPSET, Nodes, composed, is_value
from ._table import constant, gradient_of

constant("it gives sizes", "Shape", "Size", "NonZero", "SequenceLength")
constant("it depends on no values", "ConstantOfShape", "EyeLike", "Constant", "RandomNormal", "RandomUniform")
constant("it depends on no values", "RandomNormalLike", "RandomUniformLike")


@gradient_of("Reshape", "Squeeze", "Unsqueeze", "Flatten")
def reshape(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], data: Any, *_: Any
) -> Sequence[Any]:
    """The elements in the data's shape."""
    return (g.F.reshape_like(dy[0], data),)


@gradient_of("Transpose")
def transpose(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], data: Any) -> Sequence[Any]:
    """The axes back in their order."""
    perm = node.attributes.get("perm")
    return (g.Transpose(dy[0], perm=None if perm is None else tuple(np.argsort(perm))),)


@gradient_of("Concat")
def concat(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], *data: Any) -> Sequence[Any]:
    """The parts of the gradient."""
    likes = [g.operand(x) for x in data]
    axis = node.attributes.get("axis", 1)
    parts = g.F._split_like(dy[0], *likes, num_args=len(likes) + 1, axis=axis)
    return [parts] if len(likes) == 1 else [parts[i] for i in range(len(likes))]


@gradient_of("Split")
def split(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], data: Any, *_: Any) -> Sequence[Any]:
    """The parts' gradients one after the other."""
    return (g.Concat(*dy, axis=node.attributes.get("axis", 0)),)


@gradient_of("Tile")
def tile(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, repeats: Any, axis: Any = None
) -> Sequence[Any]:
    """Summed over the repetitions."""
    if node.opset < 6:  # one number of repetitions, and the axis
        count = g.Reshape(g.Cast(repeats, to=7), [1])
        at = g.Reshape(g.Cast(axis, to=7), [1])
        repeats = g.ScatterElements(g.Expand([1], g.Shape(g.Shape(x))), at, count)
    pairs = g.Concat(g.Unsqueeze(repeats, [1]), g.Unsqueeze(g.Shape(x), [1]), axis=1)
    over = g.Range(np.array(0), g.Mul(g.Size(g.Shape(x)), 2), np.array(2))
    apart = g.Reshape(dy[0], g.Reshape(pairs, [-1]), allowzero=1)
    return (g.F.reshape_like(g.ReduceSum(apart, over, keepdims=0), x),)


@gradient_of("Pad")
def pad(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, *operands: Any
) -> Sequence[Any]:
    """Without the padding, to the constant what that receives; else to the elements that are repeated."""
    attributes = node.attributes
    pads, value, axes = (*operands, None, None, None)[:3]
    if pads is None:
        pads = np.array(attributes.get("pads", attributes.get("paddings")), np.int64)
    mode = attributes.get("mode", "constant")
    if mode != "constant":
        opset = max(OPSET, node.opset)

        def select(places: Any) -> Any:
            return g.node("Pad", places, pads, None, axes, mode=mode, opset=opset)

        return (_selected(g, dy[0], x, select),)
    of_x = g.Pad(dy[0], g.Neg(pads), None, axes)
    if value is None or not is_value(value):
        return g.F.reshape_like(of_x, x), None, None
    outside = g.Sub(dy[0], g.Pad(g.Pad(dy[0], g.Neg(g.Max(pads, 0)), None, axes), g.Max(pads, 0), None, axes))
    return g.F.reshape_like(of_x, x), None, g.as_shape_of(g.ReduceSum(outside, keepdims=0), value), None


def places_of(g: Nodes, x: Any) -> Any:
    """The number of each element, in the shape of `x`; the first is 1."""
    end = g.Add(g.Size(x), 1)
    return g.as_shape_of(g.Range(np.array(1), end, np.array(1)), x)


def collected(g: Nodes, dy: Any, places: Any, x: Any) -> Any:
    """What elements of `x` receive whose places stand at those of `dy`; what has place 0 goes nowhere."""
    wide = g.wide(dy)  # ONNX Runtime adds no numbers of float16 there
    zeros = g.zeros(g.Reshape(g.Add(g.Size(x), 1), [1]), wide)
    flat = g.Reshape(wide, [-1]), g.Reshape(places, [-1])
    sums = g.ScatterElements(zeros, flat[1], flat[0], axis=0, reduction="add")
    return g.narrow(g.F.reshape_like(g.Slice(sums, [1], [np.iinfo(np.int64).max]), x), dy)


def _selected(g: Nodes, dy: Any, x: Any, select: Any) -> Any:
    """The gradient of a node that selects elements: of their places it selects the same."""
    return collected(g, dy, select(places_of(g, x)), x)


@gradient_of("Slice", "Compress", "ReverseSequence", "CenterCropPad")
def selection(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, *operands: Any
) -> Sequence[Any]:
    """To the elements that were selected."""
    return (_selected(g, dy[0], x, lambda places: g.again(node, places, *operands)),)


@gradient_of("Trilu")
def trilu(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, k: Any = None
) -> Sequence[Any]:
    """The same triangle of the gradient."""
    return (g.again(node, dy[0], k),)


@composed("DepthToSpace")
def depth_to_space(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """By a transposition."""
    size, column_first = node.attributes["blocksize"], node.attributes.get("mode", "DCR") == "CRD"
    n, c, height, width = (g.Slice(g.Shape(x), [i], [i + 1]) for i in range(4))
    channels = g.Div(c, size * size)
    blocks = (channels, size, size) if column_first else (size, size, channels)
    apart = g.shaped(x, n, *blocks, height, width)
    perm = (0, 1, 4, 2, 5, 3) if column_first else (0, 3, 4, 1, 5, 2)
    return g.as_shape_of(g.Transpose(apart, perm=perm), y[0])


@composed("SpaceToDepth")
def space_to_depth(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """By a transposition."""
    size, column_first = node.attributes["blocksize"], node.attributes.get("mode", "DCR") == "CRD"
    n, c, height, width = (g.Slice(g.Shape(x), [i], [i + 1]) for i in range(4))
    apart = g.shaped(x, n, c, g.Div(height, size), size, g.Div(width, size), size)
    perm = (0, 1, 3, 5, 2, 4) if column_first else (0, 3, 5, 1, 2, 4)
    return g.as_shape_of(g.Transpose(apart, perm=perm), y[0])


@gradient_of("CumSum")
def cumsum(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, axis: Any) -> Sequence[Any]:
    """Summed from the other end."""
    return (g.again(node, dy[0], axis, reverse=1 - node.attributes.get("reverse", 0)), None)


@gradient_of("CumProd")
def cumprod(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, axis: Any
) -> Sequence[Any]:
    """The product before an element, times sums of products behind it, none of which holds the element."""
    exclusive, reverse = (node.attributes.get(name, 0) for name in ("exclusive", "reverse"))
    rank = g.Size(g.Shape(x))
    at = g.Reshape(g.Mod(g.Add(g.Cast(axis, to=7), rank), rank), [1])
    behind, one = g.Add(at, 1), np.ones(1, np.int64)
    count = g.Gather(g.Shape(x), at)
    numbers = g.Range(np.array(0), g.Squeeze(count), np.array(1))
    grid = g.ScatterElements(
        g.Expand(one, g.Reshape(g.Add(rank, 1), [1])), g.joined(at, behind), g.joined(count, count)
    )
    row, column = (
        g.Reshape(g.Add(g.Unsqueeze(numbers, [1 - i]), g.Mul(g.Unsqueeze(numbers, [i]), 0)), grid)
        for i in (0, 1)
    )
    later = g.Less(row, column) if not reverse else g.Greater(row, column)
    factors = g.Where(later, g.Unsqueeze(x, at), g.number(1, x))
    products = g.again(node, factors, g.Squeeze(behind))
    kept = later if exclusive else g.Or(later, g.Equal(row, column))
    terms = g.Where(kept, g.Mul(products, g.Unsqueeze(dy[0], at)), g.number(0, x))
    before = g.again(node, x, axis, exclusive=1)
    return g.F.elemwise_mul(before, g.F.reshape_like(g.ReduceSum(terms, behind, keepdims=0), x)), None
