"""Lowerings of what is done to images before a network."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops import sizes
from hybridonnx.ops.image import Crop, FlipLeftRight, FlipTopBottom, Normalize, Resize, ToTensor

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import known_size
from .cvimage import resize as resize_images


@lowers(ToTensor)
def to_tensor(g: Graph, op: ToTensor, data: Value) -> Value:
    return g.Div(g.Cast(_channels_first(g, data), np.float32), 255.0)


def _channels_first(g: Graph, data: Value) -> Value:
    return g.Transpose(data, perm=(2, 0, 1) if data.rank == 3 else (0, 3, 1, 2))


@lowers(Normalize)
def normalize(g: Graph, op: Normalize, data: Value) -> Value:
    channels = (data.shape or g.sizes(data))[-3] or g.sizes(data)[-3]
    x = data if data.dtype.kind == "f" else g.Cast(data, np.float32)
    mean, std = (op.by_channel(v, channels).astype(x.dtype) for v in (op.mean, op.std))
    y: Value = g.Div(g.Sub(x, mean), std)
    return y if x is data else g.Cast(g.Cast(y, np.int64), data.dtype)


@lowers(Crop)
def crop(g: Graph, op: Crop, data: Value) -> Value:
    ends = [op.y + op.height, op.x + op.width]
    return g.Slice(data, [op.y, op.x], ends, [data.rank - 3, data.rank - 2])


@lowers(FlipLeftRight)
def flip_left_right(g: Graph, op: FlipLeftRight, data: Value) -> Value:
    return _flipped(g, data, op.axis)


@lowers(FlipTopBottom)
def flip_top_bottom(g: Graph, op: FlipTopBottom, data: Value) -> Value:
    return _flipped(g, data, op.axis)


def _flipped(g: Graph, data: Value, axis: int) -> Value:
    return g.Slice(data, [-1], [np.iinfo(np.int64).min], [axis], [-1])


@lowers(Resize)
def resize(g: Graph, op: Resize, data: Value) -> Value:
    h, w = (known_size(g, data, axis) for axis in (data.rank - 3, data.rank - 2))
    height, width = sizes(op.resized(h, w))
    return resize_images(g, data, height, width, op.interp)
