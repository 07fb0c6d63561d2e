"""Lowerings of reductions and of broadcasting to a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
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
    SquareSumGrad,
    SumLike,
)

from ._arithmetic import SMALL, any_along, divide, multiply, subtract, through
from ._graph import Graph, Value
from ._recurrence import scan
from ._registry import lowers
from ._symbolic_dims import known_size, sizes_of, vector

Reduce = Callable[..., Value]
_int64 = np.dtype("int64")


def _one_axis(g: Graph, y: Value) -> Value:
    """MXNet's full reductions have one axis."""
    return g.Reshape(y, [1])


def _reduce(g: Graph, op: Any, data: Value, function: Reduce) -> Value:
    axes = op.axes(data.rank)
    full = len(axes) == data.rank and not op.keepdims
    result = function(data, axes=axes, keepdims=int(op.keepdims))
    return _one_axis(g, result) if full else result


def _sum(g: Graph, data: Value, axes: Sequence[int], keepdims: int) -> Value:
    """The sum; of integers with the last bits right, as they wrap: ONNX Runtime's ReduceSum is a double's.

    That holds the sums of all integers narrower than int64, whose own are the ends of running sums.
    """
    if data.dtype.kind == "f":
        return g.ReduceSum(data, axes, keepdims=keepdims)
    if data.dtype != _int64:
        return g.via(_int64, lambda x: g.ReduceSum(x, axes, keepdims=keepdims), data)
    for axis in axes:
        running = g.CumSum(_not_empty(g, data, axis, 0), np.int64(axis))
        data = g.Slice(running, [-1], [np.iinfo(np.int64).max], [axis])
    return data if keepdims else g.Squeeze(data, list(axes))


def _not_empty(g: Graph, data: Value, axis: int, value: int) -> Value:
    """`data` with `value` before it along an axis that may have no elements."""
    if data.shape is not None and data.shape[axis]:
        return data
    before = [int(i == axis) for i in range(data.rank)]
    return g.Pad(data, [*before, *[0] * data.rank], value)


def _product(g: Graph, data: Value, axes: Sequence[int], keepdims: int) -> Value:
    """The product; of integers multiplied one after the other, as they wrap where ReduceProd saturates."""
    if data.dtype.kind == "f":
        return g.ReduceProd(data, axes, keepdims=keepdims)
    return g.via(_int64, lambda x: _wrapping_product(g, x, axes, keepdims), data)


def _wrapping_product(g: Graph, data: Value, axes: Sequence[int], keepdims: int) -> Value:
    for axis in axes:
        size = None if data.shape is None else data.shape[axis]
        function = _product_in_steps if size is None else _product_in_halves
        data = function(g, _not_empty(g, data, axis, 1), axis)
    return data if keepdims else g.Squeeze(data, list(axes))


def _product_in_halves(g: Graph, data: Value, axis: int) -> Value:
    """The product along an axis of known size: one half times the other, until one element is left."""
    size = known_size(g, data, axis)
    while size > 1:
        half = size // 2
        product = g.Slice(data, [0], [half], [axis]) * g.Slice(data, [half], [2 * half], [axis])
        rest = [g.Slice(data, [2 * half], [size], [axis])] if size % 2 else []
        data, size = g.Concat(product, *rest, axis=axis), half + size % 2
    return data


def _product_in_steps(g: Graph, data: Value, axis: int) -> Value:
    others = [i for i in range(data.rank) if i != axis]
    sizes = sizes_of(data)
    one = g.Full(vector(g, [sizes[i] for i in others]), 1, data.dtype)
    (last,) = scan(g, lambda b, y, x: [b.Mul(y, x)], [one], [g.Transpose(data, [axis, *others])], 0, False)
    return g.Unsqueeze(last, [axis])


