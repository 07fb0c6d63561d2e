"""Random draws that sym.npx has beside those of sym.np, of numbers as parameters."""

from __future__ import annotations

import math
from typing import Any

from ...attrs import ShapeLike
from ...context import Context
from ...dtypes import DTypeLike
from ...errors import RequirementError
from ..numpy.random import normal, uniform

__all__ = ["bernoulli", "normal_n", "uniform_n"]


def bernoulli(
    prob: float | None = None,
    logit: float | None = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: object = None,
) -> Any:
    """1 with a probability, given as it is or as its logit, else 0."""
    if (prob is None) == (logit is None):
        raise RequirementError("bernoulli: either prob or logit is required, got both or none.")
    chance = prob if logit is None else 1 / (1 + math.exp(-logit))
    return (uniform(size=size, ctx=ctx) < chance).astype(dtype or "float32")


def uniform_n(
    low: float = 0.0,
    high: float = 1.0,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Uniform draws of a batch of so many."""
    return uniform(low, high, batch_shape, dtype, ctx)


def normal_n(
    loc: float = 0.0,
    scale: float = 1.0,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Normal draws of a batch of so many."""
    return normal(loc, scale, batch_shape, dtype, ctx)
