"""Random draws as arrays: `nd.random.uniform`, and the same as `mx.random.uniform`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attrs import ShapeLike
from ..context import Context
from ..dtypes import DTypeLike
from ..errors import RequirementError
from .namespace import group
from .ndarray import NDArray

if TYPE_CHECKING:
    from ._random_operators import *  # noqa: F403  (a stub)

_OWN = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "shuffle",
    "uniform",
]


def _draw(
    name: str,
    parameters: dict[str, Any],
    shape: Any,
    dtype: Any,
    ctx: Any,
    out: NDArray | None,
    /,
    **kwargs: Any,
) -> Any:
    """Draws whose parameters are numbers, or arrays with a distribution for each element."""
    arrays = [isinstance(p, NDArray) for p in parameters.values()]
    if any(arrays) and not all(arrays):
        kinds = ", ".join(type(p).__name__ for p in parameters.values())
        raise RequirementError(
            f"random.{name}: parameters that are all arrays or all numbers are required, got {kinds}."
        )
    if dtype is not None:
        kwargs["dtype"] = dtype
    if any(arrays):
        kwargs["shape"] = () if shape is None else shape
        return getattr(NDArray.F, f"_sample_{name}")(*parameters.values(), out=out, **kwargs)
    kwargs["shape"] = (1,) if shape is None and out is None else shape
    return getattr(NDArray.F, f"_random_{name}")(**parameters, out=out, ctx=str(ctx) if ctx else "", **kwargs)


def uniform(
    low: NDArray | float = 0,
    high: NDArray | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Uniform draws from [low, high)."""
    draws: NDArray = _draw("uniform", {"low": low, "high": high}, shape, dtype, ctx, out, **kwargs)
    return draws


def normal(
    loc: NDArray | float = 0,
    scale: NDArray | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal draws with mean `loc` and standard deviation `scale`."""
    names = ("mu", "sigma") if isinstance(loc, NDArray) else ("loc", "scale")
    parameters = dict(zip(names, (loc, scale), strict=True))
    draws: NDArray = _draw("normal", parameters, shape, dtype, ctx, out, **kwargs)
    return draws


def randn(
    *shape: int,
    loc: NDArray | float = 0,
    scale: NDArray | float = 1,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Normal draws of a shape given as separate sizes."""
    return normal(loc, scale, shape, dtype, ctx, out, **kwargs)


def poisson(
    lam: NDArray | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Poisson draws with mean `lam`."""
    draws: NDArray = _draw("poisson", {"lam": lam}, shape, dtype, ctx, out, **kwargs)
    return draws


def exponential(
    scale: NDArray | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Exponential draws with mean `scale`."""
    draws: NDArray = _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, ctx, out, **kwargs)
    return draws


def gamma(
    alpha: NDArray | float = 1,
    beta: NDArray | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Gamma draws with shape `alpha` and scale `beta`."""
    draws: NDArray = _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, ctx, out, **kwargs)
    return draws


def negative_binomial(
    k: NDArray | float = 1,
    p: NDArray | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """The number of failures before `k` successes of probability `p`."""
    draws: NDArray = _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, ctx, out, **kwargs)
    return draws


def generalized_negative_binomial(
    mu: NDArray | float = 1,
    alpha: NDArray | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Poisson draws whose rates are gamma draws of mean `mu` and dispersion `alpha`."""
    draws: NDArray = _draw(
        "generalized_negative_binomial", {"mu": mu, "alpha": alpha}, shape, dtype, ctx, out, **kwargs
    )
    return draws


def randint(
    low: int,
    high: int,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Integers from [low, high), int32 unless `dtype` says int64."""
    draws: NDArray = _draw("randint", {"low": low, "high": high}, shape, dtype, ctx, out, **kwargs)
    return draws


def multinomial(
    data: NDArray,
    shape: ShapeLike | None = None,
    get_prob: bool = False,
    out: NDArray | None = None,
    dtype: DTypeLike = "int32",
    **kwargs: Any,
) -> Any:
    """Draws of category numbers with the probabilities `data`, (…, k)."""
    return NDArray.F._sample_multinomial(
        data, shape=() if shape is None else shape, get_prob=get_prob, out=out, dtype=dtype, **kwargs
    )


def shuffle(data: NDArray, **kwargs: object) -> NDArray:
    """A copy with the rows in random order."""
    shuffled: NDArray = NDArray.F._shuffle(data, **kwargs)
    return shuffled


if not TYPE_CHECKING:
    __getattr__, __dir__ = group("random", _OWN)