def _number_of(g: Graph, data: Value, axes: Sequence[int], dtype: Any) -> Any:
    """How many elements `axes` of `data` have: a number if all sizes are known."""
    shape = data.dims
    sizes = [shape[i] for i in axes]
    if None not in sizes:
        return np.asarray(np.prod([d or 0 for d in sizes], dtype=np.int64)).astype(dtype)
    extents = g.Concat(*(g.size_of(data, i) for i in axes), axis=0)
    return g.Cast(g.ReduceProd(extents, [0], keepdims=0), dtype)


def _over(g: Graph, value: Value, data: Value, axes: Sequence[int]) -> Value:
    """`value` divided by the number of elements, which narrow dtypes may not have."""
    if value.dtype.kind == "b":
        return value
    if value.dtype == np.float16:
        return through(g, np.float32, g.Div, value, _number_of(g, data, axes, np.float32))
    dtype = np.dtype(np.int32) if value.dtype in SMALL else value.dtype  # which divide takes them to
    return divide(g, value, _number_of(g, data, axes, dtype))


# ---- sums, products and extremes


@lowers("sum")
def total(g: Graph, op: Any, data: Value) -> Value:
    """Of bool it is whether any is true."""
    if data.dtype.kind == "b":
        return _reduce(g, op, data, partial(any_along, g))
    return _reduce(g, op, data, partial(_sum, g))


@lowers("mean")
def mean(g: Graph, op: Any, data: Value) -> Value:
    """Of integers truncated."""
    axes = op.axes(data.rank)
    if data.dtype.kind == "f":
        return _nan_of_nothing(g, _reduce(g, op, data, g.ReduceMean), data, axes)
    return _over(g, total(g, op, data), data, axes)


def _nan_of_nothing(g: Graph, mean: Value, data: Value, axes: Sequence[int]) -> Value:
    """A mean over `axes`, NaN if there is no element along them, of which ONNX Runtime says 0."""
    shape = data.shape or (None,) * data.rank
    if all(shape[i] for i in axes):
        return mean
    return mean + g.Div(data.dtype.type(0), _number_of(g, data, axes, data.dtype))


@lowers("prod")
def product(g: Graph, op: Any, data: Value) -> Value:
    """Of bool it is whether all are true."""
    if data.dtype.kind == "b":
        return extreme(g, op, data, g.ReduceMin)
    return _reduce(g, op, data, partial(_product, g))


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
    """A maximum or minimum: NaN if there is one, though ONNX Runtime's reductions may overlook it."""
    if data.dtype.kind == "b":
        return g.via(np.int32, lambda x: _reduce(g, op, x, function), data)
    result = _reduce(g, op, data, function)
    if data.dtype.kind != "f":
        return result
    any_nan = _reduce(g, op, g.IsNaN(data), partial(any_along, g))
    return g.Where(any_nan, data.dtype.type(np.nan), result)


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
    if data.dtype.kind == "f":
        return _reduce(g, op, data, g.ReduceSumSquare)
    return total(g, op, multiply(g, data, data))


@lowers(Norm)
def norm(g: Graph, op: Norm, data: Value) -> Value:
    """Integers and float16 go through a wider dtype."""
    wide = g.Cast(data, np.float64 if data.dtype.itemsize > 4 else np.float32)
    axes = tuple(range(data.rank)) if not op.axis else tuple(i % data.rank for i in op.axis)
    function = g.ReduceL1 if op.ord == 1 else g.ReduceL2
    result = function(wide, axes=axes, keepdims=int(op.keepdims))
    if len(axes) == data.rank and not op.keepdims:
        result = _one_axis(g, result)
    return g.Cast(result, op.infer_dtype(data.dtype))


