"""Lowerings of pooling and its gradients.

Windows that hang over the data are padded for explicitly, and means divided by explicit counts, wherever
ONNX's ceil_mode could differ from MXNet's convention "full" in a version of the operator or in a runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from hybridonnx.ops.pool import Placed, PoolGrad, Pooling, PoolingV1, PoolPick, shape_from_first

from ._arithmetic import nan_or_zero
from ._blocks import from_blocks, in_blocks
from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import empty, fill_output
from ._windows import enclosed, from_first, known_spatial, reshaped, single, spatial, to_first
from .pad import pad

_float16, _float32 = np.dtype("float16"), np.dtype("float32")
_MOST_COMPARED = 4
"""Up to so many elements of a window along an axis it is faster to compare them than to ask for indices."""
ADDS_AT = 16
"""From this opset on ScatterElements can add."""


def _lowest(x: Value) -> float:
    return float(np.finfo(x.dtype).min)


def _placed(g: Graph, op: Any, x: Value) -> tuple[Placed, Placed]:
    """How the windows lie on x (N, C, *spatial), whose spatial sizes must be known; and those with data.

    Only convention "full" has windows that lie behind the data altogether.
    """
    shape = (1, 1, *spatial(g, x))
    at: Placed = op.placed(shape_from_first(shape, op.layout))
    filled = (-(-(n + p) // s) for n, p, s in zip(at.size, at.pad, at.stride, strict=True))
    return at, at._replace(out=tuple(min(a, b) for a, b in zip(at.out, filled, strict=True)))


def _exact(at: Placed) -> dict[str, Any]:
    """The attributes of a pooling node with exactly these windows."""
    after = (max(a, 0) for a in at.after())
    return {"kernel_shape": at.kernel, "strides": at.stride, "pads": (*at.pad, *after)}


def _completed(g: Graph, y: Value, at: Placed, some: Placed, value: float) -> Value:
    """`y` of `some` windows, with `value` for those that it lacks at the end of each axis."""
    lacking = [a - b for a, b in zip(at.out, some.out, strict=True)]
    return enclosed(g, y, [0] * len(lacking), lacking, value)


# ---- pooling


@lowers(Pooling)
def pooling(g: Graph, op: Pooling, data: Value) -> Value:
    rank = data.rank
    if empty(g.output()) or (op.global_pool and empty(data)):
        return fill_output(g, 0, data.dtype)  # ONNX Runtime takes no images without channels or elements
    x = to_first(g, data, op.layout)
    function = {"max": _max, "avg": _mean, "sum": _sum, "lp": _norm}[op.pool_type]
    if op.pool_type == "max":
        y = function(g, op, x)
    else:
        y = single(g, lambda v: function(g, op, v), x)
    return from_first(g, y, op.layout, rank)


@lowers(PoolingV1)
def pooling_v1(g: Graph, op: PoolingV1, data: Value) -> Value:
    before, inner, divisor = op.parts()
    y = pooling(g, inner, data if before is None else pad(g, before, data))
    return single(g, lambda v: g.Div(v, float(divisor)), y) if divisor != 1 else y


def _max(g: Graph, op: Pooling, x: Value) -> Value:
    if op.global_pool:
        y = g.ReduceMax(x, _image_axes(x)) if x.dtype.itemsize == 8 else g.GlobalMaxPool(x)
        return _with_nan(g, y, x, None)
    pads = _simple_pads(op)
    slow = g.exact and known_spatial(x)  # ONNX Runtime's AveragePool is, with ceil_mode
    if pads is not None and not (slow and "ceil_mode" in pads):
        window = {**_window(op), **pads}
        return _with_nan(g, g.MaxPool(x, **window), x, window)
    at, some = _placed(g, op, x)
    y = _with_nan(g, g.MaxPool(x, **_exact(some)), x, _exact(some))
    return _completed(g, y, at, some, _lowest(x))


def _with_nan(g: Graph, y: Value, x: Value, window: dict[str, Any] | None) -> Value:
    """The maxima y of the windows, or of all of x, with NaN where a window has one: MaxPool loses most.

    Only for graphs that run here: a file has ONNX's own node, which does not say what becomes of NaN. The
    mean is NaN just there, or where infinities of both signs meet, and as cheap as the maximum.
    """
    if not g.exact or g.finite:
        return y
    if x.dtype.itemsize == 8:  # ONNX Runtime's AveragePool has no float64
        mask = g.Cast(g.IsNaN(x), np.uint8 if window else np.int32)
        top = g.MaxPool(mask, **window) if window else g.ReduceMax(mask, _image_axes(x))
        return g.Where(g.Cast(top, np.bool_), x.dtype.type(np.nan), y)
    mean = g.AveragePool(x, **window, count_include_pad=1) if window else g.GlobalAveragePool(x)
    return y + nan_or_zero(g, mean)


def _image_axes(x: Value) -> list[int]:
    return list(range(2, x.rank))


def _window(op: Any) -> dict[str, Any]:
    return {"kernel_shape": op.kernel, "strides": op.window()[0]}


def _simple_pads(op: Pooling) -> dict[str, Any] | None:
    """The padding as ONNX's pooling operators say it, if that is exact for every size of the data."""
    stride, pad = op.window()
    if op.pooling_convention == "valid":
        return {"pads": (*pad, *pad)}
    # ONNX leaves out a last window that starts behind the data; here there is none
    starts_inside = all(s + p <= k for s, p, k in zip(stride, pad, op.kernel, strict=True))
    if op.pooling_convention == "full" and starts_inside:
        return {"pads": (*pad, *pad), "ceil_mode": 1}
    return None


