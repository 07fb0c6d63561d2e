"""Lowerings of what mx.np chooses, counts and inserts."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.np_select import (
    NumpyBincount,
    NumpyDelete,
    NumpyInsertScalar,
    NumpyInsertSlice,
    NumpyNonzero,
    NumpyPercentile,
    NumpyUnique,
)

from ._arithmetic import any_along
from ._graph import Graph, Value
from ._registry import lowers


@lowers(NumpyPercentile)
def percentile(g: Graph, op: NumpyPercentile, a: Value, q: Value | None = None) -> Value:
    shape, axes = g.sizes(a), op.axes(a.rank)
    rest = [i for i in range(a.rank) if i not in axes]
    n = op.count(shape)
    wide = g.Cast(a, g.output().dtype)
    rows = g.Reshape(g.Transpose(wide, [*rest, *axes]) if a.rank else wide, [*(shape[i] for i in rest), n])
    if a.dtype.kind == "f":
        unknown = any_along(g, g.IsNaN(rows), [len(rest)], keepdims=1)
        rows = g.Where(unknown, np.full((), np.nan, wide.dtype), rows)
    ordered = g.TopK(rows, n, largest=0)[0]
    q = g.Cast(q, np.float32) if q is not None else g.const(np.float32(op.q_scalar))
    place = g.Cast(q, np.float64) * float(n - 1) / 100.0  # in this order, so that whole places are whole
    below = g.Floor(place + 0.5 if op.interpolation == "nearest" else place)
    above = g.Ceil(place)
    low, high = (g.Gather(ordered, g.Cast(x, np.int64), axis=len(rest)) for x in (below, above))
    if op.interpolation in ("lower", "nearest"):
        result = low
    elif op.interpolation == "higher":
        result = high
    else:
        share = 0.5 if op.interpolation == "midpoint" else g.Cast(place - below, wide.dtype)
        result = g.Where(g.Equal(low, high), low, low * (1.0 - share) + high * share)  # at infinities, too
    if q.rank:
        result = g.Transpose(result, [len(rest), *range(len(rest))]) if rest else result
    return g.Unsqueeze(result, [q.rank + i for i in axes]) if op.keepdims and axes else result


@lowers(NumpyUnique)
def unique(g: Graph, op: NumpyUnique, data: Value) -> Any:
    narrow = data.dtype not in (np.float32, np.float64, np.int64, np.int8)
    wide = (np.float32 if data.dtype.kind == "f" else np.int64) if narrow else data.dtype
    x = g.Cast(data, wide)
    attributes = {} if op.axis is None else {"axis": op.axis % data.rank}
    values, index, inverse, counts = g.Unique(x, sorted=1, outputs=4, **attributes)
    wanted = ((index, op.return_index), (inverse, op.return_inverse), (counts, op.return_counts))
    results = [g.Cast(values, data.dtype), *(part for part, asked in wanted if asked)]
    return results if len(results) > 1 else results[0]


@lowers(NumpyNonzero)
def nonzero(g: Graph, op: NumpyNonzero, x: Value) -> Value:
    truth = g.Cast(x, np.bool_)
    return g.Transpose(g.NonZero(truth if x.rank else g.Reshape(truth, [1])), [1, 0])


@lowers(NumpyBincount)
def bincount(g: Graph, op: NumpyBincount, data: Value, weights: Value | None = None) -> Value:
    numbers = g.Cast(data, np.int64)
    least = np.array([op.minlength - 1], np.int64)
    last = g.ReduceMax(g.Concat(numbers, g.const(least), axis=0), [0], keepdims=0)
    index = g.Range(np.array(0, np.int64), last + np.array(1, np.int64), np.array(1, np.int64))
    equal = g.Equal(g.Unsqueeze(index, [1]), numbers)
    if weights is None:
        return g.Cast(g.ReduceSum(g.Cast(equal, np.int64), [1], keepdims=0), data.dtype)
    return g.ReduceSum(g.Where(equal, weights, np.array(0, weights.dtype)), [1], keepdims=0)


@lowers(NumpyDelete)
def delete(g: Graph, op: NumpyDelete, arr: Value, obj: Value | None = None) -> Value:
    flat = g.Reshape(arr, [-1]) if op.axis is None else arr
    axis = 0 if op.axis is None else op.axis % arr.rank
    shape = g.sizes(arr)
    n = int(np.prod(shape, dtype=np.int64)) if op.axis is None else shape[axis]
    if obj is None:
        return g.Gather(flat, op.kept(n), axis=axis)
    index = g.Cast(obj, np.int64)
    index = g.Where(g.Less(index, np.array(0, np.int64)), index + np.array(n, np.int64), index)
    index = g.Reshape(index, [1, -1])
    leaves = g.ReduceMax(g.Cast(g.Equal(np.arange(n)[:, None], index), np.int32), [1], keepdims=0)
    return g.Compress(flat, g.Equal(leaves, np.array(0, np.int32)), axis=axis)


@lowers(NumpyInsertScalar)
@lowers(NumpyInsertSlice)
def insert(g: Graph, op: Any, arr: Value, values: Value | None = None) -> Value:
    shapes = [g.sizes(arr)] + ([] if values is None else [g.sizes(values)])
    places = op.places(*shapes)
    if not places.size:  # a size of 0 is that of the input to Reshape
        return g.const(np.zeros(places.shape, arr.dtype))
    new = g.const(np.array([op.val], arr.dtype)) if values is None else g.Cast(values, arr.dtype)
    flat = [g.Reshape(x, [-1]) for x in (arr, new)]
    return g.Reshape(g.Gather(g.Concat(*flat, axis=0), places.reshape(-1), axis=0), list(places.shape))
