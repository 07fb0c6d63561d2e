"""The array of mx.np, and how it is made of other values."""

from __future__ import annotations

from typing import Any

import numpy as _np

from ..attrs import ShapeLike
from ..context import Context
from ..dtypes import DTypeLike
from ..ndarray.np_array import FUNCTIONS, array_of, ndarray

__all__ = ["array", "empty", "ndarray"]


def array(object: Any, dtype: DTypeLike | None = None, ctx: Context | None = None) -> ndarray:
    """An array of values: of NumPy's and MXNet's own dtypes as they are, of numbers and lists float32."""
    return array_of(object, dtype, ctx)


def empty(
    shape: ShapeLike, dtype: DTypeLike = _np.float32, order: str = "C", ctx: Context | None = None
) -> ndarray:
    """An array whose values are still to be written; here zeros."""
    made: ndarray = FUNCTIONS.zeros(shape, dtype, order, ctx)
    return made
