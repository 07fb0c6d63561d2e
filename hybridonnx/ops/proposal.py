"""Region proposals: the boxes of an image, at all positions of a feature map, that look most like objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ..attrs import Floats
from ..errors import AttributeValueError, MXNetError, ShapeError
from ._boxes import SinglePrecision, descending, one_of, size_at, survivors
from ._boxes import single as single
from ._operator import Array, record
from ._registry import operator
from ._shapes import Shape, below, show, times


@record
class _Proposing(SinglePrecision):
    """What both operators share. Boxes include the pixels of their corners.

    Each of A = len(ratios) * len(scales) anchors at each pixel is moved and resized as predicted, and cut off
    at the image's borders. Boxes that are too small, or whose pixel is outside of the image, have the score
    -1. The best ones are looked at in the order of their scores; those that overlap a better one are left
    out. If there are too few proposals, they are repeated.

    Inputs:
        cls_prob: (B, 2 * A, H, W): how little, then how much each anchor looks like an object.
        bbox_pred: (B, 4 * A, H, W): for each anchor offsets of the center in sizes of the anchor, and
            logarithms of the sizes.
        im_info: (B, 3): height and width of each image, and how much it was enlarged.

    Attributes:
        rpn_pre_nms_top_n: How many boxes are looked at, best first; all unless positive.
        rpn_post_nms_top_n: P, how many proposals an image gets.
        threshold: A box is left out if its intersection over union with a better one exceeds this.
        rpn_min_size: The least height and width of a proposal, before the image was enlarged.
        scales: The sizes of anchors, in strides.
        ratios: How many times higher than wide anchors are.
        feature_stride: How many pixels of the image one of the feature map stands for.
        output_score: Whether scores are returned as well.
        iou_loss: Whether bbox_pred has differences of the corners instead.

    Returns:
        output: (B * P, 5): the image's number, xmin, ymin, xmax, ymax.
        score: (B * P, 1); only with output_score.

    ONNX: Loop with ArgMax, which takes one proposal of each image a step, after TopK.
    """

    inputs: ClassVar[tuple[str, ...]] = ("cls_prob", "bbox_pred", "im_info")
    outputs = ("output", "score")
    not_differentiable = "MXNet defines its gradient as zero"
    rpn_pre_nms_top_n: int = 6000
    rpn_post_nms_top_n: int = 300
    threshold: float = 0.7
    rpn_min_size: int = 16
    scales: Floats = (4.0, 8.0, 16.0, 32.0)
    ratios: Floats = (0.5, 1.0, 2.0)
    feature_stride: int = 16
    output_score: bool = False
    iou_loss: bool = False

    def check(self) -> None:
        for name in ("rpn_post_nms_top_n", "feature_stride"):
            if getattr(self, name) < 1:
                raise AttributeValueError(
                    f"{self.names[0]}: {name} of at least 1 is required, got {getattr(self, name)}."
                )

    def visible(self) -> int:
        return 2 if self.output_score else 1

    def infer_inputs(
        self, cls_prob: Shape | None, bbox_pred: Shape | None, im_info: Shape | None
    ) -> Sequence[Shape | None]:
        shapes = (cls_prob, bbox_pred, im_info)
        if any(s is not None and len(s) != n for s, n in zip(shapes, (4, 4, 2), strict=True)):
            return shapes
        batch = one_of(*(size_at(shape, 0) for shape in shapes))
        pixels = [one_of(size_at(cls_prob, axis), size_at(bbox_pred, axis)) for axis in (2, 3)]
        anchors = len(self.ratios) * len(self.scales)
        return (batch, 2 * anchors, *pixels), (batch, 4 * anchors, *pixels), (batch, 3)

    def infer_shape(self, cls_prob: Shape, bbox_pred: Shape, im_info: Shape) -> list[Shape]:
        if (len(cls_prob), len(bbox_pred), len(im_info)) != (4, 4, 2) or any(below(d, 1) for d in cls_prob):
            raise ShapeError(
                f"{self.names[0]}: cls_prob (B, 2 * A, H, W), bbox_pred (B, 4 * A, H, W) and im_info (B, 3) "
                f"are required, got {show(cls_prob)}, {show(bbox_pred)} and {show(im_info)}."
            )
        count = times(cls_prob[0], self.rpn_post_nms_top_n)
        return [(count, 5), (count, 1)]

    def anchors(self) -> Array:
        """(A, 4): the anchors of the first pixel, as corners."""
        stride = np.float32(self.feature_stride)
        ratios, scales = (np.array(v, np.float32)[:, None] for v in (self.ratios, self.scales))
        width = np.floor(np.sqrt(np.floor(stride * stride / ratios)) + np.float32(0.5))
        height = np.floor(width * ratios + np.float32(0.5))
        half = (np.stack([width, height], -1) * scales - 1) / 2  # (ratios, scales, 2)
        center = (stride - 1) / 2
        return np.concatenate([center - half, center + half], -1).reshape(-1, 4).astype(np.float32)

    def forward(self, cls_prob: Array, bbox_pred: Array, im_info: Array) -> tuple[Array, Array]:
        batch, _, height, width = cls_prob.shape
        real = (im_info[:, :2] / np.float32(self.feature_stride)).astype(np.int64)
        if (real > (height, width)).any():
            raise MXNetError(
                f"{self.names[0]}: images of at most {height * self.feature_stride} x "
                f"{width * self.feature_stride} pixels are required, got {im_info[:, :2].tolist()}."
            )
        output = np.empty((batch, self.rpn_post_nms_top_n, 5), np.float32)
        score = np.empty((batch, self.rpn_post_nms_top_n, 1), np.float32)
        for n in range(batch):
            rows = self._proposals(cls_prob[n], bbox_pred[n], im_info[n], real[n])
            output[n, :, 0], output[n, :, 1:], score[n] = n, rows[:, :4], rows[:, 4:]
        return output.reshape(-1, 5), score.reshape(-1, 1)

    def _proposals(self, cls_prob: Array, bbox_pred: Array, im_info: Array, real: Array) -> Array:
        """(P, 5): corners and score, of one image."""
        count, (height, width) = len(cls_prob) // 2, cls_prob.shape[1:]
        y, x = np.indices((height, width))
        shift = np.stack([x, y, x, y], -1)[:, :, None] * np.float32(self.feature_stride)
        anchors = (self.anchors() + shift).reshape(-1, 4).astype(np.float32)
        boxes = self._moved(anchors, bbox_pred.transpose(1, 2, 0).reshape(-1, 4))
        boxes = np.maximum(np.minimum(boxes, im_info[[1, 0, 1, 0]] - 1), np.float32(0))
        outside = np.repeat(((y >= real[0]) | (x >= real[1])).ravel(), count)
        least = np.float32(self.rpn_min_size) * im_info[2]
        small = (boxes[:, 2:] - boxes[:, :2] + 1 < least).any(1)
        half = least / 2
        boxes = np.where(small[:, None], boxes + np.stack([-half, -half, half, half]), boxes)
        score = np.where(outside | small, np.float32(-1), cls_prob[count:].transpose(1, 2, 0).ravel())
        rows = np.concatenate([boxes, score[:, None]], 1)[descending(score)]
        rows = rows[: self.rpn_pre_nms_top_n] if self.rpn_pre_nms_top_n > 0 else rows
        rows = rows[self._stay(rows)]
        return rows[np.arange(self.rpn_post_nms_top_n) % len(rows)]

    def _moved(self, anchors: Array, deltas: Array) -> Array:
        if self.iou_loss:
            return anchors + deltas
        half = np.float32(0.5)
        size = anchors[:, 2:] - anchors[:, :2] + 1
        center = deltas[:, :2] * size + (anchors[:, :2] + (size - 1) * half)
        reach = (np.exp(deltas[:, 2:]) * size - 1) * half
        return np.concatenate([center - reach, center + reach], 1)

    def _stay(self, rows: Array) -> Array:
        one, zero = np.float32(1), np.float32(0)
        left, top, right, bottom = np.ascontiguousarray(rows[:, :4].T)
        area = (right - left + one) * (bottom - top + one)
        threshold = single(self.threshold)

        def side(low: Array, high: Array, some: Array, others: Array) -> Array:
            common = np.minimum(high[others], high[some, None]) - np.maximum(low[others], low[some, None])
            return np.asarray(np.maximum(common + one, zero))

        def hits(some: Array, others: Array) -> Array:
            common = side(left, right, some, others)
            common *= side(top, bottom, some, others)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(common / (area[others] + area[some, None] - common) > threshold)

        return survivors(len(rows), hits, self.rpn_post_nms_top_n)


@operator("_contrib_Proposal")
class Proposal(_Proposing):
    """The regions of one image that a net for region proposals thinks to show objects.

    Inputs:
        cls_prob: (1, 2 * A, H, W): how little, then how much each anchor looks like an object.
        bbox_pred: (1, 4 * A, H, W): for each anchor offsets of the center in sizes of the anchor, and
            logarithms of the sizes.
        im_info: (1, 3): height and width of the image, and how much it was enlarged.

    Returns:
        output: (P, 5): 0, xmin, ymin, xmax, ymax.
        score: (P, 1); only with output_score.
    """

    def infer_inputs(
        self, cls_prob: Shape | None, bbox_pred: Shape | None, im_info: Shape | None
    ) -> Sequence[Shape | None]:
        shapes = super().infer_inputs(cls_prob, bbox_pred, im_info)
        return [shape and (1, *shape[1:]) for shape in shapes]


@operator("_contrib_MultiProposal")
class MultiProposal(_Proposing):
    """The regions of several images that a net for region proposals thinks to show objects."""
