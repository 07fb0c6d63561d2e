"""Random numbers: functions of their inputs and of a draw, which comes last.

Three kinds of operators draw from each distribution: by a shape, in the shape of an array (`…_like`), and a
number of times from each of several distributions, whose parameters are arrays (`_sample_…`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..attrs import Ints
from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Shape, show, sizes, unify
from .create import open_shape

_RANDOM = "it draws at random"
_Generator = np.random.Generator
_WHOLE = "it draws from a distribution that ONNX does not have, with parameters known only when it runs"


# ---- distributions


class Law(NamedTuple):
    """A distribution. `of(noise, *parameters)` turns a simple draw into values.

    Without a simple draw, `of(rng, size, *parameters)` draws the values.
    """

    of: Callable[..., Any]
    noise: str = "other"


def _uniform(noise: Array, low: Any, high: Any) -> Array:
    drawn: Array = noise * (high - low) + low
    return drawn


def _normal(noise: Array, loc: Any, scale: Any) -> Array:
    drawn: Array = noise * scale + loc
    return drawn


def _exponential(noise: Array, lam: Any) -> Array:
    with np.errstate(divide="ignore"):
        drawn: Array = -np.log1p(-noise) / lam
    return drawn


def _gamma(rng: _Generator, size: Any, alpha: Any, beta: Any) -> Array:
    return np.asarray(rng.gamma(alpha, beta, size))  # beta is the scale, not the rate


def _poisson(rng: _Generator, size: Any, lam: Any) -> Array:
    return np.asarray(rng.poisson(lam, size))


def _negative_binomial(rng: _Generator, size: Any, k: Any, p: Any) -> Array:
    return np.asarray(rng.negative_binomial(k, p, size))


def _generalized_negative_binomial(rng: _Generator, size: Any, mu: Any, alpha: Any) -> Array:
    mean, spread = np.broadcast_to(mu, size), np.broadcast_to(alpha, size)
    varied = np.where(spread > 0, spread, 1)
    return np.asarray(rng.poisson(np.where(spread > 0, rng.gamma(1 / varied, mean * varied), mean)))


UNIFORM = Law(_uniform, "uniform")
NORMAL = Law(_normal, "normal")
EXPONENTIAL = Law(_exponential, "uniform")
GAMMA, POISSON = Law(_gamma), Law(_poisson)
NEGATIVE_BINOMIAL, GENERALIZED = Law(_negative_binomial), Law(_generalized_negative_binomial)


# ---- what the kinds share


class _Drawn(Operator):
    """An operator whose distribution's parameters are attributes."""

    not_differentiable: ClassVar[str] = _RANDOM
    law: ClassVar[Law] = UNIFORM

    def parameters(self) -> tuple[Any, ...]:
        """The distribution's parameters."""
        return tuple(v for k, v in self.attributes().items() if k not in ("shape", "ctx", "dtype"))

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        if self.law.noise != "other":
            return super().draw(rng, *inputs)
        out = self.infer(inputs)[1][0]
        if out.shape is None:
            raise ShapeError(f"{self.names[0]}: a shape is required to draw, got {show(out.shape)}.")
        try:
            drawn: Array = self.law.of(rng, sizes(out.shape), *self.parameters())
        except ValueError as exc:  # NumPy's, about the parameters
            given = ", ".join(f"{name}={value}" for name, value in self.attributes().items())
            raise AttributeValueError(f"{self.names[0]}: {exc}, got {given}.") from None
        return drawn.astype(out.dtype)

    def forward(self, *inputs: Array) -> Array:
        noise = inputs[-1]
        dtype = self.infer_dtype(*(x.dtype for x in inputs[:-1]))
        values = noise if self.law.noise == "other" else self.law.of(noise, *self.parameters())
        return np.asarray(values).astype(dtype)


class _ByShape(_Drawn):
    """Draws of a given shape."""

    inputs: ClassVar[tuple[str, ...]] = ()
    shape: Any
    dtype: Any

    def infer_shape(self) -> Any:
        return [open_shape(self.shape)]

    def with_inferred_shape(self, outputs: Sequence[Spec]) -> Operator:
        this: Any = self
        made: Operator = replace(this, shape=outputs[0].shape)
        return made

    def infer_dtype(self) -> DType | None:
        return as_dtype(None if self.dtype == "None" else self.dtype)


class _Like(_Drawn):
    """Draws in the shape and dtype of `data`."""

    elementwise: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False


