"""Lowerings of convolution, transposed convolution and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from itertools import product
from math import prod
from operator import add
from typing import Any

import numpy as np

from hybridonnx.ops import sizes
from hybridonnx.ops.conv import (
    ConvDataGrad,
    Convolution,
    ConvolutionV1,
    ConvWeightGrad,
    DeconvDataGrad,
    Deconvolution,
    DeconvWeightGrad,
    extent,
)

from ._blocks import BatchCorrelation, BlockedConv, Window
from ._graph import END, REVERSED_END, Graph, Value
from ._registry import lowers
from ._symbolic_dims import known_size
from ._windows import enclosed, from_first, single, spatial, to_first

MOST = 50
"""Up to so many positions in a window, or as many as there are groups, a convolution takes windows apart."""
FEW = 4
"""Up to so many channels a weight's gradient is a convolution, above a product of matrices."""
_BLOCK = 16
"""The size of a block on processors with AVX-512, where convolutions are as fast as products of matrices."""
_MOST_FILTERS = 64
"""Above so many filters a weight's gradient is no convolution in smaller blocks."""
_MANY_PLACES = 64
"""From so many places of the batch on it is faster to exchange the axes of weights of one element than to
transpose their convolution."""
_MOST_PADDED = 1.34
"""Up to so many times as many filters it is a convolution in blocks, those added of zeros."""


def _spans(op: Any) -> list[int]:
    _, dilate, _ = op.window()
    return [extent(k, d) for k, d in zip(op.kernel, dilate, strict=True)]


def _window(op: Any, before: Sequence[int], after: Sequence[int]) -> dict[str, Any]:
    """The attributes of Conv and ConvTranspose."""
    stride, dilate, _ = op.window()
    return {
        "kernel_shape": op.kernel,
        "strides": stride,
        "dilations": dilate,
        "pads": (*before, *after),
        "group": op.num_group,
    }


def _in_layout(g: Graph, op: Any, node: Any, inputs: Sequence[Value | None], **attributes: Any) -> Value:
    """A node on inputs with their channels in axis 1; a bias stays as it is."""
    rank = len(op.kernel) + 2
    first = [None if x is None else to_first(g, x, op.layout) for x in inputs[:2]]
    result = single(g, lambda *values: node(*values, **attributes), *first, *inputs[2:])
    return from_first(g, result, op.layout, rank)


# ---- convolution


@lowers(Convolution, ConvolutionV1)
def convolution(g: Graph, op: Convolution, data: Value, weight: Value, bias: Value | None = None) -> Value:
    _, _, pad = op.window()
    if data.dtype == np.float64:
        return _of_doubles(g, op, data, weight, bias)
    return _in_layout(g, op, partial(_convolved, g), [data, weight, bias], **_window(op, pad, pad))


def _convolved(g: Graph, data: Value, weight: Value, bias: Value | None = None, **window: Any) -> Value:
    """Conv, in blocks where that pays."""
    blocked = _blocked(g, data, weight, window)
    result: Value = blocked(g, data, weight, bias) if blocked else g.Conv(data, weight, bias, **window)
    return result


def _blocked(
    g: Graph, data: Value, weight: Value, window: dict[str, Any], mirrored: bool = False
) -> BlockedConv | None:
    """The convolution in blocks, if that pays; `mirrored` weights are those that it is the gradient of."""
    if not g.block or len(window["kernel_shape"]) != 2:
        return None
    rows, columns = g.sizes(weight)[:2]
    each = rows // window["group"]
    inputs, filters = (each, columns) if mirrored else (columns, each)
    blocked = BlockedConv(Window(**window), inputs, filters, inputs_first=mirrored, mirrored=mirrored)
    return blocked if blocked.pays(g, data) else None


