"""How likely samples are: the densities of distributions, and probabilities of those of integers.

Parameters are arrays of one shape, an element for each distribution; the samples' first axes are the
parameters', and further ones hold several samples of each distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi
from typing import Any, ClassVar

import numpy as np

from ..errors import ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, show, unify
from ._slopes import computed_wide
from ._special import LARGE as LARGE
from ._special import gammaln, log_ways

_LOG_ROOT = 0.5 * log(2 * pi)


def added_axes(rank: int, of: int, last_axes: int) -> tuple[int, ...]:
    """The axes of an array with `rank` axes that another with `of` lacks, which shares the last ones."""
    return tuple(range(of - last_axes, rank - last_axes))


def _required_parts(
    owner: str, part: Shape | None, whole: Shape | None, last_axes: int
) -> Sequence[Shape | None]:
    """What an array that lacks axes of another has to be, and the other as it is."""
    if part is None or whole is None:
        return part, whole
    if not last_axes <= len(part) <= len(whole):
        raise ShapeError(
            f"{owner}: an array that lacks axes of {show(whole)} behind its own, but for the last "
            f"{last_axes}, is required, got {show(part)}."
        )
    if part == (1,) and len(whole) == 1:
        return part, whole
    added = added_axes(len(whole), len(part), last_axes)
    return tuple(d for i, d in enumerate(whole) if i not in added), whole


def _with_axes(x: Array, rank: int, last_axes: int) -> Array:
    return np.expand_dims(x, added_axes(rank, x.ndim, last_axes))


# ---- adjoints


@operator("_repeat_behind")
class RepeatBehind(Operator):
    """`data` repeated along the axes of `like` that it lacks, which stand behind its own.

    Inputs:
        data: (*shape, *last).
        like: (*shape, *others, *last), for its shape.

    Attributes:
        last_axes: How many axes last has.

    Returns:
        The shape of like.

    ONNX: Unsqueeze and Expand.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")
    last_axes: int = 0

    def infer_inputs(self, data: Shape | None, like: Shape | None) -> Sequence[Shape | None]:
        return _required_parts(self.names[0], data, like, self.last_axes)

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        return like

    def forward(self, data: Array, like: Array) -> Array:
        return np.broadcast_to(_with_axes(data, like.ndim, self.last_axes), like.shape).copy()

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F._sum_behind(dy, data, last_axes=self.last_axes), None


