"""The lowering of dropout."""

from __future__ import annotations

from typing import Any

from hybridonnx.ops.dropout import Dropout

from ._graph import Graph, Value
from ._registry import lowers


@lowers(Dropout)
def dropout(g: Graph, op: Dropout, data: Value, noise: Value | None = None) -> Any:
    if noise is None:
        return data, g.Full(g.shape_of(data), 1, data.dtype)
    for axis in op.shared(data.rank):
        noise = g.Slice(noise, [0], [1], [axis])
    mask = g.Cast(g.Less(noise, 1 - op.p), data.dtype) * op.scale()
    return data * mask, g.Expand(mask, g.shape_of(data)) if op.axes else mask