def _of_doubles(g: Graph, op: Convolution, data: Value, weight: Value, bias: Value | None) -> Value:
    """A product of windows and weights, as ONNX Runtime has no Conv of float64: integers stay exact.

    The windows (N, *windows, groups, 1, positions * channels) come from slices, one for each position.
    """
    count, groups, (stride, dilate, pad) = len(op.kernel), op.num_group, op.window()
    first = to_first(g, weight, op.layout)
    filters, channels = op.num_filter, known_size(g, first, 1)
    last = g.Transpose(enclosed(g, to_first(g, data, op.layout), pad, pad), [0, *range(2, count + 2), 1])
    axes, kept = list(range(1, count + 1)), [0] * (count + 1)
    spans = [extent(k, d) - 1 for k, d in zip(op.kernel, dilate, strict=True)]
    slices = []
    for position in product(*map(range, op.kernel)):
        starts = [i * d for i, d in zip(position, dilate, strict=True)]
        ends = [start - span or END for start, span in zip(starts, spans, strict=True)]
        part = g.Slice(last, starts, ends, axes, list(stride))
        slices.append(g.Reshape(part, [*kept, groups, 1, channels]))
    rows = g.Reshape(first, [groups, filters // groups, channels, -1])
    columns = g.Reshape(g.Transpose(rows, [0, 3, 2, 1]), [groups, -1, filters // groups])
    result = g.Reshape(g.MatMul(g.Concat(*slices, axis=count + 3), columns), [*kept, filters])
    result = result if bias is None else result + bias
    channels_first = g.Transpose(result, [0, count + 1, *axes])
    return from_first(g, channels_first, op.layout, count + 2)


@lowers(ConvDataGrad)
def conv_data_grad(g: Graph, op: ConvDataGrad, dy: Value, weight: Value, data: Value) -> Value:
    stride, _, pad = op.window()
    spans = _spans(op)
    within = set(stride) == {1} and all(p < span for p, span in zip(pad, spans, strict=True))
    if within:
        heads, first = to_first(g, dy, op.layout), to_first(g, weight, op.layout)
        rest = [span - 1 - p for span, p in zip(spans, pad, strict=True)]
        window = _window(op, rest, rest)
        blocked = _blocked(g, heads, first, window, mirrored=True)
        if blocked is not None:
            return from_first(g, blocked(g, heads, first), op.layout, first.rank)
        if _convolves(op, heads, to_first(g, data, op.layout)):
            return _in_layout(g, op, g.Conv, [dy, _turned(g, op, weight)], **window)
    size = spatial(g, to_first(g, data, op.layout))
    left = [  # what no window reaches
        (n + 2 * p - span) % s for n, p, span, s in zip(size, pad, spans, stride, strict=True)
    ]
    more = left if any(left) else None
    return _in_layout(g, op, g.ConvTranspose, [dy, weight], **_window(op, pad, pad), output_padding=more)


def _convolves(op: ConvDataGrad, dy: Value, data: Value) -> bool:
    """Whether a convolution with mirrored weights is faster than a transposed one, as it is unless it works
    on many more channels, or on a padding that is as large as the data, or has more weights than positions.

    Compared are products, and what is moved to and from windows, and of the weights to mirror them, which
    costs as much as some products each. For a kernel of one element no windows are made.
    """
    if op.num_group > 1:
        return True
    if not (_known(dy) and _known(data)):
        return True
    if prod(op.kernel) == 1:
        return dy.dims[0] is None or prod(sizes(dy.dims)) >= _MANY_PLACES * op.num_filter
    filters, *out = sizes(dy.dims[1:])
    channels, *size = sizes(data.dims[1:])
    turned = 20 * filters * channels
    return prod(size) * filters * (6 + channels) + turned <= prod(out) * channels * (10 + filters)


def _known(x: Value) -> bool:
    """Whether all sizes but the batch's are known."""
    return x.shape is not None and None not in x.shape[1:]


def _turned(g: Graph, op: ConvDataGrad, weight: Value) -> Value:
    """The weight with its channels and filters exchanged and its window mirrored on all axes."""
    first = to_first(g, weight, op.layout)
    groups, positions = op.num_group, prod(op.kernel)
    filters, channels = g.sizes(first)[:2]
    lead = [groups * channels, filters // groups]
    if groups == 1:
        turned = g.Transpose(g.Reshape(first, [filters, channels, positions]), [1, 0, 2])
    else:
        split = g.Reshape(first, [groups, filters // groups, channels, positions])
        turned = g.Reshape(g.Transpose(split, [0, 2, 1, 3]), [*lead, positions])
    if 1 < positions <= MOST:
        # a product, which ONNX Runtime does together with the Transpose: half the time of a Slice
        mirror = np.tile(np.eye(positions, dtype=first.dtype)[::-1], (lead[0], 1, 1))
        turned = g.MatMul(turned, g.const(mirror))
    elif positions > 1:
        turned = g.Slice(turned, [-1], [REVERSED_END], [2], [-1])
    return from_first(g, g.Reshape(turned, [*lead, *op.kernel]), op.layout, first.rank)


@lowers(ConvWeightGrad)
def conv_weight_grad(g: Graph, op: ConvWeightGrad, dy: Value, data: Value, weight: Value) -> Value:
    return _weight_grad(g, op, dy, data, weight, op.window()[2])


_MOST_WINDOWS = 1 << 22
"""How many elements of windows, or of data and dy in blocks, there are at a time, if of several instances."""


def _weight_grad(g: Graph, op: Any, dy: Value, data: Value, weight: Value, before: Sequence[int]) -> Value:
    """dy times the windows of data, summed over the batch and all positions, in the way that is fastest."""
    heads, x = (to_first(g, v, op.layout) for v in (dy, data))
    shape = g.sizes(to_first(g, weight, op.layout))

    def built(heads: Value, x: Value) -> Value:
        filters, positions, out = shape[0] // op.num_group, prod(op.kernel), spatial(g, heads)
        after = _after(g, op, x, out, before)
        blocked = _depthwise_weight_grad(g, op, heads, x, before, after)
        if blocked is not None:
            return g.Reshape(blocked, list(shape))
        if _correlates(g, op, heads, x, (before, after), prod(shape)):
            return _correlated_in_blocks(g, op, heads, x, (before, after))
        if _apart(op, after) and filters <= prod(out):
            return _windowed(g, op, heads, x, (before, after), shape)
        if op.num_group == 1 and shape[1] <= FEW < positions:
            return _correlated(g, op, heads, x, before)
        columns = _columns(g, op, x, out, before, after)
        return _summed(g, op.num_group, _batch_second(g, heads), columns, shape)

    result: Value = single(g, built, heads, x)
    return from_first(g, result, op.layout, len(shape))


def _depthwise_weight_grad(
    g: Graph, op: Any, heads: Value, x: Value, before: Sequence[int], after: Sequence[int]
) -> Value | None:
    """The gradient of weights that take a single channel each, as a depthwise convolution of data with dy in
    blocks, if it pays.

    Each filter of each instance is a channel of its own, of the data that it takes, which several may share;
    steps are dilations, and dilations steps.
    """
    batch, channels = x.dims[0], known_size(g, x, 1)
    if not g.block or len(op.kernel) != 2 or batch is None or op.num_group != channels:
        return None
    if any(a < 0 for a in after):
        return None
    filters, (stride, dilate, _) = known_size(g, heads, 1), op.window()
    size, out, lanes = spatial(g, x), spatial(g, heads), batch * filters
    # repeated data is moved faster, up to some, than once for each place in the window
    repeats = filters > channels
    if repeats and (3 * filters > channels * prod(op.kernel) or lanes * prod(size) > _MOST_WINDOWS):
        return None
    blocked = BlockedConv(Window(out, dilate, stride, (*before, *after), lanes), 1, 1)
    if repeats:
        each = [batch, channels, filters // channels, *size]
        x = g.Expand(g.Reshape(x, [batch, channels, 1, *size]), each)
    lane = g.Reshape(x, [1, lanes, *size])
    if not blocked.pays(g, lane):
        return None
    sums = blocked(g, lane, g.Reshape(heads, [lanes, 1, *out]))
    return g.ReduceSum(g.Reshape(sums, [batch, filters, *op.kernel]), [0]) if batch > 1 else sums


def _apart(op: Any, after: Sequence[int]) -> bool:
    """Whether a convolution takes windows apart: they have few positions, and it reaches them all."""
    left = any(-a >= s for a, s in zip(after, op.window()[0], strict=True))
    return not left and prod(op.kernel) <= max(MOST, op.num_group)


def _windows(
    g: Graph, op: Any, x: Value, before: Sequence[int], after: Sequence[int], channels: int
) -> Value:
    """The windows (N, C · positions, *out) of x (N, C, *spatial)."""
    (stride, dilate, _), positions = op.window(), prod(op.kernel)
    ends = [max(a, 0) for a in after]
    if positions == 1 and set(stride) == {1} and not any((*before, *ends)):
        return x
    pick = np.tile(np.eye(positions, dtype=x.dtype), (channels, 1)).reshape(-1, 1, *op.kernel)
    return g.Conv(x, g.const(pick), strides=stride, dilations=dilate, pads=(*before, *ends), group=channels)


def _windowed(
    g: Graph, op: Any, heads: Value, x: Value, pads: tuple[Sequence[int], Sequence[int]], shape: Sequence[int]
) -> Value:
    """The windows by a convolution that takes each of their positions into a channel of its own.

    Unlike slices, ONNX Runtime makes them on all cores. One product for each instance, and their sum: less to
    move than one product of everything, as long as there are more positions than filters. What is not known
    to be one instance is summed. Of large windows only those of some instances are there at a time.
    """
    batch, channels = x.dims[0], known_size(g, x, 1)
    groups, filters, positions = op.num_group, shape[0] // op.num_group, prod(op.kernel)
    out, each = prod(spatial(g, heads)), channels // groups * positions

    def summed(heads: Value, x: Value, batch: int) -> Value:
        windows = _windows(g, op, x, *pads, channels)
        if batch == groups == 1:
            rows, columns = g.Reshape(heads, [filters, out]), g.Reshape(windows, [each, out])
            return g.Gemm(rows, columns, transB=1)
        rows = g.Reshape(heads, [batch, groups, filters, out])
        columns = g.Reshape(windows, [batch, groups, each, out])
        if filters == 1:  # ONNX Runtime's product with a row is slower than that with a column
            products = g.MatMul(columns, g.Transpose(rows, [0, 1, 3, 2]))
        else:
            products = g.MatMul(rows, g.Transpose(columns, [0, 1, 3, 2]))
        return g.ReduceSum(products, [0], keepdims=0)

    if batch is None:
        return g.Reshape(summed(heads, x, -1), list(shape))
    parts = min(batch, -(-batch * channels * positions * out // _MOST_WINDOWS)) if positions > 1 else 1
    if parts < 2:
        return g.Reshape(summed(heads, x, batch), list(shape))
    counts = [batch // parts + (i < batch % parts) for i in range(parts)]
    pieces = zip(g.Split(heads, counts, 0), g.Split(x, counts, 0), counts, strict=True)
    return g.Reshape(reduce(add, (summed(*piece) for piece in pieces)), list(shape))


def _correlates(
    g: Graph, op: Any, heads: Value, x: Value, pads: tuple[Sequence[int], Sequence[int]], weights: int
) -> bool:
    """Whether a convolution of data with dy in blocks is faster than products with windows of data.

    Its arithmetic takes as long as theirs where sums for enough filters and columns of the kernel are made at
    once. So compared is what is moved: data, dy and so many weights, or the windows.
    """
    batch, filters = heads.dims[:2]
    if not g.block or op.num_group > 1 or len(op.kernel) != 2 or not (_known(heads) and _known(x)):
        return False
    if batch is None or filters is None or _padded(g, filters) > _MOST_PADDED * filters:
        return False
    if g.block < _BLOCK and filters > _MOST_FILTERS:
        return False
    if min(filters // g.block, 4) * op.kernel[1] < 4:
        return False
    channels, out = known_size(g, x, 1), prod(spatial(g, heads))
    filled = prod(n + before + max(after, 0) for n, before, after in zip(spatial(g, x), *pads, strict=True))
    moved = batch * (channels * filled + filters * out) + weights
    return batch * channels * prod(op.kernel) * out >= moved


def _padded(g: Graph, filters: int) -> int:
    """So many filters, or as many more as are a whole number of blocks."""
    return -(-filters // g.block) * g.block


def _correlated(g: Graph, op: Any, heads: Value, x: Value, before: Sequence[int]) -> Value:
    """The same as a convolution of data with dy, over the batch as channels, where steps are dilations."""
    stride, dilate, _ = op.window()
    after = _after(g, op, x, spatial(g, heads), before)
    filled = _batch_second(g, enclosed(g, x, before, after))
    result = g.Conv(filled, _batch_second(g, heads), strides=dilate, dilations=stride)
    return _of_kernel(g, op, _batch_second(g, result), after)


def _of_kernel(g: Graph, op: Any, weight: Value, after: Sequence[int]) -> Value:
    """The weight (F, C, *kernel) of (F, C, *positions), of which there are more if windows leave out data."""
    if all(a >= 0 for a in after):
        return weight
    axes = list(range(2, weight.rank))
    return g.Slice(weight, [0] * len(axes), list(op.kernel), axes)


def _correlated_in_blocks(
    g: Graph, op: Any, heads: Value, x: Value, pads: tuple[Sequence[int], Sequence[int]]
) -> Value:
    """The same in blocks: of some instances at a time, whole blocks of these or fewer than one."""
    (batch, filters), channels = g.sizes(heads)[:2], known_size(g, x, 1)
    stride, dilate, _ = op.window()
    padded, out = _padded(g, filters), spatial(g, heads)
    ends = [max(a, 0) for a in pads[1]]
    correlated = BatchCorrelation(Window(out, dilate, stride, (0, 0, 0, 0), 1), pads[0], ends)
    most = max(_MOST_WINDOWS // (channels * prod(spatial(g, x)) + filters * prod(out)), 1)
    most -= most % g.block if most > g.block else 0
    starts, rest, results = list(range(0, batch, most)), batch % g.block, []
    if rest and batch - starts[-1] > g.block:
        starts.append(batch - rest)
    for start, end in zip(starts, [*starts[1:], batch], strict=True):
        data, weight = (v if end - start == batch else g.Slice(v, [start], [end], [0]) for v in (x, heads))
        if padded > filters:
            weight = g.Pad(weight, [0, 0, 0, 0, 0, padded - filters, 0, 0])
        results.append(correlated(g, _batch_second(g, data), weight))
    return _of_kernel(g, op, correlated.filters_first(g, reduce(add, results), filters), pads[1])


def _batch_second(g: Graph, x: Value) -> Value:
    """(N, C, *spatial) as (C, N, *spatial)."""
    return g.Transpose(x, [1, 0, *range(2, x.rank)])


def _after(g: Graph, op: Any, x: Value, out: Sequence[int], before: Sequence[int]) -> list[int]:
    """How much further than the data the windows reach, negative where they leave some out."""
    axes = zip(out, op.window()[0], _spans(op), spatial(g, x), before, strict=True)
    return [(n - 1) * s + span - size - b for n, s, span, size, b in axes]


def _columns(
    g: Graph, op: Any, x: Value, out: Sequence[int], before: Sequence[int], after: Sequence[int]
) -> Value:
    """The windows of x (N, C, *spatial) as (C, positions in the window, N · out)."""
    stride, dilate, _ = op.window()
    channels = x.shape[1] if x.shape is not None and x.shape[1] is not None else 0
    if _apart(op, after):
        apart = _batch_second(g, _windows(g, op, x, before, after, channels))
        return g.Reshape(apart, [channels, prod(op.kernel), -1])
    filled = _batch_second(g, enclosed(g, x, before, after))
    axes = list(range(2, 2 + len(out)))
    windows = []
    for position in product(*map(range, op.kernel)):
        start = [i * d for i, d in zip(position, dilate, strict=True)]
        end = [a + (n - 1) * s + 1 for a, n, s in zip(start, out, stride, strict=True)]
        windows.append(g.Reshape(g.Slice(filled, start, end, axes, stride), [channels, 1, -1]))
    return g.Concat(*windows, axis=1)


def _summed(g: Graph, groups: int, heads: Value, columns: Value, shape: Sequence[int]) -> Value:
    """The products of heads (F, N, *out) and columns (C, K, N · out), by groups, as a weight of `shape`."""
    filters, inner = shape[0], prod(shape[1:])
    if groups == 1:
        rows = g.Reshape(heads, [filters, -1])
        result = g.Gemm(rows, g.Reshape(columns, [inner, -1]), transB=1)
    else:
        rows = g.Reshape(heads, [groups, filters // groups, -1])
        result = g.MatMul(rows, g.Transpose(g.Reshape(columns, [groups, inner, -1]), [0, 2, 1]))
    return g.Reshape(result, list(shape))


# ---- transposed convolution


def _around(g: Graph, op: Any, data: Value) -> tuple[Sequence[int], Sequence[int]]:
    """How much of the full transposed convolution of `data` is cut off in front and behind."""
    if not op.target():
        pad: Sequence[int] = op.window()[2]
        return pad, pad
    stride = op.window()[0]
    first = to_first(g, data, op.layout)
    full = [(n - 1) * s + k for n, s, k in zip(spatial(g, first), stride, _spans(op), strict=True)]
    excess = [f - t for f, t in zip(full, op.target(), strict=True)]
    return [(e + 1) // 2 for e in excess], [e // 2 for e in excess]


def deconvolve(g: Graph, op: Deconvolution, data: Value, weight: Value, bias: Value | None = None) -> Value:
    """A transposed convolution."""
    more = () if op.target() else op.adjustment()
    return _in_layout(
        g,
        op,
        g.ConvTranspose,
        [data, weight, bias],
        **_window(op, *_around(g, op, data)),
        output_padding=more if any(more) else None,
    )


lowers(Deconvolution)(deconvolve)


@lowers(DeconvDataGrad)
def deconv_data_grad(g: Graph, op: DeconvDataGrad, dy: Value, weight: Value, data: Value) -> Value:
    return _in_layout(g, op, partial(_convolved, g), [dy, weight], **_window(op, *_around(g, op, data)))


@lowers(DeconvWeightGrad)
def deconv_weight_grad(g: Graph, op: DeconvWeightGrad, dy: Value, data: Value, weight: Value) -> Value:
    return _weight_grad(g, op, data, dy, weight, _around(g, op, data)[0])
