"""How far two arrays are apart, a part of them at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ops import Array

_PART = 1 << 20
"""So many elements are compared at once, whatever the arrays' size."""


@dataclass(frozen=True)
class Distance:
    """The differences of two arrays of one shape."""

    count: int
    """How many elements differ; NaN does not differ from NaN."""
    largest: float
    """The largest absolute difference; infinite where only one is a number."""
    mean: float
    """The mean absolute difference of all elements."""
    index: tuple[int, ...]
    """Where the largest difference is."""
    values: tuple[float, float]
    """What the arrays have there."""


def distance(first: Array, second: Array) -> Distance:
    """The differences of two arrays of one shape; of texts, how many differ."""
    one, other = first.reshape(-1), second.reshape(-1)
    if "O" in (one.dtype.kind, other.dtype.kind):
        return Distance(int((one != other).sum()), float("inf"), float("inf"), (), (0.0, 0.0))
    count, largest, total, place = 0, -1.0, 0.0, 0
    for start in range(0, one.size, _PART):
        x, y = one[start : start + _PART], other[start : start + _PART]
        off = gaps(x, y)
        count += int(np.count_nonzero(off))
        total += float(off.sum())
        worst = int(off.argmax())
        if off[worst] > largest:
            largest, place = float(off[worst]), start + worst
    if one.size == 0:
        return Distance(0, 0.0, 0.0, (), (0.0, 0.0))
    index = tuple(int(i) for i in np.unravel_index(place, first.shape))
    return Distance(count, largest, total / one.size, index, (_real(one[place]), _real(other[place])))


def gaps(x: Array, y: Array) -> Array:
    """The absolute differences in float64: 0 for what is equal, NaN too, and only for it; never NaN."""
    a, b = _wide(x), _wide(y)
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.asarray(np.abs(a - b))
    off[np.isnan(off)] = np.inf
    off[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
    if x.dtype == y.dtype and x.dtype.kind in "iu":  # of 64 bits, not all are float64's
        off[(x != y) & (off == 0)] = 1
    return off


def _wide(x: Array) -> Array:
    """The same in a dtype that can be calculated with."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, copy=False)


def _real(value: object) -> float:
    return float(abs(value)) if isinstance(value, complex) else float(value)  # type: ignore[arg-type]
