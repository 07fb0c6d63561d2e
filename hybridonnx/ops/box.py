"""Bounding boxes: overlap, suppression of what overlaps, matching, and boxes as offsets from anchors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, MXNetError, ShapeError
from ._boxes import (
    BoxFormat,
    Columns,
    SinglePrecision,
    best_pairs,
    columns,
    descending,
    iou,
    one_of,
    other_format,
    size_at,
    suppressed_apart,
)
from ._boxes import single as single
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, below, differ, show, unify

_int32 = np.dtype(np.int32)


@operator("_contrib_box_nms", "_contrib_box_non_maximum_suppression")
class BoxNMS(Operator):
    """Non-maximum suppression: of boxes that overlap the one with the highest score stays.

    The boxes that stay come first, those with high scores before those with low ones, equal scores in their
    order; all numbers of the other rows are -1. A gradient goes to the row that a box came from, without the
    derivative of a conversion between formats.

    Inputs:
        data: Boxes of shape (..., N, W): each has W numbers, among them a score and four coordinates.

    Attributes:
        overlap_thresh: A box is suppressed if its intersection over union with a better one exceeds this.
        valid_thresh: Boxes with scores above this alone are looked at.
        topk: How many boxes are looked at, best first; all if negative; 0: data is returned as it is.
        coord_start: The index of the first coordinate.
        score_index: The index of the score.
        id_index: The index of the class, of which the integer part counts; -1: there are no classes.
        background_id: The class whose boxes are left out: -1 is that of rows that hold none.
        force_suppress: Whether boxes suppress those of other classes as well.
        in_format: What the coordinates are: "corner" (xmin, ymin, xmax, ymax), or "center" (x, y, width,
            height).
        out_format: The same of the output.

    Returns:
        output0: The shape of data.
        output1: int32 (..., N, 1): which row each box came from, -1 for those that are filled.

    ONNX: NonMaxSuppression between two TopK, with Unique for classes and ScatterND; Loop for "center", for
        other dtypes than float32, and for thresholds outside of [0, 1].
    """

    takes_bool = False
    takes_ints = False
    outputs = ("output0", "output1")
    hidden = 1
    overlap_thresh: float = 0.5
    valid_thresh: float = 0.0
    topk: int = -1
    coord_start: int = 2
    score_index: int = 1
    id_index: int = -1
    background_id: int = -1
    force_suppress: bool = False
    in_format: BoxFormat = "corner"
    out_format: BoxFormat = "corner"

    def check(self) -> None:
        indices = {"score_index": self.score_index, "coord_start": self.coord_start}
        for name, index in indices.items():
            if index < 0:
                raise AttributeValueError(f"_contrib_box_nms: {name} of at least 0 is required, got {index}.")
        coordinates = range(self.coord_start, self.coord_start + 4)
        if self.score_index in coordinates or self.id_index in (self.score_index, *coordinates):
            raise AttributeValueError(
                "_contrib_box_nms: different columns are required for score, class and coordinates, got "
                f"score_index {self.score_index}, id_index {self.id_index}, coord_start {self.coord_start}."
            )

    def width(self) -> int:
        """How many numbers a box has at least."""
        last = max(self.score_index, self.id_index, self.coord_start + 3)
        return max(last + 1, 6 if self.id_index > 0 else 5)

    def classes(self) -> bool:
        """Whether boxes suppress those of their own class alone."""
        return self.id_index >= 0 and not self.force_suppress

    def infer_shape(self, data: Shape) -> list[Shape]:
        if len(data) < 2 or below(data[-1], self.width()):
            raise ShapeError(
                f"_contrib_box_nms: data of shape (..., boxes, {self.width()} or more) is required, "
                f"got {show(data)}."
            )
        return [data, (*data[:-1], 1)]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return [outputs[0]]

    def infer_dtype(self, data: DType | None) -> list[DType | None]:
        return [data, _int32]

    def forward(self, data: Array) -> tuple[Array, Array]:
        record = np.full((*data.shape[:-1], 1), -1, _int32)
        if self.topk == 0:
            record[...] = np.arange(data.shape[-2])[:, None]
            return data.copy(), record
        result = np.full_like(data, -1)
        for index in np.ndindex(data.shape[:-2]):
            rows = self._rows(data[index])
            result[index][: len(rows)] = data[index][rows]
            record[index][: len(rows), 0] = rows
        if self.in_format != self.out_format:
            part = (..., slice(self.coord_start, self.coord_start + 4))
            result[part] = np.where(record >= 0, other_format(result[part], self.in_format), result[part])
        return result, record

    def _rows(self, data: Array) -> Array:
        """Which rows of (N, W) stay, best first."""
        scores = data[:, self.score_index]
        valid = scores > data.dtype.type(self.valid_thresh)
        if self.id_index >= 0:
            valid &= data[:, self.id_index] != self.background_id
        rows = np.flatnonzero(valid)
        rows = rows[descending(scores[rows])]
        rows = rows[: self.topk] if self.topk > 0 else rows
        boxes = columns(data[rows, self.coord_start : self.coord_start + 4], self.in_format)
        threshold = single(self.overlap_thresh)
        classes = data[rows, self.id_index].astype(np.int64) if self.classes() else None
        stays = suppressed_apart(boxes, classes, lambda share: share.astype(np.float64) > threshold)
        return rows[stays]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        record, head = y[1], dy[0]
        present = F.broadcast_like(record >= 0, head)
        rows = F.broadcast_like(record * (record >= 0), head)
        head = F.where(present, head, F.zeros_like(head))
        return (F._put_along_axis(head, rows, data, axis=-2),)


def _four(owner: str, **shapes: Shape) -> None:
    """Refuse boxes that are not four numbers each, in two axes or more."""
    for name, shape in shapes.items():
        if len(shape) < 2 or differ(shape[-1], 4):
            raise ShapeError(f"{owner}: {name} of shape (..., boxes, 4) is required, got {show(shape)}.")


@operator("_contrib_box_iou")
class BoxIoU(Operator):
    """Intersection over union of each box of `lhs` with each of `rhs`.

    Inputs:
        lhs: Boxes of shape (*a, 4).
        rhs: Boxes of shape (*b, 4).

    Attributes:
        format: What the four numbers are: "corner" (xmin, ymin, xmax, ymax), or "center" (x, y, width,
            height).

    Returns:
        (*a, *b); 0 where boxes do not meet, NaN for a box with NaN.

    ONNX: Min, Max, Mul, Sub, Div and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    not_differentiable = "MXNet defines its gradient as zero"
    takes_ints = False
    takes_bool = False
    format: BoxFormat = "corner"

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        _four("_contrib_box_iou", lhs=lhs, rhs=rhs)
        return (*lhs[:-1], *rhs[:-1])

    def forward(self, lhs: Array, rhs: Array) -> Array:
        axes = (..., *[None] * (rhs.ndim - 1))
        a, b = columns(lhs, self.format), columns(rhs, self.format)
        overlap = iou(Columns(*(column[axes] for column in a)), b)
        unknown = np.asarray(np.isnan(lhs).any(-1))[axes] | np.isnan(rhs).any(-1)
        return np.where(unknown, lhs.dtype.type(np.nan), overlap)