class _ByArrays(Operator):
    """`shape` draws for each element of the parameters, which are arrays of one shape."""

    not_differentiable: ClassVar[str] = _RANDOM
    law: ClassVar[Law] = UNIFORM
    shape: Any
    dtype: Any

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return [unify(self.names[0], *shapes)] * len(shapes)

    def infer_shape(self, first: Shape, *_: Shape) -> Shape:
        return (*first, *self.shape)

    def infer_dtype(self, *_: DType | None) -> DType | None:
        return as_dtype(None if self.dtype == "None" else self.dtype)

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        if self.law.noise != "other":
            return super().draw(rng, *inputs)
        return rng.integers(0, 2**63 - 1, 2)  # a seed: the parameters' values are not known here

    def forward(self, *inputs: Array) -> Array:
        *arrays, noise = inputs
        spread = [a.reshape(a.shape + (1,) * len(self.shape)) for a in arrays]
        dtype = self.infer_dtype()
        if self.law.noise != "other":
            return np.asarray(self.law.of(noise, *spread)).astype(dtype)
        rng = np.random.default_rng(noise.tolist())
        wide = [a.astype(np.float64) for a in spread]
        drawn: Array = self.law.of(rng, arrays[0].shape + tuple(self.shape), *wide)
        return drawn.astype(dtype)


_Real = Literal["None", "float16", "float32", "float64"]


# ---- by shape


@operator("_random_uniform", "random_uniform", "uniform")
class RandomUniform(_ByShape):
    """Draws from the uniform distribution on [low, high), of the given shape."""

    noise: ClassVar[str] = "uniform"
    law: ClassVar[Law] = UNIFORM
    low: float = 0.0
    high: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _Real = "None"

    def check(self) -> None:
        if self.low > self.high:
            raise AttributeValueError(
                f"_random_uniform: low up to high={self.high} is required, got {self.low}."
            )


@operator("_random_normal", "normal", "random_normal")
class RandomNormal(_ByShape):
    """Draws from the normal distribution with mean `loc` and deviation `scale`, of the given shape."""

    noise: ClassVar[str] = "normal"
    law: ClassVar[Law] = NORMAL
    loc: float = 0.0
    scale: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _Real = "None"

    def check(self) -> None:
        if self.scale < 0:
            raise AttributeValueError(f"_random_normal: a scale of at least 0 is required, got {self.scale}.")


@operator("_random_exponential", "random_exponential")
class RandomExponential(_ByShape):
    """Draws from the exponential distribution with mean 1 / lam, of the given shape."""

    noise: ClassVar[str] = "uniform"
    law: ClassVar[Law] = EXPONENTIAL
    lam: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _Real = "None"


@operator("_random_gamma", "random_gamma")
class RandomGamma(_ByShape):
    """Draws from the gamma distribution with shape `alpha` and scale `beta`, of the given shape."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = GAMMA
    alpha: float = 1.0
    beta: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _Real = "None"


@operator("_random_poisson", "random_poisson")
class RandomPoisson(_ByShape):
    """Draws from the Poisson distribution with mean `lam`, of the given shape."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = POISSON
    lam: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _Real = "None"


@operator("_random_negative_binomial", "random_negative_binomial")
class RandomNegativeBinomial(_ByShape):
    """Draws of the failures before `k` successes of probability `p`, of the given shape."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = NEGATIVE_BINOMIAL
    k: int = 1
    p: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _Real = "None"


@operator("_random_generalized_negative_binomial", "random_generalized_negative_binomial")
class RandomGeneralizedNegativeBinomial(_ByShape):
    """Draws from the negative binomial distribution with mean `mu` and dispersion `alpha`, of a shape."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = GENERALIZED
    mu: float = 1.0
    alpha: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _Real = "None"


def _whole_numbers(noise: Array, low: int, high: int) -> Array:
    drawn: Array = np.minimum(np.floor(noise.astype(np.float64) * (high - low)), high - low - 1) + low
    return drawn