@lowers(Moments)
def moments(g: Graph, op: Moments, data: Value) -> tuple[Value, Value]:
    """The mean, and the mean of squared distances from it."""
    axes = op.over(data.rank)

    def mean_of(x: Value) -> Value:
        if x.dtype.kind == "f":
            return _nan_of_nothing(g, g.ReduceMean(x, axes, keepdims=1), x, axes)
        return _over(g, _sum(g, x, axes, 1), x, axes)

    mean = mean_of(data)
    distance = subtract(g, data, mean)
    variance = mean_of(multiply(g, distance, distance))
    if op.keepdims:
        return mean, variance
    if len(axes) == data.rank:
        return _one_axis(g, mean), _one_axis(g, variance)
    return g.Squeeze(mean, axes), g.Squeeze(variance, axes)


# ---- indices of extremes


@lowers(ArgMax, ArgMin, ArgMaxChannel)
def index_of_extreme(g: Graph, op: Any, data: Value) -> Value:
    """Over all axes it is the index in the array laid out flat."""
    function = g.ArgMin if isinstance(op, ArgMin) else g.ArgMax
    axis, keepdims = op.along()
    if axis is None:
        index = _arg(g, function, g.Reshape(data, [-1]), 0, True)
        index = g.Reshape(index, [1] * data.rank) if keepdims else index
    else:
        # counted from the front, as ONNX Runtime keeps the input's shape else where another size is 0
        index = _arg(g, function, data, axis % data.rank, keepdims)
        if data.rank == 1 and not keepdims:
            index = _one_axis(g, index)
    return g.Cast(index, data.dtype)


def _arg(g: Graph, function: Reduce, data: Value, axis: int, keepdims: bool) -> Value:
    """The first index of an extreme, or of a NaN, which ONNX Runtime overlooks."""
    options = {"axis": axis, "keepdims": int(keepdims)}
    index = function(data, **options)
    if data.dtype.kind != "f":
        return index
    mask = g.Cast(g.IsNaN(data), np.int32)  # which ONNX Runtime reduces at every opset
    any_nan = g.Cast(g.ReduceMax(mask, [axis], keepdims=int(keepdims)), np.bool_)
    return g.Where(any_nan, g.ArgMax(mask, **options), index)


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
        data = _over(g, data, like, axes)
    if not op.keepdims and len(axes) < like.rank:
        data = g.Unsqueeze(data, axes)
    elif data.rank > like.rank:  # a full reduction has an axis, even that of a number
        data = g.Squeeze(data, [0])
    return g.Expand(data, g.shape_of(like))


@lowers(SquareSumGrad)
def square_sum_grad(g: Graph, op: SquareSumGrad, data: Value, like: Value) -> Value:
    return g.Mul(g.Mul(spread_like(g, op, data, like), like), np.array(2, like.dtype))


@lowers(SumLike)
def sum_like(g: Graph, op: SumLike, data: Value, like: Value) -> Value:
    """The axes to sum are known, unless sizes are unknown that may be 1 or not."""
    lead = data.rank - like.rank
    have, want = data.dims, (1,) * lead + tuple(like.dims)
    if any(w is None and h != 1 for h, w in zip(have, want, strict=True)):
        return _sum_where_repeated(g, data, like, lead)
    axes = [i for i, (h, w) in enumerate(zip(have, want, strict=True)) if i < lead or (w == 1 and h != 1)]
    if not axes:
        return g.Identity(data)
    return g.Squeeze(_sum(g, data, axes, 1), list(range(lead)))


def _sum_where_repeated(g: Graph, data: Value, like: Value, lead: int) -> Value:
    """The axes to sum are known only when the model runs."""
    ones = g.Concat([1] * lead, g.shape_of(like), axis=0) if lead else g.shape_of(like)
    repeated = g.And(g.Equal(ones, 1), g.Not(g.Equal(g.shape_of(data), 1)))
    axes = g.Squeeze(g.NonZero(repeated), [0])

    def total(x: Value) -> Value:
        result: Value = g.node("ReduceSum", [x, axes], 1, {"noop_with_empty_axes": 1})
        return result

    summed = total(data) if data.dtype.kind == "f" else g.via(_int64, total, data)
    return g.Reshape(summed, g.shape_of(like), allowzero=0)
