"""Imports of arrays made from attributes; those from constants are folded before."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ..elements import dtype_of
from ._registry import Operand, imports
from ._result_sizes import range_length
from ._sized import full, numbers
from ._vectors import exact


@imports("ConstantOfShape", versions=(9, 20, 21, 23, 24, 25))
def constant_of_shape(F: Any, shape: Operand, *, value: Any = None) -> Any:
    """One element repeated."""
    fill = np.zeros(1, np.float32) if value is None else value
    return full(F, shape, fill.reshape(-1)[0], fill.dtype)


@imports("Range", versions=(11, 27))
def arange(F: Any, start: Any, limit: Any, delta: Any, *, stash_type: int = 1) -> Any:
    """As many numbers as an array has along an axis, from the start on."""
    dtype = F.result_dtype()
    first, last, step = (_number(F, x) for x in (start, limit, delta))
    length = range_length(first, last, step)
    if length is not None and isinstance(first, int):
        return numbers(F, length, dtype, first, step)
    if length is None or dtype is None:
        raise ConversionError(
            "Range: a start and a limit that are numbers or sizes of the inputs, and a constant step, are "
            f"required, got {first}, {last} and {step}."
        )
    return F.broadcast_add(numbers(F, length, dtype, 0, step), F.Reshape(start, shape=(1,)))


def _number(F: Any, x: Any) -> Any:
    """A number, or an expression of free sizes; `None` if it is computed otherwise."""
    vector = F.operand(x)
    return None if vector is None else exact(vector.items[0])


@imports("EyeLike", versions=(9, 22))
def eye_like(F: Any, x: Any, *, dtype: int | None = None, k: int = 0) -> Any:
    """Where the number of a row, counted from `k` on, is that of the column."""
    rows, columns = F.dims(x) or (None, None)
    kind = F.dtype(x) if dtype is None else dtype_of(dtype)
    if isinstance(rows, int) and isinstance(columns, int):
        return F._eye(N=rows, M=columns, k=k, dtype=kind.name)
    if rows is None or columns is None:
        raise ConversionError("EyeLike: a known shape is required. Give the inputs' shapes in the model.")
    counts = np.dtype(np.int32)
    row = F.expand_dims(numbers(F, rows, counts, k), axis=1)
    return F.cast(F.broadcast_equal(row, F.expand_dims(numbers(F, columns, counts), axis=0)), dtype=kind.name)