def _mean(g: Graph, op: Pooling, x: Value) -> Value:
    if op.global_pool:
        return g.GlobalAveragePool(x)
    pads, padded = _simple_pads(op), any(op.window()[1])
    if pads is not None and not (padded and op.counts_pad() and "ceil_mode" in pads):
        include = int(padded and op.counts_pad())
        return g.AveragePool(x, **_window(op), **pads, count_include_pad=include)
    at, some = _placed(g, op, x)
    share = prod(op.kernel) / op.divisor(some)
    y = _whole_mean(g, x, some)
    y = y if (share == 1).all() else g.Mul(y, share.astype(x.dtype))
    return _completed(g, y, at, some, 0.0)


def _whole_mean(g: Graph, x: Value, some: Placed) -> Value:
    """The sum of each window divided by its whole size, whatever of it lies in the data."""
    return g.AveragePool(x, **_exact(some), count_include_pad=1)


def _sum(g: Graph, op: Pooling, x: Value) -> Value:
    if op.global_pool:
        return g.ReduceSum(x, _image_axes(x))
    pads = _simple_pads(op)
    if pads is not None and "ceil_mode" not in pads:
        mean = g.AveragePool(x, **_window(op), **pads, count_include_pad=1)
    else:
        at, some = _placed(g, op, x)
        mean = _completed(g, _whole_mean(g, x, some), at, some, 0.0)
    return g.Mul(mean, float(prod(op.kernel)))


def _norm(g: Graph, op: Pooling, x: Value) -> Value:
    if op.p_value == 1:  # MXNet keeps the sign of odd powers, so ONNX's norms do not do
        return _sum(g, op, x)
    if op.p_value == 2:
        return _norm2(g, op, x)
    cubes = _sum(g, op, g.Mul(x, g.Mul(x, x)))
    return _root(g, cubes, lambda x: g.Mul(g.Sign(x), g.Pow(g.Abs(x), 1.0 / 3.0)))


def _norm2(g: Graph, op: Pooling, x: Value) -> Value:
    if op.global_pool:
        return g.ReduceL2(x, _image_axes(x))
    pads = _simple_pads(op)
    if pads is not None and "ceil_mode" not in pads and x.dtype == _float32:
        return g.LpPool(x, **_window(op), **pads, p=2)
    return _root(g, _sum(g, op, g.Mul(x, x)), g.Sqrt)


