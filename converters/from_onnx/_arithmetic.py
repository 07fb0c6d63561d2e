"""What imports of arithmetic and comparisons share: numbers as attributes, and dtypes that fit."""

from __future__ import annotations

from typing import Any

import numpy as np


def number(F: Any, x: Any) -> float | None:
    """The number that a constant `x` without axes is; one with axes may be a parameter to train."""
    value = F.value(x)
    if value is None or value.ndim or value.dtype.kind not in "fiu":
        return None
    scalar = value.item()
    return None if isinstance(scalar, int) and abs(scalar) > 1 << 53 else float(scalar)


def two(F: Any, a: Any, b: Any, operator: str, scalar: str, reflected: str = "") -> Any:
    """An operator of two values that broadcast, or of one and a number."""
    right = number(F, b)
    if right is not None:
        return getattr(F, scalar)(a, scalar=right)
    left = number(F, a)
    if left is not None and (reflected or scalar):
        return getattr(F, reflected or scalar)(b, scalar=left)
    return getattr(F, operator)(a, b)


def begun_at(F: Any, a: Any, b: Any, axis: int | None) -> Any:
    """`b` with axes of size 1 behind it, to begin at axis `axis` of `a`, as broadcasting once did."""
    if axis is None or F.shape(b) == ():
        return b
    behind = F.rank(a) - axis % F.rank(a) - F.rank(b)
    return F.Reshape(b, shape=(-2, *[1] * behind)) if behind > 0 else b


def numeric(F: Any, x: Any) -> Any:
    """`x` as numbers: MXNet's comparisons and logic do not take bool."""
    return F.Cast(x, dtype="float32") if F.dtype(x) == np.bool_ else x


def alike(F: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Two values of ONNX's bool, which are of any dtype here, in one dtype."""
    a, b = numeric(F, a), numeric(F, b)
    first, second = F.dtype(a), F.dtype(b)
    if first is not None and second is not None and first != second:
        b = F.Cast(b, dtype=first.name)
    return a, b
