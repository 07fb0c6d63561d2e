"""Linear algebra on symbols of mx.np."""

from __future__ import annotations

from typing import Any

from ...errors import NotImplementedForSymbol
from ..np_symbol import FUNCTIONS, operators

__all__ = ["cholesky", "inv", "norm", "solve"]


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of all elements, or of vectors along an axis."""
    f: Any = FUNCTIONS
    if ord == 1 and isinstance(axis, int):
        return f.sum(f.abs(x), axis, keepdims=keepdims)
    if ord in (None, "fro") or (ord == 2 and isinstance(axis, int)):
        return f.sqrt(f.sum(f.square(x), axis, keepdims=keepdims))
    raise NotImplementedForSymbol(f"norm: ord None, or 1 or 2 along one axis, is required, got {ord!r}.")


def inv(a: Any) -> Any:
    """The inverse of matrices."""
    return operators("_linalg_inverse")(a)


def cholesky(a: Any) -> Any:
    """The lower triangle whose product with its transpose is a matrix."""
    return operators("_linalg_potrf")(a)


def solve(a: Any, b: Any) -> Any:
    """What a matrix takes to `b`."""
    return FUNCTIONS.matmul(inv(a), b)
