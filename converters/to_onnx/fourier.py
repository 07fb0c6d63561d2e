"""Lowerings of discrete Fourier transforms and sketches."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.fourier import FFT, IFFT, CountSketch, CountSketchGrad

from ..elements import Array
from ._graph import Graph, Value
from ._indices import add_rows, normal
from ._registry import lowers
from ._symbolic_dims import flat, known_size, output_sizes, reshape, sizes_of, zeros

_TRANSFORMS = 17
"""The opset from which ONNX has DFT."""
_BY_MATRIX = 128
"""Up to so many numbers a product with a matrix is faster, and more exact."""


def _angles(n: int) -> Array:
    """2 π j k / n, exact where j k is large."""
    return np.outer(np.arange(n), np.arange(n)) % n * (2 * np.pi / n)


def _interleaved(first: Array, second: Array, axis: int) -> Array:
    pairs = np.stack([first, second], axis + 1)
    shape = list(first.shape)
    shape[axis] *= 2
    return pairs.reshape(shape)


def _product(g: Graph, x: Value, matrix: Array) -> Value:
    if x.dtype == np.float16:
        return g.Cast(_product(g, g.Cast(x, np.float32), matrix), np.float16)
    return g.MatMul(x, matrix.astype(x.dtype))


def _transformed(g: Graph, pairs: Value, n: int) -> Value:
    """A transform of n numbers along the axis before the last, which has one or two parts of each.

    ONNX Runtime loses digits of float32 unless n is a power of 2: 1e-3 at 4,099 numbers.
    """
    exact = pairs.dtype == np.float32 and n & (n - 1) == 0
    x = pairs if exact else g.Cast(pairs, np.float64)
    axis = pairs.rank - 2
    return g.DFT(x, None, np.int64(axis)) if g.opset >= 20 else g.DFT(x, axis=axis)


@lowers(FFT)
def fft(g: Graph, op: FFT, data: Value) -> Value:
    n = known_size(g, data, -1)
    if 0 in data.dims:
        return zeros(g, output_sizes(g), data)
    if n <= _BY_MATRIX or g.opset < _TRANSFORMS:
        angles = _angles(n)
        return _product(g, data, _interleaved(np.cos(angles), -np.sin(angles), 1))
    spectrum = _transformed(g, g.Unsqueeze(data, [data.rank]), n)
    return g.Cast(reshape(g, spectrum, output_sizes(g)), data.dtype)


@lowers(IFFT)
def ifft(g: Graph, op: IFFT, data: Value) -> Value:
    n = known_size(g, data, -1) // 2
    if 0 in data.dims:
        return zeros(g, output_sizes(g), data)
    if n <= _BY_MATRIX or g.opset < _TRANSFORMS:
        angles = _angles(n)
        return _product(g, data, _interleaved(np.cos(angles), -np.sin(angles), 0))
    pairs = reshape(g, data, [*sizes_of(data)[:-1], n, 2])
    # of the conjugate, whose transform is the conjugate of the inverse one: ONNX Runtime divides the latter
    # by n in float32
    mirrored = _transformed(g, pairs * np.array([1, -1], data.dtype), n)
    signal = g.Slice(mirrored, [0], [1], [pairs.rank - 1])
    return g.Cast(g.Squeeze(signal, [pairs.rank - 1]), data.dtype)


@lowers(CountSketch)
def count_sketch(g: Graph, op: CountSketch, data: Value, h: Value, s: Value) -> Value:
    if 0 in data.dims:
        return zeros(g, output_sizes(g), data)
    last = data.rank - 1
    indices = normal(g, flat(g, h), op.out_dim, "raise")
    columns = g.Transpose(data * g.Cast(flat(g, s), data.dtype), [last, *range(last)])
    sums = add_rows(g, columns, indices, [op.out_dim, *sizes_of(data)[:-1]])
    return g.Transpose(sums, [*range(1, data.rank), 0])


@lowers(CountSketchGrad)
def count_sketch_grad(g: Graph, op: CountSketchGrad, dy: Value, h: Value, s: Value) -> Value:
    columns = g.Gather(dy, normal(g, flat(g, h), op.out_dim, "raise"), axis=dy.rank - 1)
    return columns * g.Cast(flat(g, s), dy.dtype)