@operator("_contrib_bipartite_matching")
class BipartiteMatching(Operator):
    """Pairs of a row and a column of a matrix of scores, best pairs first, no row or column twice.

    Of equal scores the one that comes first in the matrix is taken first.

    Inputs:
        data: Scores of shape (..., rows, columns).

    Attributes:
        is_ascend: Whether small scores are the best.
        threshold: Pairs with a score above this alone are made, or below this with is_ascend.
        topk: How many pairs are made at most; any number if it is not positive.

    Returns:
        output0: (..., rows): the column of each row, -1 if it has none.
        output1: (..., columns): the row of each column, -1 if it has none.

    ONNX: Loop with ArgMax, one pair a step.
    """

    outputs = ("output0", "output1")
    not_differentiable = "it is piecewise constant"
    takes_ints = False
    takes_bool = False
    is_ascend: bool = False
    threshold: float
    topk: int = -1

    def infer_shape(self, data: Shape) -> list[Shape]:
        if len(data) < 2:
            raise ShapeError(
                f"_contrib_bipartite_matching: data of two axes or more is required, got {show(data)}."
            )
        return [data[:-1], (*data[:-2], data[-1])]

    def forward(self, data: Array) -> tuple[Array, Array]:
        *lead, height, width = data.shape
        scores = np.reshape(-data if self.is_ascend else data, (prod(lead), height, width)).astype(np.float64)
        limit = single(-self.threshold if self.is_ascend else self.threshold)
        most = min(height, width, self.topk if self.topk > 0 else height)
        rows, cols = best_pairs(scores, limit, most)
        return rows.reshape(*lead, height).astype(data.dtype), cols.reshape(*lead, width).astype(data.dtype)


