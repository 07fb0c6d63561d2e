"""The functions of mx.np.random and mx.npx.random: each is an operator, or a function of a few."""

from __future__ import annotations

import operator as python
from collections.abc import Sequence
from typing import Any, Generic

from ..attrs import ShapeLike
from ..context import Context, current_context
from ..dtypes import DTypeLike
from ..errors import RequirementError
from ..ops import is_number
from .arguments import Call, V, dtype_of, or_none
from .functions import Functions

Size = ShapeLike | None
"""A shape; None: that of the parameters."""


def size_of(size: Size) -> int | tuple[int, ...] | None:
    """A shape as files have it: a number if it is one, None without axes."""
    if size is None:
        return None
    if hasattr(size, "__index__"):
        return python.index(size)
    return tuple(map(python.index, size)) or None


class _Draws(Generic[V]):
    """Calls of operators that draw."""

    def __init__(self, call: Call[V], functions: Functions[V]) -> None:
        self._call, self._functions = call, functions

    def _typed(
        self,
        name: str,
        dtype: DTypeLike | None,
        size: Size,
        ctx: Context | None,
        out: V | None,
        **parameters: Any,
    ) -> V:
        same = {"ctx": _place(ctx), "dtype": _float(dtype)}
        return self._drawn(name, size, out, same, **parameters)

    def _placed(self, name: str, size: Size, ctx: Context | None, out: V | None, **parameters: Any) -> V:
        return self._drawn(name, size, out, {"ctx": _place(ctx)}, **parameters)

    def _drawn(
        self, name: str, size: Size, out: V | None, same: dict[str, Any] | None = None, **parameters: Any
    ) -> V:
        arrays = [value for value in parameters.values() if value is not None and not is_number(value)]
        numbers = {key: or_none(value if is_number(value) else None) for key, value in parameters.items()}
        return self._call(name, *arrays, out=out, size=or_none(size_of(size)), **numbers, **(same or {}))


def _place(ctx: Context | None) -> str:
    return str(current_context() if ctx is None else ctx)


def _float(dtype: DTypeLike | None) -> str:
    return dtype_of(dtype) or "float32"


