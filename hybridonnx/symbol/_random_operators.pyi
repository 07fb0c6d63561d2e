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
def pdf_dirichlet(
    sample: Symbol | None = None,
    alpha: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The density of Dirichlet distributions, whose samples are points of positive coordinates that sum to 1."""
    ...
def pdf_exponential(
    sample: Symbol | None = None,
    lam: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The density of exponential distributions."""
    ...
def pdf_gamma(
    sample: Symbol | None = None,
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The density of gamma distributions; beta is the rate here, and the scale where gamma is drawn from."""
    ...
def pdf_generalized_negative_binomial(
    sample: Symbol | None = None,
    mu: Symbol | None = None,
    alpha: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The probability of integers by negative binomial distributions of a mean; the sample has no gradient."""
    ...
def pdf_negative_binomial(
    sample: Symbol | None = None,
    k: Symbol | None = None,
    p: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The probability of a number of failures before k successes; the sample has no gradient."""
    ...
def pdf_normal(
    sample: Symbol | None = None,
    mu: Symbol | None = None,
    sigma: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The density of normal distributions."""
    ...
def pdf_poisson(
    sample: Symbol | None = None,
    lam: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The probability of integers by Poisson distributions; the sample has no gradient."""
    ...
def pdf_uniform(
    sample: Symbol | None = None,
    low: Symbol | None = None,
    high: Symbol | None = None,
    is_log: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The density of uniform distributions, 1 / (high - low), as in MXNet wherever the sample lies."""
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
