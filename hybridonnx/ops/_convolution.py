"""NumPy kernels of convolution and of its gradients, on arrays with the channels in axis 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..attrs import Ints
from ._operator import Array
from ._windows import extent, offsets, padded, scatter, total_extent, view

_CHUNK = 1 << 22
"""About how many elements of columns are made at a time: they should stay in the cache."""


class Windows(NamedTuple):
    """How windows lie on the spatial axes: everything that the three kernels share."""

    kernel: Ints
    stride: Ints
    dilate: Ints
    pad: Ints
    groups: int

    def out(self, spatial: Sequence[int]) -> tuple[int, ...]:
        """The number of windows on each axis."""
        spans = self._spans()
        return tuple(
            (n + 2 * p - span) // s + 1
            for n, p, span, s in zip(spatial, self.pad, spans, self.stride, strict=True)
        )

    def _spans(self) -> Ints:
        return tuple(extent(k, d) for k, d in zip(self.kernel, self.dilate, strict=True))

    def reach(self, spatial: Sequence[int], out: Sequence[int]) -> Ints:
        """The sizes of padded data: what all windows reach over, and at least the data itself."""
        ends = total_extent(out, self.kernel, self.stride, self.dilate)
        return tuple(max(e, n + p) for e, n, p in zip(ends, spatial, self.pad, strict=True))

    def pointwise(self) -> bool:
        """Whether windows are single elements without padding."""
        return set(self.kernel) <= {1} and not any(self.pad)

    def columns(self, x: Array, out: Sequence[int]) -> Array:
        """The windows of `x` (n, C, *spatial) as matrices (groups, C / groups · kernel, n · out)."""
        spatial = x.shape[2:]
        filled = padded(x, self.pad, self.reach(spatial, out)).swapaxes(0, 1)
        windows = view(filled, self.kernel, self.stride, self.dilate, out)
        rank = len(self.kernel)
        ordered = windows.transpose(0, *range(2, 2 + rank), 1, *range(2 + rank, 2 + 2 * rank))
        return ordered.reshape(self.groups, x.shape[1] // self.groups * prod(self.kernel), len(x) * prod(out))

    def from_columns(self, columns: Array, shape: tuple[int, ...], out: Sequence[int]) -> Array:
        """The sum of matrices like those of `columns` at the windows' positions in an array of `shape`."""
        n, channels, *spatial = shape
        split = columns.reshape(channels, *self.kernel, n, *out)
        rank = len(self.kernel)
        split = split.transpose(0, 1 + rank, *range(1, 1 + rank), *range(2 + rank, 2 + 2 * rank))
        full = scatter(split, self.reach(spatial, out), self.kernel, self.stride, self.dilate)
        inner: Any = (..., *(slice(p, p + d) for p, d in zip(self.pad, spatial, strict=True)))
        dx: Array = full[inner].swapaxes(0, 1)
        return dx

    def batches(self, n: int, channels: int, out: Sequence[int]) -> Iterator[slice]:
        """The batch in parts whose columns are not too large."""
        step = max(1, _CHUNK // max(1, channels * prod(self.kernel) * prod(out)))
        return (slice(i, min(i + step, n)) for i in range(0, n, step))


def _rows(y: Array, groups: int) -> Array:
    """(n, F, *out) as matrices (groups, F / groups, n · out)."""
    return y.swapaxes(0, 1).reshape(groups, y.shape[1] // groups, len(y) * prod(y.shape[2:]))


def _filters(w: Windows, weight: Array) -> Array:
    """(F, C / groups, *kernel) as matrices (groups, F / groups, C / groups · kernel)."""
    return weight.reshape(w.groups, weight.shape[0] // w.groups, prod(weight.shape[1:]))


def convolve(w: Windows, x: Array, weight: Array, out: Sequence[int] = ()) -> Array:
    """Convolution of x (N, C, *spatial) with weight (F, C / groups, *kernel); `out` windows or all."""
    out = out or w.out(x.shape[2:])
    if weight.shape[1] == 1 and not w.pointwise():
        return _convolve_depthwise(w, x, weight, out)
    filters = weight.shape[0]
    y = np.empty((len(x), filters, *out), x.dtype)
    matrices = _filters(w, weight)
    for part in w.batches(len(x), x.shape[1], out):
        product = np.matmul(matrices, w.columns(x[part], out))
        y[part] = product.reshape(filters, -1, *out).swapaxes(0, 1)
    return y


def _convolve_depthwise(w: Windows, x: Array, weight: Array, out: Sequence[int]) -> Array:
    """Convolution where each group has one channel: a sum over the window's offsets, without columns."""
    n, channels = x.shape[:2]
    each = weight.shape[0] // channels
    filled = padded(x, w.pad, w.reach(x.shape[2:], out))[:, :, None]
    y = np.zeros((n, channels, each, *out), x.dtype)
    buffer = np.empty((channels, each, *out), x.dtype)
    taps = weight.reshape(channels, each, *w.kernel, *(1 for _ in out))
    cuts = [(taps[offset], cut) for offset, cut in offsets(w.kernel, w.stride, w.dilate, out)]
    for image, target in zip(filled, y, strict=True):  # one by one, so that they stay in the cache
        for tap, cut in cuts:
            target += np.multiply(image[cut], tap, out=buffer)
    return y.reshape(n, channels * each, *out)


def convolve_data_grad(w: Windows, dy: Array, weight: Array, shape: tuple[int, ...]) -> Array:
    """What `convolve` does to x of `shape`, backwards: dy (N, F, *out) to (N, C, *spatial)."""
    out = dy.shape[2:]
    dx = np.empty(shape, dy.dtype)
    matrices = _filters(w, weight).swapaxes(1, 2)
    for part in w.batches(len(dy), shape[1], out):
        columns = np.matmul(matrices, _rows(dy[part], w.groups))
        piece = dx[part]
        piece[...] = w.from_columns(columns, piece.shape, out)
    return dx


def convolve_weight_grad(w: Windows, dy: Array, x: Array, shape: tuple[int, ...]) -> Array:
    """The sum over batch and positions of dy (N, F, *out) times the windows of x, as a weight of `shape`."""
    out = dy.shape[2:]
    dw = np.zeros((w.groups, shape[0] // w.groups, prod(shape[1:])), dy.dtype)
    for part in w.batches(len(x), x.shape[1], out):
        dw += np.matmul(_rows(dy[part], w.groups), w.columns(x[part], out).swapaxes(1, 2))
    return dw.reshape(shape)


def wide(array: Array) -> Array:
    """float16 as float32, in which sums of products are exact enough; BLAS knows no float16 either."""
    return array.astype(np.float32) if array.dtype == np.float16 else array
