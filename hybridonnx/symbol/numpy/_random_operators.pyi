# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Any, NoReturn
from ...context import Context
from ...dtypes import DTypeLike
from ...faces import Size
from ..np_symbol import _Symbol

def beta(
    a: _Symbol | float,
    b: _Symbol | float,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> _Symbol:
    """Beta draws."""
    ...
def chisquare(
    df: _Symbol | float,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> _Symbol:
    """Draws of the sum of `df` squares of normal draws."""
    ...
def choice(
    a: _Symbol | int,
    size: Size = None,
    replace: bool = True,
    p: _Symbol | None = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Elements of a vector, or of the integers below a number."""
    ...
def exponential(
    scale: _Symbol | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Exponential draws with mean `scale`."""
    ...
def gamma(
    shape: _Symbol | float,
    scale: _Symbol | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Gamma draws with a shape and a scale, of which no gradient flows to either."""
    ...
def gumbel(
    loc: _Symbol | float = 0.0,
    scale: _Symbol | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Gumbel draws with mode `loc`."""
    ...
def logistic(
    loc: _Symbol | float = 0.0,
    scale: _Symbol | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Logistic draws with mean `loc`."""
    ...
def lognormal(
    mean: _Symbol | float = 0.0,
    sigma: _Symbol | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Draws whose logarithms are normal."""
    ...
def multinomial(n: int, pvals: _Symbol | Sequence[float], size: Size = None, **kwargs: Any) -> _Symbol:
    """How often each outcome is drawn in `n` draws."""
    ...
def multivariate_normal(
    mean: _Symbol,
    cov: _Symbol,
    size: Size = None,
    check_valid: str | None = None,
    tol: float | None = None,
) -> _Symbol:
    """Normal draws of vectors with a mean and a covariance."""
    ...
def normal(
    loc: _Symbol | float = 0.0,
    scale: _Symbol | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Normal draws with mean `loc` and standard deviation `scale`."""
    ...
def pareto(
    a: _Symbol | float,
    size: Size = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Pareto draws of the second kind with shape `a`."""
    ...
def power(a: _Symbol | float, size: Size = None) -> _Symbol:
    """Draws from [0, 1] with density a x ** (a - 1)."""
    ...
def rand(*size: int, **kwargs: Any) -> _Symbol:
    """Uniform draws of a shape given as separate sizes."""
    ...
def randint(
    low: int,
    high: int | None = None,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Integers from [low, high), or from [0, low)."""
    ...
def randn(*size: int, **kwargs: Any) -> _Symbol:
    """Normal draws of a shape given as separate sizes."""
    ...
def rayleigh(
    scale: _Symbol | float = 1.0,
    size: Size = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Rayleigh draws with mode `scale`."""
    ...
def shuffle(x: _Symbol) -> NoReturn:
    """Refused: symbols hold no memory that could change."""
    ...
def uniform(
    low: _Symbol | float = 0.0,
    high: _Symbol | float = 1.0,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Uniform draws from [low, high)."""
    ...
def weibull(
    a: _Symbol | float,
    size: Size = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Weibull draws with shape `a`."""
    ...
