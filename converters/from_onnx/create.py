"""Imports of arrays made from attributes; those from constants are folded before."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ..values import dtype_of
from ._registry import Const, imports


@imports("ConstantOfShape", versions=(9, 20, 21, 23, 24, 25))
def constant_of_shape(F: Any, shape: Const, *, value: Any = None) -> Any:
    """A constant."""
    fill = np.zeros(1, np.float32) if value is None else value
    return F.const(np.full(tuple(shape), fill.reshape(-1)[0], fill.dtype))


@imports("Range", versions=(11, 27))
def arange(F: Any, start: Const, limit: Const, delta: Const, *, stash_type: int = 1) -> Any:
    """A constant."""
    first, end, step = (float(v.item()) for v in (start, limit, delta))
    return F.const(np.arange(first, end, step).astype(start.dtype))


@imports("EyeLike", versions=(9, 22))
def eye_like(F: Any, x: Any, *, dtype: int | None = None, k: int = 0) -> Any:
    """Of the shape of `x`, which must be known."""
    shape = F.shape(x)
    if shape is None or None in shape:
        raise ConversionError("EyeLike: a known shape is required. Give the inputs' shapes in the model.")
    kind = F.dtype(x) if dtype is None else dtype_of(dtype)
    return F._eye(N=shape[0], M=shape[1], k=k, dtype=kind.name)
