"""Random draws as symbols: `sym.random.uniform` and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..attrs import ShapeLike
from ..dtypes import DTypeLike
from ..errors import RequirementError
from ..ops import find
from .compose import call
from .namespace import group
from .symbol import Symbol

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


def _draw(name: str, parameters: dict[str, Any], shape: Any, dtype: Any, kwargs: dict[str, Any]) -> Symbol:
    """Draws whose parameters are numbers, or symbols with a distribution for each element."""
    symbols = [isinstance(value, Symbol) for value in parameters.values()]
    if any(symbols) and not all(symbols):
        kinds = ", ".join(type(value).__name__ for value in parameters.values())
        raise RequirementError(
            f"random.{name}: parameters that are all symbols or all numbers are required, got {kinds}."
        )
    attributes = {key: value for key, value in (("shape", shape), ("dtype", dtype)) if value is not None}
    if any(symbols):
        return _symbol(f"_sample_{name}", tuple(parameters.values()), {**attributes, **kwargs})
    return _symbol(f"_random_{name}", (), {**parameters, **attributes, **kwargs})


def _symbol(name: str, args: Any, attributes: dict[str, Any]) -> Symbol:
    return call(find(name), name, args, attributes, Symbol)


def uniform(
    low: Symbol | float = 0,
    high: Symbol | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> Symbol:
    """Uniform draws from [low, high)."""
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, kwargs)


def normal(
    loc: Symbol | float = 0,
    scale: Symbol | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> Symbol:
    """Normal draws with mean `loc` and standard deviation `scale`."""
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, kwargs)


def randn(
    *shape: int,
    loc: Symbol | float = 0,
    scale: Symbol | float = 1,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> Symbol:
    """Normal draws of a shape given as separate sizes."""
    return normal(loc, scale, shape, dtype, **kwargs)


def poisson(
    lam: Symbol | float = 1, shape: ShapeLike | None = None, dtype: DTypeLike | None = None, **kwargs: object
) -> Symbol:
    """Poisson draws with mean `lam`."""
    return _draw("poisson", {"lam": lam}, shape, dtype, kwargs)


def exponential(
    scale: Symbol | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> Symbol:
    """Exponential draws with mean `scale`."""
    return _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, kwargs)


def gamma(
    alpha: Symbol | float = 1,
    beta: Symbol | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> Symbol:
    """Gamma draws of shape `alpha` and scale `beta`."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, kwargs)


def negative_binomial(
    k: Symbol | float = 1,
    p: Symbol | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> Symbol:
    """Failures before `k` successes of probability `p`."""
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, kwargs)


def generalized_negative_binomial(
    mu: Symbol | float = 1,
    alpha: Symbol | float = 1,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: object,
) -> Symbol:
    """Negative binomial draws with mean `mu` and dispersion `alpha`."""
    return _draw("generalized_negative_binomial", {"mu": mu, "alpha": alpha}, shape, dtype, kwargs)


def randint(
    low: int, high: int, shape: ShapeLike | None = None, dtype: DTypeLike | None = None, **kwargs: object
) -> Symbol:
    """Integers from [low, high)."""
    return _draw("randint", {"low": low, "high": high}, shape, dtype, kwargs)


def multinomial(
    data: Symbol,
    shape: ShapeLike | None = None,
    get_prob: bool = True,
    dtype: DTypeLike = "int32",
    **kwargs: object,
) -> Symbol:
    """Indices drawn with the probabilities along the last axis of `data`, and their logarithms."""
    attributes = {} if shape is None else {"shape": shape}
    return _symbol(
        "_sample_multinomial", (data,), {"get_prob": get_prob, "dtype": dtype, **attributes, **kwargs}
    )


def shuffle(data: Symbol, **kwargs: object) -> Symbol:
    """`data` with its first axis in random order."""
    return _symbol("_shuffle", (data,), kwargs)


if not TYPE_CHECKING:
    __getattr__, __dir__ = group("random", _OWN)
