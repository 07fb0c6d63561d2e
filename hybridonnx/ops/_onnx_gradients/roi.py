"""Gradients of regions of images; the regions themselves receive none, as in MXNet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import MXNetError
from .._onnx_text import NodeText
from ._nodes import Nodes, composed
from ._table import gradient_of
from .resample import Tap, interpolated, linear_taps


@gradient_of("RoiAlign")
def roi_align(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, rois: Any, images: Any
) -> Sequence[Any]:
    """By MXNet's adjoint of the mean."""
    attributes = node.attributes
    if attributes.get("mode", "avg") != "avg":
        raise MXNetError(
            f"_onnx_RoiAlign: mode avg is required for a gradient, got {attributes['mode']}. "
            "Freeze the parameters before it."
        )
    scale = attributes.get("spatial_scale", 1.0)
    pixels = attributes.get("coordinate_transformation_mode", "half_pixel") if node.opset >= 16 else ""
    numbers = g.Unsqueeze(g.CastLike(images, x), [1])
    regions = g.Concat(numbers, _scaled(g, g.CastLike(rois, x), scale), axis=1)
    grad = g.F._roi_align_grad(
        dy[0],
        regions,
        x,
        pooled_size=(attributes.get("output_height", 1), attributes.get("output_width", 1)),
        spatial_scale=min(scale, 1.0),
        sample_ratio=attributes.get("sampling_ratio", 0) or -1,
        aligned=pixels == "half_pixel",
    )
    return grad, None, None


@gradient_of("MaxRoiPool")
def max_roi_pool(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, rois: Any
) -> Sequence[Any]:
    """By MXNet's adjoint."""
    scale = node.attributes.get("spatial_scale", 1.0)
    end = np.iinfo(np.int64).max
    scaled = _scaled(g, g.Slice(rois, [1], [end], [1]), scale)
    regions = g.Concat(g.Slice(rois, [0], [1], [1]), scaled, axis=1)
    shape = tuple(node.attributes["pooled_shape"])
    return g.F._roi_pool_grad(dy[0], regions, x, pooled_size=shape, spatial_scale=min(scale, 1.0)), None


def _scaled(g: Nodes, rois: Any, scale: float) -> Any:
    """Regions by a scale above 1, which MXNet's operators do not have."""
    return g.Mul(rois, scale) if scale > 1 else rois


@composed("DeformConv")
def deform_conv(
    g: Nodes,
    node: NodeText,
    y: Sequence[Any],
    x: Any,
    weight: Any,
    offset: Any,
    bias: Any = None,
    mask: Any = None,
) -> Any:
    """Products of the kernel with elements that are interpolated between those of the image."""
    attributes = node.attributes
    groups, parts = attributes.get("group", 1), attributes.get("offset_group", 1)
    axes = range(2)
    strides, dilations = (attributes.get(name) or (1, 1) for name in ("strides", "dilations"))
    pads = attributes.get("pads") or (0,) * 4
    sizes = [g.Gather(g.Shape(x), np.array(2 + a)) for a in axes]
    moves = g.Reshape(offset, g.joined(g.sizes(x, 0, 1), parts, g.ReduceProd(g.sizes(weight, 2)), 2, -1))
    taps: list[list[Tap]] = []
    for a in axes:
        base = g.Sub(
            g.Add(
                g.Mul(_numbers(g, g.sizes(weight, 2), a, -1, 1), dilations[a]),
                g.Mul(_numbers(g, g.sizes(y[0], 2), a, 1, -1), strides[a]),
            ),
            pads[a],
        )
        move = g.Squeeze(g.Slice(moves, [a], [a + 1], [3]), [3])
        at = g.Add(move, g.CastLike(base, x))
        taps.append(linear_taps(g, g.Reshape(at, g.joined(-1, g.ReduceProd(g.sizes(at, 2)))), sizes[a]))
    images = g.Reshape(x, g.joined(g.Mul(g.sizes(x, 0, 1), parts), -1, g.sizes(x, 2)))
    columns = interpolated(g, images, taps, sizes)
    if mask is not None:
        columns = g.Mul(columns, g.Reshape(mask, g.joined(g.sizes(columns, 0, 1), 1, g.sizes(columns, 2))))
    points = g.ReduceProd(g.sizes(y[0], 2))
    rows = g.Reshape(columns, g.joined(g.sizes(x, 0, 1), groups, -1, points))
    kernels = g.Reshape(weight, g.joined(groups, -1, g.ReduceProd(g.sizes(weight, 1))))
    result = g.as_shape_of(g.MatMul(kernels, rows), y[0])
    return result if bias is None else g.Add(result, g.Unsqueeze(bias, [1, 2]))


def _numbers(g: Nodes, sizes: Any, axis: int, *shape: int) -> Any:
    """The places along one axis of all points of a plane, in a shape."""
    count = g.Gather(sizes, np.array(axis))
    numbers = g.Reshape(g.Range(np.array(0), count, np.array(1)), [-1, 1] if axis == 0 else [1, -1])
    return g.Reshape(g.Expand(numbers, sizes), list(shape))
