"""Images resized with OpenCV's interpolations, to its numbers.

Of uint8 OpenCV rounds weights to multiples of 1 / 2048 and computes with integers, in steps that lose digits;
the results are the same here, and differ from those of the weights themselves by 1 of 255.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ._operator import Array

NEAREST, LINEAR, CUBIC, AREA, LANCZOS = range(5)

_ONE = 2048
"""The weight 1 in integers."""
_LEAST_COVER = 1e-3
"""Less than so much of a pixel does not count in an area."""


class Taps(NamedTuple):
    """What each of m pixels along an axis is made of: indices (m, taps), and their weights."""

    indices: Array
    weights: Array


def resized(image: Array, height: int, width: int, interp: int) -> Array:
    """An image (*, h, w, C) of uint8 or floating-point numbers with another height and width."""
    h, w = image.shape[-3:-1]
    if (h, w) == (height, width):
        return image.copy()
    rows, columns = axes(h, w, height, width, interp)
    if interp == NEAREST:
        return image.take(rows.indices[:, 0], -3).take(columns.indices[:, 0], -2)
    if averages(h, w, height, width, interp):
        return _means(image, h // height, w // width)
    if image.dtype != np.uint8 or by_area(h, w, height, width, interp):
        wide = image.astype(np.promote_types(image.dtype, np.float32), copy=False)
        sums = _summed(_summed(wide, -2, columns), -3, rows)
        return _bytes(np.rint(sums)) if image.dtype == np.uint8 else sums.astype(image.dtype, copy=False)
    across = _summed(image.astype(np.int32), -2, integers(columns))
    return _down(across, integers(rows), interp)


def interpolation_between(h: int, w: int, height: int, width: int) -> int:
    """The interpolation that suits both sizes: cubic to larger ones, by area to smaller ones, else linear."""
    if height > h and width > w:
        return CUBIC
    return AREA if height < h and width < w else LINEAR


def size_by_shorter_side(size: int, h: int, w: int) -> tuple[int, int]:
    """The height and width of an image in the same ratio whose shorter side is `size` long."""
    return (size * h // w, size) if h > w else (size, size * w // h)


def axes(h: int, w: int, height: int, width: int, interp: int) -> tuple[Taps, Taps]:
    """How h rows become `height` ones, and w columns `width` ones."""
    area = by_area(h, w, height, width, interp)
    return _taps(h, height, interp, area), _taps(w, width, interp, area)


def by_area(h: int, w: int, height: int, width: int, interp: int) -> bool:
    """Whether each pixel is what an area covers: neither side grows."""
    return interp == AREA and height <= h and width <= w


def averages(h: int, w: int, height: int, width: int, interp: int) -> bool:
    """Whether each pixel is the mean of a block; half the size is, of linear interpolation too."""
    whole = h % height == 0 and w % width == 0
    return whole and (interp == AREA or (interp == LINEAR and h == 2 * height and w == 2 * width))


def halves_up(down: int, across: int, channels: int) -> bool:
    """Whether halves in the means of bytes are rounded up, else to even."""
    return down == across == 2 and channels in (1, 3, 4)


def _means(image: Array, down: int, across: int) -> Array:
    """The means of blocks of pixels."""
    *before, h, w, c = image.shape
    blocks = image.reshape(*before, h // down, down, w // across, across, c)
    share = np.float32(1 / (down * across))
    if image.dtype != np.uint8:
        wide = np.promote_types(image.dtype, np.float32)
        return np.asarray(blocks.sum((-4, -2), dtype=wide) * share.astype(wide)).astype(image.dtype)
    sums = _block_sums(blocks)
    if halves_up(down, across, c):
        return np.asarray((sums + 2) >> 2, np.uint8)
    return _bytes(np.rint(sums.astype(np.float32) * share))


def _block_sums(blocks: Array) -> Array:
    """The sums of bytes (*, h, down, w, across, C) over `down` and `across`, one view of all at a time."""
    down, across = blocks.shape[-4], blocks.shape[-2]
    wide = np.dtype(np.uint16 if down * across * 255 + 2 < 1 << 16 else np.int32)
    rows = blocks[..., 0, :, :, :].astype(wide)
    for i in range(1, down):
        rows += blocks[..., i, :, :, :]
    sums = rows[..., 0, :].copy()
    for i in range(1, across):
        sums += rows[..., i, :]
    return sums


def _bytes(values: Array) -> Array:
    return values.clip(0, 255).astype(np.uint8)


def _summed(image: Array, axis: int, along: Taps) -> Array:
    """Weighted sums along an axis, -3 or -2, in the image's dtype."""
    weights = along.weights.astype(image.dtype).reshape(*along.weights.shape, *(1,) * (-1 - axis))
    parts = (image.take(i, axis) * weights[:, k] for k, i in enumerate(along.indices.T))
    total: Array = next(parts)
    for part in parts:
        total += part
    return total


