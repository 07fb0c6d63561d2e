"""Lowerings of linear algebra as mx.np has it."""

from __future__ import annotations

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops.np_linalg import SingularValues, Solution

from ._elimination import inverse, on_kernels_here, transposed, zero
from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import empty, known_size
from .decomposition import eigenvalues


@lowers(Solution)
def solution(g: Graph, op: Solution, A: Value, B: Value) -> Value:
    if empty(A) or empty(B):
        return g.Identity(B)
    result, singular = inverse(g, transposed(g, A) if op.transpose else A)
    return g.Where(singular, np.full((), np.nan, A.dtype), g.MatMul(result, B))


@lowers(SingularValues)
def singular_values(g: Graph, op: SingularValues, A: Value) -> Value:
    """Roots of eigenvalues in float64, whose digits suffice for the values of a float32 matrix."""
    if A.dtype != np.float32:
        raise ConversionError("_singular_values: float32 is required in ONNX, as float64 would lose digits.")
    m, n = (known_size(g, A, A.rank - i) for i in (2, 1))
    on_kernels_here(g)
    wide = g.Cast(A, np.float64)
    back = transposed(g, wide)
    squares = g.MatMul(wide, back) if m <= n else g.MatMul(back, wide)
    roots = g.Sqrt(g.Max(eigenvalues(g, squares, min(m, n)), zero(squares)))
    return g.Cast(roots, A.dtype)
