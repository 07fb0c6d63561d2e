"""Lowerings of single-shot detection."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.multibox import LEAST_OVERLAP, MultiBoxDetection, MultiBoxPrior, MultiBoxTarget, single

from ._boxes import best_pairs, columns, gather_rows, iou, suppressed_apart
from ._graph import Graph, Value, require_few
from ._registry import lowers
from ._symbolic_dims import count, sizes_of, vector

_ZERO, _ONE = np.float32(0), np.float32(1)


# ---- anchors


@lowers(MultiBoxPrior)
def multibox_prior(g: Graph, op: MultiBoxPrior, data: Value) -> Value:
    """A constant; for free sizes the nodes that compute it."""
    height, width = (data.shape or (None,) * 4)[2:4]
    if height is not None and width is not None:
        require_few(height, width, 4 * len(op.shapes()[0]))
        return g.Identity(g.const(op.forward(np.empty((0, 0, height, width), np.float32))))
    pixels = [g.Cast(g.size_of(data, axis), np.float32) for axis in (2, 3)]
    sizes, roots = op.shapes()
    half_width, half_height = pixels[0] * sizes / pixels[1] * roots / 2.0, sizes / roots / np.float32(2)
    steps = [_ONE / n for n in pixels] if op.automatic() else np.array(op.steps, np.float32)
    y, x = (
        g.Unsqueeze(
            (g.Cast(count(g, sizes_of(data)[2 + i]), np.float32) + np.float32(offset)) * steps[i], axes
        )
        for i, (offset, axes) in enumerate(zip(op.offsets, ([1, 2], [0, 2]), strict=True))
    )
    shape = g.Concat(g.size_of(data, 2), g.size_of(data, 3), [len(sizes)], axis=0)
    sides = (x - half_width, y - half_height, x + half_width, y + half_height)
    boxes = g.Reshape(g.Concat(*(g.Unsqueeze(g.Expand(v, shape), [3]) for v in sides), axis=3), [1, -1, 4])
    return g.Clip(boxes, 0.0, 1.0) if op.clip else boxes


# ---- targets


@lowers(MultiBoxTarget)
def multibox_target(
    g: Graph, op: MultiBoxTarget, anchor: Value, label: Value, cls_pred: Value
) -> tuple[Value, ...]:
    """The kernel node by node."""
    listed = g.Not(g.Equal(g.Gather(label, np.int64(0), axis=2), np.float32(-1)))
    ended = g.CumSum(g.Cast(g.Not(listed), np.int32), np.array(1))
    present = g.Equal(ended, np.int32(0))
    objects = g.Slice(label, [1], [5], [2])
    overlap = iou(
        g, columns(g, g.Unsqueeze(anchor, [2]), "corner"), columns(g, g.Unsqueeze(objects, [1]), "corner")
    )
    overlap = g.Where(g.Unsqueeze(present, [1]), g.Squeeze(overlap, [3]), np.float32(-1))
    rows, _ = best_pairs(g, overlap, single(LEAST_OVERLAP), -1)
    most = g.ReduceMax(overlap, [2], keepdims=0)
    positive = g.Greater(rows, np.int64(-1))
    match = g.Where(positive, rows, g.ArgMax(overlap, axis=2, keepdims=0))
    if op.overlap_threshold > 0:
        positive = g.Or(positive, g.Greater(most, np.float32(op.overlap_threshold)))
    negative = _mined(g, op, positive, most, cls_pred) if op.negative_mining_ratio > 0 else g.Not(positive)
    negative = g.And(negative, g.Slice(present, [0], [1], [1]))
    matched = gather_rows(g, label, match)
    chosen = g.Unsqueeze(positive, [2])
    targets = g.Where(chosen, _offsets(g, op, anchor, g.Slice(matched, [1], [5], [2])), _ZERO)
    mask = g.Expand(g.Cast(chosen, np.float32), [1, 1, 4])
    classes = g.Where(negative, _ZERO, np.float32(op.ignore_label))
    classes = g.Where(positive, g.Gather(matched, np.int64(0), axis=2) + _ONE, classes)
    return g.Flatten(targets, axis=1), g.Flatten(mask, axis=1), classes


def _mined(g: Graph, op: MultiBoxTarget, positive: Value, most: Value, cls_pred: Value) -> Value:
    """Which anchors are negative: the first ones of a sort."""
    background = g.Gather(g.Softmax(cls_pred, axis=1), np.int64(0), axis=1)
    candidates = g.And(g.Not(positive), g.Less(most, np.float32(op.negative_mining_thresh)))
    number = g.ReduceSum(g.Cast(positive, np.float32), [1], keepdims=1) * np.float32(op.negative_mining_ratio)
    number = g.Max(g.Floor(number), np.float32(op.minimum_negative_samples))
    size = sizes_of(positive)[1]
    keys = g.Where(candidates, background, np.float32(np.inf))
    order = g.TopK(keys, vector(g, [size]), axis=1, largest=0)[1]
    first = g.Cast(g.Less(g.Cast(g.Unsqueeze(count(g, size), [0]), np.float32), number), np.float32)
    marks = g.ScatterElements(g.Full(g.shape_of(positive), 0, np.float32), order, first, axis=1)
    return g.And(candidates, g.Greater(marks, 0.5))


def _offsets(g: Graph, op: MultiBoxTarget, anchor: Value, objects: Value) -> Value:
    (low, high), (other_low, other_high) = (g.Split(boxes, 2, axis=2) for boxes in (anchor, objects))
    size, variances = high - low, np.array(op.variances, np.float32)
    offsets = ((other_low + other_high) * 0.5 - (low + high) * 0.5) / size / variances[:2]
    return g.Concat(offsets, g.Log((other_high - other_low) / size) / variances[2:], axis=2)


# ---- detections


@lowers(MultiBoxDetection)
def multibox_detection(
    g: Graph, op: MultiBoxDetection, cls_prob: Value, loc_pred: Value, anchor: Value
) -> Value:
    """All anchors in the order of the output, of which those behind the objects become -1."""
    classes, size = g.size_of(cls_prob, 1), sizes_of(cls_prob)[2]
    if cls_prob.shape is not None and cls_prob.shape[1] == 1:
        return g.Full(g.Concat(g.size_of(cls_prob, 0), vector(g, [size]), [6], axis=0), -1, np.float32)
    scores = g.Slice(cls_prob, [1], classes, [1])
    scores = g.Where(g.IsNaN(scores), np.float32(-np.inf), scores)
    best, score = g.ArgMax(scores, axis=1, keepdims=0), g.ReduceMax(scores, [1], keepdims=0)
    # not GreaterOrEqual, of which ONNX infers no shape before opset 16
    objects = g.And(g.Greater(score, np.float32(-1)), g.Not(g.Less(score, np.float32(op.threshold))))
    parts = [g.Unsqueeze(v, [2]) for v in (g.Cast(best, np.float32), score)]
    rows = g.Concat(*parts, _boxes(g, op, loc_pred, anchor), axis=2)
    keys = g.Where(objects, score, np.float32(-np.inf)) if op.suppresses() else g.Cast(objects, np.float32)
    order = g.TopK(keys, vector(g, [size]), axis=1)[1]
    rows, present = gather_rows(g, rows, order), g.GatherElements(objects, order, axis=1)
    if op.suppresses():
        rows, present = _suppressed(g, op, rows, present)
    return g.Where(g.Unsqueeze(present, [2]), rows, np.float32(-1))


def _boxes(g: Graph, op: MultiBoxDetection, loc_pred: Value, anchor: Value) -> Value:
    (low, high), variances = g.Split(anchor, 2, axis=2), np.array(op.variances, np.float32)
    offset, power = g.Split(g.Reshape(loc_pred, [0, -1, 4]), 2, axis=2)
    size = high - low
    middle = offset * variances[:2] * size + (low + high) / 2.0
    half = g.Exp(power * variances[2:]) * size / 2.0
    boxes = g.Concat(middle - half, middle + half, axis=2)
    if not op.clip:
        return boxes
    one = np.float32(1)
    return g.Max(g.Where(g.Less(boxes, one), boxes, one), _ZERO)  # what is NaN is clipped to 1


def _suppressed(g: Graph, op: MultiBoxDetection, rows: Value, present: Value) -> tuple[Value, Any]:
    """The sorted rows with -1 for the class of those that are suppressed, and which rows there are."""
    if op.nms_topk > 0:
        numbers = g.Unsqueeze(count(g, sizes_of(present)[1]), [0])
        present = g.And(present, g.Less(numbers, np.int64(op.nms_topk)))
    label, rest = g.Split(rows, [1, 5], axis=2)
    classes = None if op.force_suppress else g.Cast(g.Squeeze(label, [2]), np.int64)
    # to be as much as a number is to exceed the next lower one
    threshold = float(np.nextafter(np.float32(op.nms_threshold), _ZERO))
    stays = suppressed_apart(g, g.Slice(rest, [1], [5], [2]), present, classes, threshold)
    label = g.Where(g.Unsqueeze(stays, [2]), label, np.float32(-1))
    return g.Concat(label, rest, axis=2), present