@operator("_contrib_box_encode")
class BoxEncode(Operator):
    """What a detector is trained to predict of boxes: offsets of the centers, and logarithms of the sizes.

    Inputs:
        samples: (B, N): above 0.5 for positive samples; others get zeros.
        matches: (B, N): which of refs each anchor is matched with.
        anchors: (B, N, 4) as corners.
        refs: The boxes to detect, (B, M, 4) as corners.
        means: (4,): subtracted.
        stds: (4,): what is divided by.

    Returns:
        output0: (B, N, 4): the targets.
        output1: (B, N, 4): 1 where samples are positive, else 0.

    ONNX: GatherND, Sub, Div, Log and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("samples", "matches", "anchors", "refs", "means", "stds")
    outputs = ("output0", "output1")
    not_differentiable = "MXNet defines its gradient as zero"
    takes_ints = False
    takes_bool = False

    def infer_inputs(
        self,
        samples: Shape | None,
        matches: Shape | None,
        anchors: Shape | None,
        refs: Shape | None,
        means: Shape | None,
        stds: Shape | None,
    ) -> Sequence[Shape | None]:
        shapes = (samples, matches, anchors, refs)
        if any(s is not None and len(s) != n for s, n in zip(shapes, (2, 2, 3, 3), strict=True)):
            return *shapes, (4,), (4,)
        batch = one_of(*(size_at(shape, 0) for shape in shapes))
        count = one_of(*(size_at(shape, 1) for shape in shapes[:3]))
        return (batch, count), (batch, count), (batch, count, 4), (batch, size_at(refs, 1), 4), (4,), (4,)

    def infer_shape(self, *shapes: Shape) -> list[Shape]:
        samples, matches, anchors, refs = shapes[:4]
        _four("_contrib_box_encode", anchors=anchors, refs=refs)
        if [len(s) for s in shapes[:4]] != [2, 2, 3, 3]:
            raise ShapeError(
                "_contrib_box_encode: samples and matches (B, N), anchors (B, N, 4) and refs (B, M, 4) are "
                f"required, got {show(samples)}, {show(matches)}, {show(anchors)} and {show(refs)}."
            )
        return [anchors, anchors]

    def forward(self, *arrays: Array) -> tuple[Array, Array]:
        samples, matches, anchors, refs, means, stds = arrays
        positive = np.repeat((samples > 0.5)[..., None], 4, -1)
        index = np.where(samples > 0.5, matches, 0).astype(np.int64)
        if not refs.size:
            return np.zeros_like(anchors), positive.astype(anchors.dtype)
        strange = (index < 0) | (index >= refs.shape[1])
        if strange.any():
            raise MXNetError(
                f"_contrib_box_encode: matches of positive samples in [0, {refs.shape[1]}) are required, got "
                f"{matches[strange][0]:g}."
            )
        chosen = np.take_along_axis(refs, index[..., None], 1)
        half = anchors.dtype.type(0.5)
        size, ref_size = (box[..., 2:] - box[..., :2] for box in (anchors, chosen))
        offset = (chosen[..., :2] + ref_size * half) - (anchors[..., :2] + size * half)
        with np.errstate(divide="ignore", invalid="ignore"):
            codes = np.concatenate([offset / size, np.log(ref_size / size)], -1)
            targets = np.where(positive, (codes - means) / stds, anchors.dtype.type(0))
        return targets, positive.astype(anchors.dtype)


@operator("_contrib_box_decode")
class BoxDecode(Operator):
    """The boxes, as corners, that predicted offsets from anchors stand for.

    Inputs:
        data: (B, N, 4): offsets of the centers, and logarithms of the sizes.
        anchors: (1, N, 4).

    Attributes:
        std0: What the first offset is multiplied by.
        std1: The same of the second one.
        std2: What the first logarithm is multiplied by.
        std3: The same of the second one.
        clip: The largest logarithm, after that; no limit unless it is positive.
        format: What anchors are: "corner" (xmin, ymin, xmax, ymax), or "center" (x, y, width, height).

    Returns:
        As data.

    ONNX: Split, Mul, Add, Exp and Concat.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "anchors")
    not_differentiable = "MXNet defines its gradient as zero"
    takes_ints = False
    takes_bool = False
    std0: float = 1.0
    std1: float = 1.0
    std2: float = 1.0
    std3: float = 1.0
    clip: float = -1.0
    format: BoxFormat = "center"

    def infer_inputs(self, data: Shape | None, anchors: Shape | None) -> Sequence[Shape | None]:
        if data is None or len(data) != 3:
            return data, anchors
        return unify("_contrib_box_decode", data, (None, None, 4)), (1, data[1], 4)

    def infer_shape(self, data: Shape, anchors: Shape) -> Shape:
        if len(data) != 3 or differ(data[-1], 4):
            raise ShapeError(f"_contrib_box_decode: data (B, N, 4) is required, got {show(data)}.")
        return data

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return [outputs[0], inputs[1]]

    def forward(self, data: Array, anchors: Array) -> Array:
        half = data.dtype.type(0.5)
        center, size = anchors[..., :2], anchors[..., 2:]
        if self.format == "corner":
            size = size - center
            center = center + size * half
        stds = np.array([self.std0, self.std1, self.std2, self.std3], np.float32).astype(data.dtype)
        middle = data[..., :2] * stds[:2] * size + center
        power = data[..., 2:] * stds[2:]
        if self.clip > 0:
            power = np.fmin(power, data.dtype.type(single(self.clip)))  # NaN is clipped as well
        reach = np.exp(power) * size * half
        return np.concatenate([middle - reach, middle + reach], -1)


