"""Lowerings of normalization."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops import sizes
from hybridonnx.ops.norm import (
    LRN,
    BatchNorm,
    BatchNormV1,
    BatchNormWithReLU,
    ChannelWindowSum,
    Count,
    GroupNorm,
    InstanceNorm,
    L2Normalization,
    LayerNorm,
    SyncBatchNorm,
)

from ._graph import Graph, Value
from ._registry import lowers
from .along import along, filled

_float16, _float32, _float64 = np.dtype("float16"), np.dtype("float32"), np.dtype("float64")


def _wide(g: Graph, x: Value) -> Value:
    """`x` in float32 if it is float16, for which ONNX Runtime has few kernels and sums too little room."""
    return g.Cast(x, _float32) if x.dtype == _float16 else x


def _moments(g: Graph, x: Value, axes: Sequence[int]) -> tuple[Value, Value, Value]:
    """x - mean, mean and variance over `axes`, which stay with size 1."""
    mean = g.ReduceMean(x, axes)
    centred = x - mean
    return centred, mean, g.ReduceMean(centred * centred, axes)


@lowers(Count)
def count(g: Graph, op: Count, data: Value) -> Value:
    axes = op.axes(data.rank)
    shape: Any = data.shape
    if all(shape[i] is not None for i in axes):
        return g.const(np.array([np.prod([shape[i] for i in axes])], data.dtype))
    sizes = g.node("Gather", [g.shape_of(data), list(axes)])
    return g.Cast(g.ReduceProd(sizes, [0]), data.dtype)


# ---- over the batch


@lowers(BatchNorm, BatchNormV1)
def batch_norm(g: Graph, op: Any, data: Value, *vectors: Value) -> tuple[Value, ...]:
    y, mean, _, inverse = _normalized(g, op, data, *vectors)
    return y, mean, inverse


@lowers(SyncBatchNorm)
def sync_batch_norm(g: Graph, op: Any, data: Value, *vectors: Value) -> tuple[Value, ...]:
    return _normalized(g, op, data, *vectors)[:3]


def _normalized(g: Graph, op: Any, data: Value, *vectors: Value) -> tuple[Value, ...]:
    """The normalized data, the mean, the variance and 1 / sqrt(variance + eps)."""
    gamma, beta, mean, var = vectors
    axis, x = op.axis % data.rank, _wide(g, data)
    if op.fix_gamma:  # whatever is stored
        gamma = filled(g, gamma, 1.0)
    if g.opset >= 14 and op.of_batch() and _takes(g, x, axis):
        y, mean, var = _of_batch(g, op, x, gamma, beta)
        return g.Cast(y, data.dtype), mean, var, g.Reciprocal(g.Sqrt(var + op.eps))
    if op.of_batch():
        centred, mean, var = _moments(g, x, [i for i in range(data.rank) if i != axis])
        inverse = g.Reciprocal(g.Sqrt(var + op.eps))
        y = centred * (inverse * along(g, gamma, data.rank, axis)) + along(g, beta, data.rank, axis)
        return g.Cast(y, data.dtype), *(g.Reshape(v, [-1]) for v in (mean, var, inverse))
    inverse = g.Reciprocal(g.Sqrt(var + op.eps))
    if axis == 1 and x.dtype == _float32:  # epsilon is a float32
        y = g.BatchNormalization(x, gamma, beta, mean, var, epsilon=op.eps, momentum=op.momentum)
    else:
        scale = gamma * inverse
        shift = beta - mean * scale
        y = x * along(g, scale, data.rank, axis) + along(g, shift, data.rank, axis)
    return g.Cast(y, data.dtype), mean, var, inverse


def _takes(g: Graph, x: Value, axis: int) -> bool:
    """Whether ONNX Runtime's own normalization in training mode takes the value, which needs elements.

    Free sizes may turn out to be 0 in a file alone: what runs here has graphs of their own for such arrays.
    """
    shape = x.shape or (0,)
    return axis == 1 and x.dtype == _float32 and 0 not in shape and (g.exact or None not in shape)


def _of_batch(g: Graph, op: Any, x: Value, gamma: Value, beta: Value) -> Any:
    """ONNX Runtime's own normalization: with momentum 0, what it keeps are the batch's mean and variance.

    It writes what it keeps over what was there before, even into constants. So these are computed each time,
    from a value of x that is in the mean anyway.
    """
    axes = [0, *range(2, x.rank)]
    first = g.Slice(x, [0] * len(axes), [1] * len(axes), axes)
    zeros = g.Reshape(first, [-1]) * 0.0
    attributes = {"epsilon": op.eps, "momentum": 0.0, "training_mode": 1}
    outputs = g.node("BatchNormalization", [x, gamma, beta, zeros, zeros + 1.0], 3, attributes)
    outputs[0].node.all_outputs = True  # as ONNX asks for in this mode
    return outputs


@lowers(BatchNormWithReLU)
def batch_norm_with_relu(g: Graph, op: BatchNormWithReLU, data: Value, *vectors: Value) -> tuple[Value, ...]:
    y, mean, inverse = batch_norm(g, op, data, *vectors)
    return g.Relu(y), mean, inverse


# ---- over a layer, an instance, a group


@lowers(LayerNorm)
def layer_norm(g: Graph, op: LayerNorm, data: Value, gamma: Value, beta: Value) -> tuple[Value, ...]:
    axis, x = op.axis % data.rank, _wide(g, data)
    gamma, beta = _wide(g, gamma), _wide(g, beta)
    if axis == data.rank - 1 and g.opset >= 17 and x.dtype == _float32:
        y, mean, inverse = g.LayerNormalization(x, gamma, beta, axis=-1, epsilon=op.eps, outputs=3)
        return tuple(g.Cast(v, data.dtype) for v in (y, mean, g.Reciprocal(inverse)))
    centred, mean, var = _moments(g, x, [axis])
    std = g.Sqrt(var + op.eps)
    y = centred / std * along(g, gamma, data.rank, axis) + along(g, beta, data.rank, axis)
    return tuple(g.Cast(v, data.dtype) for v in (y, mean, std))


def _is_filled(x: Value) -> bool:
    """Whether InstanceNormalization takes the value: at one without elements ONNX Runtime's process ends."""
    return x.dtype == _float32 and 0 not in x.dims


