"""Gradients of regions of images; the regions themselves receive none, as in MXNet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from .._onnx_text import NodeText
from ._nodes import Composition, Nodes, composed
from ._table import gradient_of
from .resample import Tap, interpolated, linear_taps


@gradient_of("RoiAlign")
def roi_align(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, rois: Any, images: Any
) -> Sequence[Any]:
    """By MXNet's adjoint of the mean; to the largest share of a pixel by nodes that read them all."""
    attributes = node.attributes
    aligned = _has_centres(node)
    if attributes.get("mode", "avg") == "max":
        composition = Composition(g.F, [x])
        return composition.gradients([_largest(composition, node, x, rois, images)], dy, [x])
    scale = attributes.get("spatial_scale", 1.0)
    numbers = g.Unsqueeze(g.CastLike(images, x), [1])
    regions = g.Concat(numbers, _scaled(g, g.CastLike(rois, x), scale), axis=1)
    grad = g.F._roi_align_grad(
        dy[0],
        regions,
        x,
        pooled_size=_bins(node),
        spatial_scale=min(scale, 1.0),
        sample_ratio=attributes.get("sampling_ratio", 0) or -1,
        aligned=aligned,
    )
    return grad, None, None


def _has_centres(node: NodeText) -> bool:
    """Whether coordinates are those of pixels' centres."""
    return node.opset >= 16 and node.attributes.get("coordinate_transformation_mode", "") != (
        "output_half_pixel"
    )


def _bins(node: NodeText) -> tuple[int, int]:
    return node.attributes.get("output_height", 1), node.attributes.get("output_width", 1)


class _Line(NamedTuple):
    """The samples of regions along one axis (R, bins, samples)."""

    taps: list[Tap]
    """The pixels that each lies between, whose weight is 0 outside of the image."""
    count: Any
    """How many samples a bin of each region has (R, 1), which may be none."""


def _largest(g: Nodes, node: NodeText, x: Any, rois: Any, images: Any) -> Any:
    """Of the pixels around all samples of a bin the largest product with its weight, as ONNX has it."""
    image = g.wide(x)
    boxes = g.Mul(g.CastLike(rois, image), node.attributes.get("spatial_scale", 1.0))
    boxes = g.Sub(boxes, 0.5 if _has_centres(node) else 0.0)
    down, across = (_line(g, node, x, boxes, axis) for axis in range(2))
    pixels = g.Transpose(g.rows(image), perm=(0, 2, 1))
    height, width = (g.Gather(g.Shape(x), np.array(axis)) for axis in (2, 3))
    flat = g.shaped(pixels, g.Mul(g.sizes(x, 0, 1), g.Mul(height, width)), g.sizes(x, 1, 2))
    first = g.Unsqueeze(g.Mul(g.Cast(images, to=7), g.Mul(height, width)), [1, 2, 3, 4])
    shares = []
    for row, column in product(down.taps, across.taps):
        above, left = g.Unsqueeze(row.index, [3, 4]), g.Unsqueeze(column.index, [1, 2])
        place = g.Add(g.Add(g.Mul(above, width), left), first)
        weight = g.Mul(g.Unsqueeze(row.weight, [3, 4]), g.Unsqueeze(column.weight, [1, 2]))
        shares.append(g.Mul(g.Gather(flat, place, axis=0), g.Unsqueeze(weight, [5])))
    largest = g.Transpose(g.ReduceMax(g.Max(*shares), [2, 4], keepdims=0), perm=(0, 3, 1, 2))
    there = g.And(g.Greater(down.count, 0), g.Greater(across.count, 0))
    return g.narrow(g.Mul(largest, g.CastLike(g.Unsqueeze(there, [2, 3]), image)), x)


def _line(g: Nodes, node: NodeText, x: Any, boxes: Any, axis: int) -> _Line:
    """Where regions (R, 4) are sampled along an axis; bins of fewer samples have their last one again."""
    start = g.Slice(boxes, [1 - axis], [2 - axis], [1])
    length = g.Sub(g.Slice(boxes, [3 - axis], [4 - axis], [1]), start)
    if not _has_centres(node):
        length = g.Max(length, 1.0)
    step = g.Div(length, float(_bins(node)[axis]))
    ratio = node.attributes.get("sampling_ratio", 0)
    count = g.Add(g.Mul(step, 0.0), float(ratio)) if ratio > 0 else g.Ceil(step)
    each = g.Max(count, 1.0)
    most = g.ReduceMax(g.joined(g.Reshape(g.Cast(each, to=7), [-1]), 1), [0], keepdims=0)
    numbers = g.CastLike(g.Range(np.array(0), most, np.array(1)), step)
    within = g.Div(g.Mul(g.Add(g.Min(numbers, g.Sub(each, 1.0)), 0.5), step), each)
    begins = g.Add(start, g.Mul(step, g.CastLike(np.arange(_bins(node)[axis]), step)))
    where = g.Add(g.Unsqueeze(begins, [2]), g.Unsqueeze(within, [1]))
    size = g.CastLike(g.Gather(g.Shape(x), np.array(2 + axis)), step)
    inside = g.And(g.GreaterOrEqual(where, -1.0), g.LessOrEqual(where, size))
    at = g.Max(g.Min(where, g.Sub(size, 1.0)), 0.0)
    low = g.Floor(at)
    behind = g.Sub(at, low)
    pairs = ((low, g.Sub(1.0, behind)), (g.Min(g.Add(low, 1.0), g.Sub(size, 1.0)), behind))
    taps = [Tap(g.Cast(place, to=7), g.Mul(weight, g.CastLike(inside, at))) for place, weight in pairs]
    return _Line(taps, count)


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
