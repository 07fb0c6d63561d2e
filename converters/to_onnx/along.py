"""Lowerings of vectors along an axis of data."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.along import AlongAxis, ScaleShift

from ._graph import Graph, Value
from ._registry import lowers

_float32 = np.dtype("float32")


def along(g: Graph, vector: Value, rank: int, axis: int) -> Value:
    """The vector (C,) with axes that broadcast against an array of `rank` axes with C at `axis`."""
    if axis == rank - 1:
        return vector
    return g.Reshape(vector, [-1 if i == axis else 1 for i in range(rank)])


def filled(g: Graph, vector: Value, number: float) -> Value:
    """A vector like another, of one number."""
    shape = vector.shape
    if shape is not None and shape[0] is not None:
        return g.const(np.full(shape[0], number, vector.dtype))
    return g.Full(g.shape_of(vector), number, vector.dtype)


@lowers(AlongAxis)
def along_axis(g: Graph, op: AlongAxis, data: Value, like: Value) -> Value:
    return g.Reshape(data, [-1 if i == op.axis % like.rank else 1 for i in range(like.rank)])


@lowers(ScaleShift)
def scale_shift(g: Graph, op: ScaleShift, data: Value, *vectors: Value) -> Value:
    """ONNX Runtime's batch norm takes half as long as a product with such a vector, or less."""
    axis, (scale, shift) = op.axis % data.rank, op.scale_and_shift(vectors)
    if g.exact and axis == 1 and data.rank > 2 and data.dtype == _float32 and vectors:
        like = vectors[0]
        one, zero = filled(g, like, 1.0), filled(g, like, 0.0)
        return g.BatchNormalization(data, scale or one, shift or zero, zero, one, epsilon=0.0)
    scaled = data if scale is None else data * along(g, scale, data.rank, axis)
    return scaled if shift is None else scaled + along(g, shift, data.rank, axis)