@operator("_non_max_suppression")
class NonMaxSuppression(SinglePrecision):
    """Which boxes stay if those that overlap one with a higher score are left out, class by class.

    Inputs:
        boxes: (B, N, 4).
        scores: (B, C, N): of each class.

    Attributes:
        format: What boxes are: "corner" for two corners that are opposite, or "center" (x, y, width, height).
        most: How many boxes stay of each class at most.
        iou_threshold: A box is left out if its intersection over union with a better one exceeds this.
        score_threshold: Boxes with scores above this alone are looked at; None: all.

    Returns:
        (M, 3), int64: for each box that stays batch element, class and box, in this order but for the boxes,
            of which the best come first.

    ONNX: NonMaxSuppression.
    """

    inputs: ClassVar[tuple[str, ...]] = ("boxes", "scores")
    not_differentiable = "it is piecewise constant"
    format: BoxFormat = "corner"
    most: int = 0
    iou_threshold: float = 0.0
    score_threshold: float | None = None

    def infer_inputs(self, boxes: Shape | None, scores: Shape | None) -> Sequence[Shape | None]:
        if any(shape is not None and len(shape) != 3 for shape in (boxes, scores)):
            return boxes, scores
        batch = one_of(size_at(boxes, 0), size_at(scores, 0))
        count = one_of(size_at(boxes, 1), size_at(scores, 2))
        return (batch, count, 4), (batch, size_at(scores, 1), count)

    def infer_shape(self, boxes: Shape, scores: Shape) -> Shape:
        if (len(boxes), len(scores)) != (3, 3):
            raise ShapeError(
                "_non_max_suppression: boxes (B, N, 4) and scores (B, C, N) are required, "
                f"got {show(boxes)} and {show(scores)}."
            )
        return None, 3

    def infer_dtype(self, boxes: DType | None, scores: DType | None) -> DType:
        return np.dtype(np.int64)

    def forward(self, boxes: Array, scores: Array) -> Array:
        if self.format == "corner":
            first, second = boxes[..., :2], boxes[..., 2:]
            boxes = np.concatenate([np.minimum(first, second), np.maximum(first, second)], -1)
        triples = [np.zeros((0, 3), np.int64)]
        for batch, label in np.ndindex(scores.shape[:2]):
            rows = self._stay(boxes[batch], scores[batch, label])
            triples.append(np.stack([np.full_like(rows, batch), np.full_like(rows, label), rows], 1))
        return np.concatenate(triples)

    def _stay(self, boxes: Array, scores: Array) -> Array:
        rows = descending(scores)
        if self.score_threshold is not None:
            rows = rows[scores[rows] > single(self.score_threshold)]
        threshold = single(self.iou_threshold)
        stays = suppressed_apart(columns(boxes[rows], self.format), None, lambda share: share > threshold)
        return rows[stays][: self.most]
