"""Gradients by slopes that are computed in a dtype of enough precision, as MXNet computes them.

MXNet computes the slope of a function at integers and at float16 numbers in a wider floating-point dtype,
converts it to the dtype of the data, and multiplies it by the gradient of the output there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

_WIDE = (np.float32, np.float64)


def _is_wide(x: Any) -> bool:
    """Whether an array is known to need no wider dtype; of a symbol that isn't known."""
    return getattr(x, "dtype", None) in _WIDE


def widened(F: Any, x: Any) -> Any:
    """`x` in the dtype that slopes are computed in: float64 for integers, float32 for float16."""
    return x if _is_wide(x) else F._widened(x)


def narrowed(F: Any, wide: Any, like: Any) -> Any:
    """What was computed of `widened` arrays, in the dtype of `like`, which they had."""
    return wide if _is_wide(like) else F._cast_like(wide, like)


def times_slope(F: Any, dy: Any, slope: Any, like: Any) -> Any:
    """The gradient `dy` times a slope computed of `widened` arrays, which had the dtype of `like`."""
    return dy * (slope if isinstance(slope, float) else narrowed(F, slope, like))


def widened_scalar(F: Any, x: Any, scalar: float) -> Any:
    """A number as an operator on `x` and it takes it, rounded to the dtype of `x`, beside widened arrays."""
    if _is_wide(x) or float(scalar).is_integer():
        return scalar
    return F._widened(F.zeros_like(x) + scalar)


def computed_wide(rule: Callable[..., Sequence[Any]]) -> Callable[..., Sequence[Any]]:
    """An operator's `gradient` whose arguments are widened, and whose results have the dtypes of the inputs.

    This is for rules of several steps, as of differences of sums, which float16 would round after each.
    """

    @wraps(rule)
    def gradient(self: Any, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        dy, y = (tuple(widened(F, v) for v in x) if isinstance(x, tuple) else widened(F, x) for x in (dy, y))
        results = rule(self, F, dy, y, *(widened(F, x) for x in inputs))
        return [None if g is None else narrowed(F, g, x) for g, x in zip(results, inputs, strict=True)]

    return gradient
