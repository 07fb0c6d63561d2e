"""Random draws as symbols of mx.np, of numbers as parameters."""

from __future__ import annotations

from typing import Any

from ...attrs import ShapeLike
from ...context import Context
from ...dtypes import DTypeLike, as_dtype
from ..np_symbol import FUNCTIONS, operators

__all__ = [
    "chisquare",
    "exponential",
    "gamma",
    "gumbel",
    "logistic",
    "lognormal",
    "normal",
    "pareto",
    "power",
    "rand",
    "randint",
    "randn",
    "rayleigh",
    "uniform",
    "weibull",
]


def _drawn(name: str, size: ShapeLike | None, dtype: str, ctx: Context | None, **attributes: Any) -> Any:
    shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    place = {} if ctx is None else {"ctx": str(ctx)}
    draws = operators(name)(shape=shape or (1,), dtype=dtype, **attributes, **place)
    return draws if shape else operators("_np_reshape")(draws, newshape=())


def uniform(
    low: float = 0.0,
    high: float = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Uniform draws from [low, high)."""
    return _drawn("_random_uniform", size, _float(dtype), ctx, low=low, high=high)


def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Normal draws with a mean and a standard deviation."""
    return _drawn("_random_normal", size, _float(dtype), ctx, loc=loc, scale=scale)


def rand(*size: int, **kwargs: Any) -> Any:
    """Uniform draws of a shape given as separate sizes."""
    return uniform(size=size, **kwargs)


def randn(*size: int, **kwargs: Any) -> Any:
    """Normal draws of a shape given as separate sizes."""
    return normal(size=size, **kwargs)


def randint(
    low: int,
    high: int | None = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Integers from [low, high), or from [0, low)."""
    first, end = (0, low) if high is None else (low, high)
    name = "int64" if dtype is None else as_dtype(dtype).name
    return _drawn("_random_randint", size, name, ctx, low=first, high=end)


def _float(dtype: DTypeLike | None) -> str:
    return "float32" if dtype is None else as_dtype(dtype).name


def lognormal(
    mean: float = 0.0,
    sigma: float = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Draws whose logarithms are normal."""
    f: Any = FUNCTIONS
    return f.exp(normal(mean, sigma, size, dtype, ctx))


def _minus_log(size: ShapeLike | None, ctx: Context | None) -> Any:
    """Exponential draws with mean 1."""
    f: Any = FUNCTIONS
    return -f.log(1 - uniform(size=size, ctx=ctx))


def exponential(scale: float = 1.0, size: ShapeLike | None = None, ctx: Context | None = None) -> Any:
    """Exponential draws with mean `scale`."""
    return _minus_log(size, ctx) * scale


def rayleigh(scale: float = 1.0, size: ShapeLike | None = None, ctx: Context | None = None) -> Any:
    """Rayleigh draws with mode `scale`."""
    return (_minus_log(size, ctx) * 2) ** 0.5 * scale


def weibull(a: float, size: ShapeLike | None = None, ctx: Context | None = None) -> Any:
    """Weibull draws with shape `a`."""
    return _minus_log(size, ctx) ** (1 / a)


def pareto(a: float, size: ShapeLike | None = None, ctx: Context | None = None) -> Any:
    """Pareto draws of the second kind with shape `a`."""
    return (1 - uniform(size=size, ctx=ctx)) ** (-1 / a) - 1


def power(a: float, size: ShapeLike | None = None) -> Any:
    """Draws from [0, 1] with density a x ** (a - 1)."""
    return (1 - uniform(size=size)) ** (1 / a)


def gumbel(
    loc: float = 0.0, scale: float = 1.0, size: ShapeLike | None = None, ctx: Context | None = None
) -> Any:
    """Gumbel draws with mode `loc`."""
    f: Any = FUNCTIONS
    return -f.log(_minus_log(size, ctx) + 1e-30) * scale + loc


def logistic(
    loc: float = 0.0, scale: float = 1.0, size: ShapeLike | None = None, ctx: Context | None = None
) -> Any:
    """Logistic draws with mean `loc`."""
    f: Any = FUNCTIONS
    draws = uniform(size=size, dtype="float64", ctx=ctx)
    logit = f.log(1 - draws) - f.log(draws + 1e-30)
    return logit.astype("float32") * scale + loc


def gamma(
    shape: float,
    scale: float = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Gamma draws with a shape and a scale."""
    return _drawn("_random_gamma", size, _float(dtype), ctx, alpha=shape, beta=scale)


def chisquare(
    df: float, size: ShapeLike | None = None, dtype: DTypeLike | None = None, ctx: Context | None = None
) -> Any:
    """Draws of the sum of `df` squares of normal draws."""
    return gamma(df / 2, 2.0, size, dtype, ctx)
