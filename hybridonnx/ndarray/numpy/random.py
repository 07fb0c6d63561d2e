"""Random draws as arrays of mx.np; parameters that are arrays receive gradients where draws follow them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...attrs import ShapeLike
from ...context import Context, as_context
from ...dtypes import DTypeLike, as_dtype
from ...faces import shape_of
from ...ops import Drawing, find, is_number
from ..invoke import invoke
from ..np_array import FUNCTIONS, array_of, as_np, ndarray

__all__ = [
    "beta",
    "chisquare",
    "choice",
    "exponential",
    "gamma",
    "gumbel",
    "logistic",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "normal",
    "pareto",
    "power",
    "rand",
    "randint",
    "randn",
    "rayleigh",
    "shuffle",
    "uniform",
    "weibull",
]

Parameter = float | ndarray
"""What a distribution depends on."""
Size = ShapeLike | None
"""A shape; None: that of the parameters."""


def shape_of_draws(size: Size, *parameters: Any) -> tuple[int, ...]:
    if size is None:
        return np.broadcast_shapes(*(getattr(p, "shape", ()) for p in parameters))
    return shape_of(size)


def _drawn(name: str, shape: tuple[int, ...], ctx: Context | None, **attributes: Any) -> ndarray:
    """Draws of an operator on numbers, in a shape that need not have axes."""
    place = {} if ctx is None else {"ctx": str(ctx)}
    if 0 in shape:
        return array_of(np.zeros(shape, attributes.get("dtype", "float32")), ctx=ctx)
    op = find(name).make({**attributes, "shape": shape or (1,), **place})
    draws = as_np(invoke(op, []))
    drawn: ndarray = draws if shape else draws.reshape(())
    return drawn


def _float(dtype: DTypeLike | None) -> str:
    return "float32" if dtype is None else as_dtype(dtype).name


def _given(draws: Any, out: ndarray | None) -> ndarray:
    if out is not None:
        out[...] = draws
    result: ndarray = draws if out is None else out
    return result


def _uniforms(shape: tuple[int, ...], ctx: Context | None, dtype: str = "float32") -> Any:
    """Draws from (0, 1], so that their logarithms are finite."""
    return 1 - _drawn("_random_uniform", shape, ctx, low=0.0, high=1.0, dtype=dtype)


def uniform(
    low: Parameter = 0.0,
    high: Parameter = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Uniform draws from [low, high)."""
    shape = shape_of_draws(size, low, high)
    if is_number(low) and is_number(high):
        return _given(_drawn("_random_uniform", shape, ctx, low=low, high=high, dtype=_float(dtype)), out)
    draws = _drawn("_random_uniform", shape, ctx, low=0.0, high=1.0, dtype=_float(dtype))
    return _given(FUNCTIONS.binary("add", draws * FUNCTIONS.binary("sub", high, low), low), out)