def _root(g: Graph, x: Value, function: Callable[[Value], Value]) -> Value:
    """A root, and 0 for 0, where the slope is infinite: a file that is read again has the slope of this."""
    zero = g.Equal(x, x.dtype.type(0))
    result: Value = g.Where(zero, x, function(g.Where(zero, x.dtype.type(1), x)))
    return result


# ---- gradients


@lowers(PoolGrad)
def pool_grad(g: Graph, op: PoolGrad, dy: Value, data: Value) -> Value:
    if empty(g.output()):
        return fill_output(g, 0, data.dtype)
    heads, x = (to_first(g, v, op.layout) for v in (dy, data))
    if op.pool_type == "max":
        function = _max_grad
    elif op.global_pool:
        function = _global_grad
    else:
        function = _sum_grad
    dx = _in_float32(g, lambda *values: function(g, op, *values), heads, x)
    return from_first(g, dx, op.layout, data.rank)


def _in_float32(g: Graph, function: Any, *inputs: Value) -> Value:
    """Through float32: sums of scattered float16 and windows of float64 have no kernels in ONNX Runtime."""
    if inputs[0].dtype == _float32:
        result: Value = function(*inputs)
        return result
    return g.via(_float32, function, *inputs)


def _global_grad(g: Graph, op: PoolGrad, dy: Value, x: Value) -> Value:
    if op.pool_type == "avg":
        dy = g.Div(dy, float(prod(spatial(g, x))))
    return g.Expand(dy, g.shape_of(x))


def _sum_grad(g: Graph, op: PoolGrad, dy: Value, x: Value) -> Value:
    """Each window's value at all its elements: a transposed convolution of single channels with ones."""
    at, _ = _placed(g, op, x)
    if op.pool_type == "avg":
        dy = g.Mul(dy, (1 / op.divisor(at)).astype(_float32))
    before = [k - 1 - p for k, p in zip(at.kernel, at.pad, strict=True)]
    behind = [k - 1 - a for k, a in zip(at.kernel, at.after(), strict=True)]
    if set(at.stride) == {1} and min(*before, *behind) >= 0:  # the windows that reach an element are a window
        ends = (*before, *behind)
        mean = g.AveragePool(dy, kernel_shape=at.kernel, strides=at.stride, pads=ends, count_include_pad=1)
        return g.Mul(mean, float(prod(at.kernel)))
    alone = g.Reshape(dy, [-1, 1, *at.out])
    spread = g.ConvTranspose(
        alone,
        np.ones((1, 1, *at.kernel), _float32),
        kernel_shape=at.kernel,
        strides=at.stride,
        pads=(*at.pad, *(max(a, 0) for a in at.after())),
        output_padding=[max(-a, 0) for a in at.after()],
    )
    return reshaped(g, spread, x.shape, x)


def _max_grad(g: Graph, op: PoolGrad, dy: Value, x: Value) -> Value:
    at, some = _placed(g, op, x)
    overlap = any(s < k for s, k in zip(at.stride, at.kernel, strict=True)) and prod(at.out) > 1
    if overlap and g.opset < ADDS_AT:
        return _max_grad_unfolded(g, dy, x, at)
    if some != at:
        dy = g.Slice(dy, [0] * len(at.out), list(some.out), _image_axes(x))
    apart = tuple(at.stride) == tuple(at.kernel) and not any((*at.pad, *at.after()))
    lanes = _lanes(g, x) if apart and max(at.kernel) <= _MOST_COMPARED else None
    if lanes is not None:
        return _max_grad_in_blocks(g, dy, x, at, lanes)
    _, indices = g.MaxPool(x, outputs=2, **_exact(some))
    if apart:
        return g.MaxUnpool(dy, indices, kernel_shape=at.kernel, strides=at.stride)
    zeros = g.Full(g.count_of(x), 0.0, _float32)
    updates = (zeros, g.Reshape(indices, [-1]), g.Reshape(dy, [-1]))
    flat = g.ScatterElements(*updates, axis=0, reduction="add" if overlap else None)
    return reshaped(g, flat, x.shape, x)


