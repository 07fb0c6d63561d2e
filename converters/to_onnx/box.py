"""Lowerings of bounding boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.box import (
    BipartiteMatching,
    BoxDecode,
    BoxEncode,
    BoxIoU,
    BoxNMS,
    NonMaxSuppression,
    single,
)

from ._arithmetic import any_along
from ._boxes import (
    Columns,
    best_pairs,
    beyond,
    columns,
    gather_rows,
    iou,
    other_format,
    suppressed_apart,
    survivors,
)
from ._graph import END, Graph, Value
from ._indices import integers
from ._registry import lowers
from ._symbolic_dims import count, merged, reshape, sizes_of, vector

# ---- suppression


@lowers(BoxNMS)
def box_nms(g: Graph, op: BoxNMS, data: Value) -> tuple[Value, Value]:
    """The best by a sort, those of them that stay, and these put first by another sort."""
    *lead, boxes, _ = sizes_of(data)
    if op.topk == 0 or 0 in sizes_of(data):
        rows = g.Cast(g.Unsqueeze(count(g, boxes), [1]), np.int32)
        return g.Identity(data), g.Expand(rows, vector(g, [*lead, boxes, 1]))
    x = merged(g, data, data.rank - 2)
    most = _most(g, op, x)
    best, order = g.TopK(_scores(g, op, x), most, axis=1)
    rows = gather_rows(g, x, order)
    stays = _stays(g, op, rows, g.Greater(best, np.asarray(-np.inf, best.dtype)))
    packed = g.TopK(g.Cast(stays, np.float32), most, axis=1)[1]
    present = g.Unsqueeze(g.GatherElements(stays, packed, axis=1), [2])
    result = g.Where(present, _converted(g, op, gather_rows(g, rows, packed)), np.asarray(-1, x.dtype))
    source = g.Unsqueeze(g.GatherElements(order, packed, axis=1), [2])
    record = g.Cast(g.Where(present, source, np.int64(-1)), np.int32)
    return (
        g.Reshape(_filled(g, op, result, x), g.shape_of(data)),
        g.Reshape(_filled(g, op, record, x), vector(g, [*lead, boxes, 1])),
    )


def _column(g: Graph, x: Value, index: int) -> Value:
    """(B, N): one number of each box."""
    column: Value = g.Gather(x, np.int64(index), axis=2)
    return column


def _scores(g: Graph, op: BoxNMS, x: Value) -> Value:
    """The scores, minus infinity for what is left out."""
    scores = _column(g, x, op.score_index)
    valid = g.Greater(scores, np.asarray(op.valid_thresh, x.dtype))
    if op.id_index >= 0:
        background = g.Equal(_column(g, x, op.id_index), np.asarray(op.background_id, x.dtype))
        valid = g.And(valid, g.Not(background))
    return g.Where(valid, scores, np.asarray(-np.inf, x.dtype))


def _most(g: Graph, op: BoxNMS, x: Value) -> Any:
    """How many boxes of each batch element are looked at, as a list of one or a vector."""
    boxes = vector(g, [sizes_of(x)[1]])
    if op.topk < 0:
        return boxes
    return [min(op.topk, boxes[0])] if isinstance(boxes, list) else g.Min(boxes, [op.topk])


def _stays(g: Graph, op: BoxNMS, rows: Value, alive: Value) -> Value:
    """Which of the sorted boxes (B, K, W) stay."""
    coordinates = g.Slice(rows, [op.coord_start], [op.coord_start + 4], [2])
    classes = integers(g, _column(g, rows, op.id_index)) if op.classes() else None
    threshold = single(op.overlap_thresh)
    if rows.dtype == np.float32 and op.in_format == "corner" and 0 <= threshold <= 1:
        return suppressed_apart(g, coordinates, alive, classes, threshold)
    features = [*columns(g, coordinates, op.in_format)]
    if classes is not None:
        features.append(g.Cast(g.Unsqueeze(classes, [2]), rows.dtype))

    def hits(b: Graph, box: list[Value], others: list[Value]) -> Value:
        over = beyond(b, iou(b, Columns(*box[:5]), Columns(*others[:5])), threshold)
        return over if classes is None else b.And(over, b.Equal(box[5], others[5]))

    return survivors(g, alive, features, hits)


def _converted(g: Graph, op: BoxNMS, rows: Value) -> Value:
    """Rows with their coordinates in the format of the output."""
    if op.in_format == op.out_format:
        return rows
    start, end = op.coord_start, op.coord_start + 4
    boxes = other_format(g, g.Slice(rows, [start], [end], [2]), op.in_format)
    before, after = g.Slice(rows, [0], [start], [2]), g.Slice(rows, [end], [END], [2])
    return g.Concat(before, boxes, after, axis=2)


def _filled(g: Graph, op: BoxNMS, rows: Value, x: Value) -> Value:
    """(B, K, ...) with -1 up to as many rows as `x` has."""
    if op.topk < 0:
        return rows
    missing = g.size_of(x, 1) - g.size_of(rows, 1)
    return g.Pad(rows, g.Concat([0, 0, 0, 0], missing, [0], axis=0), -1)


@lowers(NonMaxSuppression)
def non_max_suppression(g: Graph, op: NonMaxSuppression, boxes: Value, scores: Value) -> Value:
    """One node."""
    limits = [np.array([op.most]), np.array([op.iou_threshold], np.float32)]
    if op.score_threshold is not None:
        limits.append(np.array([op.score_threshold], np.float32))
    center = int(op.format == "center")
    triples: Value = g.NonMaxSuppression(boxes, scores, *limits, center_point_box=center)
    return triples


# ---- overlap


@lowers(BoxIoU)
def box_iou(g: Graph, op: BoxIoU, lhs: Value, rhs: Value) -> Value:
    """Axes of size 1 for those of the other side."""
    others = list(range(lhs.rank - 1, lhs.rank + rhs.rank - 2))
    lhs, last = g.Unsqueeze(lhs, others), [lhs.rank + rhs.rank - 2]
    overlap = g.Squeeze(iou(g, columns(g, lhs, op.format), columns(g, rhs, op.format)), last)
    if g.finite:
        return overlap
    first, second = (any_along(g, g.IsNaN(boxes), [boxes.rank - 1]) for boxes in (lhs, rhs))
    return g.Where(g.Or(first, second), np.full((), np.nan, overlap.dtype), overlap)


# ---- matching


@lowers(BipartiteMatching)
def bipartite_matching(g: Graph, op: BipartiteMatching, data: Value) -> tuple[Value, Value]:
    """A step of the loop makes one pair of each batch element."""
    *lead, height, width = sizes_of(data)
    if 0 in sizes_of(data):
        none = g.const(np.array(-1, data.dtype))
        return g.Expand(none, vector(g, [*lead, height])), g.Expand(none, vector(g, [*lead, width]))
    scores = merged(g, data, data.rank - 2)
    wide = g.Cast(scores, np.float32) if data.dtype == np.float16 else scores
    threshold = -op.threshold if op.is_ascend else op.threshold
    rows, cols = best_pairs(g, -wide if op.is_ascend else wide, single(threshold), op.topk)
    if not lead:
        return g.Cast(g.Squeeze(rows, [0]), data.dtype), g.Cast(g.Squeeze(cols, [0]), data.dtype)
    return (
        g.Cast(reshape(g, rows, [*lead, height]), data.dtype),
        g.Cast(reshape(g, cols, [*lead, width]), data.dtype),
    )


# ---- offsets from anchors


@lowers(BoxEncode)
def box_encode(g: Graph, op: BoxEncode, *inputs: Value) -> tuple[Value, Value]:
    """The node for node form of the kernel."""
    samples, matches, anchors, refs, means, stds = inputs
    zero = np.zeros((), anchors.dtype)
    positive = g.Unsqueeze(g.Greater(samples, 0.5), [2])
    chosen = gather_rows(g, refs, integers(g, g.Where(g.Greater(samples, 0.5), matches, zero)))
    low, high = g.Split(anchors, 2, axis=2)
    ref_low, ref_high = g.Split(chosen, 2, axis=2)
    size, ref_size = high - low, ref_high - ref_low
    offset = (ref_low + ref_size * 0.5) - (low + size * 0.5)
    codes = g.Concat(offset / size, g.Log(ref_size / size), axis=2)
    mask = g.Expand(g.Cast(positive, anchors.dtype), vector(g, sizes_of(anchors)))
    return g.Where(positive, (codes - means) / stds, zero), mask


@lowers(BoxDecode)
def box_decode(g: Graph, op: BoxDecode, data: Value, anchors: Value) -> Value:
    """The node for node form of the kernel."""
    center, size = g.Split(anchors, 2, axis=2)
    if op.format == "corner":
        size = size - center
        center = center + size * 0.5
    stds = np.array([op.std0, op.std1, op.std2, op.std3], np.float32).astype(data.dtype)
    offset, power = g.Split(data, 2, axis=2)
    middle = offset * stds[:2] * size + center
    power = power * stds[2:]
    if op.clip > 0:
        most = np.asarray(single(op.clip), data.dtype)
        power = g.Where(g.Less(power, most), power, most)
    reach = g.Exp(power) * size * 0.5
    return g.Concat(middle - reach, middle + reach, axis=2)
