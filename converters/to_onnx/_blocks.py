"""The layout that ONNX Runtime's kernels work on, and convolutions in it: channels in blocks, taken at once.

Weights that change from call to call, as in training, are brought into it in each call, by nodes of a domain
that ONNX does not know; `_layout` is for weights that are known. So this is for graphs that run here, on the
processor; `Graph.block` is the size of its blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.ops import NumericShape, Spec

from ._graph import Graph, Value
from ._windows import enclosed

DOMAIN = "com.microsoft.nchwc"
_FEW_PLACES = 192
"""Up to so many places, of the whole batch, it takes longer to bring weights into blocks than they save."""
_FEW_WEIGHTS = 1 << 17
"""Up to so many weights it takes no longer, where the number of places is not known."""


class Window(NamedTuple):
    """The attributes of a convolution over two axes."""

    kernel_shape: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]
    pads: Sequence[int]
    group: int

    def places(self, shape: NumericShape) -> tuple[int | None, ...]:
        """How many places the window has along each axis of data (N, C, H, W)."""
        axes = zip(
            shape[2:],
            self.kernel_shape,
            self.strides,
            self.dilations,
            self.pads[:2],
            self.pads[2:],
            strict=True,
        )
        return tuple(
            None if n is None else (n + before + after - (k - 1) * d - 1) // s + 1
            for n, k, s, d, before, after in axes
        )


class BlockedConv(NamedTuple):
    """A convolution of data (N, C, H, W) in blocks."""

    window: Window
    inputs: int
    """How many channels a group takes."""
    filters: int
    """How many channels a group gives."""
    inputs_first: bool = False
    """Whether the weights are (inputs, filters, height, width), not (filters, inputs, height, width)."""
    mirrored: bool = False
    """Whether the weights are taken from the other end of each axis, as for the gradient of data."""

    @property
    def is_depthwise(self) -> bool:
        """Whether each channel is a group."""
        return self.inputs == self.filters == 1 < self.window.group

    def pays(self, g: Graph, x: Value) -> bool:
        """Whether it is faster than a Conv for weights that come with each call."""
        block, group, kernel = g.block, self.window.group, prod(self.window.kernel_shape)
        if not block or x.shape is None or x.rank != 4 or x.dtype != np.float32 or kernel == 1:
            return False
        if self.is_depthwise:
            return group % block == 0
        if self.filters % block or (group > 1 and self.inputs_first):
            return False
        if self.inputs % block and (self.inputs > block or group > 1):
            return False
        places = x.shape[0], *self.window.places(x.shape)
        if None in places:
            return group * self.inputs * self.filters * kernel <= _FEW_WEIGHTS
        return prod(size or 0 for size in places) >= _FEW_PLACES

    def __call__(self, g: Graph, x: Value, weight: Value, bias: Value | None = None) -> Value:
        """Add its nodes. The sizes of the weights must be known."""
        few = self.inputs * self.window.group < g.block
        y = self.convolve(g, x if few else in_blocks(g, x), weight, bias)
        return from_blocks(g, y, self.window.group * self.filters)

    def convolve(self, g: Graph, x: Value, weight: Value, bias: Value | None = None) -> Value:
        """The result in blocks, of data in blocks, or as it is if that has fewer channels than a block."""
        assert x.shape is not None
        shape = x.shape[0], self.window.group * self.filters, *self.window.places(x.shape)
        weights = self._depthwise(g, weight) if self.is_depthwise else self._weights(g, weight)
        values = [x, weights] if bias is None else [x, weights, bias]
        return _node(g, "Conv", values, shape, **self.window._asdict())

    def _weights(self, g: Graph, weight: Value) -> Value:
        """The weights (filters, inputs, height, width), a block of filters innermost, then one of inputs."""
        block, places = g.block, prod(self.window.kernel_shape)
        filters, few = self.window.group * self.filters, self.inputs < block
        if not self.inputs_first:
            rows = in_blocks(g, g.Reshape(weight, [1, filters, self.inputs * places, 1]))
            if not few:
                rows = g.Transpose(g.Reshape(rows, [-1, block, places, block]), [0, 2, 1, 3])
        else:
            rows = in_blocks(g, weight)
            if few:
                split = g.Reshape(rows, [self.inputs, filters // block, places, block])
                rows = g.Transpose(split, [1, 0, 2, 3])
            else:
                sizes = [self.inputs // block, block, filters // block, places, block]
                rows = g.Transpose(g.Reshape(rows, sizes), [2, 0, 3, 1, 4])
        if self.mirrored:
            rows = _from_the_end(g, g.Reshape(rows, [-1, places, block if few else block * block]))
        return g.Reshape(rows, [filters, self.inputs, *self.window.kernel_shape])

    def _depthwise(self, g: Graph, weight: Value) -> Value:
        """The weights (channels, 1, height, width) with a block of channels innermost."""
        group, places = self.window.group, prod(self.window.kernel_shape)
        rows = in_blocks(g, g.Reshape(weight, [1, group, places, 1]))
        if self.mirrored:
            rows = _from_the_end(g, g.Reshape(rows, [-1, places, g.block]))
        return g.Reshape(rows, [group, 1, *self.window.kernel_shape])


class BatchCorrelation(NamedTuple):
    """Data (C, N, H, W) convolved with dy (N, F, height, width), where the batch is what is summed over.

    N is less than a block, or whole blocks of it; F is whole ones.
    """

    window: Window
    """Without padding: a convolution of so few places that pads is slow, so the data is padded before."""
    before: Sequence[int]
    after: Sequence[int]
    """How much, along both axes."""

    def __call__(self, g: Graph, x: Value, dy: Value) -> Value:
        """The result (C, F, *places) in blocks."""
        batch, filters = g.sizes(dy)[:2]
        few = batch < g.block
        x = enclosed(g, x, self.before, self.after) if few else self._pad_blocks(g, x)
        return BlockedConv(self.window, batch, filters, inputs_first=True).convolve(g, x, dy)

    def _pad_blocks(self, g: Graph, x: Value) -> Value:
        """Data in blocks with padding: fewer and longer rows to copy than before it is in blocks."""
        blocks, (channels, batch, *size) = in_blocks(g, x), g.sizes(x)
        if not any((*self.before, *self.after)):
            return blocks
        split = g.Reshape(blocks, [channels, batch // g.block, *size, g.block])
        padded = g.Pad(split, [0, 0, *self.before, 0, 0, 0, *self.after, 0])
        sides = zip(size, self.before, self.after, strict=True)
        return g.Reshape(padded, [channels, batch, *(n + b + a for n, b, a in sides)])

    @staticmethod
    def filters_first(g: Graph, y: Value, filters: int) -> Value:
        """The result's first `filters`, as (F, C, *places), not in blocks any more.

        Blocks are moved whole, which is faster than to exchange the axes of what they hold.
        """
        channels, blocks, *places = g.sizes(y)
        rows = g.Reshape(y, [channels, blocks // g.block, prod(places) * g.block])
        lane = g.Reshape(g.Transpose(rows, [1, 0, 2]), [1, blocks, channels * prod(places), 1])
        return g.Reshape(from_blocks(g, lane, filters), [filters, channels, *places])


def _from_the_end(g: Graph, rows: Value) -> Value:
    """Rows (…, places, block) with their places in the other order."""
    (places,) = g.sizes(rows)[1:2]
    return g.Gather(rows, list(reversed(range(places))), axis=1)


def in_blocks(g: Graph, x: Value) -> Value:
    """(N, C, H, W) with a block of channels innermost, which its shape does not tell."""
    return _node(g, "ReorderInput", [x], x.shape)


def from_blocks(g: Graph, x: Value, channels: int) -> Value:
    """The first of the channels of (N, C, H, W) that is in blocks, in blocks no more."""
    assert x.shape is not None
    return _node(g, "ReorderOutput", [x], (x.shape[0], channels, *x.shape[2:]), channels=channels)


def _node(
    g: Graph, op_type: str, inputs: Sequence[Value], shape: NumericShape | None, **attributes: Any
) -> Value:
    (result,) = g.foreign(op_type, DOMAIN, inputs, [Spec(shape, np.dtype(np.float32))], **attributes)
    return result
