"""Running sums out of ONNX models."""

from __future__ import annotations

from typing import Any

from ._registry import Const, imports


@imports("CumSum", versions=(11, 14))
def cumsum(F: Any, x: Any, axis: Const, *, exclusive: int = 0, reverse: int = 0) -> Any:
    along = int(axis.item()) % F.rank(x)
    ordered = F.flip(x, axis=along) if reverse else x
    sums = F.cumsum(ordered, axis=along)
    if exclusive:
        sums = sums - ordered
    return F.flip(sums, axis=along) if reverse else sums
