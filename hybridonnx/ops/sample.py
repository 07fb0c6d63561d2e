"""Random numbers: functions of their inputs and of a draw, which comes last.

Three kinds of operators draw from each distribution: by a shape, in the shape of an array (`…_like`), and a
number of times from each of several distributions, whose parameters are arrays (`_sample_…`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from ..attrs import Ints
from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, MXNetError, ShapeError
from ._distributions import (
    EXPONENTIAL,
    GAMMA,
    GENERALIZED,
    INTEGERS,
    NEGATIVE_BINOMIAL,
    NORMAL,
    POISSON,
    UNIFORM,
    Distribution,
)
from ._indices import require_inside
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Shape, is_zero, require_axes, show, sizes, unify
from ._windows import require_floats
from .create import open_shape

_FloatDType = Literal["None", "float16", "float32", "float64"]
_RANDOM = "it draws at random"
_Generator = np.random.Generator
_NOT_IN_ONNX = "it draws from a distribution that ONNX does not have, with parameters known only when it runs"


# ---- what the kinds share


def _typed(op: Any, out: Sequence[Spec]) -> Operator:
    """The operator that draws in the dtype of `out`, unless its attributes name one."""
    name = str(out[0].dtype)
    is_open = op.dtype == "None" and name in get_args(_FloatDType)
    typed: Operator = replace(op, dtype=name) if is_open else op
    return typed


class _ByAttributes(Operator):
    """What operators share whose distribution's parameters are attributes."""

    not_differentiable: ClassVar[str] = _RANDOM
    distribution: ClassVar[Distribution] = UNIFORM

    def check(self) -> None:
        values = self.attributes()
        for name in self.distribution.outside(values):
            raise AttributeValueError(
                f"{self.names[0]}: {name} {self.distribution.range_of(name, values)} is required, "
                f"got {values[name]}."
            )

    def parameters(self) -> tuple[Any, ...]:
        """The distribution's parameters."""
        return tuple(v for k, v in self.attributes().items() if k not in ("shape", "ctx", "dtype"))

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        if self.distribution.noise != "other":
            return super().draw(rng, *inputs)
        out = self.infer(inputs)[1][0]
        if out.shape is None:
            raise ShapeError(f"{self.names[0]}: a shape is required to draw, got {show(out.shape)}.")
        values: Array = self.distribution.of(rng, sizes(out.shape), *self.parameters())
        return values.astype(out.dtype)

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        if self.distribution.noise != "other":
            return super().noise_spec(outputs, *inputs)
        return outputs[0]

    def forward(self, *inputs: Array) -> Array:
        noise = inputs[-1]
        dtype = self.infer_dtype(*(x.dtype for x in inputs[:-1]))
        values = (
            noise if self.distribution.noise == "other" else self.distribution.of(noise, *self.parameters())
        )
        return np.asarray(values).astype(dtype)


