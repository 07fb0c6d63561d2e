"""Gradients of resampling: Resize, grids and regions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...errors import MXNetError
from .._onnx_text import NodeText
from ._nodes import Nodes, composed, is_value, rank_of
from ._table import constant, gradient_of

constant("it gives integers", "NonMaxSuppression")

_LETTERS = "abcdfghijklmnopq"


class _Axis(NamedTuple):
    """How one axis is resized."""

    number: int
    scale: Any
    """A vector of one number; `None` if the sizes tell."""
    roi: Any
    """Where the crop begins and ends; `None` without one."""
    size: Any = None
    """A vector of the size that is asked for, where one scale is made of those of all axes."""


@gradient_of("Resize", "Upsample")
def resize(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, *operands: Any
) -> Sequence[Any]:
    """Each axis by the matrix that the operator is along it: what it makes of an identity matrix."""
    grad, letters = dy[0], _LETTERS[: _rank(node, x, operands)]
    axes = _axes(node, len(letters), operands)
    for axis in axes:
        if isinstance(axis.scale, np.ndarray) and axis.scale[0] == 1 and axis.roi is None:
            continue
        others = [other for other in axes if other is not axis and other.size is not None]
        matrix = _matrix_of_aspect(g, node, x, axis, others) if others else _matrix(g, node, x, y[0], axis)
        letter = letters[axis.number]
        equation = f"{letters},{letter}e->{letters.replace(letter, 'e')}"
        grad = g.Einsum(grad, matrix, equation=equation)
    return (g.F.reshape_like(grad, x),)


def _rank(node: NodeText, x: Any, operands: Sequence[Any]) -> int:
    """How many axes the data has."""
    rank = rank_of(x) or (node.ranks[0] if node.ranks else None)
    if rank is None and "axes" not in node.attributes:
        rank = next((len(v) for v in operands[-2:] if isinstance(v, np.ndarray) and v.size), None)
    if rank is None and node.attributes.get("scales"):
        rank = len(node.attributes["scales"])
    if rank is None:
        raise MXNetError(
            f"_onnx_{node.op_type}: the number of axes is required for a gradient, and is not known here. "
            "Give constant scales or sizes."
        )
    return rank


def _axes(node: NodeText, rank: int, operands: Sequence[Any]) -> list[_Axis]:
    """The axes that are resized."""
    attributes = node.attributes
    if node.op_type == "Upsample" or node.opset < 11:
        scales = operands[0] if operands else np.array(attributes.get("scales", ()), np.float32)
        if "height_scale" in attributes:
            scales = np.array([1, 1, attributes["height_scale"], attributes["width_scale"]], np.float32)
        roi = sizes = None
    else:
        roi, scales, sizes = (*operands, None, None, None)[:3]
    if scales is None or (isinstance(scales, np.ndarray) and not scales.size):
        scales = None
    if attributes.get("coordinate_transformation_mode") != "tf_crop_and_resize":
        roi = None
    if scales is not None or attributes.get("keep_aspect_ratio_policy", "stretch") == "stretch":
        sizes = None
    axes = [a % rank for a in attributes.get("axes") or range(rank)]

    def part(values: Any, i: int) -> Any:
        return values[i : i + 1] if isinstance(values, np.ndarray) else (values, i)

    count = len(axes)
    return [
        _Axis(
            axis,
            None if scales is None else part(scales, i),
            None if roi is None else (part(roi, i), part(roi, count + i)),
            None if sizes is None else part(sizes, i),
        )
        for i, axis in enumerate(axes)
    ]


def _vector(g: Nodes, value: Any) -> Any:
    """One number of a vector, as a vector."""
    return g.Slice(value[0], [value[1]], [value[1] + 1]) if isinstance(value, tuple) else value


def _identity(g: Nodes, x: Any, size: Any) -> Any:
    """The matrix that changes nothing, of a size that is a number, in the dtype of `x`."""
    numbers = g.Range(np.array(0), size, np.array(1))
    return g.CastLike(g.OneHot(numbers, size, np.array([0, 1], np.float32)), x)


def _matrix(g: Nodes, node: NodeText, x: Any, y: Any, axis: _Axis) -> Any:
    """What the operator makes of an identity matrix along its first axis."""
    size = g.Gather(g.Shape(x), np.array(axis.number))
    identity = _identity(g, x, size)
    one = np.ones(1, np.float32)
    if node.op_type == "Upsample" or node.opset < 11:
        mode = "nearest" if node.attributes.get("mode", "nearest") == "nearest" else "linear"
        return g.Resize(
            identity,
            None,
            g.Concat(_vector(g, axis.scale), one, axis=0),
            mode=mode,
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
    attributes = {k: v for k, v in node.attributes.items() if k not in ("axes", "keep_aspect_ratio_policy")}
    attributes["extrapolation_value"] = 0.0
    scales = sizes = None
    if axis.scale is None:
        sizes = g.joined(g.sizes(y, axis.number, axis.number + 1), g.Reshape(size, [1]))
    else:
        scales = g.Concat(_vector(g, axis.scale), one, axis=0)
    return g.node(
        "Resize", identity, _crop(g, axis, 1), scales, sizes, opset=max(node.opset, 13), **attributes
    )


def _matrix_of_aspect(g: Nodes, node: NodeText, x: Any, axis: _Axis, others: Sequence[_Axis]) -> Any:
    """As `_matrix`, where the sizes of all axes make one scale, which the rounded size does not tell.

    The identity is repeated along the other axes, where resizing then changes nothing but the size.
    """
    size = g.sizes(x, axis.number, axis.number + 1)
    identity = _identity(g, x, g.Gather(size, np.array(0)))
    repeated = g.shaped(identity, 1, size, size, *[1] * len(others))
    lengths = [g.sizes(x, other.number, other.number + 1) for other in others]
    repeated = g.Expand(repeated, g.joined(1, size, size, *lengths))
    attributes = {**node.attributes, "axes": list(range(2, 3 + len(others))), "extrapolation_value": 0.0}
    sizes = g.joined(*(_vector(g, each.size) for each in (axis, *others)))
    resized = g.node(
        "Resize", repeated, _crop(g, axis, len(others)), None, sizes, opset=node.opset, **attributes
    )
    places = list(range(3, 3 + len(others)))
    first = g.Slice(resized, [0] * len(places), [1] * len(places), places)
    return g.Transpose(g.shaped(first, size, -1), perm=(1, 0))


def _crop(g: Nodes, axis: _Axis, others: int) -> Any:
    """The region of a matrix that is cropped along its first axis, and whole along `others` more."""
    if axis.roi is None:
        return None
    begin, end = (_vector(g, v) for v in axis.roi)
    low, high = np.zeros(others, np.float32), np.ones(others, np.float32)
    parts = [v if not is_value(v) else g.Cast(v, to=1) for v in (begin, low, end, high)]
    return g.Concat(*(v.astype(np.float32) if isinstance(v, np.ndarray) else v for v in parts), axis=0)


# ---- grids


@composed("AffineGrid", operands=(1,))
def affine_grid(g: Nodes, node: NodeText, y: Sequence[Any], theta: Any, size: Any) -> Any:
    """Products with the grid that the identity gives, and ones."""
    unit = g.EyeLike(g.zeros(g.sizes(theta, 1), theta))
    grid = g.again(node, g.Expand(g.Unsqueeze(unit, [0]), g.Shape(theta)), size)
    points = g.Reshape(grid, g.joined(g.sizes(grid, 0, 1), -1, g.sizes(grid, -1)))
    ones = g.zeros(g.joined(g.sizes(points, 0, 2), 1), points)
    homogeneous = g.Concat(points, g.Add(ones, 1), axis=2)
    result = g.MatMul(homogeneous, g.CastLike(g.Transpose(theta, perm=(0, 2, 1)), homogeneous))
    return g.CastLike(g.as_shape_of(result, y[0]), y[0])


class Tap(NamedTuple):
    """One of the elements that a point is interpolated from, along an axis."""

    index: Any
    weight: Any


@composed("GridSample")
def grid_sample(g: Nodes, node: NodeText, y: Sequence[Any], x: Any, grid: Any) -> Any:
    """The sum of the elements around each point by their weights."""
    rank = rank_of(x) or (node.ranks[0] if node.ranks else None)
    if rank is None:
        raise MXNetError(
            "_onnx_GridSample: the number of axes is required for a gradient, and is not known here."
        )
    count = rank - 2
    points = g.Reshape(grid, g.joined(g.sizes(grid, 0, 1), -1, g.sizes(grid, -1)))
    taps, sizes = [], []
    for axis in range(count):
        at = count - 1 - axis
        place = g.Squeeze(g.Slice(points, [at], [at + 1], [2]), [2])
        sizes.append(g.Gather(g.Shape(x), np.array(axis + 2)))
        taps.append(_taps(g, node, place, sizes[-1]))
    return g.as_shape_of(interpolated(g, x, taps, sizes), y[0])


def interpolated(g: Nodes, x: Any, taps: Sequence[Sequence[Tap]], sizes: Sequence[Any]) -> Any:
    """Elements (N, C, P) of `x` (N, C, *sizes) at points whose taps along each axis are (N, P)."""
    flat = g.rows(x)
    total = None
    for corner in product(*taps):
        place = corner[0].index
        for tap, size in zip(corner[1:], sizes[1:], strict=True):
            place = g.Add(g.Mul(place, size), tap.index)
        weight = reduce(g.Mul, [tap.weight for tap in corner])
        wide = g.Expand(g.Unsqueeze(place, [1]), g.joined(1, g.sizes(x, 1, 2), 1))
        share = g.Mul(g.GatherElements(flat, wide, axis=2), g.Unsqueeze(weight, [1]))
        total = share if total is None else g.Add(total, share)
    return total


def _taps(g: Nodes, node: NodeText, place: Any, size: Any) -> list[Tap]:
    """What points along one axis, from -1 to 1, are interpolated from."""
    attributes = node.attributes
    align = attributes.get("align_corners", 0)
    padding, mode = attributes.get("padding_mode", "zeros"), attributes.get("mode", "linear")
    length = g.CastLike(size, place)
    if align:
        at = g.Mul(g.Add(place, 1), g.Div(g.Sub(length, 1), 2))
    else:
        at = g.Div(g.Sub(g.Mul(g.Add(place, 1), length), 1), 2)
    if mode in ("cubic", "bicubic"):
        return cubic_taps(g, at, size, padding, bool(align))
    if padding == "border":
        at = g.Max(g.Min(at, g.Sub(length, 1)), 0)
    elif padding == "reflection":
        at = g.Max(g.Min(_reflected(g, at, length, bool(align)), g.Sub(length, 1)), 0)
    if mode == "nearest":
        return [_bounded(g, g.Round(at), g.Add(g.Mul(g.Floor(at), 0), 1), size)]
    return linear_taps(g, at, size)


def linear_taps(g: Nodes, at: Any, size: Any) -> list[Tap]:
    """The elements before and behind; those outside count nothing."""
    low = g.Floor(at)
    behind = g.Sub(at, low)
    return [_bounded(g, low, g.Sub(1.0, behind), size), _bounded(g, g.Add(low, 1), behind, size)]


def cubic_taps(g: Nodes, at: Any, size: Any, padding: str, align: bool) -> list[Tap]:
    """Four elements by a cubic polynomial."""
    low = g.Floor(at)
    behind = g.Sub(at, low)
    length = g.CastLike(size, at)
    taps = []
    for step in (-1, 0, 1, 2):
        place = g.Add(low, float(step))
        distance = g.Abs(g.Sub(behind, float(step)))
        if padding == "border":
            place = g.Max(g.Min(place, g.Sub(length, 1)), 0)
        elif padding == "reflection":
            place = g.Max(g.Min(_reflected(g, place, length, align), g.Sub(length, 1)), 0)
        taps.append(_bounded(g, place, _cubic(g, distance, inner=step in (0, 1)), size))
    return taps


def _cubic(g: Nodes, x: Any, inner: bool) -> Any:
    """The weight at a distance, below 1 or up to 2, with the coefficient -0.75."""
    a = -0.75
    factors = (a + 2, -(a + 3), 0.0, 1.0) if inner else (a, -5 * a, 8 * a, -4 * a)
    value = g.Mul(x, factors[0])
    for factor in factors[1:3]:
        value = g.Mul(g.Add(value, factor), x)
    return g.Add(value, factors[3])


def _reflected(g: Nodes, at: Any, length: Any, align: bool) -> Any:
    """A place folded back at the ends as often as is needed."""
    low, reach = (0.0, g.Sub(length, 1)) if align else (-0.5, length)
    apart = g.Abs(g.Sub(at, low))
    period = g.Mul(reach, 2)
    rest = g.Sub(apart, g.Mul(period, g.Floor(g.Div(apart, period))))
    return g.Add(g.Sub(reach, g.Abs(g.Sub(rest, reach))), low)


def _bounded(g: Nodes, place: Any, weight: Any, size: Any) -> Tap:
    """A tap whose weight is 0 outside."""
    inside = g.And(g.GreaterOrEqual(place, 0), g.Less(place, g.CastLike(size, place)))
    index = g.Cast(g.Where(inside, place, g.number(0, place)), to=7)
    return Tap(index, g.Where(inside, weight, g.number(0, weight)))