def normal(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Normal draws with mean `loc` and standard deviation `scale`."""
    shape = shape_of_draws(size, loc, scale)
    if is_number(loc) and is_number(scale):
        return _given(_drawn("_random_normal", shape, ctx, loc=loc, scale=scale, dtype=_float(dtype)), out)
    draws = _drawn("_random_normal", shape, ctx, loc=0.0, scale=1.0, dtype=_float(dtype))
    return _given(draws * scale + loc, out)


def randn(*size: int, **kwargs: Any) -> ndarray:
    """Normal draws of a shape given as separate sizes."""
    return normal(size=size, **kwargs)


def rand(*size: int, **kwargs: Any) -> ndarray:
    """Uniform draws of a shape given as separate sizes."""
    return uniform(size=size, **kwargs)


def lognormal(
    mean: Parameter = 0.0,
    sigma: Parameter = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Draws whose logarithms are normal."""
    return _given(FUNCTIONS.exp(normal(mean, sigma, size, dtype, ctx)), out)


def randint(
    low: int,
    high: int | None = None,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Integers from [low, high), or from [0, low)."""
    first, end = (0, low) if high is None else (low, high)
    if end <= first:
        raise ValueError(f"randint: low below high is required, got {first} and {end}.")
    name = "int64" if dtype is None else as_dtype(dtype).name
    return _given(
        _drawn("_random_randint", shape_of_draws(size), ctx, low=int(first), high=int(end), dtype=name), out
    )


def exponential(
    scale: Parameter = 1.0, size: Size = None, ctx: Context | None = None, out: ndarray | None = None
) -> ndarray:
    """Exponential draws with mean `scale`."""
    return _given(-_log(_uniforms(shape_of_draws(size, scale), ctx)) * scale, out)


def rayleigh(
    scale: Parameter = 1.0, size: Size = None, ctx: Context | None = None, out: ndarray | None = None
) -> ndarray:
    """Rayleigh draws with mode `scale`."""
    return _given((-_log(_uniforms(shape_of_draws(size, scale), ctx)) * 2) ** 0.5 * scale, out)


def weibull(
    a: Parameter, size: Size = None, ctx: Context | None = None, out: ndarray | None = None
) -> ndarray:
    """Weibull draws with shape `a`."""
    return _given((-_log(_uniforms(shape_of_draws(size, a), ctx))) ** (1 / a), out)


def pareto(
    a: Parameter, size: Size = None, ctx: Context | None = None, out: ndarray | None = None
) -> ndarray:
    """Pareto draws of the second kind with shape `a`."""
    return _given(_uniforms(shape_of_draws(size, a), ctx) ** (-1 / a) - 1, out)


def power(a: Parameter, size: Size = None) -> ndarray:
    """Draws from [0, 1] with density a x ** (a - 1)."""
    draws: ndarray = _uniforms(shape_of_draws(size, a), None) ** (1 / a)
    return draws


def gumbel(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Gumbel draws with mode `loc`."""
    draws = -_log(1e-30 - _log(_uniforms(shape_of_draws(size, loc, scale), ctx)))
    return _given(draws * scale + loc, out)


def logistic(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Logistic draws with mean `loc`."""
    draws = _uniforms(shape_of_draws(size, loc, scale), ctx, "float64")
    return _given((_log(draws) - _log(1 + 1e-30 - draws)).astype("float32") * scale + loc, out)


def _log(x: Any) -> Any:
    return FUNCTIONS.log(x)


def gamma(
    shape: Parameter,
    scale: Parameter = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Gamma draws with a shape and a scale."""
    alpha = getattr(shape, "_data", shape)
    with Drawing() as rng:
        draws = rng.standard_gamma(alpha, shape_of_draws(size, shape, scale))
    return _given(_placed(draws, dtype, ctx) * scale, out)


def _placed(draws: Any, dtype: DTypeLike | None, ctx: Context | None) -> ndarray:
    return ndarray(np.asarray(draws).astype(_float(dtype)), as_context(ctx))


def chisquare(
    df: Parameter, size: Size = None, dtype: DTypeLike | None = None, ctx: Context | None = None
) -> ndarray:
    """Draws of the sum of `df` squares of normal draws."""
    half: Any = df / 2
    return gamma(half, 2.0, size, dtype, ctx)


def beta(
    a: Parameter, b: Parameter, size: Size = None, dtype: DTypeLike | None = None, ctx: Context | None = None
) -> ndarray:
    """Beta draws."""
    with Drawing() as rng:
        draws = rng.beta(getattr(a, "_data", a), getattr(b, "_data", b), shape_of_draws(size, a, b))
    return _placed(draws, dtype, ctx)


def multivariate_normal(
    mean: ndarray, cov: ndarray, size: Size = None, check_valid: str | None = None, tol: float | None = None
) -> ndarray:
    """Normal draws of vectors with a mean and a covariance."""
    root = np.linalg.cholesky(cov.asnumpy().astype(np.float64))
    draws = normal(size=(*shape_of_draws(size), *np.broadcast_shapes(mean.shape, cov.shape[:-1])))
    vectors: ndarray = FUNCTIONS.einsum("...ij,...j->...i", array_of(root.astype(np.float32)), draws) + mean
    return vectors


def multinomial(n: int, pvals: Sequence[float] | ndarray, size: Size = None, **kwargs: Any) -> ndarray:
    """How often each outcome is drawn in `n` draws."""
    chances = np.asarray(getattr(pvals, "_data", pvals), np.float64)
    with Drawing() as rng:
        counts = rng.multinomial(
            n, chances / max(chances.sum(), 1.0), None if size is None else shape_of_draws(size)
        )
    return ndarray(np.asarray(counts, np.int64))


def choice(
    a: int | ndarray,
    size: Size = None,
    replace: bool = True,
    p: ndarray | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Elements of a vector, or of the integers below a number."""
    count = a.shape[0] if isinstance(a, ndarray) else a
    chances = None if p is None else np.asarray(getattr(p, "_data", p), np.float64)
    with Drawing() as rng:
        chances = None if chances is None else chances / chances.sum()
        indices = np.asarray(rng.choice(count, shape_of_draws(size), replace, chances), np.int64)
    draws = ndarray(indices, as_context(ctx))
    return _given(a[draws] if isinstance(a, ndarray) else draws, out)


def shuffle(x: ndarray) -> None:
    """Put the rows of an array into a random order, in place."""
    with Drawing() as rng:
        order = rng.permutation(len(x))
    x[...] = ndarray(x._data[order])
