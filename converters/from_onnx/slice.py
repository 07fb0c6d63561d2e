"""Imports of rectangular parts."""

from __future__ import annotations

from typing import Any

from ._registry import Const, imports
from .reshape import ints

FAR = 2**31 - 1
"""Ends from here on stand for the end of the axis; MXNet could not read larger ones."""


@imports("Slice", versions=(1,))
def slice_by_attribute(
    F: Any, data: Any, *, starts: tuple[int, ...], ends: tuple[int, ...], axes: tuple[int, ...] | None = None
) -> Any:
    """The ends are attributes."""
    return slice_(F, data, starts, ends, axes)


@imports("Slice", versions=(10, 11, 13))
def slice_(F: Any, data: Any, starts: Const, ends: Const, axes: Const = None, steps: Const = None) -> Any:
    """ONNX means slices as Python does; absent ends are far away ones."""
    begin, end = ints(starts), ints(ends)
    rank = F.rank(data)
    where = range(len(begin)) if axes is None else [axis % rank for axis in ints(axes)]
    step = (1,) * len(begin) if steps is None else ints(steps)
    cuts: list[tuple[int | None, int | None, int | None]] = [(None, None, None)] * (
        max(where, default=-1) + 1
    )
    for axis, a, b, s in zip(where, begin, end, step, strict=True):
        cuts[axis] = _near(a), _near(b), s
    if not cuts:
        return data
    first, last, by = zip(*cuts, strict=True)
    if all(s in (None, 1) for s in by):
        return F.slice(data, begin=first, end=last)
    return F.slice(data, begin=first, end=last, step=by)


def _near(end: int) -> int | None:
    return end if abs(end) < FAR else None
