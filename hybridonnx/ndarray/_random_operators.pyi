# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from .ndarray import NDArray

def exponential_like(
    data: NDArray,
    lam: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the exponential distribution with mean 1 / lam, in the shape and dtype of `data`."""
    ...
def gamma_like(
    data: NDArray,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the gamma distribution of shape `alpha` and scale `beta`, in `data`'s shape and dtype."""
    ...
def generalized_negative_binomial_like(
    data: NDArray,
    mu: float = 1.0,
    alpha: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the negative binomial of mean `mu` and dispersion `alpha`, in `data`'s shape and dtype."""
    ...
def negative_binomial_like(
    data: NDArray,
    k: int = 1,
    p: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws of the failures before `k` successes of probability `p`, in the shape and dtype of `data`."""
    ...
def normal_like(
    data: NDArray,
    loc: float = 0.0,
    scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the normal distribution of mean `loc` and deviation `scale`, in `data`'s shape and dtype."""
    ...
def poisson_like(
    data: NDArray,
    lam: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the Poisson distribution with mean `lam`, in the shape and dtype of `data`."""
    ...
def uniform_like(
    data: NDArray,
    low: float = 0.0,
    high: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the uniform distribution on [low, high), in the shape and dtype of `data`."""
    ...
