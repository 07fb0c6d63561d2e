"""Imports of sorting."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.ops import SymbolicDim

from ._registry import Operand, imports
from ._sized import first_part


@imports("TopK", versions=(1,))
def topk_by_attribute(F: Any, data: Any, *, k: int, axis: int = -1) -> Any:
    """The number of values is an attribute."""
    return topk(F, data, (k,), axis=axis)


@imports("TopK", versions=(10, 11, 24))
def topk(F: Any, data: Any, k: Operand, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any:
    """MXNet sorts in any case."""
    (count,) = k
    if isinstance(count, SymbolicDim):
        return _top_by_size(F, data, count, axis, not largest)
    if count < 1:  # which MXNet takes for all
        raise ConversionError(f"TopK: a k of at least 1 is required, got {count}.")
    return F.topk(data, k=count, axis=axis, ret_typ="both", is_ascend=not largest, dtype="int64")


def _top_by_size(F: Any, data: Any, count: SymbolicDim, axis: int, is_ascend: bool) -> Any:
    """As many as another array has along an axis: the first part of all, sorted."""
    dims = F.dims(data)
    size = None if dims is None else dims[axis]
    spare = None if size is None else size - count
    if spare is None or (spare if isinstance(spare, int) else spare.least) < 0:
        raise ConversionError(f"TopK: a k of at most the size {size} is required, got {count}.")
    both = F.topk(data, k=0, axis=axis, ret_typ="both", is_ascend=is_ascend, dtype="int64")
    if isinstance(spare, int) and spare == 0:
        return both
    return [first_part(F, both[i], axis % len(dims), count) for i in range(2)]


@imports("Unique", versions=(11, 28))
def unique(F: Any, X: Any, *, axis: int | None = None, sorted: int = 1) -> Any:
    """The elements alone, which may be sorted in any case."""
    if axis is not None:
        raise ConversionError(f"Unique: no axis is required, got {axis}. Flatten its input.")
    return F._unique(X)
