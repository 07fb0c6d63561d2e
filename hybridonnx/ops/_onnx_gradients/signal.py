"""Gradients of Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._onnx_text import NodeText
from ._nodes import Nodes, composed
from ._table import constant, gradient_of

constant("it depends on sizes alone", "BlackmanWindow", "HammingWindow", "HannWindow", "MelWeightMatrix")


@gradient_of("DFT")
def dft(
    g: Nodes,
    node: NodeText,
    dy: Sequence[Any],
    y: Sequence[Any],
    x: Any,
    length: Any = None,
    axis: Any = None,
) -> Sequence[Any]:
    """The transform the other way round, of the frequencies that the result has."""
    attributes = node.attributes
    if node.opset < 20:
        axis = np.array(attributes.get("axis", 1))
    elif axis is None:
        axis = np.array(-2)
    inverse, onesided = attributes.get("inverse", 0), attributes.get("onesided", 0)
    at = g.Reshape(axis, [1])
    size = g.Gather(g.Shape(x), at)
    if length is not None:
        count = g.Reshape(length, [1])
    else:
        count = g.Mul(g.Sub(size, 1), 2) if inverse and onesided else size
    if inverse and onesided:
        return (_of_real_inverse(g, dy[0], x, at, count, size), None, None)
    head = g.fitted(dy[0], at, count)
    back = g.DFT(head, count_of(g, count), count_of(g, at), inverse=1 - inverse, opset=20)
    scale = g.CastLike(count, back)
    grad = g.fitted(g.Div(back, scale) if inverse else g.Mul(back, scale), at, size)
    return (g.fitted(grad, [-1], g.sizes(x, -1)), None, None)


def count_of(g: Nodes, vector: Any) -> Any:
    """A vector of one number without its axis."""
    return g.Reshape(vector, np.array([], np.int64))


def _of_real_inverse(g: Nodes, dy: Any, x: Any, at: Any, count: Any, size: Any) -> Any:
    """Of the inverse of a half: all frequencies count twice but the first, and the last of an even number."""
    spectrum = g.DFT(dy, count_of(g, count), count_of(g, at), opset=20)
    half = g.Add(g.Div(count, 2), 1)
    kept = g.Slice(spectrum, [0], half, at)
    numbers = g.Range(np.array(0), count_of(g, half), np.array(1))
    single = g.Or(g.Equal(numbers, 0), g.Equal(g.Mul(numbers, 2), count))
    weights = g.Where(single, g.number(1, dy), g.number(2, dy))
    rank = g.Shape(g.Shape(x))
    positive = g.Mod(g.Add(at, rank), rank)
    shape = g.ScatterElements(g.Expand([1], rank), positive, half)
    weighted = g.Div(g.Mul(kept, g.Reshape(weights, shape)), g.CastLike(count, dy))
    return g.fitted(weighted, at, size)


@composed("STFT")
def stft(
    g: Nodes, node: NodeText, y: Sequence[Any], signal: Any, step: Any, window: Any = None, length: Any = None
) -> Any:
    """Transforms of frames that begin every so many elements, by the window."""
    if length is None:
        length = g.Gather(g.Shape(signal if window is None else window), np.array(1 if window is None else 0))
    count = g.Gather(g.Shape(y[0]), np.array(1))
    begins = g.Mul(g.Range(np.array(0), count, np.array(1)), g.Cast(step, to=7))
    within = g.Range(np.array(0), g.Cast(length, to=7), np.array(1))
    frames = g.Gather(signal, g.Add(g.Unsqueeze(begins, [1]), within), axis=1)
    if rank_of_signal(signal, node) == 2:
        frames = g.Unsqueeze(frames, [-1])
    if window is not None:
        frames = g.Mul(frames, g.Unsqueeze(window, [-1]))
    onesided = node.attributes.get("onesided", 1)
    return g.DFT(frames, g.Cast(length, to=7), np.array(2), onesided=onesided, opset=20)


def rank_of_signal(signal: Any, node: NodeText) -> int:
    """How many axes the signal has; that of the parts may be missing."""
    return len(signal.shape) if hasattr(signal, "shape") else 3
