"""Boxes in ONNX: hybridonnx/ops/_boxes.py step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hybridonnx.ops import Spec

from ._graph import Graph, Value
from ._symbolic_dims import count, sizes_of


class Columns(NamedTuple):
    """What `Columns` of the kernels holds."""

    left: Value
    top: Value
    right: Value
    bottom: Value
    area: Value


def columns(g: Graph, boxes: Value, box_format: str) -> Columns:
    """The sides and areas of boxes along the last axis, which stays as one of size 1."""
    a, b, c, d = g.Split(boxes, 4, axis=-1)
    zero = np.zeros((), boxes.dtype)
    width, height = (c, d) if box_format == "center" else (c - a, d - b)
    area = g.Where(g.Or(g.Less(width, zero), g.Less(height, zero)), zero, width * height)
    if box_format == "corner":
        return Columns(a, b, c, d, area)
    half_width, half_height = c / 2.0, d / 2.0
    return Columns(a - half_width, b - half_height, a + half_width, b + half_height, area)


def iou(g: Graph, a: Columns, b: Columns) -> Value:
    """Intersection over union of boxes whose columns broadcast; 0 where they do not meet.

    In the body of a loop `a` is what is computed in there.
    """
    zero = np.zeros((), a.left.dtype)
    width = g.Max(g.Min(a.right, b.right) - g.Max(a.left, b.left), zero)
    height = g.Max(g.Min(a.bottom, b.bottom) - g.Max(a.top, b.top), zero)
    common = width * height
    return g.Where(g.Greater(common, zero), common / (a.area + b.area - common), zero)


def other_format(g: Graph, boxes: Value, box_format: str) -> Value:
    """Boxes along the last axis of one format in the other one."""
    first, second = g.Split(boxes, 2, axis=-1)
    if box_format == "corner":
        return g.Concat((first + second) / 2.0, second - first, axis=-1)
    half = second / 2.0
    return g.Concat(first - half, first + half, axis=-1)


def gather_rows(g: Graph, x: Value, rows: Value) -> Value:
    """The rows (B, K) of each of (B, N, W), as (B, K, W)."""
    return g.GatherND(x, g.Unsqueeze(rows, [2]), batch_dims=1)


def beyond(g: Graph, x: Value, limit: float) -> Value:
    """Whether `x` exceeds a number, which float16 is too narrow for."""
    wide = g.Cast(x, np.float32) if x.dtype == np.float16 else x
    return g.Greater(wide, np.asarray(limit, wide.dtype))


Hits = Callable[[Graph, list[Value], list[Value]], Value]
"""`(graph, columns of a box (B, 1, 1), columns of all (B, K, 1))` to whom of all the box suppresses.