class _ByShape(_ByAttributes):
    """What draws of a given shape share.

    Attributes:
        shape: The shape of the output; sizes of 0, or all if it is None, are told by the graph around.
        ctx: The device of the output, such as cpu(0); the current context if empty.
        dtype: The dtype of the output; None: float32.

    Returns:
        An array of the given shape.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    shape: Any
    dtype: Any

    def infer_shape(self) -> Any:
        return [open_shape(self.shape)]

    def with_inferred_shape(self, outputs: Sequence[Spec]) -> Operator:
        this: Any = self
        op: Operator = replace(this, shape=outputs[0].shape)
        return op

    def for_out(self, out: Sequence[Spec]) -> Operator:
        return _typed(self if open_shape(self.shape) else self.with_inferred_shape(out), out)

    def infer_dtype(self) -> DType | None:
        return as_dtype(None if self.dtype == "None" else self.dtype)


class _Like(_ByAttributes):
    """What draws in the shape and dtype of an array share.

    Inputs:
        data: An array of floating-point numbers, for its shape and dtype.

    Returns:
        The shape and dtype of data.
    """

    elementwise: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False


class _ByArrays(Operator):
    """What draws share whose parameters are arrays of one shape: some for each element of theirs.

    Attributes:
        shape: The shape of the draws for each element; one draw if empty.
        dtype: The dtype of the output; None: float32.

    Returns:
        (*the parameters' shape, *shape).
    """

    not_differentiable: ClassVar[str] = _RANDOM
    takes_bool: ClassVar[bool] = False
    distribution: ClassVar[Distribution] = UNIFORM
    shape: Any
    dtype: Any

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return [unify(self.names[0], *shapes)] * len(shapes)

    def infer_back(self, outputs: Sequence[Shape | None], inputs: Sequence[Any]) -> Sequence[Shape | None]:
        out = outputs[0]
        return inputs if out is None else [out[: len(out) - len(self.shape)]] * len(inputs)

    def for_out(self, out: Sequence[Spec]) -> Operator:
        return _typed(self, out)

    def infer_shape(self, first: Shape, *_: Shape) -> Shape:
        return (*first, *self.shape)

    def infer_dtype(self, *_: DType | None) -> DType | None:
        return as_dtype(None if self.dtype == "None" else self.dtype)

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        if self.distribution.noise != "other":
            return super().draw(rng, *inputs)
        return rng.integers(0, 2**63 - 1, 2)  # a seed: the parameters' values are not known here

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        if self.distribution.noise != "other":
            return super().noise_spec(outputs, *inputs)
        return Spec((2,), np.dtype("int64"))

    def forward(self, *inputs: Array) -> Array:
        *arrays, noise = inputs
        spread = [a.reshape(a.shape + (1,) * len(self.shape)) for a in arrays]
        dtype = self.infer_dtype()
        if self.distribution.noise != "other":
            return np.asarray(self.distribution.of(noise, *spread)).astype(dtype)
        rng = np.random.default_rng(noise.tolist())
        wide = [a.astype(np.float64) for a in spread]
        shape = arrays[0].shape + tuple(self.shape)
        try:
            values: Array = self.distribution.of(rng, shape, *wide)
        except ValueError:  # NumPy's, about the parameters
            raise MXNetError(
                f"{self.names[0]}: {self.distribution.described()} are required, got others."
            ) from None
        return values.astype(dtype)


# ---- by shape


@operator("_random_uniform", "random_uniform", "uniform")
class RandomUniform(_ByShape):
    """Draws from the uniform distribution on [low, high), of a given shape.

    Attributes:
        low: The lower end, which belongs to the interval.
        high: The upper end, which does not.

    ONNX: Mul and Add, of uniform draws in [0, 1).
    """

    noise: ClassVar[str] = "uniform"
    distribution: ClassVar[Distribution] = UNIFORM
    low: float = 0.0
    high: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _FloatDType = "None"


@operator("_random_normal", "normal", "random_normal")
class RandomNormal(_ByShape):
    """Draws from the normal distribution, of a given shape.

    Attributes:
        loc: The mean.
        scale: The standard deviation.

    ONNX: Mul and Add, of standard normal draws.
    """

    noise: ClassVar[str] = "normal"
    distribution: ClassVar[Distribution] = NORMAL
    loc: float = 0.0
    scale: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _FloatDType = "None"


@operator("_random_exponential", "random_exponential")
class RandomExponential(_ByShape):
    """Draws from the exponential distribution, of a given shape.

    Attributes:
        lam: The rate; the mean is 1 / lam.

    ONNX: Log and Div, of uniform draws in [0, 1).
    """

    noise: ClassVar[str] = "uniform"
    distribution: ClassVar[Distribution] = EXPONENTIAL
    lam: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _FloatDType = "None"


@operator("_random_gamma", "random_gamma")
class RandomGamma(_ByShape):
    """Draws from the gamma distribution, of a given shape.

    Attributes:
        alpha: The distribution's shape parameter.
        beta: The scale; the mean is alpha * beta.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = GAMMA
    alpha: float = 1.0
    beta: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _FloatDType = "None"


@operator("_random_poisson", "random_poisson")
class RandomPoisson(_ByShape):
    """Draws from the Poisson distribution, of a given shape.

    Attributes:
        lam: The mean.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = POISSON
    lam: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _FloatDType = "None"


@operator("_random_negative_binomial", "random_negative_binomial")
class RandomNegativeBinomial(_ByShape):
    """Draws from the negative binomial distribution, failures before `k` successes, of a given shape.

    Attributes:
        k: The number of successes.
        p: The probability of success.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = NEGATIVE_BINOMIAL
    k: int = 1
    p: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _FloatDType = "None"


@operator("_random_generalized_negative_binomial", "random_generalized_negative_binomial")
class RandomGeneralizedNegativeBinomial(_ByShape):
    """Draws from the negative binomial distribution by mean and dispersion, of a given shape.

    Attributes:
        mu: The mean.
        alpha: The dispersion; the variance is mu + alpha * mu ** 2.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = GENERALIZED
    mu: float = 1.0
    alpha: float = 1.0
    shape: Ints | None = None
    ctx: str = ""
    dtype: _FloatDType = "None"


@operator("_random_randint", "_npi_random_randint", "random_randint")
class RandomInt(_ByShape):
    """Draws of integers from [low, high), all of one probability, of a given shape.

    Attributes:
        low: The least integer.
        high: The integer after the largest.
        dtype: The dtype of the output; None: int32.

    ONNX: Mul, Floor, Min and Add, of uniform draws in [0, 1).
    """

    noise: ClassVar[str] = "uniform"
    distribution: ClassVar[Distribution] = INTEGERS
    low: int
    high: int
    shape: Ints | None = None
    ctx: str = ""
    dtype: Literal["None", "int32", "int64"] = "None"

    def infer_dtype(self) -> DType | None:
        return as_dtype("int32" if self.dtype == "None" else self.dtype)

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        noise = super().draw(rng, *inputs)
        return rng.random(noise.shape)  # float64, since float32 could not reach all numbers

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        return Spec(outputs[0].shape, np.dtype("float64"))


# ---- like an array


@operator("_random_uniform_like")
class RandomUniformLike(_Like):
    """Draws from the uniform distribution on [low, high), in the shape and dtype of `data`.

    Attributes:
        low: The lower end, which belongs to the interval.
        high: The upper end, which does not.

    ONNX: Mul and Add, of uniform draws in [0, 1).
    """

    noise: ClassVar[str] = "uniform"
    distribution: ClassVar[Distribution] = UNIFORM
    low: float = 0.0
    high: float = 1.0


@operator("_random_normal_like")
class RandomNormalLike(_Like):
    """Draws from the normal distribution, in the shape and dtype of `data`.

    Attributes:
        loc: The mean.
        scale: The standard deviation.

    ONNX: Mul and Add, of standard normal draws.
    """

    noise: ClassVar[str] = "normal"
    distribution: ClassVar[Distribution] = NORMAL
    loc: float = 0.0
    scale: float = 1.0


@operator("_random_exponential_like")
class RandomExponentialLike(_Like):
    """Draws from the exponential distribution, in the shape and dtype of `data`.

    Attributes:
        lam: The rate; the mean is 1 / lam.

    ONNX: Log and Div, of uniform draws in [0, 1).
    """

    noise: ClassVar[str] = "uniform"
    distribution: ClassVar[Distribution] = EXPONENTIAL
    lam: float = 1.0


@operator("_random_gamma_like")
class RandomGammaLike(_Like):
    """Draws from the gamma distribution, in the shape and dtype of `data`.

    Attributes:
        alpha: The distribution's shape parameter.
        beta: The scale; the mean is alpha * beta.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = GAMMA
    alpha: float = 1.0
    beta: float = 1.0


@operator("_random_poisson_like")
class RandomPoissonLike(_Like):
    """Draws from the Poisson distribution, in the shape and dtype of `data`.

    Attributes:
        lam: The mean.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = POISSON
    lam: float = 1.0


@operator("_random_negative_binomial_like")
class RandomNegativeBinomialLike(_Like):
    """Draws of failures before `k` successes, in the shape and dtype of `data`.

    Attributes:
        k: The number of successes.
        p: The probability of success.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = NEGATIVE_BINOMIAL
    k: int = 1
    p: float = 1.0


@operator("_random_generalized_negative_binomial_like")
class RandomGeneralizedNegativeBinomialLike(_Like):
    """Draws from the negative binomial distribution by mean and dispersion, in the shape and dtype of `data`.

    Attributes:
        mu: The mean.
        alpha: The dispersion; the variance is mu + alpha * mu ** 2.

    ONNX: Identity of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    noise: ClassVar[str] = "other"
    distribution: ClassVar[Distribution] = GENERALIZED
    mu: float = 1.0
    alpha: float = 1.0


# ---- with arrays of parameters


@operator("_sample_uniform", "sample_uniform")
class SampleUniform(_ByArrays):
    """Draws from a uniform distribution for each pair of elements of `low` and `high`.

    Inputs:
        low: The lower ends, which belong to the intervals.
        high: The upper ends, which do not, in the shape of low.

    ONNX: Sub, Mul and Add, of uniform draws in [0, 1).
    """

    inputs: ClassVar[tuple[str, ...]] = ("low", "high")
    noise: ClassVar[str] = "uniform"
    distribution: ClassVar[Distribution] = UNIFORM
    shape: Ints = ()
    dtype: _FloatDType = "None"


@operator("_sample_normal", "sample_normal")
class SampleNormal(_ByArrays):
    """Draws from a normal distribution for each pair of elements of `mu` and `sigma`.

    Inputs:
        mu: The means.
        sigma: The standard deviations, in the shape of mu.

    ONNX: Mul and Add, of standard normal draws.
    """

    inputs: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    noise: ClassVar[str] = "normal"
    distribution: ClassVar[Distribution] = NORMAL
    shape: Ints = ()
    dtype: _FloatDType = "None"


@operator("_sample_exponential", "sample_exponential")
class SampleExponential(_ByArrays):
    """Draws from an exponential distribution for each element of `lam`.

    Inputs:
        lam: The rates; the means are 1 / lam.

    ONNX: Log and Div, of uniform draws in [0, 1).
    """

    inputs: ClassVar[tuple[str, ...]] = ("lam",)
    noise: ClassVar[str] = "uniform"
    distribution: ClassVar[Distribution] = EXPONENTIAL
    shape: Ints = ()
    dtype: _FloatDType = "None"


@operator("_sample_gamma", "sample_gamma")
class SampleGamma(_ByArrays):
    """Draws from a gamma distribution for each pair of elements of `alpha` and `beta`.

    Inputs:
        alpha: The distributions' shape parameters.
        beta: The scales, in the shape of alpha.

    ONNX: none; it does not have the distribution, whose parameters are known only when it runs.
    """

    inputs: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _NOT_IN_ONNX
    distribution: ClassVar[Distribution] = GAMMA
    shape: Ints = ()
    dtype: _FloatDType = "None"


@operator("_sample_poisson", "sample_poisson")
class SamplePoisson(_ByArrays):
    """Draws from a Poisson distribution for each element of `lam`.

    Inputs:
        lam: The means.

    ONNX: none; it does not have the distribution, whose parameters are known only when it runs.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lam",)
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _NOT_IN_ONNX
    distribution: ClassVar[Distribution] = POISSON
    shape: Ints = ()
    dtype: _FloatDType = "None"


@operator("_sample_negative_binomial", "sample_negative_binomial")
class SampleNegativeBinomial(_ByArrays):
    """Draws of failures before successes, from a negative binomial distribution for each pair of elements.

    Inputs:
        k: The numbers of successes.
        p: The probabilities of success, in the shape of k.

    ONNX: none; it does not have the distribution, whose parameters are known only when it runs.
    """

    inputs: ClassVar[tuple[str, ...]] = ("k", "p")
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _NOT_IN_ONNX
    distribution: ClassVar[Distribution] = NEGATIVE_BINOMIAL
    shape: Ints = ()
    dtype: _FloatDType = "None"


@operator("_sample_generalized_negative_binomial", "sample_generalized_negative_binomial")
class SampleGeneralizedNegativeBinomial(_ByArrays):
    """Draws from a negative binomial distribution for each mean in `mu` and dispersion in `alpha`.

    Inputs:
        mu: The means.
        alpha: The dispersions, in the shape of mu; the variances are mu + alpha * mu ** 2.

    ONNX: none; it does not have the distribution, whose parameters are known only when it runs.
    """

    inputs: ClassVar[tuple[str, ...]] = ("mu", "alpha")
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _NOT_IN_ONNX
    distribution: ClassVar[Distribution] = GENERALIZED
    shape: Ints = ()
    dtype: _FloatDType = "None"


# ---- choices


@operator("_sample_multinomial", "sample_multinomial")
class SampleMultinomial(Operator):
    """Draws of class indices by the probabilities in each row of `data`.

    Gradients flow to data through the logarithms of the probabilities alone.

    Inputs:
        data: Probabilities, (*batch, K), which sum to 1 along the last axis.

    Attributes:
        shape: The shape of the draws for each row; one draw if empty.
        get_prob: Whether the logarithms of the drawn classes' probabilities are given as well.
        dtype: The dtype of the class indices.

    Returns:
        output0: (*batch, *shape), or (1,) for one draw by one row; the output is called output without
            get_prob.
        output1: The logarithms, in the same shape and the dtype of data; only with get_prob.

    ONNX: CumSum, LessOrEqual and ReduceSum, of uniform draws in [0, 1).
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
        if is_zero(data[-1]):
            raise ShapeError(f"_sample_multinomial: one class or more is required, got {show(data)}.")
        shape = (*data[:-1], *self.shape) or (1,)
        return [shape, shape] if self.get_prob else shape

    def infer_dtype(self, data: DType | None) -> DType | list[DType | None]:
        dtype = as_dtype(self.dtype)
        return [dtype, data] if self.get_prob else dtype

    def forward(self, data: Array, noise: Array) -> Array | tuple[Array, ...]:
        rows = data.reshape(prod(data.shape[:-1]), data.shape[-1])
        draws = noise.reshape(len(rows), prod(self.shape))
        below = np.cumsum(rows, 1)[:, None, :] <= draws[:, :, None]
        classes = np.minimum(below.sum(2), rows.shape[1] - 1)
        numbers: Array = classes.reshape(noise.shape).astype(self.dtype)
        if not self.get_prob:
            return numbers
        with np.errstate(divide="ignore"):
            logarithms: Array = np.log(np.take_along_axis(rows, classes, 1))
        return numbers, logarithms.reshape(noise.shape)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if not self.get_prob:
            return (None,)
        return (F._multinomial_gradient(dy[1], y[0], data),)


@operator("_multinomial_gradient")
class MultinomialGradient(Operator):
    """The gradient of `_sample_multinomial` with respect to its probabilities.

    Inputs:
        dy: The gradient of the logarithms, (*batch, *shape).
        classes: The class indices, in the shape of dy.
        data: The probabilities, (*batch, K).

    Returns:
        (*batch, K).

    ONNX: Equal, ReduceSum, Div and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "classes", "data")
    not_differentiable: ClassVar[str] = _RANDOM
    refuses_gradient: ClassVar[bool] = True

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        dtype = self.one_dtype(self.inputs[::2], dtypes[::2])
        require_floats(self.names[0], dtype)
        return dtype, dtypes[1], dtype

    def infer_inputs(
        self, dy: Shape | None, classes: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        one = unify(self.names[0], dy, classes)
        if one is None or data is None:
            return one, one, data
        if not 0 < len(data) <= len(one) + 1:
            raise ShapeError(
                f"{self.names[0]}: data (*batch, K) and dy (*batch, *shape) are required, "
                f"got {show(data)} and {show(one)}."
            )
        batch = data[:-1]
        return (*batch, *one[len(batch) :]), one, data

    def infer_shape(self, dy: Shape, classes: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, classes: Array, data: Array) -> Array:
        rows = data.reshape(-1, data.shape[-1])
        numbers = classes.reshape(len(rows), -1).astype(np.int64)
        require_inside(self.names[0], numbers, rows.shape[1])
        total = np.zeros(rows.shape, np.float64)
        np.add.at(total, (np.arange(len(rows))[:, None], numbers), dy.reshape(numbers.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(total == 0, 0, total / rows).astype(data.dtype).reshape(data.shape)


@operator("_shuffle", "_npi_shuffle", "shuffle")
class Shuffle(Operator):
    """`data` with the slices along its first axis in random order.

    Inputs:
        data: (N, *rest).

    Returns:
        (N, *rest).

    ONNX: Gather by a permutation that a hybridized block is fed with; export is refused, as ONNX draws none.
    """

    keeps_shape: ClassVar[bool] = True
    noise: ClassVar[str] = "other"
    not_differentiable: ClassVar[str] = _RANDOM
    refuses_gradient: ClassVar[bool] = True

    def infer_shape(self, data: Shape) -> Shape:
        require_axes(self.names[0], data)
        return data

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        shape = inputs[0].shape
        if not shape or not isinstance(shape[0], int):
            raise ShapeError(f"_shuffle: data of known size is required, got {show(shape)}.")
        return rng.permutation(shape[0])

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        return Spec((outputs[0].shape or (None,))[:1], np.dtype("int64"))

    def forward(self, data: Array, noise: Array) -> Array:
        return data[noise]