@operator("_sum_behind")
class SumBehind(Operator):
    """The sums of `data` over the axes that `like` lacks, which stand behind its own.

    Inputs:
        data: (*shape, *others, *last).
        like: (*shape, *last), for its shape.

    Attributes:
        last_axes: How many axes last has.

    Returns:
        The shape of like.

    ONNX: ReduceSum.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")
    last_axes: int = 0

    def infer_inputs(self, data: Shape | None, like: Shape | None) -> Sequence[Shape | None]:
        return tuple(reversed(_required_parts(self.names[0], like, data, self.last_axes)))

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        return like

    def forward(self, data: Array, like: Array) -> Array:
        axes = self.axes(data.ndim, like.shape)
        return np.asarray(data.sum(axes, dtype=data.dtype)).reshape(like.shape)

    def axes(self, rank: int, like: Shape) -> tuple[int, ...]:
        """The axes of `data` that are summed over: those that `like` lacks, or all for a single sum."""
        return added_axes(rank, len(like), self.last_axes) or ((0,) if like == (1,) else ())

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F._repeat_behind(dy, data, last_axes=self.last_axes), None


# ---- what densities share


class _Density(Operator):
    """What the densities share.

    Inputs:
        sample: (*parameters' shape, *several), the values that are asked about.

    Attributes:
        is_log: Whether the logarithm is given instead.

    Returns:
        The shape of sample.
    """

    takes_ints: ClassVar[bool] = False
    last_axes: ClassVar[int] = 0
    """How many last axes a sample itself has, which the parameters have, too."""
    is_log: bool = False

    def infer_inputs(self, sample: Shape | None, *parameters: Shape | None) -> Sequence[Shape | None]:
        one = unify(self.names[0], *parameters)
        if one is None or sample is None:
            return sample, *[one] * len(parameters)
        if len(one) > len(sample) or len(one) < self.last_axes:
            raise ShapeError(
                f"{self.names[0]}: parameters of the first of the sample's axes are required, got "
                f"{show(one)} for a sample {show(sample)}."
            )
        added = added_axes(len(sample), len(one), self.last_axes)
        shared = unify(self.names[0], one, tuple(d for i, d in enumerate(sample) if i not in added)) or ()
        rest = iter(shared)
        whole = tuple(d if i in added else next(rest) for i, d in enumerate(sample))
        return whole, *[shared] * len(parameters)

    def infer_shape(self, sample: Shape, *_: Shape) -> Shape:
        return sample

    def logarithm(self, sample: Any, *parameters: Any) -> Any:
        """The logarithm of the density, of arrays that broadcast."""
        raise NotImplementedError

    def density(self, sample: Any, *parameters: Any) -> Any:
        """The density itself, of arrays that broadcast."""
        return np.exp(self.logarithm(sample, *parameters))

    def slopes(self, F: Any, sample: Any, *parameters: Any) -> Sequence[Any]:
        """Its derivatives with respect to sample and parameters, all of the sample's shape.

        `None` is that of a sample of integers, or where there is none: MXNet gives zeros.
        """
        raise NotImplementedError

    def forward(self, sample: Array, *parameters: Array) -> Array:
        wide = [_with_axes(p.astype(np.float64), sample.ndim, self.last_axes) for p in parameters]
        with np.errstate(all="ignore"):
            function = self.logarithm if self.is_log else self.density
            return np.asarray(function(sample.astype(np.float64), *wide)).astype(sample.dtype)

    @computed_wide
    def gradient(self, F: Any, dy: Any, y: Any, sample: Any, *parameters: Any) -> Sequence[Any]:
        wide = [F._repeat_behind(p, sample, last_axes=self.last_axes) for p in parameters]
        head = dy if self.is_log else dy * y
        if self.last_axes:
            head = F._repeat_behind(head, sample)
        first, *others = self.slopes(F, sample, *wide)
        pairs = zip(others, parameters, strict=True)
        shares = [F._sum_behind(head * slope, p, last_axes=self.last_axes) for slope, p in pairs]
        return F.zeros_like(sample) if first is None else head * first, *shares


def _digamma(F: Any, x: Any) -> Any:
    return F._polygamma(x, order=0)


# ---- numbers


@operator("_random_pdf_uniform", "random_pdf_uniform")
class UniformDensity(_Density):
    """The density of uniform distributions, 1 / (high - low), as in MXNet wherever the sample lies.

    As there it is negative, and its logarithm NaN, if high is below low.

    Inputs:
        low: The lower ends.
        high: The upper ends.

    ONNX: Sub and Reciprocal, and Log.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "low", "high")
    is_log: bool = False

    def density(self, sample: Any, low: Any, high: Any) -> Any:
        return 1 / (high - low) + np.zeros_like(sample)

    def logarithm(self, sample: Any, low: Any, high: Any) -> Any:
        return -np.log(high - low) + np.zeros_like(sample)

    def slopes(self, F: Any, sample: Any, low: Any, high: Any) -> Sequence[Any]:
        slope = 1 / (high - low)
        return None, slope, -slope


@operator("_random_pdf_normal", "random_pdf_normal")
class NormalDensity(_Density):
    """The density of normal distributions.

    Inputs:
        mu: The means.
        sigma: The standard deviations.

    ONNX: Sub, Div, Mul, Log and Exp.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "mu", "sigma")
    is_log: bool = False

    def logarithm(self, sample: Any, mu: Any, sigma: Any) -> Any:
        z = (sample - mu) / sigma
        return -0.5 * z * z - np.log(sigma) - _LOG_ROOT

    def slopes(self, F: Any, sample: Any, mu: Any, sigma: Any) -> Sequence[Any]:
        z = (sample - mu) / sigma
        return -z / sigma, z / sigma, (z * z - 1) / sigma


@operator("_random_pdf_gamma", "random_pdf_gamma")
class GammaDensity(_Density):
    """The density of gamma distributions; beta is the rate here, and the scale where gamma is drawn from.

    Inputs:
        alpha: The shape parameters.
        beta: The rates; the mean is alpha / beta.

    ONNX: Log, Mul, Sub and Exp, and the series of the logarithm of gamma.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "alpha", "beta")
    is_log: bool = False

    def logarithm(self, sample: Any, alpha: Any, beta: Any) -> Any:
        return alpha * np.log(beta) + (alpha - 1) * np.log(sample) - beta * sample - gammaln(alpha)

    def slopes(self, F: Any, sample: Any, alpha: Any, beta: Any) -> Sequence[Any]:
        d_alpha = F.log(beta) + F.log(sample) - _digamma(F, alpha)
        return (alpha - 1) / sample - beta, d_alpha, alpha / beta - sample