@operator("_random_randint", "_npi_random_randint", "random_randint")
class RandomInt(_ByShape):
    """Draws of whole numbers from [low, high), of the given shape."""

    noise: ClassVar[str] = "uniform"
    law: ClassVar[Law] = Law(_whole_numbers, "uniform")
    low: int
    high: int
    shape: Ints | None = None
    ctx: str = ""
    dtype: Literal["None", "int32", "int64"] = "None"

    def check(self) -> None:
        if self.low >= self.high:
            raise AttributeValueError(
                f"_random_randint: low below high={self.high} is required, got {self.low}."
            )

    def infer_dtype(self) -> DType | None:
        return as_dtype("int32" if self.dtype == "None" else self.dtype)

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        drawn = super().draw(rng, *inputs)
        return rng.random(drawn.shape)  # float64, since float32 could not reach all numbers


# ---- like an array


@operator("_random_uniform_like")
class RandomUniformLike(_Like):
    """Draws from the uniform distribution on [low, high), in the shape and dtype of `data`."""

    noise: ClassVar[str] = "uniform"
    law: ClassVar[Law] = UNIFORM
    low: float = 0.0
    high: float = 1.0


@operator("_random_normal_like")
class RandomNormalLike(_Like):
    """Draws from the normal distribution of mean `loc` and deviation `scale`, in `data`'s shape and dtype."""

    noise: ClassVar[str] = "normal"
    law: ClassVar[Law] = NORMAL
    loc: float = 0.0
    scale: float = 1.0


@operator("_random_exponential_like")
class RandomExponentialLike(_Like):
    """Draws from the exponential distribution with mean 1 / lam, in the shape and dtype of `data`."""

    noise: ClassVar[str] = "uniform"
    law: ClassVar[Law] = EXPONENTIAL
    lam: float = 1.0


@operator("_random_gamma_like")
class RandomGammaLike(_Like):
    """Draws from the gamma distribution of shape `alpha` and scale `beta`, in `data`'s shape and dtype."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = GAMMA
    alpha: float = 1.0
    beta: float = 1.0


@operator("_random_poisson_like")
class RandomPoissonLike(_Like):
    """Draws from the Poisson distribution with mean `lam`, in the shape and dtype of `data`."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = POISSON
    lam: float = 1.0


@operator("_random_negative_binomial_like")
class RandomNegativeBinomialLike(_Like):
    """Draws of the failures before `k` successes of probability `p`, in the shape and dtype of `data`."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = NEGATIVE_BINOMIAL
    k: int = 1
    p: float = 1.0


@operator("_random_generalized_negative_binomial_like")
class RandomGeneralizedNegativeBinomialLike(_Like):
    """Draws from the negative binomial of mean `mu` and dispersion `alpha`, in `data`'s shape and dtype."""

    noise: ClassVar[str] = "other"
    law: ClassVar[Law] = GENERALIZED
    mu: float = 1.0
    alpha: float = 1.0


# ---- with arrays of parameters


@operator("_sample_uniform", "sample_uniform")
class SampleUniform(_ByArrays):
    """Uniform draws on [low, high) for each pair of elements of `low` and `high`: (*low's shape, *shape)."""

    inputs: ClassVar[tuple[str, ...]] = ("low", "high")
    noise: ClassVar[str] = "uniform"
    law: ClassVar[Law] = UNIFORM
    shape: Ints = ()
    dtype: _Real = "None"


@operator("_sample_normal", "sample_normal")
class SampleNormal(_ByArrays):
    """Normal draws for each pair of elements of `mu` and `sigma`: (*mu's shape, *shape)."""

    inputs: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    noise: ClassVar[str] = "normal"
    law: ClassVar[Law] = NORMAL
    shape: Ints = ()
    dtype: _Real = "None"


@operator("_sample_exponential", "sample_exponential")
class SampleExponential(_ByArrays):
    """Exponential draws for each rate in `lam`: (*lam's shape, *shape)."""

    inputs: ClassVar[tuple[str, ...]] = ("lam",)
    noise: ClassVar[str] = "uniform"
    law: ClassVar[Law] = EXPONENTIAL
    shape: Ints = ()
    dtype: _Real = "None"


@operator("_sample_gamma", "sample_gamma")
class SampleGamma(_ByArrays):
    """Gamma draws for each shape in `alpha` and scale in `beta`: (*alpha's shape, *shape)."""

    inputs: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _WHOLE
    law: ClassVar[Law] = GAMMA
    shape: Ints = ()
    dtype: _Real = "None"


@operator("_sample_poisson", "sample_poisson")
class SamplePoisson(_ByArrays):
    """Poisson draws for each mean in `lam`: (*lam's shape, *shape)."""

    inputs: ClassVar[tuple[str, ...]] = ("lam",)
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _WHOLE
    law: ClassVar[Law] = POISSON
    shape: Ints = ()
    dtype: _Real = "None"


