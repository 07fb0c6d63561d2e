"""Gradients of convolutions and pools in all their forms, by convolutions without padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import MXNetError
from .._onnx_text import NodeText
from ._nodes import Nodes, composed, rank_of
from ._table import gradient_of
from .shape import collected


class _Window(NamedTuple):
    """The window of a convolution or pool, with a value for each spatial axis."""

    kernel: Any
    strides: Any
    dilations: Any
    pads: Any
    """Before and after all axes; `None` if they follow from the sizes."""
    lower: bool
    """Whether of an odd number of them more stand before, if they follow from the sizes."""


def _count(node: NodeText, x: Any, weight: Any = None) -> int:
    """How many spatial axes there are."""
    for name in ("kernel_shape", "strides", "dilations"):
        if node.attributes.get(name):
            return len(node.attributes[name])
    if node.attributes.get("pads"):
        return len(node.attributes["pads"]) // 2
    rank = rank_of(x) or rank_of(weight) or (node.ranks[0] if node.ranks else None)
    if rank is None:
        raise MXNetError(
            f"_onnx_{node.op_type}: kernel_shape is required for a gradient, as the number of axes is not "
            "known. Write the kernel's shape into the node."
        )
    return rank - 2


def _window(node: NodeText, kernel: Any, count: int) -> _Window:
    """The window of a node over so many axes; `kernel` are its sizes."""
    attributes = node.attributes
    auto = attributes.get("auto_pad", "NOTSET")
    filled = {name: attributes.get(name) or (1,) * count for name in ("strides", "dilations")}
    pads: Any = attributes.get("pads") or (0,) * (2 * count)
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        pads = None
    elif auto == "VALID":
        pads = (0,) * (2 * count)
    return _Window(kernel, filled["strides"], filled["dilations"], pads, auto == "SAME_LOWER")


def _extent(g: Nodes, window: _Window, sizes: Any) -> Any:
    """How much windows at so many places cover."""
    steps = g.Mul(g.Sub(sizes, 1), np.array(window.strides))
    return g.Add(g.Add(steps, g.Mul(g.Sub(window.kernel, 1), np.array(window.dilations))), 1)


def _before(g: Nodes, window: _Window, x: Any, extent: Any) -> Any:
    """How many elements of padding stand before each axis of `x`."""
    count = len(window.strides)
    if window.pads is not None:
        return np.array(window.pads[:count], np.int64)
    total = g.Max(g.Sub(extent, g.sizes(x, 2)), 0)
    return g.Div(g.Add(total, 1), 2) if window.lower else g.Div(total, 2)


def _framed(g: Nodes, x: Any, before: Any, extent: Any, count: int) -> Any:
    """`x` with what stands before it, cut or filled up to an extent."""
    axes = list(range(2, 2 + count))
    after = g.Max(g.Sub(g.Sub(extent, g.sizes(x, 2)), before), 0)
    padded = g.Pad(x, g.joined(before, after), None, axes)
    return g.Slice(padded, [0] * count, extent, axes)


# ---- convolutions


def _weight_grad(g: Nodes, node: NodeText, window: _Window, x: Any, dy: Any, weight: Any) -> Any:
    """The gradient of a kernel whose windows begin at the first element of `x` and end at its last."""
    groups = node.attributes.get("group", 1)
    batch = g.sizes(x, 0, 1)
    apart = g.Transpose(
        g.Reshape(x, g.joined(batch, groups, -1, g.ReduceProd(g.sizes(x, 2)))), perm=(2, 1, 0, 3)
    )
    data = g.Reshape(apart, g.joined(g.sizes(apart, 0, 1), g.Mul(batch, groups), g.sizes(x, 2)))
    flat = g.Transpose(g.Reshape(dy, g.joined(g.sizes(dy, 0, 2), -1)), perm=(1, 0, 2))
    kernel = g.Reshape(flat, g.joined(g.sizes(flat, 0, 2), g.sizes(dy, 2)))
    result = g.Conv(data, kernel, group=groups, strides=window.dilations, dilations=window.strides)
    rows = g.Reshape(result, g.joined(g.sizes(result, 0, 2), -1))
    return g.pinned(g.Transpose(rows, perm=(1, 0, 2)), weight)


def _valid(window: _Window) -> dict[str, Any]:
    return {"strides": window.strides, "dilations": window.dilations}


@gradient_of("Conv")
def conv(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, weight: Any, bias: Any = None
) -> Sequence[Any]:
    """Of the data framed to what the windows cover, by the convolution the other way round."""
    head, groups = dy[0], node.attributes.get("group", 1)
    window = _window(node, g.sizes(weight, 2), _count(node, x, weight))
    count = len(window.strides)
    extent = _extent(g, window, g.sizes(head, 2))
    before = _before(g, window, x, extent)
    spread = g.ConvTranspose(head, weight, group=groups, **_valid(window))
    of_x = _framed(g, spread, g.Neg(before), g.sizes(x, 2), count)
    of_weight = _weight_grad(g, node, window, _framed(g, x, before, extent, count), head, weight)
    return g.pinned(of_x, x), of_weight, _of_bias(g, head, bias)


def _of_bias(g: Nodes, dy: Any, bias: Any) -> Any:
    if bias is None:
        return None
    return g.pinned(g.ReduceSum(g.rows(dy), [0, 2], keepdims=0), bias)


@gradient_of("ConvTranspose")
def conv_transpose(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, weight: Any, bias: Any = None
) -> Sequence[Any]:
    """Of the gradient framed to what the windows cover, by the convolution."""
    head, groups = dy[0], node.attributes.get("group", 1)
    window = _window(node, g.sizes(weight, 2), _count(node, x, weight))
    count = len(window.strides)
    extent = _extent(g, window, g.sizes(x, 2))
    if "output_shape" in node.attributes or window.pads is None:
        added = np.array(node.attributes.get("output_padding") or (0,) * count)
        total = g.Max(g.Sub(g.Add(extent, added), g.sizes(head, 2)), 0)
        upper = node.attributes.get("auto_pad") == "SAME_UPPER"
        before = g.Div(total, 2) if upper else g.Sub(total, g.Div(total, 2))
    else:
        before = np.array(window.pads[:count], np.int64)
    frame = _framed(g, head, before, extent, count)
    of_x = g.Conv(frame, weight, group=groups, **_valid(window))
    of_weight = _weight_grad(g, node, window, frame, x, weight)
    return g.pinned(of_x, x), of_weight, _of_bias(g, head, bias)


# ---- pools


def _window_sums(g: Nodes, window: _Window, x: Any, like: Any) -> Any:
    """The sums over windows of what begins with the first of them and ends with the last."""
    rows = g.Reshape(x, g.joined([-1, 1], g.sizes(x, 2)))
    kernel = g.Expand(g.number(1, x), np.array([1, 1, *window.kernel]))
    return g.as_shape_of(g.Conv(rows, kernel, **_valid(window)), like)


@composed("AveragePool")
def average_pool(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """Sums by the number of elements that count, of padding too if it is included."""
    window = _window(node, node.attributes["kernel_shape"], len(node.attributes["kernel_shape"]))
    count = len(window.strides)
    extent = _extent(g, window, g.sizes(y[0], 2))
    before = _before(g, window, x, extent)
    ones = g.F.ones_like(x)
    if node.attributes.get("count_include_pad", 0):
        after = g.Max(g.Sub(extent, g.Add(g.sizes(x, 2), before)), 0)
        if window.pads is not None:
            after = np.array(window.pads[count:], np.int64)
        axes = list(range(2, 2 + count))
        padded = g.Pad(ones, g.joined(before, after), g.number(1, x), axes)
        counted = _framed(g, padded, np.zeros(count, np.int64), extent, count)
    else:
        counted = _framed(g, ones, before, extent, count)
    sums = _window_sums(g, window, _framed(g, x, before, extent, count), y[0])
    return g.Div(sums, _window_sums(g, window, counted, y[0]))


@composed("LpPool")
def lp_pool(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """Roots of sums of powers."""
    window = _window(node, node.attributes["kernel_shape"], len(node.attributes["kernel_shape"]))
    count, p = len(window.strides), node.attributes.get("p", 2)
    extent = _extent(g, window, g.sizes(y[0], 2))
    frame = _framed(g, g.Pow(g.Abs(x), p), _before(g, window, x, extent), extent, count)
    return _root(g, _window_sums(g, window, frame, y[0]), p)


def _root(g: Nodes, x: Any, p: int) -> Any:
    """The root of sums of powers, whose slope at 0 is taken for 0."""
    zero = g.Equal(x, 0)
    return g.Mul(g.Pow(g.Where(zero, g.number(1, x), x), 1 / p), g.CastLike(g.Not(zero), x))


@gradient_of("MaxPool")
def max_pool(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
    """To the largest elements, whose places the operator itself gives."""
    opset = max(node.opset, 8)
    attributes = {**node.attributes, "storage_order": 0}
    _, places = g.node("MaxPool", x, opset=opset, outputs=2, **attributes)
    return (collected(g, dy[0], g.Add(places, 1), x),)


@gradient_of("MaxUnpool")
def max_unpool(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, places: Any, *_: Any
) -> Sequence[Any]:
    """From where the elements were put."""
    if len(node.inputs) > 2 and node.inputs[2]:  # the places are those of the smaller output
        window = _window(node, node.attributes["kernel_shape"], len(node.attributes["kernel_shape"]))
        full = _extent(g, window, g.sizes(x, 2))
        count = len(window.strides)
        pads = np.array(window.pads)
        inner = g.Sub(full, g.Add(pads[:count], pads[count:]))
        head = _framed(g, dy[0], np.zeros(count, np.int64), inner, count)
        return (g.Gather(g.Reshape(head, [-1]), places), None, None)
    return (g.Gather(g.Reshape(dy[0], [-1]), places), None, None)


@composed("GlobalAveragePool")
def global_average(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """The mean of each channel."""
    return g.as_shape_of(g.ReduceMean(g.rows(x), [2]), y[0])


@composed("GlobalMaxPool")
def global_max(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """The largest of each channel."""
    return g.as_shape_of(g.ReduceMax(g.rows(x), [2]), y[0])


@composed("GlobalLpPool")
def global_lp(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """The norm of each channel."""
    p = node.attributes.get("p", 2)
    flat = g.Pow(g.Abs(g.rows(x)), p)
    return g.as_shape_of(_root(g, g.ReduceSum(flat, [2]), p), y[0])


@gradient_of("Col2Im")
def col2im(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, image: Any, block: Any
) -> Sequence[Any]:
    """The columns of the gradient, by the places of its elements."""
    count = len(block) if isinstance(block, np.ndarray) else _count(node, dy[0])
    window = _window(node, block, count)
    axes = list(range(2, 2 + count))
    data = g.Pad(dy[0], np.array(window.pads, np.int64), None, axes)
    sizes = g.sizes(data, 2)
    reach = g.Add(g.Mul(g.Sub(block, 1), np.array(window.dilations)), 1)
    steps = g.Add(g.Div(g.Sub(sizes, reach), np.array(window.strides)), 1)
    inner: Any = np.array([1])
    offsets: Any = np.zeros((1, 1), np.int64)
    for i in reversed(range(count)):
        at = np.array(i)
        within = g.Mul(g.Range(np.array(0), g.Gather(block, at), np.array(1)), window.dilations[i])
        begins = g.Mul(g.Range(np.array(0), g.Gather(steps, at), np.array(1)), window.strides[i])
        here = g.Mul(g.Add(g.Unsqueeze(within, [1]), begins), inner)
        both = g.Add(g.Unsqueeze(here, [1, 3]), g.Unsqueeze(offsets, [0, 2]))
        offsets = g.Reshape(both, g.joined(g.Mul(g.sizes(here, 0, 1), g.sizes(offsets, 0, 1)), -1))
        inner = g.Mul(inner, g.Gather(sizes, at))
    flat = g.rows(data)
    return (g.F.reshape_like(g.Gather(flat, offsets, axis=2), x), None, None)
