"""Lowerings of operators for sparse storage types; in ONNX all arrays are dense."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.sparse import CastStorage, Retain, RowSparseTakeGrad, SparseEmbedding

from ._graph import Graph, Value
from ._registry import lowers
from .index import embedding, take_grad

_int64 = np.dtype("int64")

lowers(RowSparseTakeGrad)(take_grad)
lowers(SparseEmbedding)(embedding)


@lowers(CastStorage)
def cast_storage(g: Graph, op: CastStorage, data: Value) -> Value:
    """One node."""
    return g.Identity(data)


@lowers(Retain)
def retain(g: Graph, op: Retain, data: Value, indices: Value) -> Value:
    """A row stays if any index is equal to its number."""
    numbers = g.Range(np.int64(0), g.Squeeze(g.size_of(data, 0), [0]), np.int64(1))
    equal = g.Equal(g.Unsqueeze(numbers, [1]), g.Unsqueeze(g.Cast(indices, _int64), [0]))
    # a sum, as the largest of no indices is not defined
    named = g.Cast(g.ReduceSum(g.Cast(equal, np.dtype("int32")), [1], keepdims=0), np.dtype("bool"))
    if data.rank > 1:
        named = g.Unsqueeze(named, list(range(1, data.rank)))
    return g.Where(named, data, np.zeros((), data.dtype))
