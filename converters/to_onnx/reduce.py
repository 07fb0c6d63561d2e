"""Lowerings of reductions and of broadcasting to a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridonnx.ops.reduce import (
    ArgMax,
    ArgMaxChannel,
    ArgMin,
    BroadcastAs,
    BroadcastAxis,
    BroadcastLike,
    BroadcastTo,
    Moments,
    Norm,
    SpreadLike,
    SumLike,
)

from ._arithmetic import SMALL, divide
from ._graph import Graph, Value
from ._registry import lowers

Reduce = Callable[..., Value]
_int64 = np.dtype("int64")


def _kept(g: Graph, y: Value) -> Value:
    """MXNet's full reductions have one axis."""
    return g.Reshape(y, [1])


def _reduce(g: Graph, op: Any, data: Value, function: Reduce) -> Value:
    axes = op.axes(data.rank)
    full = len(axes) == data.rank and not op.keepdims
    result = function(data, axes=axes, keepdims=int(op.keepdims))
    return _kept(g, result) if full else result


def _wide(g: Graph, data: Value, function: Callable[[Value], Value], small: Any = np.int32) -> Value:
    """Through a wider dtype for those that ONNX does not sum; the last bits are right."""
    if data.dtype in SMALL or data.dtype.kind == "b":
        return g.via(small, function, data)
    return function(data)


def _number_of(g: Graph, data: Value, axes: Sequence[int], dtype: Any) -> Any:
    """How many elements `axes` of `data` have: a number if all sizes are known."""
    shape = data.shape or ()
    sizes = [shape[i] for i in axes]
    if None not in sizes:
        return np.asarray(np.prod([d or 0 for d in sizes], dtype=np.int64)).astype(dtype)
    found = g.Concat(*(g.size_of(data, i) for i in axes), axis=0)
    return g.Cast(g.ReduceProd(found, [0], keepdims=0), dtype)


# ---- sums, products and extremes


@lowers("sum")
def total(g: Graph, op: Any, data: Value) -> Value:
    """Of bool it is whether any is true."""
    if data.dtype.kind == "b":
        return extreme(g, op, data, g.ReduceMax)
    return _wide(g, data, lambda x: _reduce(g, op, x, g.ReduceSum))


@lowers("mean")
def mean(g: Graph, op: Any, data: Value) -> Value:
    """Of whole numbers truncated."""
    if data.dtype.kind == "f":
        return _reduce(g, op, data, g.ReduceMean)
    count = _number_of(g, data, op.axes(data.rank), data.dtype)
    return divide(g, total(g, op, data), count)


@lowers("prod")
def product(g: Graph, op: Any, data: Value) -> Value:
    """Of bool it is whether all are true."""
    if data.dtype.kind == "b":
        return extreme(g, op, data, g.ReduceMin)
    return _wide(g, data, lambda x: _reduce(g, op, x, g.ReduceProd))


def _nan_as(g: Graph, data: Value, value: int) -> Value:
    if data.dtype.kind != "f":
        return data
    return g.Where(g.IsNaN(data), data.dtype.type(value), data)


@lowers("nansum")
def nansum(g: Graph, op: Any, data: Value) -> Value:
    """The sum with NaN as 0."""
    return total(g, op, _nan_as(g, data, 0))


@lowers("nanprod")
def nanprod(g: Graph, op: Any, data: Value) -> Value:
    """The product with NaN as 1."""
    return product(g, op, _nan_as(g, data, 1))


def extreme(g: Graph, op: Any, data: Value, function: Reduce) -> Value:
    """A maximum or minimum. MXNet gives NaN if there is one, ONNX Runtime may overlook it."""
    if data.dtype.kind == "b":
        return g.via(np.int32, lambda x: _reduce(g, op, x, function), data)
    return _reduce(g, op, data, function)


@lowers("max")
def maximum(g: Graph, op: Any, data: Value) -> Value:
    """The maximum."""
    return extreme(g, op, data, g.ReduceMax)


@lowers("min")
def minimum(g: Graph, op: Any, data: Value) -> Value:
    """The minimum."""
    return extreme(g, op, data, g.ReduceMin)


@lowers("_square_sum")
def square_sum(g: Graph, op: Any, data: Value) -> Value:
    """The sum of squares."""
    return _wide(g, data, lambda x: _reduce(g, op, x, g.ReduceSumSquare))


@lowers(Norm)
def norm(g: Graph, op: Norm, data: Value) -> Value:
    """Whole numbers and float16 go through a wider dtype."""
    wide = g.Cast(data, np.float64 if data.dtype.itemsize > 4 else np.float32)
    axes = tuple(range(data.rank)) if not op.axis else tuple(i % data.rank for i in op.axis)
    function = g.ReduceL1 if op.ord == 1 else g.ReduceL2
    result = function(wide, axes=axes, keepdims=int(op.keepdims))
    if len(axes) == data.rank and not op.keepdims:
        result = _kept(g, result)
    return g.Cast(result, op.infer_dtype(data.dtype))


