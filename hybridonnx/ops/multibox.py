"""Single-shot detection: anchors, what a net is trained to predict for them, and what it detects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ..attrs import Floats
from ..errors import AttributeValueError, MXNetError, ShapeError
from ._boxes import SinglePrecision, best_pairs, columns, descending, iou, one_of, size_at, suppressed_apart
from ._boxes import single as single
from ._operator import Array
from ._registry import operator
from ._shapes import Shape, below, differ, over, show, size, times

LEAST_OVERLAP = 1e-6
"""The overlap that an anchor must exceed to be the best one of a box."""


def _require_four(owner: str, variances: Floats) -> None:
    if len(variances) != 4:
        raise AttributeValueError(f"{owner}: variances of 4 numbers are required, got {variances}.")


@operator("_contrib_MultiBoxPrior", "_npx_multibox_prior")
class MultiBoxPrior(SinglePrecision):
    """Anchor boxes around each pixel of `data`, as corners; the image is the unit square.

    Each pixel has one box for each of sizes with the first of ratios, then one of the first size for each
    other ratio.

    Inputs:
        data: (N, C, H, W), for its sizes alone.

    Attributes:
        sizes: The heights of boxes of ratio 1; widths are such that boxes are squares if pixels are.
        ratios: How many times wider than high boxes are.
        clip: Whether boxes are cut off at the image's borders.
        steps: The distances of the boxes' centers, along y and x; by the number of pixels unless positive.
        offsets: The first center, along y and x, in steps.

    Returns:
        (1, H * W * (len(sizes) + len(ratios) - 1), 4).

    ONNX: Identity of a constant if height and width are known.
    """

    not_differentiable = "it depends on the sizes of data alone"
    sizes: Floats = (1.0,)
    ratios: Floats = (1.0,)
    clip: bool = False
    steps: Floats = (-1.0, -1.0)
    offsets: Floats = (0.5, 0.5)

    def check(self) -> None:
        owner = "_contrib_MultiBoxPrior"
        if not self.sizes or not self.ratios:
            raise AttributeValueError(f"{owner}: one of sizes and of ratios at least is required, got none.")
        if len(self.steps) != 2 or self.steps[0] * self.steps[1] < 0:
            raise AttributeValueError(
                f"{owner}: steps of two numbers of one sign are required, got {self.steps}."
            )
        if len(self.offsets) != 2 or not all(0 <= offset <= 1 for offset in self.offsets):
            raise AttributeValueError(
                f"{owner}: offsets of two numbers in [0, 1] are required, got {self.offsets}."
            )

    def infer_shape(self, data: Shape) -> Shape:
        if len(data) < 4 or any(below(d, 1) for d in data[2:4]):
            raise ShapeError(
                f"_contrib_MultiBoxPrior: data (N, C, H, W) with pixels is required, got {show(data)}."
            )
        return 1, times(size(data[2:4]), len(self.sizes) + len(self.ratios) - 1), 4

    def automatic(self) -> bool:
        """Whether steps are those of the pixels."""
        return min(self.steps) <= 0

    def shapes(self) -> tuple[Array, Array]:
        """The sizes and the roots of ratios of all boxes of a pixel."""
        sizes = [*self.sizes, *[self.sizes[0]] * (len(self.ratios) - 1)]
        ratios = [*[self.ratios[0]] * len(self.sizes), *self.ratios[1:]]
        return np.array(sizes, np.float32), np.sqrt(np.array(ratios, np.float32))

    def forward(self, data: Array) -> Array:
        height, width = (np.asarray(n, np.float32) for n in data.shape[2:4])
        sizes, roots = self.shapes()
        half_width, half_height = sizes * height / width * roots / 2, sizes / roots / 2
        steps = (1 / height, 1 / width) if self.automatic() else self.steps
        y, x = (
            (np.arange(n, dtype=np.float32) + np.float32(offset)) * np.asarray(step, np.float32)
            for n, offset, step in zip(data.shape[2:4], self.offsets, steps, strict=True)
        )
        y, x = y[:, None, None], x[None, :, None]
        sides = (x - half_width, y - half_height, x + half_width, y + half_height)
        boxes = np.stack(np.broadcast_arrays(*sides), -1).reshape(1, -1, 4)
        return np.clip(boxes, np.float32(0), np.float32(1)) if self.clip else boxes


@operator("_contrib_MultiBoxTarget", "_npx_multibox_target")
class MultiBoxTarget(SinglePrecision):
    """What a single-shot detector is trained to predict for each anchor.

    Each object is matched with the anchor that overlaps it best, best pairs first; other anchors are positive
    if they overlap an object enough. The others are negative, or with mining those alone whose background
    score is lowest. An image without objects has ignored anchors alone.

    Inputs:
        anchor: (1, A, 4) as corners.
        label: (B, L, 5 or more): class and corners of each object; a class of -1 ends the list.
        cls_pred: (B, classes, A): scores before the softmax, the background's first.

    Attributes:
        overlap_threshold: An anchor whose intersection over union with an object exceeds this is positive; if
            not positive, anchors are so by being the best ones alone.
        ignore_label: The class of anchors that are neither positive nor negative.
        negative_mining_ratio: How many negative anchors there are for each positive one; all others are
            negative unless this is positive.
        negative_mining_thresh: With mining, anchors that overlap an object as much are never negative.
        minimum_negative_samples: With mining, how many anchors are negative at least.
        variances: What offsets and logarithms of sizes are divided by.

    Returns:
        loc_target: (B, A * 4): offsets of the object from the anchor, 0 for those that are not positive.
        loc_mask: (B, A * 4): 1 for positive anchors, else 0.
        cls_target: (B, A): the class + 1, 0 for negative anchors, or ignore_label.

    ONNX: Loop with ArgMax for the best pairs, and with mining Softmax and TopK.
    """

    inputs: ClassVar[tuple[str, ...]] = ("anchor", "label", "cls_pred")
    outputs = ("loc_target", "loc_mask", "cls_target")
    not_differentiable = "MXNet defines its gradient as zero"
    overlap_threshold: float = 0.5
    ignore_label: float = -1.0
    negative_mining_ratio: float = -1.0
    negative_mining_thresh: float = 0.5
    minimum_negative_samples: int = 0
    variances: Floats = (0.1, 0.1, 0.2, 0.2)

    def check(self) -> None:
        _require_four("_contrib_MultiBoxTarget", self.variances)
        if self.negative_mining_ratio > 0 and self.negative_mining_thresh <= 0:
            raise AttributeValueError(
                "_contrib_MultiBoxTarget: negative_mining_thresh above 0 is required with mining, "
                f"got {self.negative_mining_thresh}."
            )

    def infer_inputs(
        self, anchor: Shape | None, label: Shape | None, cls_pred: Shape | None
    ) -> Sequence[Shape | None]:
        if any(shape is not None and len(shape) != 3 for shape in (anchor, label, cls_pred)):
            return anchor, label, cls_pred
        boxes = one_of(size_at(anchor, 1), size_at(cls_pred, 2))
        batch = one_of(size_at(label, 0), size_at(cls_pred, 0))
        return (1, boxes, 4), label and (batch, *label[1:]), (batch, size_at(cls_pred, 1), boxes)

    def infer_shape(self, anchor: Shape, label: Shape, cls_pred: Shape) -> list[Shape]:
        ranks = [len(s) for s in (anchor, label, cls_pred)]
        if ranks != [3, 3, 3] or below(label[2], 5) or below(label[1], 1) or below(cls_pred[1], 1):
            raise ShapeError(
                "_contrib_MultiBoxTarget: anchor (1, A, 4), label (B, 1 or more, 5 or more) and cls_pred "
                f"(B, 1 or more, A) are required, got {show(anchor)}, {show(label)} and {show(cls_pred)}."
            )
        offsets: Shape = (label[0], times(anchor[1], 4))
        return [offsets, offsets, (label[0], anchor[1])]

    def forward(self, anchor: Array, label: Array, cls_pred: Array) -> tuple[Array, ...]:
        batch, count = len(label), anchor.shape[1]
        present = np.logical_and.accumulate(label[..., 0] != -1, axis=1)
        self._require_ends(label, present)
        overlap = iou(columns(anchor[..., None, :], "corner"), columns(label[:, None, :, 1:5], "corner"))
        overlap = np.where(present[:, None], overlap, np.float32(-1))
        rows, _ = best_pairs(overlap, single(LEAST_OVERLAP), label.shape[1])
        best, most = overlap.argmax(2), overlap.max(2)
        positive = rows >= 0
        match = np.where(positive, rows, best)
        if self.overlap_threshold > 0:
            positive |= most > single(self.overlap_threshold)
        negative = self._mined(positive, most, cls_pred) if self.negative_mining_ratio > 0 else ~positive
        objects = np.take_along_axis(label, match[..., None], 1)
        targets = np.where(positive[..., None], self._offsets(anchor, objects[..., 1:5]), np.float32(0))
        classes = np.where(negative & present[:, :1], np.float32(0), np.float32(self.ignore_label))
        classes = np.where(positive, objects[..., 0] + 1, classes)
        mask = np.repeat(positive, 4, 1).astype(np.float32)
        return targets.reshape(batch, count * 4), mask, classes

    def _require_ends(self, label: Array, present: Array) -> None:
        """Refuse lists of objects that end with one of the class -1 that has corners."""
        ends = np.take_along_axis(label, present.sum(1).clip(max=label.shape[1] - 1)[:, None, None], 1)[:, 0]
        corners = ends[~present[:, -1], 1:5]
        if (corners != -1).any():
            raise MXNetError(
                "_contrib_MultiBoxTarget: -1 throughout is required of the row behind the last object, "
                f"got the corners {corners[(corners != -1).any(1)][0].tolist()}. Pad label with rows of -1."
            )

    def _mined(self, positive: Array, most: Array, cls_pred: Array) -> Array:
        """Which anchors (B, A) are negative: those least like background, first ones first."""
        power = np.exp(cls_pred - cls_pred.max(1, keepdims=True))
        background = power[:, 0] / power.sum(1)
        candidates = ~positive & (most < single(self.negative_mining_thresh))
        number = positive.sum(1, dtype=np.float32) * np.float32(self.negative_mining_ratio)
        number = np.maximum(np.floor(number), self.minimum_negative_samples)
        order = np.argsort(np.where(candidates, background, np.inf), axis=1, kind="stable")
        ranks = np.argsort(order, axis=1)
        return np.asarray(candidates & (ranks < number[:, None]))

    def _offsets(self, anchor: Array, objects: Array) -> Array:
        half = np.float32(0.5)
        size, other = (box[..., 2:] - box[..., :2] for box in (anchor, objects))
        center, middle = ((box[..., 2:] + box[..., :2]) * half for box in (anchor, objects))
        variances = np.array(self.variances, np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            offsets = (middle - center) / size / variances[:2]
            return np.concatenate([offsets, np.log(other / size) / variances[2:]], -1)


@operator("_contrib_MultiBoxDetection", "_npx_multibox_detection")
class MultiBoxDetection(SinglePrecision):
    """What a single-shot detector detects: class, score and corners for each anchor that shows an object.

    Class 0 is the background, whatever background_id says. Objects come first, high scores before low ones if
    there is suppression, else in the order of anchors. The class of those that are suppressed is -1, all
    numbers of the rows behind are -1.

    Inputs:
        cls_prob: (B, classes, A): probabilities.
        loc_pred: (B, A * 4): offsets of the centers, and logarithms of the sizes.
        anchor: (1, A, 4) as corners.

    Attributes:
        clip: Whether boxes are cut off at the image's borders, which is the unit square.
        threshold: The least probability of an object.
        background_id: Without meaning.
        nms_threshold: A box is suppressed if its intersection over union with a better one of its class is as
            much as this; there is no suppression unless this is in (0, 1].
        force_suppress: Whether boxes suppress those of other classes as well.
        variances: What offsets and logarithms of sizes are multiplied by.
        nms_topk: How many objects are looked at for suppression, best first; all unless positive.

    Returns:
        (B, A, 6): class, score, xmin, ymin, xmax, ymax.

    ONNX: NonMaxSuppression after TopK, with ArgMax for the class and Exp for the sizes.
    """

    inputs: ClassVar[tuple[str, ...]] = ("cls_prob", "loc_pred", "anchor")
    not_differentiable = "MXNet defines its gradient as zero"
    clip: bool = True
    threshold: float = 0.01
    background_id: int = 0
    nms_threshold: float = 0.5
    force_suppress: bool = False
    variances: Floats = (0.1, 0.1, 0.2, 0.2)
    nms_topk: int = -1

    def check(self) -> None:
        _require_four("_contrib_MultiBoxDetection", self.variances)

    def suppresses(self) -> bool:
        """Whether there is suppression at all."""
        return 0 < self.nms_threshold <= 1

    def infer_inputs(
        self, cls_prob: Shape | None, loc_pred: Shape | None, anchor: Shape | None
    ) -> Sequence[Shape | None]:
        shapes = (cls_prob, loc_pred, anchor)
        if any(s is not None and len(s) != n for s, n in zip(shapes, (3, 2, 3), strict=True)):
            return shapes
        boxes = one_of(size_at(cls_prob, 2), size_at(anchor, 1), over(size_at(loc_pred, 1), 4))
        batch = one_of(size_at(cls_prob, 0), size_at(loc_pred, 0))
        return (batch, size_at(cls_prob, 1), boxes), (batch, times(boxes, 4)), (1, boxes, 4)

    def infer_shape(self, cls_prob: Shape, loc_pred: Shape, anchor: Shape) -> Shape:
        ranks = (len(cls_prob), len(loc_pred), len(anchor))
        if ranks != (3, 2, 3) or differ(anchor[2], 4) or below(cls_prob[1], 1):
            raise ShapeError(
                "_contrib_MultiBoxDetection: cls_prob (B, 1 or more, A), loc_pred (B, A * 4) and anchor "
                f"(1, A, 4) are required, got {show(cls_prob)}, {show(loc_pred)} and {show(anchor)}."
            )
        return cls_prob[0], cls_prob[2], 6

    def forward(self, cls_prob: Array, loc_pred: Array, anchor: Array) -> Array:
        batch, classes, count = cls_prob.shape
        result = np.full((batch, count, 6), -1, np.float32)
        if classes < 2:
            return result
        scores = np.nan_to_num(cls_prob[:, 1:], nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        best, score = scores.argmax(1), scores.max(1)
        objects = (score > -1) & (score >= single(self.threshold))
        boxes = self._boxes(loc_pred.reshape(batch, count, 4), anchor)
        anchors = np.concatenate([best[..., None], score[..., None], boxes], -1, dtype=np.float32)
        for candidates, flags, out in zip(anchors, objects, result, strict=True):
            rows = candidates[flags]
            rows = self._suppressed(rows) if self.suppresses() else rows
            out[: len(rows)] = rows
        return result

    def _boxes(self, loc_pred: Array, anchor: Array) -> Array:
        size = anchor[..., 2:] - anchor[..., :2]
        center = (anchor[..., :2] + anchor[..., 2:]) / 2
        variances = np.array(self.variances, np.float32)
        middle = loc_pred[..., :2] * variances[:2] * size + center
        half = np.exp(loc_pred[..., 2:] * variances[2:]) * size / 2
        boxes = np.concatenate([middle - half, middle + half], -1)
        # what is NaN is clipped to 1
        return np.maximum(np.fmin(boxes, np.float32(1)), np.float32(0)) if self.clip else boxes

    def _suppressed(self, rows: Array) -> Array:
        """The rows (objects, 6) best first, with the class -1 for those that are suppressed."""
        rows = rows[descending(rows[:, 1])]
        rows = rows[: self.nms_topk] if self.nms_topk > 0 else rows
        boxes, threshold = columns(rows[:, 2:], "corner"), single(self.nms_threshold)
        classes = None if self.force_suppress else rows[:, 0]
        stays = suppressed_apart(boxes, classes, lambda share: share.astype(np.float64) >= threshold)
        rows[:, 0] = np.where(stays, rows[:, 0], np.float32(-1))
        return rows