class Random(_Draws[V]):
    """The functions of mx.np.random, on the values of one frontend."""

    def uniform(
        self,
        low: V | float = 0.0,
        high: V | float = 1.0,
        size: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Uniform draws from [low, high)."""
        return self._typed("_npi_uniform", dtype, size, ctx, out, low=low, high=high)

    def normal(
        self,
        loc: V | float = 0.0,
        scale: V | float = 1.0,
        size: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Normal draws with mean `loc` and standard deviation `scale`."""
        return self._typed("_npi_normal", dtype, size, ctx, out, loc=loc, scale=scale)

    def rand(self, *size: int, **kwargs: Any) -> V:
        """Uniform draws of a shape given as separate sizes."""
        return self.uniform(0, 1, size=size, **kwargs)

    def randn(self, *size: int, **kwargs: Any) -> V:
        """Normal draws of a shape given as separate sizes."""
        return self.normal(0, 1, size=size, **kwargs)

    def lognormal(
        self,
        mean: V | float = 0.0,
        sigma: V | float = 1.0,
        size: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Draws whose logarithms are normal."""
        functions: Any = self._functions
        drawn: V = functions.exp(self.normal(mean, sigma, size, dtype, ctx), out=out)
        return drawn

    def gamma(
        self,
        shape: V | float,
        scale: V | float = 1.0,
        size: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Gamma draws with a shape and a scale, of which no gradient flows to either."""
        return self._typed("_npi_gamma", dtype, size, ctx, out, shape=shape, scale=scale)

    def chisquare(
        self, df: V | float, size: Size = None, dtype: DTypeLike | None = None, ctx: Context | None = None
    ) -> V:
        """Draws of the sum of `df` squares of normal draws."""
        freedom: Any = df
        return self.gamma(freedom / 2, 2.0, size, dtype, ctx)

    def beta(
        self,
        a: V | float,
        b: V | float,
        size: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
    ) -> V:
        """Beta draws."""
        first: Any = self.gamma(a, 1, size, "float64", ctx)
        second: Any = self.gamma(b, 1, size, "float64", ctx)
        return self._call("Cast", first / (first + second), dtype=_float(dtype))

    def exponential(
        self, scale: V | float = 1.0, size: Size = None, ctx: Context | None = None, out: V | None = None
    ) -> V:
        """Exponential draws with mean `scale`."""
        return self._placed("_npi_exponential", size, ctx, out, scale=scale)

    def rayleigh(
        self, scale: V | float = 1.0, size: Size = None, ctx: Context | None = None, out: V | None = None
    ) -> V:
        """Rayleigh draws with mode `scale`."""
        return self._placed("_npi_rayleigh", size, ctx, out, scale=scale)

    def weibull(self, a: V | float, size: Size = None, ctx: Context | None = None, out: V | None = None) -> V:
        """Weibull draws with shape `a`."""
        return self._placed("_npi_weibull", size, ctx, out, a=a)

    def pareto(self, a: V | float, size: Size = None, ctx: Context | None = None, out: V | None = None) -> V:
        """Pareto draws of the second kind with shape `a`."""
        return self._placed("_npi_pareto", size, ctx, out, a=a)

    def power(self, a: V | float, size: Size = None) -> V:
        """Draws from [0, 1] with density a x ** (a - 1)."""
        return self._drawn("_npi_powerd", size, None, a=a)

    def gumbel(
        self,
        loc: V | float = 0.0,
        scale: V | float = 1.0,
        size: Size = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Gumbel draws with mode `loc`."""
        return self._placed("_npi_gumbel", size, ctx, out, loc=loc, scale=scale)

    def logistic(
        self,
        loc: V | float = 0.0,
        scale: V | float = 1.0,
        size: Size = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Logistic draws with mean `loc`."""
        return self._placed("_npi_logistic", size, ctx, out, loc=loc, scale=scale)

    def randint(
        self,
        low: int,
        high: int | None = None,
        size: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Integers from [low, high), or from [0, low)."""
        first, end = (0, low) if high is None else (low, high)
        if end <= first:
            raise ValueError(f"randint: low below high is required, got {first} and {end}.")
        name = dtype_of(dtype) or "int64"
        shape = size_of(size)
        same = {"low": first, "high": end, "dtype": name, "ctx": _place(ctx)}
        if shape is None:
            draw = self._call("_random_randint", shape=(1,), **same)
            return self._call("_np_reshape", draw, newshape=(), out=out)
        if shape == 0 or (isinstance(shape, tuple) and 0 in shape):
            return self._functions.zeros(shape, name, ctx=ctx)
        return self._call("_random_randint", shape=shape, out=out, **same)

    def multinomial(self, n: int, pvals: V | Sequence[float], size: Size = None, **kwargs: Any) -> V:
        """How often each outcome is drawn in `n` draws."""
        if hasattr(pvals, "as_np_ndarray"):
            return self._call("_npi_multinomial", pvals, n=n, size=or_none(size_of(size)))
        numbers: Any = pvals
        chances = tuple(float(p) for p in numbers)
        return self._call("_npi_multinomial", n=n, pvals=chances, size=or_none(size_of(size)))

    def multivariate_normal(
        self,
        mean: V,
        cov: V,
        size: Size = None,
        check_valid: str | None = None,
        tol: float | None = None,
    ) -> V:
        """Normal draws of vectors with a mean and a covariance."""
        f: Any = self._functions
        root = self._call("_linalg_potrf", self._call("Cast", cov, dtype="float64"))
        each = mean + f.sum(f.zeros_like(cov), axis=-1)
        draws = self._typed("_npi_normal_n", None, size, None, None, loc=f.zeros_like(each), scale=1.0)
        drawn: V = f.einsum("...ij,...j->...i", self._call("Cast", root, dtype="float32"), draws) + mean
        return drawn

    def choice(
        self,
        a: V | int,
        size: Size = None,
        replace: bool = True,
        p: V | None = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """Elements of a vector, or of the integers below a number."""
        same = {"size": or_none(size_of(size)), "replace": replace, "weighted": p is not None}
        chances = [] if p is None else [p]
        if is_number(a):
            return self._call("_npi_choice", *chances, a=a, ctx=_place(ctx), out=out, **same)
        indices = self._call("_npi_choice", a, *chances, a=None, ctx="None", **same)
        return self._call("take", a, indices, out=out)

    def shuffle(self, x: V) -> None:
        """Put the rows of an array into a random order, in place."""
        self._call("_npi_shuffle", x, out=x)


class RandomExtension(_Draws[V]):
    """The functions of mx.npx.random, on the values of one frontend."""

    def bernoulli(
        self,
        prob: V | float | None = None,
        logit: V | float | None = None,
        size: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
        out: V | None = None,
    ) -> V:
        """1 with a probability, given as it is or as its logit, else 0."""
        if (prob is None) == (logit is None):
            raise RequirementError("bernoulli: either prob or logit is required, got both or none.")
        same = {"is_logit": prob is None, "ctx": _place(ctx), "dtype": _float(dtype)}
        return self._drawn("_npi_bernoulli", size, out, same, prob=prob, logit=logit)

    def normal_n(
        self,
        loc: V | float = 0.0,
        scale: V | float = 1.0,
        batch_shape: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
    ) -> V:
        """Normal draws of a batch of so many for each of the parameters."""
        return self._typed("_npi_normal_n", dtype, batch_shape, ctx, None, loc=loc, scale=scale)

    def uniform_n(
        self,
        low: V | float = 0.0,
        high: V | float = 1.0,
        batch_shape: Size = None,
        dtype: DTypeLike | None = None,
        ctx: Context | None = None,
    ) -> V:
        """Uniform draws of a batch of so many for each of the parameters."""
        return self._typed("_npi_uniform_n", dtype, batch_shape, ctx, None, low=low, high=high)
