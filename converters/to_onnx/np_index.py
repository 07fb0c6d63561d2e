"""Lowerings of choices as mx.np has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.np_index import Choice

from ._graph import Graph, Value
from ._registry import lowers


@lowers(Choice)
def choice(g: Graph, op: Any, condition: Value, *values: Value) -> Value:
    """One node."""
    dtype = op.infer_dtype(condition.dtype, *(v.dtype for v in values))
    return g.Where(g.Cast(condition, np.bool_), *op.sides(values, dtype))