@lowers(Moments)
def moments(g: Graph, op: Moments, data: Value) -> tuple[Value, Value]:
    """The mean, and the mean of squared distances from it."""
    axes = op.over(data.rank)
    mean = g.ReduceMean(data, axes, keepdims=1)
    distance = data - mean
    variance = g.ReduceMean(g.Mul(distance, distance), axes, keepdims=1)
    if op.keepdims:
        return mean, variance
    if len(axes) == data.rank:
        return _kept(g, mean), _kept(g, variance)
    return g.Squeeze(mean, axes), g.Squeeze(variance, axes)


# ---- places of extremes


@lowers(ArgMax, ArgMin, ArgMaxChannel)
def place(g: Graph, op: Any, data: Value) -> Value:
    """Over all axes it is the place in the array laid out flat."""
    function = g.ArgMin if isinstance(op, ArgMin) else g.ArgMax
    axis, keepdims = op.along()
    if axis is None:
        found = function(g.Reshape(data, [-1]), axis=0, keepdims=1)
        found = g.Reshape(found, [1] * data.rank) if keepdims else found
    else:
        found = function(data, axis=axis, keepdims=int(keepdims))
        if data.rank == 1 and not keepdims:
            found = _kept(g, found)
    return g.Cast(found, data.dtype)


# ---- broadcasting


@lowers(BroadcastTo)
def broadcast_to(g: Graph, op: BroadcastTo, data: Value) -> Value:
    """To Expand, 1 says what 0 says to MXNet."""
    return g.Expand(data, [d or 1 for d in op.shape])


@lowers(BroadcastAxis)
def broadcast_axis(g: Graph, op: BroadcastAxis, data: Value) -> Value:
    """The other axes keep their sizes."""
    sizes = [1] * data.rank
    for axis, size in zip(op.axis, op.size, strict=True):
        sizes[axis] = size
    return g.Expand(data, sizes)


@lowers(BroadcastLike)
def broadcast_like(g: Graph, op: BroadcastLike, lhs: Value, rhs: Value) -> Value:
    """The sizes of `rhs`, at chosen axes among ones."""
    if op.lhs_axes is None:
        return g.Expand(lhs, g.shape_of(rhs))
    sizes: list[Any] = [[1]] * lhs.rank
    for a, b in op.axes(lhs.rank, rhs.rank):
        sizes[a] = g.size_of(rhs, b)
    return g.Expand(lhs, g.Concat(*sizes, axis=0) if len(sizes) > 1 else sizes[0])


@lowers(BroadcastAs)
def broadcast_as(g: Graph, op: BroadcastAs, data: Value, like: Value) -> Value:
    """To the shape of the second input."""
    return g.Expand(data, g.shape_of(like))


@lowers(SpreadLike)
def spread_like(g: Graph, op: SpreadLike, data: Value, like: Value) -> Value:
    """The reduced axes come back, then repeat."""
    axes = op.axes(like.rank)
    if op.mean:
        data = divide(g, data, _number_of(g, like, axes, data.dtype))
    if not op.keepdims and len(axes) < like.rank:
        data = g.Unsqueeze(data, axes)
    return g.Expand(data, g.shape_of(like))


@lowers(SumLike)
def sum_like(g: Graph, op: SumLike, data: Value, like: Value) -> Value:
    """The axes to sum are known, unless sizes are unknown that may be 1 or not."""
    lead = data.rank - like.rank
    have, want = data.shape or (), (1,) * lead + tuple(like.shape or ())
    if any(w is None and h != 1 for h, w in zip(have, want, strict=True)):
        return _sum_where_repeated(g, data, like, lead)
    axes = [i for i, (h, w) in enumerate(zip(have, want, strict=True)) if i < lead or (w == 1 and h != 1)]
    if not axes:
        return g.Identity(data)
    summed = _wide(g, data, lambda x: g.ReduceSum(x, axes=axes, keepdims=1))
    return g.Squeeze(summed, list(range(lead)))


def _sum_where_repeated(g: Graph, data: Value, like: Value, lead: int) -> Value:
    """The axes to sum are found when the model runs."""
    ones = g.Concat([1] * lead, g.shape_of(like), axis=0) if lead else g.shape_of(like)
    repeated = g.And(g.Equal(ones, 1), g.Not(g.Equal(g.shape_of(data), 1)))
    axes = g.Squeeze(g.NonZero(repeated), [0])
    summed = _wide(g, data, lambda x: g.node("ReduceSum", [x, axes], 1, {"noop_with_empty_axes": 1}))
    return g.Reshape(summed, g.shape_of(like), allowzero=0)