def _lanes(g: Graph, x: Value) -> Sequence[int] | None:
    """The sizes (N, C) in which images are whole blocks of channels, if they are in any."""
    if not g.block or x.rank != 4:
        return None
    batch, channels = x.dims[:2]
    if channels is None:
        return None
    if channels % g.block == 0:
        return -1, channels
    return (1, batch * channels) if batch is not None and batch * channels % g.block == 0 else None


def _max_grad_in_blocks(g: Graph, dy: Value, x: Value, at: Placed, lanes: Sequence[int]) -> Value:
    """The gradient of windows side by side, compared along one axis and then the other, whole blocks at once.

    ONNX Runtime's MaxPool takes up to three times as long for its indices. As with masks elsewhere, where dy
    is infinite the window's other elements are NaN.
    """
    (rows, columns), width = at.kernel, at.out[1]
    data, heads = (in_blocks(g, g.Reshape(v, [*lanes, *spatial(g, v)])) for v in (x, dy))
    best, wins = _first_maxima(g, g.Reshape(data, [-1, columns, g.block]))
    _, row_wins = _first_maxima(g, g.Reshape(best, [-1, rows, width * g.block]))
    shares = _route(g, g.Reshape(heads, [-1, 1, width * g.block]), row_wins)
    shares = _route(g, g.Reshape(shares, [-1, 1, g.block]), wins)
    dx = from_blocks(g, g.Reshape(shares, [*lanes, *at.size]), lanes[1])
    return reshaped(g, dx, x.shape, x)


def _first_maxima(g: Graph, x: Value) -> tuple[Value, list[Value]]:
    """The maxima along the middle of three axes, and for each element but the first 1 where it is above all
    before it, else 0."""
    best, *others = g.Split(x, g.sizes(x)[1], 1)
    wins = []
    for other in others:
        wins.append(g.Cast(g.Greater(other, best), _float32))
        best = g.Max(best, other)
    return best, wins


def _route(g: Graph, x: Value, wins: Sequence[Value]) -> Value:
    """x (n, 1, m) at the last element along the middle axis that wins, else at the first, and 0 elsewhere."""
    shares: list[Value] = []
    for won in reversed(wins):
        shares.insert(0, g.Mul(x, won))
        x = g.Sub(x, shares[0])
    return g.Concat(x, *shares, axis=1) if shares else x


def _max_grad_unfolded(g: Graph, dy: Value, x: Value, at: Placed) -> Value:
    """Without a scatter that adds: heads at their positions in each window, then folded."""
    after = [max(a, 0) for a in at.after()]
    size = [n + b + a for n, b, a in zip(at.size, at.pad, after, strict=True)]
    filled = g.Reshape(enclosed(g, x, at.pad, after, _lowest(x)), [-1, 1, *size])
    positions = list(product(*map(range, at.kernel)))
    one = np.zeros((len(positions), 1, *at.kernel), _float32)
    for i, position in enumerate(positions):
        one[(i, 0, *position)] = 1
    window = {"kernel_shape": at.kernel, "strides": at.stride}
    top = g.ArgMax(g.Conv(filled, one, **window), axis=1, keepdims=1)
    index = np.arange(len(positions)).reshape(1, -1, *(1 for _ in at.kernel))
    heads = g.Mul(g.Cast(g.Equal(top, index), _float32), g.Reshape(dy, [-1, 1, *at.out]))
    rest = [max(-a, 0) for a in at.after()]
    folded = g.ConvTranspose(heads, one, **window, pads=(*at.pad, *after), output_padding=rest)
    return reshaped(g, folded, x.shape, x)


@lowers(PoolPick)
def pool_pick(g: Graph, op: PoolPick, values: Value, data: Value) -> Value:
    source, x = (to_first(g, v, op.layout) for v in (values, data))
    y = _in_float32(g, lambda *pair: _pick(g, op, *pair), source, x)
    return from_first(g, y, op.layout, data.rank)


def _pick(g: Graph, op: PoolPick, source: Value, x: Value) -> Value:
    at, some = _placed(g, op, x)
    _, indices = g.MaxPool(x, outputs=2, **_exact(some))
    return _completed(g, g.Gather(g.Reshape(source, [-1]), indices), at, some, 0.0)
