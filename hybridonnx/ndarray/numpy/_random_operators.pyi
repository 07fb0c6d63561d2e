# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Any
from ...context import Context
from ...dtypes import DTypeLike
from ...faces import Size
from ..np_array import ndarray

def beta(
    a: ndarray | float,
    b: ndarray | float,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> ndarray:
    """Beta draws."""
    ...
def chisquare(
    df: ndarray | float,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> ndarray:
    """Draws of the sum of `df` squares of normal draws."""
    ...
def choice(
    a: ndarray | int,
    size: Size = None,
    replace: bool = True,
    p: ndarray | Sequence[float] | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Elements of a vector, or of the integers below a number; `p` may be a list."""
    ...
def exponential(
    scale: ndarray | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Exponential draws with mean `scale`."""
    ...
def gamma(
    shape: ndarray | float,
    scale: ndarray | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Gamma draws with a shape and a scale, of which no gradient flows to either."""
    ...
def gumbel(
    loc: ndarray | float = 0.0,
    scale: ndarray | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Gumbel draws with mode `loc`."""
    ...
def logistic(
    loc: ndarray | float = 0.0,
    scale: ndarray | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Logistic draws with mean `loc`."""
    ...
def lognormal(
    mean: ndarray | float = 0.0,
    sigma: ndarray | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Draws whose logarithms are normal."""
    ...
def multinomial(n: int, pvals: ndarray | Sequence[float], size: Size = None, **kwargs: Any) -> ndarray:
    """How often each outcome is drawn in `n` draws."""
    ...
def multivariate_normal(
    mean: ndarray,
    cov: ndarray,
    size: Size = None,
    check_valid: str | None = None,
    tol: float | None = None,
) -> ndarray:
    """Normal draws of vectors with a mean and a covariance."""
    ...
def normal(
    loc: ndarray | float = 0.0,
    scale: ndarray | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Normal draws with mean `loc` and standard deviation `scale`."""
    ...
def pareto(
    a: ndarray | float,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Pareto draws of the second kind with shape `a`."""
    ...
def power(a: ndarray | float, size: Size = None) -> ndarray:
    """Draws from [0, 1] with density a x ** (a - 1)."""
    ...
def rand(*size: int, **kwargs: Any) -> ndarray:
    """Uniform draws of a shape given as separate sizes."""
    ...
def randint(
    low: int,
    high: int | None = None,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Integers from [low, high), or from [0, low)."""
    ...
def randn(*size: int, **kwargs: Any) -> ndarray:
    """Normal draws of a shape given as separate sizes."""
    ...
def rayleigh(
    scale: ndarray | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Rayleigh draws with mode `scale`."""
    ...
def shuffle(x: ndarray) -> None:
    """Put the rows of an array into a random order, in place."""
    ...
def uniform(
    low: ndarray | float = 0.0,
    high: ndarray | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Uniform draws from [low, high)."""
    ...
def weibull(
    a: ndarray | float,
    size: Size = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """Weibull draws with shape `a`."""
    ...
