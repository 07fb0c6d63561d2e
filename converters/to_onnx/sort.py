"""Lowerings of sorting: all of it is TopK."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.sort import ArgSort, Sort, TopK, Unique

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import flat, reshape, sizes_of, vector


def _best(g: Graph, op: Any, data: Value, count: int) -> tuple[Value, Value, Value, int]:
    """What is sorted, the `count` (0: all) first values and their indices, and the axis."""
    x = flat(g, data) if op.axis is None else data
    axis = 0 if op.axis is None else op.axis % data.rank
    size, largest = sizes_of(x)[axis], int(not op.is_ascend)
    k = vector(g, [count or size])
    if x.dtype.kind != "f":
        return x, *g.TopK(x, k, axis, largest=largest), axis
    if x.dtype.itemsize == 8:
        indices = _two_passes(g, x, k, vector(g, [size]), axis, largest)
    else:
        indices = g.TopK(_with_nan_last(g, x), k, axis, largest=largest)[1]
    return x, g.GatherElements(x, indices, axis=axis), indices, axis


def _with_nan_last(g: Graph, x: Value) -> Value:
    """`x` in float64, where NaN can be larger than infinity is; TopK itself puts NaN anywhere."""
    wide = g.Min(g.Cast(x, np.float64), np.finfo(np.float64).max)
    return g.Where(g.IsNaN(x), np.float64(np.inf), wide)


def _two_passes(g: Graph, x: Value, k: Any, size: Any, axis: int, largest: int) -> Value:
    """By value first, then by whether it is NaN: TopK keeps the order of what is equal."""
    is_nan = g.IsNaN(x)
    indices = g.TopK(g.Where(is_nan, np.float64(np.inf), x), size, axis, largest=largest)[1]
    marks = g.GatherElements(g.Cast(is_nan, np.float32), indices, axis=axis)
    return g.GatherElements(indices, g.TopK(marks, k, axis, largest=largest)[1], axis=axis)


@lowers(TopK)
def topk(g: Graph, op: TopK, data: Value) -> Value | tuple[Value, ...]:
    """The mask is a scatter of ones."""
    x, values, indices, axis = _best(g, op, data, max(op.k, 0))
    if op.ret_typ == "indices":
        return g.Cast(indices, op.dtype)
    if op.ret_typ != "mask":
        return values, g.Cast(indices, op.dtype)
    nothing, ones = (g.Full(g.shape_of(v), n, x.dtype) for v, n in ((x, 0), (indices, 1)))
    return reshape(g, g.ScatterElements(nothing, indices, ones, axis=axis), sizes_of(data))


@lowers(Sort)
def sort(g: Graph, op: Sort, data: Value) -> tuple[Value, Value]:
    """The hidden output is int32."""
    _, values, indices, _ = _best(g, op, data, 0)
    return values, g.Cast(indices, np.int32)


@lowers(ArgSort)
def argsort(g: Graph, op: ArgSort, data: Value) -> Value:
    """The indices alone."""
    return g.Cast(_best(g, op, data, 0)[2], op.dtype)


@lowers(Unique)
def unique(g: Graph, op: Unique, data: Value) -> Value:
    """One node."""
    elements: Value = g.Unique(data)
    return elements
