"""Imports of sorting."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError

from ._registry import Const, imports
from .reshape import ints


@imports("TopK", versions=(1,))
def topk_by_attribute(F: Any, data: Any, *, k: int, axis: int = -1) -> Any:
    """The number of values is an attribute."""
    return topk(F, data, k, axis=axis)


@imports("TopK", versions=(10, 11, 24))
def topk(F: Any, data: Any, k: Const, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any:
    """MXNet sorts in any case."""
    (count,) = ints(k)
    return F.topk(data, k=count, axis=axis, ret_typ="both", is_ascend=not largest, dtype="int64")


@imports("Unique", versions=(11, 28))
def unique(F: Any, X: Any, *, axis: int | None = None, sorted: int = 1) -> Any:
    """The elements alone, which may be sorted in any case."""
    if axis is not None:
        raise ConversionError(f"Unique: no axis is required, got {axis}. Flatten its input.")
    return F._unique(X)