@operator("_sample_negative_binomial", "sample_negative_binomial")
class SampleNegativeBinomial(_ByArrays):
    """Negative binomial draws for each pair of elements of `k` and `p`: (*k's shape, *shape)."""

    inputs: ClassVar[tuple[str, ...]] = ("k", "p")
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _WHOLE
    law: ClassVar[Law] = NEGATIVE_BINOMIAL
    shape: Ints = ()
    dtype: _Real = "None"


@operator("_sample_generalized_negative_binomial", "sample_generalized_negative_binomial")
class SampleGeneralizedNegativeBinomial(_ByArrays):
    """Negative binomial draws for each mean in `mu` and dispersion in `alpha`: (*mu's shape, *shape)."""

    inputs: ClassVar[tuple[str, ...]] = ("mu", "alpha")
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _WHOLE
    law: ClassVar[Law] = GENERALIZED
    shape: Ints = ()
    dtype: _Real = "None"


# ---- choices


@operator("_sample_multinomial", "sample_multinomial")
class SampleMultinomial(Operator):
    """`shape` draws of class numbers by each row of the probabilities `data` (*batch, K): (*batch, *shape).

    With get_prob also the logarithms of their probabilities, through which gradients flow.
    """

    noise: ClassVar[str] = "uniform"
    takes_ints: ClassVar[bool] = False
    shape: Ints = ()
    get_prob: bool = False
    dtype: Literal["float16", "float32", "float64", "int32", "uint8"] = "int32"

    def output_names(self) -> tuple[str, ...]:
        return ("output0", "output1") if self.get_prob else ("output",)

    def infer_shape(self, data: Shape) -> Shape | list[Shape]:
        if not data:
            raise ShapeError(f"_sample_multinomial: data (*batch, K) is required, got {show(data)}.")
        drawn = (*data[:-1], *self.shape) or (1,)
        return [drawn, drawn] if self.get_prob else drawn

    def infer_dtype(self, data: DType | None) -> DType | list[DType | None]:
        drawn = as_dtype(self.dtype)
        return [drawn, data] if self.get_prob else drawn

    def forward(self, data: Array, noise: Array) -> Array | tuple[Array, ...]:
        rows = data.reshape(-1, data.shape[-1])
        places = noise.reshape(len(rows), -1)
        below = np.cumsum(rows, 1)[:, None, :] <= places[:, :, None]
        drawn = np.minimum(below.sum(2), rows.shape[1] - 1)
        numbers: Array = drawn.reshape(noise.shape).astype(self.dtype)
        if not self.get_prob:
            return numbers
        with np.errstate(divide="ignore"):
            logarithms: Array = np.log(np.take_along_axis(rows, drawn, 1))
        return numbers, logarithms.reshape(noise.shape)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if not self.get_prob:
            return (None,)
        return (F._multinomial_gradient(dy[1], y[0], data),)


@operator("_multinomial_gradient")
class MultinomialGradient(Operator):
    """The gradient (*batch, K) of `data` from `dy` of the log-probabilities of the numbers `drawn`."""

    inputs: ClassVar[tuple[str, ...]] = ("dy", "drawn", "data")
    not_differentiable: ClassVar[str] = _RANDOM
    refuses_gradient: ClassVar[bool] = True

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_shape(self, dy: Shape, drawn: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, drawn: Array, data: Array) -> Array:
        rows = data.reshape(-1, data.shape[-1])
        numbers = drawn.reshape(len(rows), -1).astype(np.int64)
        total = np.zeros(rows.shape, np.float64)
        np.add.at(total, (np.arange(len(rows))[:, None], numbers), dy.reshape(numbers.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(total == 0, 0, total / rows).astype(data.dtype).reshape(data.shape)


@operator("_shuffle", "_npi_shuffle", "shuffle")
class Shuffle(Operator):
    """`data` (N, *) with its first axis in random order."""

    noise: ClassVar[str] = "other"
    not_differentiable: ClassVar[str] = _RANDOM
    refuses_gradient: ClassVar[bool] = True

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        shape = inputs[0].shape
        if not shape or shape[0] is None:
            raise ShapeError(f"_shuffle: data of known size is required, got {show(shape)}.")
        return rng.permutation(shape[0])

    def forward(self, data: Array, noise: Array) -> Array:
        return data[noise]
