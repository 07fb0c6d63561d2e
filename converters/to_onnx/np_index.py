"""Lowerings of choices and indices as mx.np has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.np_index import Choice, NumpyDiagIndices

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import count, sizes_of, vector


@lowers(Choice)
def choice(g: Graph, op: Any, condition: Value, *values: Value) -> Value:
    """One node."""
    dtype = op.infer_dtype(condition.dtype, *(v.dtype for v in values))
    return g.Where(g.Cast(condition, np.bool_), *op.sides(values, dtype))


@lowers(NumpyDiagIndices)
def diag_indices(g: Graph, op: NumpyDiagIndices, data: Value) -> Value:
    """A row of all indices for each axis."""
    sizes = sizes_of(data)
    length = next((size for size in sizes if isinstance(size, int)), sizes[0])
    return g.Expand(count(g, length), vector(g, [data.rank, length]))