@lowers(InstanceNorm)
def instance_norm(g: Graph, op: InstanceNorm, data: Value, gamma: Value, beta: Value) -> tuple[Value, ...]:
    x, gamma, beta = (_wide(g, v) for v in (data, gamma, beta))
    centred, mean, var = _moments(g, x, range(2, data.rank))
    inverse = g.Reciprocal(g.Sqrt(var + op.eps))
    if _is_filled(x):
        y = g.InstanceNormalization(x, gamma, beta, epsilon=op.eps)
    else:
        y = centred * (inverse * along(g, gamma, data.rank, 1)) + along(g, beta, data.rank, 1)
    return tuple(g.Cast(v, data.dtype) for v in (y, mean, inverse))


@lowers(GroupNorm)
def group_norm(g: Graph, op: GroupNorm, data: Value, gamma: Value, beta: Value) -> tuple[Value, ...]:
    x, gamma, beta = (_wide(g, v) for v in (data, gamma, beta))
    each = data.shape[1:] if data.shape else (None,)  # of no instances, -1 could be anything
    if None in each and 0 in data.dims:
        g.sizes(data)  # nor could it be found out beside a size of 0
    size = -1 if None in each else prod(sizes(each)) // op.num_groups
    groups = g.Reshape(x, [0, op.num_groups, size])
    centred, mean, var = _moments(g, groups, [2])
    std = g.Sqrt(var + op.eps)
    if _is_filled(x):
        # MXNet has one gamma and beta for a group: instance normalization with groups as channels
        y = g.InstanceNormalization(groups, gamma, beta, epsilon=op.eps)
    else:
        y = centred / std * along(g, gamma, 3, 1) + along(g, beta, 3, 1)
    results = g.Reshape(y, g.shape_of(data)), g.Squeeze(mean, [2]), g.Squeeze(std, [2])
    return tuple(g.Cast(v, data.dtype) for v in results)


# ---- by length, and by neighbouring channels


@lowers(L2Normalization)
def l2_normalization(g: Graph, op: L2Normalization, data: Value) -> tuple[Value, ...]:
    """ONNX's LpNormalization has no eps."""
    x = _wide(g, data)
    assert data.shape is not None  # an operator's input has a rank
    norm = g.Sqrt(g.ReduceSum(x * x, op.axes(data.shape)) + op.eps)
    return g.Cast(x / norm, data.dtype), g.Cast(norm, data.dtype)


_WIDEST = 10_000
"""Channels of a window at most, each of which is a node."""


def _window_sum(g: Graph, x: Value, size: int) -> Value:
    known = None if x.shape is None else x.shape[1]
    if isinstance(known, int):
        size = min(size, 2 * max(known, 1) - 1)  # no channel has more beside it
    if size == 1:
        return x
    if size > _WIDEST:
        raise ConversionError(f"A window of at most {_WIDEST:,} channels is written, got {size:,}.")
    half, before = size // 2, [0] * x.rank
    before[1] = half
    padded = g.Pad(x, before * 2)
    channels = g.size_of(x, 1)
    parts = [
        g.Slice(padded, [k], channels if k == 0 else channels_after(g, channels, k), [1]) for k in range(size)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def channels_after(g: Graph, channels: Value, k: int) -> Value:
    """Where a slice of all channels that starts at `k` ends."""
    if channels.constant is not None:
        return g.const(channels.constant + k)
    return channels + k


@lowers(ChannelWindowSum)
def channel_window_sum(g: Graph, op: ChannelWindowSum, data: Value) -> Value:
    return _window_sum(g, data, op.nsize)


@lowers(LRN)
def lrn(g: Graph, op: LRN, data: Value) -> tuple[Value, ...]:
    x = _wide(g, data)
    norm = _window_sum(g, x * x, op.nsize) * (op.alpha / op.nsize) + op.knorm
    if data.rank == 4 and x.dtype == _float32:
        y = g.LRN(x, alpha=op.alpha, beta=op.beta, bias=op.knorm, size=op.nsize)
    else:
        y = x * g.Pow(norm, -op.beta)
    return g.Cast(y, data.dtype), g.Cast(norm, data.dtype)
