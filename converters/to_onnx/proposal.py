"""Lowerings of region proposals."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.proposal import MultiProposal, Proposal, single

from ._boxes import beyond, gather_rows, survivors
from ._graph import Graph, Value, iota, require_few
from ._registry import lowers
from ._symbolic_dims import count, sizes_of, vector

_ZERO, _ONE = np.float32(0), np.float32(1)


@lowers(Proposal, MultiProposal)
def proposals(g: Graph, op: Proposal, cls_prob: Value, bbox_pred: Value, im_info: Value) -> tuple[Value, ...]:
    """All boxes by score, those that stay by a loop, and these again and again by their indices."""
    rows = _best(g, op, _boxes(g, op, bbox_pred, im_info), _scores(g, op, cls_prob, im_info), im_info)
    stays = _stay(g, op, rows)
    flags = g.Cast(stays, np.float32)
    order = g.TopK(flags, g.size_of(stays, 1), axis=1)[1]
    number = g.Cast(g.ReduceSum(flags, [1], keepdims=1), np.int64)
    require_few(op.rpn_post_nms_top_n)
    numbers = iota(op.rpn_post_nms_top_n)[None]
    chosen = gather_rows(g, rows, g.GatherElements(order, g.Mod(g.const(numbers), number), axis=1))
    corners, scores = g.Split(chosen, [4, 1], axis=2)
    images = g.Cast(g.Unsqueeze(count(g, sizes_of(cls_prob)[0]), [1, 2]), np.float32)
    images = g.Expand(images, [1, op.rpn_post_nms_top_n, 1])
    return g.Reshape(g.Concat(images, corners, axis=2), [-1, 5]), g.Reshape(scores, [-1, 1])


def _pixels(g: Graph, x: Value, rows: list[int]) -> Value:
    """(B, A * C, H, W) as (B, H * W * A, C) or without C."""
    return g.Reshape(g.Transpose(x, [0, 2, 3, 1]), rows)


def _number(g: Graph, im_info: Value, index: int) -> Value:
    """(B, 1): one of the three numbers of each image."""
    return g.Slice(im_info, [index], [index + 1], [1])


def _scores(g: Graph, op: Proposal, cls_prob: Value, im_info: Value) -> Value:
    """(B, H * W * A): -1 outside of the image."""
    half = len(op.ratios) * len(op.scales)
    inside = None
    for index, axes in enumerate(([0, 1, 3], [0, 1, 2])):
        real = g.Cast(_number(g, im_info, index) / np.float32(op.feature_stride), np.int64)
        numbers = g.Unsqueeze(count(g, sizes_of(cls_prob)[2 + index]), axes)
        within = g.Less(numbers, g.Unsqueeze(real, [2, 3]))
        inside = within if inside is None else g.And(inside, within)
    return _pixels(g, g.Where(inside, g.Slice(cls_prob, [half], [2 * half], [1]), np.float32(-1)), [0, -1])


def _boxes(g: Graph, op: Proposal, bbox_pred: Value, im_info: Value) -> Value:
    """(B, H * W * A, 4): moved, resized, and cut off."""
    deltas = _pixels(g, bbox_pred, [0, -1, 4])
    anchors = _anchors(g, op, bbox_pred)
    boxes = anchors + deltas if op.iou_loss else _moved(g, anchors, deltas)
    limits = g.Gather(im_info, [1, 0, 1, 0], axis=1) - _ONE
    return g.Max(g.Min(boxes, g.Unsqueeze(limits, [1])), _ZERO)


def _anchors(g: Graph, op: Proposal, bbox_pred: Value) -> Value:
    """(H * W * A, 4): corners, a constant if sizes are known."""
    y, x = (
        g.Unsqueeze(
            g.Cast(count(g, sizes_of(bbox_pred)[2 + i]), np.float32) * np.float32(op.feature_stride), axes
        )
        for i, axes in enumerate(([1, 2, 3], [0, 2, 3]))
    )
    along = np.array([1, 0, 1, 0], np.float32)
    shift = x * along + y * along[::-1].copy()  # (H, W, 1, 4)
    return g.Reshape(shift + op.anchors(), [-1, 4])


def _moved(g: Graph, anchors: Value, deltas: Value) -> Value:
    low, high = g.Split(anchors, 2, axis=1)
    offset, power = g.Split(deltas, 2, axis=2)
    size = high - low + _ONE
    center = offset * size + (low + (size - _ONE) * 0.5)
    reach = (g.Exp(power) * size - _ONE) * 0.5
    return g.Concat(center - reach, center + reach, axis=2)


def _best(g: Graph, op: Proposal, boxes: Value, scores: Value, im_info: Value) -> Value:
    """(B, K, 5): corners and scores, best first; boxes that are too small grow, and get the score -1."""
    low, high = g.Split(boxes, 2, axis=2)
    least = _number(g, im_info, 2) * np.float32(op.rpn_min_size)
    wide = g.Less(high - low + _ONE, g.Unsqueeze(least, [2]))
    small = g.Greater(g.ReduceMax(g.Cast(wide, np.float32), [2], keepdims=1), 0.5)
    half = g.Unsqueeze(least / 2.0, [2])
    low, high = g.Where(small, low - half, low), g.Where(small, high + half, high)
    scores = g.Where(g.Squeeze(small, [2]), np.float32(-1), scores)
    most: Any = vector(g, [sizes_of(scores)[1]])
    if op.rpn_pre_nms_top_n > 0:
        top = op.rpn_pre_nms_top_n
        most = [min(top, most[0])] if isinstance(most, list) else g.Min(most, [top])
    best, order = g.TopK(scores, most, axis=1)
    return g.Concat(gather_rows(g, g.Concat(low, high, axis=2), order), g.Unsqueeze(best, [2]), axis=2)


def _stay(g: Graph, op: Proposal, rows: Value) -> Value:
    left, top, right, bottom, _ = g.Split(rows, 5, axis=2)
    area = (right - left + _ONE) * (bottom - top + _ONE)
    alive = g.Full(g.Slice(g.shape_of(rows), [0], [2]), 1, bool)
    alive.shape = None if rows.shape is None else rows.shape[:2]

    def hits(b: Graph, box: list[Value], others: list[Value]) -> Value:
        width = b.Max(b.Min(box[2], others[2]) - b.Max(box[0], others[0]) + _ONE, _ZERO)
        height = b.Max(b.Min(box[3], others[3]) - b.Max(box[1], others[1]) + _ONE, _ZERO)
        common = width * height
        return beyond(b, common / (box[4] + others[4] - common), single(op.threshold))

    return survivors(g, alive, [left, top, right, bottom, area], hits, op.rpn_post_nms_top_n)
