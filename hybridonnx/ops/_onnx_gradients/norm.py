"""Gradients of normalizations and of softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import MXNetError
from .._onnx_text import NodeText
from ._nodes import Nodes, composed
from ._table import gradient_of

_EPSILON = 1e-5


def _centered(g: Nodes, x: Any, axes: Sequence[int], epsilon: float) -> tuple[Any, Any, Any]:
    """`x` with mean 0 and variance 1 over axes, the mean, and the inverse of the deviation."""
    mean = g.ReduceMean(x, axes)
    apart = g.Sub(x, mean)
    inverse = g.Reciprocal(g.Sqrt(g.Add(g.ReduceMean(g.Mul(apart, apart), axes), epsilon)))
    return g.Mul(apart, inverse), mean, inverse


@composed("LayerNormalization")
def layer_norm(
    g: Nodes, node: NodeText, y: Sequence[Any], x: Any, scale: Any, bias: Any = None
) -> tuple[Any, ...]:
    """Over all axes from one on, which are one in between."""
    flat = g.wide(g.Flatten(x, axis=node.attributes.get("axis", -1)))
    result, *others = _centered(g, flat, [1], node.attributes.get("epsilon", _EPSILON))
    result = g.Mul(g.narrow(g.as_shape_of(result, x), x), scale)
    result = result if bias is None else g.Add(result, bias)
    more = [
        None if like is None else g.narrow(g.as_shape_of(value, like), like)
        for value, like in zip(others, y[1:], strict=False)
    ]
    return result, *more


@composed("RMSNormalization")
def rms_norm(g: Nodes, node: NodeText, y: Sequence[Any], x: Any, scale: Any) -> Any:
    """Over all axes from one on, which are one in between."""
    flat = g.wide(g.Flatten(x, axis=node.attributes.get("axis", -1)))
    mean = g.Add(g.ReduceMean(g.Mul(flat, flat), [1]), node.attributes.get("epsilon", _EPSILON))
    return g.Mul(g.narrow(g.as_shape_of(g.Div(flat, g.Sqrt(mean)), x), x), scale)


@composed("GroupNormalization")
def group_norm(g: Nodes, node: NodeText, y: Sequence[Any], x: Any, scale: Any, bias: Any) -> Any:
    """Over groups of channels; before opset 21 scale and bias are of groups."""
    groups = node.attributes["num_groups"]
    result, *_ = _centered(
        g, g.wide(g.Reshape(x, [0, groups, -1])), [2], node.attributes.get("epsilon", _EPSILON)
    )
    rows = [0, groups, -1] if node.opset < 21 else g.joined(g.sizes(x, 0, 2), -1)
    scaled = g.Mul(g.narrow(g.Reshape(result, rows), x), g.Unsqueeze(scale, [1]))
    return g.as_shape_of(g.Add(scaled, g.Unsqueeze(bias, [1])), x)


@composed("InstanceNormalization")
def instance_norm(g: Nodes, node: NodeText, y: Sequence[Any], x: Any, scale: Any, bias: Any) -> Any:
    """Over all axes but those of images and channels."""
    flat = g.wide(g.rows(x))
    result, *_ = _centered(g, flat, [2], node.attributes.get("epsilon", _EPSILON))
    scaled = g.Mul(g.narrow(result, x), g.Unsqueeze(scale, [1]))
    return g.as_shape_of(g.Add(scaled, g.Unsqueeze(bias, [1])), x)


@composed("MeanVarianceNormalization")
def mean_variance(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """By the deviation plus a small number, as ONNX has it."""
    axes = node.attributes.get("axes", (0, 2, 3))
    wide = g.wide(x)
    apart = g.Sub(wide, g.ReduceMean(wide, axes))
    deviation = g.Sqrt(g.ReduceMean(g.Mul(apart, apart), axes))
    return g.narrow(g.Div(apart, g.Add(deviation, 1e-9)), x)


@composed("LpNormalization")
def lp_norm(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """By the sum of absolute values, or by the root of that of squares; zeros stay."""
    axis = [node.attributes.get("axis", -1)]
    norm = g.ReduceL1(x, axis) if node.attributes.get("p", 2) == 1 else g.ReduceL2(x, axis)
    return g.Div(x, g.Where(g.Equal(norm, 0), g.number(1, x), norm))


@composed("BatchNormalization")
def batch_norm(
    g: Nodes, node: NodeText, y: Sequence[Any], x: Any, scale: Any, bias: Any, mean: Any, variance: Any
) -> tuple[Any, ...]:
    """Of the running statistics, or of the batch's in training."""
    attributes = node.attributes
    training = (
        attributes.get("training_mode", 0)
        if node.opset >= 14
        else node.opset < 7 and not attributes.get("is_test", 0)
    )
    if not attributes.get("spatial", 1):
        raise MXNetError(
            "_onnx_BatchNormalization: spatial=1 is required for a gradient, got 0. Freeze what is before it."
        )
    flat, epsilon = g.rows(x), attributes.get("epsilon", _EPSILON)
    moved: list[Any] = []
    if training:
        wide = g.wide(flat)
        result, own, inverse = _centered(g, wide, [0, 2], epsilon)
        result = g.narrow(result, x)
        momentum = attributes.get("momentum", 0.9)
        spread = g.Sub(g.Reciprocal(g.Mul(inverse, inverse)), epsilon)
        pairs = ((mean, own), (variance, spread)) if node.opset >= 14 else ()
        for before, value in pairs:
            share = g.Mul(g.narrow(g.Reshape(value, [-1]), before), 1 - momentum)
            moved.append(g.Add(g.Mul(before, momentum), share))
    else:
        mean, variance = (g.CastLike(g.Unsqueeze(v, [1]), x) for v in (mean, variance))
        result = g.Div(g.Sub(flat, mean), g.Sqrt(g.Add(variance, epsilon)))
    scale, bias = (g.CastLike(g.Unsqueeze(v, [1]), x) for v in (scale, bias))
    return g.as_shape_of(g.Add(g.Mul(result, scale), bias), x), *moved


@composed("LRN")
def lrn(g: Nodes, node: NodeText, y: Sequence[Any], x: Any) -> Any:
    """By sums of squares over windows of channels."""
    attributes = node.attributes
    size = attributes["size"]
    flat = g.Unsqueeze(g.rows(x), [1])
    before, after = (size - 1) // 2, size // 2
    padded = g.Pad(g.Mul(flat, flat), [0, 0, before, 0, 0, 0, after, 0])
    count = g.Gather(g.Shape(flat), np.array(2))
    places = g.Add(g.Unsqueeze(g.Range(np.array(0), count, np.array(1)), [1]), np.arange(size))
    sums = g.ReduceSum(g.Gather(padded, places, axis=2), [3], keepdims=0)
    divisor = g.Add(g.Mul(sums, attributes.get("alpha", 1e-4) / size), attributes.get("bias", 1.0))
    return g.as_shape_of(g.Div(flat, g.Pow(divisor, attributes.get("beta", 0.75))), x)


@gradient_of("Softmax", "LogSoftmax")
def softmax(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
    """Over an axis; before opset 13 over all axes from one on."""
    F, head, result, axis = g.F, dy[0], y[0], node.attributes.get("axis", 1 if node.opset < 13 else -1)
    if node.opset < 13:
        head, result, axis = g.Flatten(head, axis=axis), g.Flatten(result, axis=axis), 1
    if node.op_type == "Softmax":
        grad = result * (head - g.ReduceSum(head * result, [axis]))
    else:
        grad = head - F.exp(result) * g.ReduceSum(head, [axis])
    return (F.reshape_like(grad, x) if node.opset < 13 else grad,)
