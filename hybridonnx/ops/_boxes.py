"""Boxes as four numbers along the last axis, how much they overlap, and who suppresses whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError
from ._operator import Array, Operator
from ._shapes import Dim, Shape

_float32 = np.dtype("float32")

BoxFormat: TypeAlias = Literal["center", "corner"]
"""What four numbers are: a box' center and its sizes, or its lower and its upper corner."""


class Columns(NamedTuple):
    """The sides of boxes, and their areas, each without the axis of four."""

    left: Array
    top: Array
    right: Array
    bottom: Array
    area: Array

    def at(self, rows: slice | Array) -> Columns:
        """Some of the boxes."""
        return Columns(*(column[rows] for column in self))

    def upright(self) -> Columns:
        """A row for each of the boxes, to be set against others."""
        return Columns(*(column[:, None] for column in self))


def columns(boxes: Array, box_format: str) -> Columns:
    """The sides and areas; a box whose size is negative has the area 0."""
    a, b, c, d = (boxes[..., i] for i in range(4))
    width, height = (c, d) if box_format == "center" else (c - a, d - b)
    area = np.where((width < 0) | (height < 0), boxes.dtype.type(0), width * height)
    if box_format == "corner":
        return Columns(a, b, c, d, area)
    return Columns(a - c / 2, b - d / 2, a + c / 2, b + d / 2, area)


def iou(a: Columns, b: Columns) -> Array:
    """Intersection over union of boxes whose columns broadcast; 0 where they do not meet."""
    zero = a.left.dtype.type(0)
    width = np.maximum(np.minimum(a.right, b.right) - np.maximum(a.left, b.left), zero)
    height = np.maximum(np.minimum(a.bottom, b.bottom) - np.maximum(a.top, b.top), zero)
    common = width * height
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(common > 0, common / (a.area + b.area - common), zero))


def other_format(boxes: Array, box_format: str) -> Array:
    """Boxes of one format in the other one."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if box_format == "corner":
        return np.concatenate([(first + second) / 2, second - first], -1)
    return np.concatenate([first - second / 2, first + second / 2], -1)


def survivors(count: int, hits: Callable[[Array, Array], Array], most: int | None = None) -> Array:
    """Which of `count` boxes stay if each that stays, first ones first, suppresses those that it hits.

    `hits(rows, others)` tells of each of some boxes which of the others it hits; no more than `most` stay.
    """
    stays, rest, block = np.zeros(count, bool), np.arange(count), 1
    while len(rest) and (most is None or stays.sum() < most):
        rows, left = rest[:block], np.ones(len(rest), bool)
        for i, hit in enumerate(hits(rows, rest)):
            if left[i]:
                stays[rows[i]] = True
                left &= ~hit
        rest = rest[block:][left[block:]]
        # a step costs time, and so do the hits of boxes that do not stay
        block = min(2 * block, 1 + _PAIRS // count) if 2 * stays[rows].sum() > len(rows) else 1 + block // 2
    return stays if most is None else stays & (np.cumsum(stays) <= most)


_PAIRS = 1 << 15
"""About so many pairs of boxes are compared at once: their numbers fit into a cache."""


def suppressed_apart(boxes: Columns, classes: Array | None, over: Callable[[Array], Array]) -> Array:
    """Which boxes stay, of which the best come first, each class for itself.

    One suppresses another if `over` holds for their intersection over union.
    """
    if classes is None:

        def hits(rows: Array, others: Array) -> Array:
            return over(iou(boxes.at(rows).upright(), boxes.at(others)))

        return survivors(len(boxes.left), hits)
    stays = np.zeros(len(classes), bool)
    for label in np.unique(classes):
        rows = np.flatnonzero(classes == label)
        stays[rows] = suppressed_apart(boxes.at(rows), None, over)
    return stays


def descending(scores: Array) -> Array:
    """The indices that sort the last axis, largest first, equal ones in their order."""
    return np.argsort(-scores, axis=-1, kind="stable")


def single(number: float) -> float:
    """The number that MXNet compares with: its attributes are of single precision."""
    return float(np.float32(number))


class SinglePrecision(Operator):
    """What operators on float32 alone share, which is all that MXNet has them for."""

    def infer_input_dtypes(self, *dtypes: DType | None, **_: Any) -> Sequence[DType | None]:
        for name, dtype in zip(self.input_names(), dtypes, strict=True):
            if dtype is not None and dtype != np.float32:
                raise DTypeError(
                    f"{self.names[0]}: {name} in float32 is required, got {dtype}. "
                    "Cast with astype('float32')."
                )
        return [_float32] * len(dtypes)


def one_of(*sizes: Dim) -> Dim:
    """The first size that is known: what other inputs are then held to."""
    return next((d for d in sizes if d is not None), None)


def size_at(shape: Shape | None, axis: int) -> Dim:
    """A size of a shape that may be unknown."""
    return None if shape is None else shape[axis]


def best_pairs(scores: Array, limit: float, most: int) -> tuple[Array, Array]:
    """The column of each row (B, R), and the row of each column (B, C), -1 for none.

    Pairs have scores (B, R, C) above `limit`, the highest is taken first, and there are at most `most`.
    """
    batch, height, width = scores.shape
    free = np.where(scores > limit, scores, -np.inf)  # what is NaN is above nothing
    rows, cols = np.full((batch, height), -1), np.full((batch, width), -1)
    for _ in range(most if scores.size else 0):
        best = free.reshape(batch, -1).argmax(1)
        r, c = np.divmod(best, width)
        (n,) = np.nonzero(free[np.arange(batch), r, c] > -np.inf)
        if not len(n):
            break
        rows[n, r[n]], cols[n, c[n]] = c[n], r[n]
        free[n, r[n]] = free[n, :, c[n]] = -np.inf
    return rows, cols