def integers(along: Taps) -> Taps:
    """The weights as multiples of 1 / 2048."""
    return Taps(along.indices, np.rint(along.weights * np.float32(_ONE)).astype(np.int32))


def _down(across: Array, rows: Taps, interp: int) -> Array:
    """Rows summed from integers, which have 11 more bits by the columns."""
    if interp in (LINEAR, AREA):
        high = across >> 4  # each product loses its last bits
        parts = (
            high.take(i, -3) * rows.weights[:, k, None, None] >> 16 for k, i in enumerate(rows.indices.T)
        )
        return _bytes((sum(parts) + 2) >> 2)
    sums = _bytes((_summed(across.astype(np.int64), -3, rows) + (1 << 21)) >> 22)
    if interp == CUBIC:  # in registers of 8 numbers by float32, which rounds other halves up
        rounded = _bytes(np.rint(_summed(across.astype(np.float32), -3, by_eight(rows))))
        sums = np.where(in_eights(*sums.shape[-2:]), rounded, sums)
    return sums


def by_eight(rows: Taps) -> Taps:
    """Weights of cubic rows, of integers with 22 more bits, as float32."""
    return Taps(rows.indices, rows.weights.astype(np.float32) / np.float32(_ONE * _ONE))


def in_eights(width: int, channels: int) -> Array:
    """Which numbers of a row (width, C) OpenCV computes eight at a time."""
    count = width * channels
    return np.arange(count).reshape(width, channels) < count // 8 * 8


@lru_cache(maxsize=1024)
def _taps(n: int, m: int, interp: int, area: bool) -> Taps:
    """How n pixels along an axis become m."""
    scale = 1 / (m / n)
    index = np.arange(m)
    if interp == NEAREST:
        return Taps(np.minimum(np.floor(index * scale), n - 1).astype(int)[:, None], np.ones((m, 1)))
    if area:
        return _covered(n, m, scale)
    if interp == AREA:  # to a larger size: linear, with pixels as wide as they can be
        low = np.floor(index * scale)
        share = ((index + 1) - (low + 1) * (m / n)).astype(np.float32)
        share = np.where(share <= 0, 0, share - np.floor(share)).astype(np.float32)
    else:
        source = ((index + 0.5) * scale - 0.5).astype(np.float32)
        low = np.floor(source)
        share = source - low
    weights = {LINEAR: _linear, AREA: _linear, CUBIC: _cubic, LANCZOS: _lanczos}[interp](share)
    reach = weights.shape[1] // 2
    offsets = low.astype(int)[:, None] + np.arange(1 - reach, reach + 1)
    return Taps(offsets.clip(0, n - 1), weights)


def _linear(x: Array) -> Array:
    return np.stack([1 - x, x], 1)


def _cubic(x: Array) -> Array:
    a = np.float32(-0.75)
    before, after = x + 1, 1 - x
    first = ((a * before - 5 * a) * before + 8 * a) * before - 4 * a
    second, third = (((a + 2) * t - (a + 3)) * t * t + 1 for t in (x, after))
    return np.stack([first, second, third, 1 - first - second - third], 1)


def _lanczos(x: Array) -> Array:
    """sin(π d) sin(π d / 4) / d² at the distances d, rounded step by step as OpenCV does."""
    i, quarter = np.arange(8), np.pi / 4
    farthest = (x + np.float32(3))[:, None]
    distance = farthest - i.astype(np.float32)
    wave = np.sin(i * quarter - farthest.astype(np.float64) * quarter) * (-1.0) ** i
    with np.errstate(divide="ignore", invalid="ignore"):
        kernel = (wave / (distance.astype(np.float64) * quarter) ** 2).astype(np.float32)
        kernel *= np.float32(1) / np.add.accumulate(kernel, 1)[:, -1:]
    on_pixel = (x < np.finfo(np.float32).eps)[:, None]
    return np.asarray(np.where(on_pixel, i == 3, kernel), np.float32)


def _covered(n: int, m: int, scale: float) -> Taps:
    """The share of each pixel in an area."""
    start = np.arange(m)[:, None] * scale
    offsets = np.floor(start).astype(int) + np.arange(int(np.ceil(scale)) + 1)
    cover = np.minimum(start + scale, offsets + 1) - np.maximum(start, offsets)
    cover[(cover <= _LEAST_COVER) | (offsets >= n)] = 0
    weights = cover / np.minimum(scale, n - start)
    return Taps(offsets.clip(0, n - 1), weights.astype(np.float32))


def matrix(along: Taps, n: int) -> Array:
    """The weights as a matrix (m, n)."""
    m = len(along.indices)
    dense = np.zeros((m, n))
    np.add.at(dense, (np.arange(m)[:, None], along.indices), along.weights)
    return dense
