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
def pdf_dirichlet(
    sample: NDArray,
    alpha: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of Dirichlet distributions, whose samples are points of positive coordinates that sum to 1."""
    ...
def pdf_exponential(
    sample: NDArray,
    lam: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of exponential distributions."""
    ...
def pdf_gamma(
    sample: NDArray,
    alpha: NDArray,
    beta: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of gamma distributions; beta is the rate here, and the scale where gamma is drawn from."""
    ...
def pdf_generalized_negative_binomial(
    sample: NDArray,
    mu: NDArray,
    alpha: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The probability of integers by negative binomial distributions of a mean; the sample has no gradient."""
    ...
def pdf_negative_binomial(
    sample: NDArray,
    k: NDArray,
    p: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The probability of a number of failures before k successes; the sample has no gradient."""
    ...
def pdf_normal(
    sample: NDArray,
    mu: NDArray,
    sigma: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of normal distributions."""
    ...
def pdf_poisson(
    sample: NDArray,
    lam: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The probability of integers by Poisson distributions; the sample has no gradient."""
    ...
def pdf_uniform(
    sample: NDArray,
    low: NDArray,
    high: NDArray,
    is_log: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of uniform distributions, 1 / (high - low), as in MXNet wherever the sample lies."""
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
