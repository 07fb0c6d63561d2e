"""Imports of rectangular parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops import SymbolicDim, same

from ._registry import Const, imports
from ._sized import first_part, numbers
from ._vectors import Size
from .reshape import ints

_FAR = 2**31 - 2
"""Limits from here on are beyond any axis; MXNet could not read much larger ones."""


_Cut: TypeAlias = tuple[int | None, int | None, int | None]


@imports("Slice", versions=(1,))
def slice_by_attribute(
    F: Any, data: Any, *, starts: tuple[int, ...], ends: tuple[int, ...], axes: tuple[int, ...] | None = None
) -> Any:
    """The ends are attributes."""
    return slice_(F, data, starts, ends, axes)


@imports("Slice", versions=(10, 11, 13))
def slice_(F: Any, data: Any, starts: Any, ends: Any, axes: Const = None, steps: Const = None) -> Any:
    """ONNX means slices as Python does; absent ends are far away ones."""
    begin, end = _places(F, starts), _places(F, ends)
    rank = F.rank(data)
    where = range(len(begin)) if axes is None else [axis % rank for axis in ints(axes)]
    step = (1,) * len(begin) if steps is None else ints(steps)
    cuts: list[_Cut] = [(None, None, None)] * (max(where, default=-1) + 1)
    for i, (axis, a, b, s) in enumerate(zip(where, begin, end, step, strict=True)):
        size = (F.dims(data) or (None,) * rank)[axis]
        first, last = _code(a, size, s), _code(b, size, s)
        if isinstance(first, SymbolicDim) or isinstance(last, SymbolicDim):
            data = _cut_by_sizes(F, data, axis, (first, last, s), starts, i)
        else:
            cuts[axis] = _begin(first, size, s), _end(last, s), s
    if all(cut == (None, None, None) for cut in cuts):
        return data
    begins, stops, by = zip(*cuts, strict=True)
    if all(s in (None, 1) for s in by):
        return F.slice(data, begin=begins, end=stops)
    return F.slice(data, begin=begins, end=stops, step=by)


def _begin(place: int, size: Size | None, step: int) -> int | None:
    """A start as MXNet's; going backward, ONNX begins no earlier than at the first element."""
    if step < 0 and place < -1:
        if not isinstance(size, int):
            raise ConversionError(
                f"Slice: a known size is required to begin at {place} backward, got {size}."
            )
        place = max(place, -size)
    before = place <= -_FAR if step > 0 else place >= _FAR
    return None if before else min(max(place, -_FAR), _FAR)


def _end(place: int, step: int) -> int | None:
    """An end as MXNet's, `None` behind the last element that there may be."""
    behind = place >= _FAR if step > 0 else place <= -_FAR
    return None if behind else min(max(place, -_FAR), _FAR)


def _places(F: Any, x: Any) -> Sequence[Size]:
    """Starts or ends, in a symbol or as numbers."""
    if isinstance(x, tuple | list):
        return list(x)
    vector = F.operand(x)
    if vector is None or not all(isinstance(item, int | SymbolicDim) for item in vector.items):
        raise ConversionError("Slice: numbers, or sizes of the inputs, are required as starts and ends.")
    return list(vector.items)


def _code(place: Size, size: Size | None, step: int) -> Size:
    """A start or an end, counted from the end of the axis if that says it for every size."""
    if isinstance(place, int) or size is None:
        return place
    beyond = place - size
    least = beyond if isinstance(beyond, int) else beyond.least
    if least >= 0:
        return _FAR
    nearest = -2 if step > 0 else -1  # which means the same of an axis that is too short for it
    sure = place.least >= 0 or (isinstance(beyond, int) and beyond >= nearest)
    return beyond if isinstance(beyond, int) and sure else place


def _cut_by_sizes(F: Any, data: Any, axis: int, cut: tuple[Any, Any, int], starts: Any, index: int) -> Any:
    """A part whose limits are sizes of other arrays. The axis must be long enough, or constant."""
    first, last, step = cut
    size = F.dims(data)[axis]
    last = size if isinstance(last, int) and last >= _FAR else last
    if step != 1 or not _is_within(F, data, size, last) or _least(first) < 0:
        raise ConversionError(
            f"Slice: limits within the axis, and steps of 1, are required of sizes, got {first} to {last} "
            f"of {size} in steps of {step}."
        )
    if same(first, 0) and isinstance(last, SymbolicDim):
        return first_part(F, data, axis, last)
    if isinstance(starts, tuple | list) or _least(last - first) < 0:
        raise ConversionError(f"Slice: an end after the start is required, got {first} to {last}.")
    begin = F.slice(starts, begin=(index,), end=(index + 1,))
    counted = numbers(F, last - first, np.dtype(np.int64))
    return F.take(data, F.broadcast_add(counted, F.cast(begin, dtype="int64")), axis=axis, mode="clip")


def _is_within(F: Any, data: Any, size: Any, last: Any) -> bool:
    """Whether an axis has so many elements: a constant is made long enough for its use."""
    if _least(last) < 0 or size is None:
        return False
    return F.value(data) is not None or _least(size - last) >= 0


def _least(size: Any) -> float:
    return size.least if isinstance(size, SymbolicDim) else size
