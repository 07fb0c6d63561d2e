"""Lowerings of resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.resize import (
    AdaptiveAvgPooling2D,
    AdaptivePoolGrad,
    BilinearResize2D,
    BilinearResizeGrad,
    UpSampling,
    UpSamplingGrad,
)

from ._graph import Graph, Value, require_few
from ._registry import lowers
from ._symbolic_dims import empty, fill_output
from ._windows import single, spatial
from .conv import deconvolve

_float32, _float64 = np.dtype("float32"), np.dtype("float64")


# ---- UpSampling


@lowers(UpSampling)
def upsampling(g: Graph, op: UpSampling, *images: Value) -> Value:
    if op.sample_type == "bilinear":
        return deconvolve(g, op.deconvolution(), *images)
    if len(images) > 1:  # their scales are ratios of sizes
        for x in images:
            spatial(g, x)
    scales = op.scales(*(x.shape if x.shape is not None else g.sizes(x) for x in images))
    larger = [_repeated(g, x, s) for x, s in zip(images, scales, strict=True)]
    if op.multi_input_mode == "concat":
        return g.Concat(*larger, axis=1)
    return larger[0] if len(larger) == 1 else g.Sum(*larger)


def _repeated(g: Graph, x: Value, scale: int) -> Value:
    """Each pixel as a square of scale by scale."""
    if scale == 1:
        return g.Identity(x)
    if x.dtype != _float64:
        factors = np.array([1, 1, scale, scale], _float32)
        kind = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", "mode": "nearest"}
        return g.Resize(x, None, factors, **kind)
    height, width = spatial(g, x)  # ONNX Runtime's Resize has no float64
    spread = g.Tile(g.Unsqueeze(x, [3, 5]), [1, 1, 1, scale, 1, scale])
    return g.Reshape(spread, [0, 0, height * scale, width * scale])


@lowers(UpSamplingGrad)
def upsampling_grad(g: Graph, op: UpSamplingGrad, dy: Value, *images: Value) -> Any:
    shapes = [(None, *(x.shape or g.sizes(x))[1:2], *spatial(g, x)) for x in images]
    parts = (dy,) * len(images)
    if op.multi_input_mode == "concat" and len(images) > 1:
        counts = [s[1] for s in shapes]
        if None in counts:
            g.sizes(g.output())
        parts = g.Split(dy, [c or 0 for c in counts], axis=1)
    scales = op.scales(*shapes)
    gradients = tuple(_squares(g, part, s) for part, s in zip(parts, scales, strict=True))
    return gradients if len(gradients) > 1 else gradients[0]


def _squares(g: Graph, dy: Value, scale: int) -> Value:
    """The sum of each square of scale by scale pixels."""
    square = {"kernel_shape": (scale, scale), "strides": (scale, scale)}
    mean = single(g, lambda x: g.AveragePool(x, **square), dy)
    return g.Mul(mean, float(scale * scale))


# ---- resizing that is a matrix product along each axis


@lowers(BilinearResize2D)
def bilinear_resize(g: Graph, op: BilinearResize2D, data: Value, *like: Value) -> Value:
    shape = g.output().shape
    if shape is not None and None not in shape[2:]:
        size: Any = [d for d in shape[2:] if d is not None]
    elif like:
        size = g.Slice(g.shape_of(like[0]), [2], [4], [0])
    elif op.mode == "size":
        size = _scaled(g, op, data)
    else:
        size = list(g.sizes(g.output())[2:])
    target = g.Concat(g.Slice(g.shape_of(data), [0], [2], [0]), size, axis=0)
    if isinstance(size, list) and data.shape is not None and None not in data.shape[:2]:
        target = g.const([*(d or 0 for d in data.shape[:2]), *size])
    mode = "align_corners" if op.align_corners else "pytorch_half_pixel"

    def resize(x: Value) -> Value:
        return g.Resize(x, None, None, target, mode="linear", coordinate_transformation_mode=mode)

    return single(g, resize, data)


def _scaled(g: Graph, op: BilinearResize2D, data: Value) -> Value:
    """The height and width that scales of free sizes give, rounded down."""
    fixed = [op.height if op.scale_height is None else 0, op.width if op.scale_width is None else 0]
    scales = np.array([op.scale_height or 0, op.scale_width or 0], np.float64)
    size = g.Cast(g.Mul(g.Cast(g.Slice(g.shape_of(data), [2], [4], [0]), _float64), scales), np.int64)
    return g.Add(size, np.array(fixed, np.int64)) if any(fixed) else size


@lowers(BilinearResizeGrad)
def bilinear_resize_grad(g: Graph, op: BilinearResizeGrad, dy: Value, data: Value) -> Value:
    sizes = [(1, 1, *spatial(g, x)) for x in (data, dy)]
    rows, columns = op.matrices(*sizes)
    return _product(g, rows.T, dy, columns)


def _product(g: Graph, rows: Any, images: Value, columns: Any) -> Value:
    """rows @ image @ columns for every image."""
    dtype = images.dtype
    return g.MatMul(rows.astype(dtype), g.MatMul(images, columns.astype(dtype)))


@lowers(AdaptiveAvgPooling2D)
def adaptive_pooling(g: Graph, op: AdaptiveAvgPooling2D, data: Value) -> Value:
    if empty(g.output()):  # ONNX Runtime takes no images without channels
        return fill_output(g, 0, data.dtype)
    target = tuple(d or 1 for d in op.resized(()))
    if target == (1, 1):
        return single(g, g.GlobalAveragePool, data)
    size = spatial(g, data)
    if all(n % d == 0 for n, d in zip(size, target, strict=True)):
        step = tuple(n // d for n, d in zip(size, target, strict=True))
        return single(g, lambda x: g.AveragePool(x, kernel_shape=step, strides=step), data)
    for old, new in zip(size, target, strict=True):
        require_few(old, new)
    rows, columns = op.matrices((1, 1, *size))
    return _product(g, rows, data, columns.T)


@lowers(AdaptivePoolGrad)
def adaptive_pool_grad(g: Graph, op: AdaptivePoolGrad, dy: Value, data: Value) -> Value:
    rows, columns = op.matrices((1, 1, *spatial(g, data)))
    return _product(g, rows.T, dy, columns)
