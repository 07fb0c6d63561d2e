"""Lowerings of padding, diagonals and cropping.

Adjoints gather as well: each element of the result takes those that it goes back to, from an array with a
zero after its end for elements that take fewer. That is faster than scattering, and keeps the order of sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops import sizes
from hybridonnx.ops.pad import Crop, CropGrad, Diag, DiagGrad, Pad, PadGrad, PadLike

from ..elements import Array
from ._graph import END, Graph, Value, iota
from ._registry import lowers
from ._symbolic_dims import flat, known_size, reshape, sizes_of


def zero_after(g: Graph, x: Value, axis: int) -> Value:
    """`x` with one more element, 0, along an axis."""
    pads = [0] * (2 * x.rank)
    pads[x.rank + axis % x.rank] = 1
    return g.Pad(x, pads, 0)


# ---- padding


@lowers(Pad)
def pad(g: Graph, op: Pad, data: Value) -> Value:
    """ONNX has the widths before all axes first."""
    pairs = op.pairs()
    return g.Pad(data, [a for a, _ in pairs] + [b for _, b in pairs], op.constant_value, op.mode)


@lowers(PadGrad)
def pad_grad(g: Graph, op: PadGrad, dy: Value) -> Value:
    """Axis by axis."""
    padded = [(axis, a, b) for axis, (a, b) in enumerate(op.pairs()) if a or b]
    if op.mode == "constant":
        if not padded:
            return dy
        axes, before, after = zip(*padded, strict=True)
        return g.Slice(dy, before, [-b if b else END for b in after], axes)
    for axis, a, b in padded:
        size = known_size(g, dy, axis)
        indices = takers(op.origins(axis, size - a - b), size - a - b)
        dy = g.ReduceSum(g.Gather(zero_after(g, dy, axis), indices, axis=axis), [axis + 1], keepdims=0)
    return dy


def takers(origins: Array, size: int) -> Array:
    """For each of `size` elements the indices of `origins` that have it, filled up with the one after all."""
    indices = [np.flatnonzero(origins == i) for i in range(size)]
    longest = max((len(t) for t in indices), default=1)
    rows = [np.pad(t, (0, longest - len(t)), constant_values=len(origins)) for t in indices]
    return np.array(rows, np.int64)


@lowers(PadLike)
def pad_like(g: Graph, op: PadLike, data: Value, like: Value) -> Value:
    """As much as the shapes differ."""
    own, target = sizes_of(data), sizes_of(like)
    widths = [b - a for a, b in zip(own, target, strict=True) if isinstance(a, int) and isinstance(b, int)]
    if len(widths) == data.rank:
        return g.Pad(data, [0] * data.rank + widths, 0) if any(widths) else data
    difference = g.shape_of(like) - g.shape_of(data)
    return g.Pad(data, g.Concat([0] * data.rank, difference, axis=0), 0)


# ---- diagonals


def _map(n: int, rows: int, columns: int, k: int) -> Array:
    """The index in a diagonal of each element of a matrix, n for those beside it."""
    indices = np.full((rows, columns), n, np.int64)
    i = iota(n)
    indices[i + max(-k, 0), i + max(k, 0)] = i
    return indices


@lowers(Diag)
def diag(g: Graph, op: Diag, data: Value) -> Value:
    """A gather by constant indices."""
    if data.rank == 1:
        n = known_size(g, data, 0)
        side = n + abs(op.k)
        return g.Gather(zero_after(g, data, 0), _map(n, side, side, op.k), axis=0)
    a, b = op.axes(data.rank)
    rows, columns = known_size(g, data, a), known_size(g, data, b)
    rest = [i for i in range(data.rank) if i not in (a, b)]
    last = g.Transpose(data, [*rest, a, b])
    merged = reshape(g, last, [*sizes_of(last)[:-2], rows * columns])
    i = np.arange(_length(op, rows, columns)) + max(-op.k, 0)
    return g.Gather(merged, i * columns + i + op.k, axis=data.rank - 2)


def _length(op: Diag | DiagGrad, rows: int, columns: int) -> int:
    return sizes((op.length(rows, columns),))[0]


@lowers(DiagGrad)
def diag_grad(g: Graph, op: DiagGrad, dy: Value, data: Value) -> Value:
    """A gather by constant indices."""
    if data.rank == 1:
        n = known_size(g, data, 0)
        i = iota(n) + max(-op.k, 0)
        return g.Gather(flat(g, dy), i * (n + abs(op.k)) + i + op.k, axis=0)
    a, b = op.axes(data.rank)
    rows, columns = known_size(g, data, a), known_size(g, data, b)
    indices = _map(_length(op, rows, columns), rows, columns, op.k)
    matrices = g.Gather(zero_after(g, dy, -1), indices, axis=dy.rank - 1)
    rest = iter(range(data.rank - 2))
    order = {a: data.rank - 2, b: data.rank - 1}
    return g.Transpose(matrices, [order[i] if i in order else next(rest) for i in range(data.rank)])


# ---- cropping


def _window(g: Graph, op: Any, data: Value, part: Value | None) -> tuple[list[int], list[int]]:
    """The first row and column of a crop, and its sizes."""
    if part is None:
        size = list(op.h_w)
    else:
        size = [known_size(g, part, axis) for axis in (2, 3)]
    shape = (None, None, None, None) if data.shape is None else data.shape
    begin = op.begin(shape, *size)
    if None in begin:
        begin = op.begin(g.sizes(data), *size)
    return list(begin), size


@lowers(Crop)
def crop(g: Graph, op: Crop, data: Value, like: Value | None = None) -> Value:
    """A slice."""
    begin, size = _window(g, op, data, like)
    return g.Slice(data, begin, [a + b for a, b in zip(begin, size, strict=True)], [2, 3])


@lowers(CropGrad)
def crop_grad(g: Graph, op: CropGrad, dy: Value, data: Value) -> Value:
    """A padding."""
    begin, size = _window(g, op, data, dy)
    extents = [known_size(g, data, axis) for axis in (2, 3)]
    after = [w - a - b for w, a, b in zip(extents, begin, size, strict=True)]
    return g.Pad(dy, [0, 0, *begin, 0, 0, *after], 0)
