# Written by scripts/stubs; do not edit.
from collections.abc import Mapping
from .symbol import Symbol

def exponential_like(
    data: Symbol | None = None,
    lam: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the exponential distribution, in the shape and dtype of `data`."""
    ...
def gamma_like(
    data: Symbol | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the gamma distribution, in the shape and dtype of `data`."""
    ...
def generalized_negative_binomial_like(
    data: Symbol | None = None,
    mu: float = 1.0,
    alpha: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the negative binomial distribution by mean and dispersion, in the shape and dtype of `data`."""
    ...
def negative_binomial_like(
    data: Symbol | None = None,
    k: int = 1,
    p: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws of failures before `k` successes, in the shape and dtype of `data`."""
    ...
def normal_like(
    data: Symbol | None = None,
    loc: float = 0.0,
    scale: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the normal distribution, in the shape and dtype of `data`."""
    ...
def poisson_like(
    data: Symbol | None = None,
    lam: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the Poisson distribution, in the shape and dtype of `data`."""
    ...
def uniform_like(
    data: Symbol | None = None,
    low: float = 0.0,
    high: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the uniform distribution on [low, high), in the shape and dtype of `data`."""
    ...