@operator("_random_pdf_exponential", "random_pdf_exponential")
class ExponentialDensity(_Density):
    """The density of exponential distributions.

    Inputs:
        lam: The rates; the mean is 1 / lam.

    ONNX: Log, Mul, Sub and Exp.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "lam")
    is_log: bool = False

    def logarithm(self, sample: Any, lam: Any) -> Any:
        return np.log(lam) - lam * sample

    def slopes(self, F: Any, sample: Any, lam: Any) -> Sequence[Any]:
        return -lam, 1 / lam - sample


@operator("_random_pdf_dirichlet", "random_pdf_dirichlet")
class DirichletDensity(_Density):
    """The density of Dirichlet distributions, whose samples are points of positive coordinates that sum to 1.

    Inputs:
        sample: (*distributions, *several, K), the points.
        alpha: (*distributions, K), the concentrations.

    Returns:
        (*distributions, *several); (1,) for one point.

    ONNX: Log, Mul, Sub, ReduceSum and Exp, and the series of the logarithm of gamma.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "alpha")
    last_axes: ClassVar[int] = 1
    is_log: bool = False

    def infer_shape(self, sample: Shape, *_: Shape) -> Shape:
        return sample[:-1] or (1,)

    def logarithm(self, sample: Any, alpha: Any) -> Any:
        terms = (alpha - 1) * np.log(sample) - gammaln(alpha)
        return (terms.sum(-1) + gammaln(alpha.sum(-1))).reshape(sample.shape[:-1] or (1,))

    def slopes(self, F: Any, sample: Any, alpha: Any) -> Sequence[Any]:
        total = F.broadcast_like(F.sum(alpha, axis=-1, keepdims=True), alpha)
        return (alpha - 1) / sample, _digamma(F, total) - _digamma(F, alpha) + F.log(sample)


# ---- integers


@operator("_random_pdf_poisson", "random_pdf_poisson")
class PoissonDensity(_Density):
    """The probability of integers by Poisson distributions; the sample has no gradient.

    Inputs:
        lam: The means.

    ONNX: Log, Mul, Sub and Exp, and the series of the logarithm of gamma.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "lam")
    is_log: bool = False

    def logarithm(self, sample: Any, lam: Any) -> Any:
        return sample * np.log(lam) - gammaln(sample + 1) - lam

    def slopes(self, F: Any, sample: Any, lam: Any) -> Sequence[Any]:
        return None, sample / lam - 1


@operator("_random_pdf_negative_binomial", "random_pdf_negative_binomial")
class NegativeBinomialDensity(_Density):
    """The probability of a number of failures before k successes; the sample has no gradient.

    Inputs:
        k: The numbers of successes.
        p: The probabilities of success.

    ONNX: Log, Mul, Sub and Exp, and the series of the logarithm of gamma.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "k", "p")
    is_log: bool = False

    def logarithm(self, sample: Any, k: Any, p: Any) -> Any:
        return log_ways(sample, k) + k * np.log(p) + sample * np.log(1 - p)

    def slopes(self, F: Any, sample: Any, k: Any, p: Any) -> Sequence[Any]:
        d_k = _digamma(F, sample + k) - _digamma(F, k) + F.log(p)
        return None, d_k, k / p - sample / (1 - p)


@operator("_random_pdf_generalized_negative_binomial", "random_pdf_generalized_negative_binomial")
class GeneralizedNegativeBinomialDensity(_Density):
    """The probability of integers by negative binomial distributions of a mean; the sample has no gradient.

    Inputs:
        mu: The means.
        alpha: The dispersions; the variance is mu + alpha * mu ** 2.

    ONNX: Log, Mul, Sub and Exp, and the series of the logarithm of gamma.
    """

    inputs: ClassVar[tuple[str, ...]] = ("sample", "mu", "alpha")
    is_log: bool = False

    def logarithm(self, sample: Any, mu: Any, alpha: Any) -> Any:
        k, spread = 1 / alpha, mu * alpha
        return log_ways(sample, k) + sample * np.log(spread) - (sample + k) * np.log1p(spread)

    def slopes(self, F: Any, sample: Any, mu: Any, alpha: Any) -> Sequence[Any]:
        k, widened = 1 / alpha, mu * alpha + 1
        rate = (sample + k) / widened
        d_k = _digamma(F, sample + k) - _digamma(F, k) - F.log(widened)
        return None, sample / mu - alpha * rate, sample / alpha - mu * rate - d_k * k * k
