"""Lowerings of sorting: all of it is TopK."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.sort import ArgSort, Sort, TopK

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import flat, reshape, sizes_of, vector


def _best(g: Graph, op: Any, data: Value, count: int) -> tuple[Value, Value, Value, int]:
    """What is sorted, the `count` (0: all) first values and their indices, and the axis."""
    x = flat(g, data) if op.axis is None else data
    axis = 0 if op.axis is None else op.axis % data.rank
    k = vector(g, [count or sizes_of(x)[axis]])
    return x, *g.TopK(x, k, axis, largest=int(not op.is_ascend)), axis


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