In arithmetic the box stands first: a node is added to the graph that its first operand is in.
"""


def survivors(
    g: Graph, alive: Value, features: list[Value], hits: Hits, most: int | Value | None = None
) -> Value:
    """Which of `alive` (B, K) stay if each that stays, first ones first, suppresses those that it hits.

    `features` are columns (B, K, 1) of one dtype. A step of the loop takes one box of each batch element.
    """
    stacked = g.Concat(*features, axis=2)
    numbers = g.Unsqueeze(count(g, sizes_of(alive)[1]), [0, 2])

    def build(b: Graph, _: Value, __: Value, left: Value, stays: Value) -> list[Value]:
        index = b.ArgMax(b.Cast(left, np.float32), axis=1, keepdims=1)
        box = b.Split(b.GatherND(stacked, index, batch_dims=1), len(features), axis=2)
        chosen = b.And(b.Equal(numbers, index), left)
        left = b.And(left, b.Not(b.Or(chosen, hits(b, list(box), features))))
        return [_any(b, left), left, b.Or(stays, chosen)]

    column = g.Unsqueeze(alive, [2])
    flag, bits = np.dtype(bool), Spec(column.shape, np.dtype(bool))
    body = g.body([Spec((), np.dtype(np.int64)), Spec((), flag), bits, bits], build)
    steps = most if most is not None else g.size_of(alive, 1)
    limit = g.const(np.int64(steps)) if isinstance(steps, int) else g.Squeeze(steps, [0])
    _, stays = g.Loop(limit, _any(g, column), column, g.And(column, np.array(False)), outputs=2, body=body)
    stays.shape = column.shape
    return g.Squeeze(stays, [2])


def _any(g: Graph, flags: Value) -> Value:
    """Whether one flag is set, as a bool of no axes."""
    most = g.ReduceMax(g.Concat(g.Reshape(g.Cast(flags, np.float32), [-1]), np.zeros(1, np.float32), axis=0))
    return g.Greater(g.Reshape(most, []), 0.5)


def suppressed_apart(g: Graph, boxes: Value, alive: Value, classes: Value | None, threshold: float) -> Value:
    """Which of `alive` (B, K) stay: corners (B, K, 4) in float32, best first, by NonMaxSuppression.

    Classes (B, K) are any integers: each that there is has a row of scores. The scores are ranks, so that
    the order is the one that the boxes are in.
    """
    low, high = g.Split(boxes, 2, axis=2)
    boxes = g.Concat(low, g.Max(low, high), axis=2)  # a negative size overlaps with nothing, as one of 0
    size = g.size_of(alive, 1)
    ranks = g.Cast(size - count(g, sizes_of(alive)[1]), np.float32)
    mask = g.Unsqueeze(alive, [1])
    if classes is not None:
        distinct = g.Reshape(g.Unique(classes), [1, -1, 1])
        mask = g.And(mask, g.Equal(g.Unsqueeze(classes, [1]), distinct))
    scores = g.Where(mask, ranks, np.float32(0))
    triples = g.NonMaxSuppression(
        boxes, scores, size, np.array([threshold], np.float32), np.array([0.5], np.float32)
    )
    indices = g.Gather(triples, [0, 2], axis=1)
    ones = g.Cast(g.Greater(g.Gather(triples, np.int64(0), axis=1), -1), np.float32)
    marks = g.ScatterND(g.Full(g.shape_of(alive), 0, np.float32), indices, ones)
    return g.Greater(marks, 0.5)


def best_pairs(g: Graph, scores: Value, limit: float, most: int) -> tuple[Value, Value]:
    """The column of each row (B, R), and the row of each column (B, C), int64, -1 for none.

    Pairs have scores (B, R, C) above `limit`, the highest is taken first; at most `most` if it is positive.
    """
    never = np.asarray(-np.inf, scores.dtype)
    free = g.Where(g.Greater(scores, np.asarray(limit, scores.dtype)), scores, never)
    _, height, width = sizes_of(scores)
    row_numbers, col_numbers = (g.Unsqueeze(count(g, n), [0]) for n in (height, width))
    columns_of = g.Unsqueeze(g.size_of(scores, 2), [1])

    def build(b: Graph, _: Value, __: Value, left: Value, rows: Value, cols: Value) -> list[Value]:
        flat = b.Flatten(left, axis=1)
        best = b.ArgMax(flat, axis=1, keepdims=1)
        is_pair = b.Greater(b.GatherElements(flat, best, axis=1), never)
        row, col = b.Div(best, columns_of), b.Mod(best, columns_of)
        in_row, in_col = b.And(b.Equal(row_numbers, row), is_pair), b.And(b.Equal(col_numbers, col), is_pair)
        used = b.Or(b.Unsqueeze(in_row, [2]), b.Unsqueeze(in_col, [1]))
        more = b.Greater(b.Squeeze(b.ReduceMax(b.Cast(is_pair, np.float32), [0, 1], keepdims=0)), 0.5)
        return [more, b.Where(used, never, left), b.Where(in_row, col, rows), b.Where(in_col, row, cols)]

    sizes = g.shape_of(scores)
    row_sizes, col_sizes = g.Gather(sizes, [0, 1]), g.Gather(sizes, [0, 2])
    starts = [free, g.Full(row_sizes, -1, np.int64), g.Full(col_sizes, -1, np.int64)]
    specs = [
        Spec((), np.dtype(np.int64)),
        Spec((), np.dtype(bool)),
        *(Spec(v.shape, v.dtype) for v in starts),
    ]
    steps = [g.size_of(scores, 1), g.size_of(scores, 2), *([g.const([most])] if most > 0 else [])]
    limits = g.Squeeze(g.Min(*steps), [0])
    results = g.Loop(limits, np.array(True), *starts, outputs=3, body=g.body(specs, build))
    for value, start in zip(results, starts, strict=True):
        value.shape, value.dtype = start.shape, start.dtype
    return results[1], results[2]
