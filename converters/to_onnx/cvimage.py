"""Lowerings of what MXNet leaves to OpenCV: images resized, of bytes with its integers, and borders."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.cvimage import (
    AREA,
    CUBIC,
    LINEAR,
    NEAREST,
    CopyMakeBorder,
    ImResize,
    Taps,
    averages,
    axes,
    by_area,
    by_eight,
    halves_up,
    in_eights,
    integers,
    matrix,
)

from ..elements import Array
from ._graph import Graph, Value, require_few
from ._registry import lowers
from ._symbolic_dims import known_size

_float32, _float64 = np.dtype("float32"), np.dtype("float64")
_TAPS = 4
"""Rows, or columns, that one is made of at least."""


@lowers(ImResize)
def im_resize(g: Graph, op: ImResize, src: Value) -> Value:
    return resize(g, src, op.h, op.w, op.interp)


def resize(g: Graph, images: Value, height: int, width: int, interp: int) -> Value:
    """Images (*, h, w, C) with another height and width."""
    rank = images.rank
    h, w = (known_size(g, images, axis) for axis in (rank - 3, rank - 2))
    for size in (height, width):
        require_few(size, _TAPS)
    rows, columns = axes(h, w, height, width, interp)
    if (h, w) == (height, width):
        return g.Identity(images)
    if interp == NEAREST:
        chosen = g.Gather(images, rows.indices[:, 0], axis=rank - 3)
        return g.Gather(chosen, columns.indices[:, 0], axis=rank - 2)
    first = (*range(rank - 3), rank - 1, rank - 3, rank - 2)
    x = g.Transpose(g.Cast(images, _float64 if images.dtype == _float64 else _float32), first)
    if averages(h, w, height, width, interp):
        pixels = _means(g, x, h // height, w // width, images.dtype == np.uint8)
    elif images.dtype != np.uint8:
        pixels = _product(g, matrix(rows, h), x, matrix(columns, w))
    elif by_area(h, w, height, width, interp):
        pixels = g.Round(_product(g, matrix(rows, h), x, matrix(columns, w)))
    else:
        pixels = g.Clip(_of_bytes(g, x, rows, columns, interp), 0.0, 255.0)
    last = (*range(rank - 3), rank - 2, rank - 1, rank - 3)
    return g.Cast(g.Transpose(pixels, last), images.dtype)


def _product(g: Graph, rows: Array, x: Value, columns: Array) -> Value:
    """rows @ image @ columns for every image."""
    return g.MatMul(rows.astype(x.dtype), g.MatMul(x, np.ascontiguousarray(columns.T, x.dtype)))


def _means(g: Graph, x: Value, down: int, across: int, of_bytes: bool) -> Value:
    """The means of blocks of pixels; the sums of bytes are exact."""
    channels, h, w = (known_size(g, x, x.rank - i) for i in (3, 2, 1))
    rows, columns = (np.kron(np.eye(n // k), np.ones(k)) for n, k in ((h, down), (w, across)))
    share = np.float32(1 / (down * across))
    if not of_bytes:
        return _product(g, rows * float(share), x, columns)
    sums = _product(g, rows, x, columns)
    return g.Floor((sums + 2.0) / 4.0) if halves_up(down, across, channels) else g.Round(g.Mul(sums, share))


def _of_bytes(g: Graph, x: Value, rows: Taps, columns: Taps, interp: int) -> Value:
    """With weights that are integers: products with those of columns are exact in float32."""
    across = g.MatMul(x, matrix(integers(columns), known_size(g, x, x.rank - 1)).T.astype(_float32))
    taps = integers(rows)
    if interp not in (LINEAR, AREA):
        down = matrix(taps, known_size(g, x, x.rank - 2)).astype(_float64)
        sums = g.MatMul(down, g.Cast(across, _float64))
        pixels = g.Cast(g.Floor((sums + float(1 << 21)) / float(1 << 22)), _float32)
        return _rounded_by_eight(g, pixels, across, taps) if interp == CUBIC else pixels
    high = g.Cast(g.Floor(across / 16.0), np.int32)
    parts = [
        g.Gather(high, indices, axis=x.rank - 2) * taps.weights[:, k, None] / np.int32(1 << 16)
        for k, indices in enumerate(taps.indices.T)
    ]
    return g.Cast((parts[0] + parts[1] + np.int32(2)) / np.int32(4), _float32)


def _rounded_by_eight(g: Graph, pixels: Value, across: Value, rows: Taps) -> Value:
    """Cubic pixels, of which each row's first multiple of 8 numbers are summed in float32, row by row."""
    factors = by_eight(rows)
    total: Value | None = None
    for k, indices in enumerate(factors.indices.T):
        part = g.Gather(across, indices, axis=across.rank - 2) * factors.weights[:, k, None]
        total = part if total is None else total + part
    channels, width = (known_size(g, across, across.rank - i) for i in (3, 1))
    first = in_eights(width, channels).T[:, None, :]
    return pixels if total is None else g.Where(first, g.Round(total), pixels)


@lowers(CopyMakeBorder)
def copy_make_border(g: Graph, op: CopyMakeBorder, src: Value) -> Value:
    h, w = known_size(g, src, 0), known_size(g, src, 1)
    for size in (h + op.top + op.bot, w + op.left + op.right):
        require_few(size, _TAPS)
    rows, columns = op.sources(h, w)
    image = g.Gather(g.Gather(src, rows, axis=0), columns, axis=1)
    if op.type:
        return image
    return g.Where(op.inside(h, w), image, op.constant(known_size(g, src, 2), src.dtype))
