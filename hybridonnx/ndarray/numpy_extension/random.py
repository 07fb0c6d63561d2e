"""Random draws that mx.npx has beside those of mx.np."""

from __future__ import annotations

from typing import Any

from ...context import Context
from ...dtypes import DTypeLike
from ...errors import RequirementError
from ...ops import seed as seed_generator
from ..np_array import FUNCTIONS, ndarray
from ..numpy.random import Parameter, Size, normal, shape_of_draws, uniform

__all__ = ["bernoulli", "normal_n", "seed", "uniform_n"]


def seed(seed: int, ctx: str | Context = "all") -> None:
    """Begin all draws anew from a seed."""
    seed_generator(int(seed))


def bernoulli(
    prob: Parameter | None = None,
    logit: Parameter | None = None,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """1 with a probability, given as it is or as its logit, else 0."""
    if (prob is None) == (logit is None):
        raise RequirementError("bernoulli: either prob or logit is required, got both or none.")
    chance = prob if prob is not None else 1 / (FUNCTIONS.exp(FUNCTIONS.negative(logit)) + 1)
    draws = uniform(size=shape_of_draws(size, chance), ctx=ctx) < chance
    result: Any = draws.astype("float32" if dtype is None else dtype)
    if out is not None:
        out[...] = result
    chosen: ndarray = result if out is None else out
    return chosen


def _batch(batch_shape: Size, *parameters: Parameter) -> tuple[int, ...]:
    return (*(() if batch_shape is None else shape_of_draws(batch_shape)), *shape_of_draws(None, *parameters))


def normal_n(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    batch_shape: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> ndarray:
    """Normal draws of a batch of so many for each of the parameters."""
    return normal(loc, scale, _batch(batch_shape, loc, scale), dtype, ctx)


def uniform_n(
    low: Parameter = 0.0,
    high: Parameter = 1.0,
    batch_shape: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> ndarray:
    """Uniform draws of a batch of so many for each of the parameters."""
    return uniform(low, high, _batch(batch_shape, low, high), dtype, ctx)
