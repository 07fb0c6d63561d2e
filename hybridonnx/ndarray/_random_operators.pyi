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
    """Draws from the exponential distribution, in the shape and dtype of `data`."""
    ...
def gamma_like(
    data: NDArray,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the gamma distribution, in the shape and dtype of `data`."""
    ...
def generalized_negative_binomial_like(
    data: NDArray,
    mu: float = 1.0,
    alpha: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the negative binomial distribution by mean and dispersion, in the shape and dtype of `data`."""
    ...
def negative_binomial_like(
    data: NDArray,
    k: int = 1,
    p: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws of failures before `k` successes, in the shape and dtype of `data`."""
    ...
def normal_like(
    data: NDArray,
    loc: float = 0.0,
    scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the normal distribution, in the shape and dtype of `data`."""
    ...
def poisson_like(
    data: NDArray,
    lam: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the Poisson distribution, in the shape and dtype of `data`."""
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
