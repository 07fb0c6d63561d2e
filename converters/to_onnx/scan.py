"""Running sums as ONNX nodes."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.scan import CumSum

from ._graph import Graph, Value
from ._registry import lowers

_SUMMED = ("float32", "float64", "int32", "int64")
"""What ONNX Runtime sums."""


@lowers(CumSum)
def cumsum(g: Graph, op: CumSum, a: Value) -> Value:
    flat = g.Reshape(a, [-1]) if op.axis is None else a
    dtype = np.dtype(op.infer_dtype(a.dtype) or a.dtype)
    through = dtype if dtype.name in _SUMMED else np.dtype("float32" if dtype.kind == "f" else "int64")
    axis = g.const(np.array(op.axis or 0, np.int64))
    summed: Value = g.Cast(g.CumSum(g.Cast(flat, through), axis), dtype)
    return summed
