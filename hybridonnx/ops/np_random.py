"""Random draws as mx.np has them: parameters are numbers or arrays, and draws follow them with a gradient.

A parameter that is an attribute of None is an input, so that the inputs are those parameters that are arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import Floats, Ints
from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, MXNetError, ShapeError
from ._distributions import GAMMA, NOT_NEGATIVE, POSITIVE, Range
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Shape, broadcast, differ, show, sizes

_Float = Literal["float16", "float32", "float64"]
_RANDOM = "it draws at random"
_NOT_IN_ONNX = "ONNX has no such distribution. Draw outside of the graph, and feed the draws"
_Generator = np.random.Generator
LEAST = 2.0**-24
"""What a uniform draw of 0 counts as where its logarithm is taken: the next of the draws in float32."""


class Draws(Operator):
    """Draws from a distribution whose parameters are numbers, or arrays that broadcast.

    Inputs:
        input1: The first parameter that no attribute tells, of floating-point numbers.
        input2: The second one.

    Attributes:
        size: The shape of the output, which the arrays broadcast to; None: the shape that they have.
        ctx: The device of the output if there are no arrays, such as cpu(0).

    Returns:
        The shape that size tells.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input1",)
    broadcasts: ClassVar[bool] = True
    noise: ClassVar[str] = "uniform"
    not_differentiable: ClassVar[str] = _RANDOM
    parameters: ClassVar[tuple[str, ...]] = ()
    """The attributes that are parameters of the distribution."""
    ranges: ClassVar[Mapping[str, Range]] = {}
    for_each: ClassVar[bool] = False
    """Whether there are draws of shape `size` for each element of the parameters."""
    size: Any

    def check(self) -> None:
        values = self.attributes()
        for name, allowed in self.ranges.items():
            if values[name] is not None and not allowed.has(values[name], values):
                raise AttributeValueError(
                    f"{self.names[0]}: {name} {allowed.words(values)} is required, got {values[name]}."
                )

    def arrays(self) -> list[bool]:
        """Of each parameter whether it is an array."""
        return [getattr(self, name) is None for name in self.parameters]

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[: sum(self.arrays())]

    def values(self, inputs: Sequence[Any]) -> list[Any]:
        """The parameters: arrays where there are, else numbers."""
        rest = iter(inputs)
        return [
            next(rest) if getattr(self, name) is None else getattr(self, name) for name in self.parameters
        ]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_shape(self, *shapes: Shape) -> Shape | list[Shape]:
        shape: Shape = ()
        for other in shapes:
            shape = broadcast(self.names[0], shape, other)
        if self.size is None:
            return shape
        if self.for_each:
            return (*self.size, *shape)
        over = len(shape) > len(self.size)
        pairs = zip(self.size[::-1], shape[::-1], strict=False)
        if over or any(differ(a, b) and differ(b, 1) for a, b in pairs):
            raise ShapeError(
                f"{self.names[0]}: parameters that broadcast to size {show(self.size)} are required, "
                f"got {show(shape)}."
            )
        result: Shape = self.size
        return result

    def infer_dtype(self, *dtypes: DType | None) -> DType | list[DType | None] | None:
        return as_dtype(getattr(self, "dtype", "float32"))

    def wide(self) -> DType:
        """The dtype that is computed in."""
        return np.dtype("float64" if getattr(self, "dtype", "") == "float64" else "float32")

    def forward(self, *inputs: Array) -> Array | tuple[Array, ...]:
        *arrays, noise = (x.astype(self.wide(), copy=False) for x in inputs)
        return np.asarray(self.drawn(noise, *self.values(arrays))).astype(getattr(self, "dtype", "float32"))

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        """The draws, of uniform or normal ones."""
        raise NotImplementedError


class Reparametrized(Draws):
    """Draws that are a function of the parameters and of draws which do not depend on them.

    Returns:
        output0: The shape that size tells.
        output1: The draws that do not depend on the parameters, which the gradient reads.
    """

    not_differentiable: ClassVar[str] = ""
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    hidden: ClassVar[int] = 1

    def infer_shape(self, *shapes: Shape) -> Shape | list[Shape]:
        shape: Any = super().infer_shape(*shapes)
        return [shape, shape]

    def infer_dtype(self, *dtypes: DType | None) -> DType | list[DType | None] | None:
        return [as_dtype(getattr(self, "dtype", "float32")), self.wide()]

    def forward(self, *inputs: Array) -> Array | tuple[Array, ...]:
        *arrays, noise = (x.astype(self.wide(), copy=False) for x in inputs)
        standard = self.standard(noise)
        draws = np.asarray(self.drawn(standard, *self.values(arrays)))
        return draws.astype(getattr(self, "dtype", "float32")), standard

    def standard(self, noise: Array) -> Array:
        """The draws that do not depend on the parameters."""
        raise NotImplementedError

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        head, draws = dy[0], y[0]
        if getattr(self, "dtype", "float32") != self.wide().name:
            head, draws = (F.Cast(x, dtype=self.wide().name) for x in (head, draws))
        wide = [F.Cast(x, dtype=self.wide().name) for x in inputs]
        slopes = self.slopes(F, head, draws, y[1], *self.values(wide))
        taken = [slope for slope, array in zip(slopes, self.arrays(), strict=True) if array]
        return [F._cast_like(slope, x) for slope, x in zip(taken, inputs, strict=True)]

    def slopes(self, F: Any, dy: Any, y: Any, standard: Any, *parameters: Any) -> Sequence[Any]:
        """The gradient of each parameter, before it is summed to its shape."""
        raise NotImplementedError


def exponential(noise: Array) -> Array:
    """Exponential draws of mean 1, of uniform ones."""
    return np.asarray(-np.log1p(-np.maximum(noise, noise.dtype.type(LEAST))))


# ---- a location and a scale


class LocationScale(Reparametrized):
    """Draws that are moved and scaled.

    Attributes:
        loc: What is added; None: an array.
        scale: The factor, of at least 0; None: an array.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input1", "input2")
    parameters: ClassVar[tuple[str, ...]] = ("loc", "scale")
    ranges: ClassVar[Mapping[str, Range]] = {"scale": NOT_NEGATIVE}

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        loc, scale = parameters
        return np.asarray(noise * scale + loc)

    def slopes(self, F: Any, dy: Any, y: Any, standard: Any, *parameters: Any) -> Sequence[Any]:
        return dy, dy * standard


class _Normal(LocationScale):
    """Normal draws, moved and scaled."""

    noise: ClassVar[str] = "normal"

    def standard(self, noise: Array) -> Array:
        return noise


@operator("_npi_normal")
class NumpyNormal(_Normal):
    """Normal draws with mean `loc` and standard deviation `scale`.

    Attributes:
        dtype: The dtype of the output.

    ONNX: Mul and Add, of standard normal draws.
    """

    loc: float | None
    scale: float | None
    size: Ints | None = None
    ctx: str = "cpu"
    dtype: _Float = "float32"


@operator("_npi_normal_n")
class NumpyNormalN(_Normal):
    """Normal draws of a batch for each mean `loc` and standard deviation `scale`.

    Attributes:
        size: The shape of the batch.
        dtype: The dtype of the output.

    Returns:
        output0: (*size, *the parameters' shape).
        output1: The draws that do not depend on the parameters, which the gradient reads.

    ONNX: Mul and Add, of standard normal draws.
    """

    for_each: ClassVar[bool] = True
    loc: float | None
    scale: float | None
    size: Ints | None = None
    ctx: str = "cpu"
    dtype: _Float = "float32"


@operator("_npi_gumbel")
class NumpyGumbel(LocationScale):
    """Gumbel draws with mode `loc`.

    ONNX: Log, Mul and Add, of uniform draws in [0, 1).
    """

    loc: float | None
    scale: float | None
    size: Ints | None = None
    ctx: str = "cpu"

    def standard(self, noise: Array) -> Array:
        return np.asarray(-np.log(exponential(noise)))


@operator("_npi_logistic")
class NumpyLogistic(LocationScale):
    """Logistic draws with mean `loc`.

    ONNX: Log, Sub, Mul and Add, of uniform draws in [0, 1).
    """

    loc: float | None
    scale: float | None
    size: Ints | None = None
    ctx: str = "cpu"

    def standard(self, noise: Array) -> Array:
        u = np.maximum(noise, noise.dtype.type(LEAST))
        return np.asarray(np.log(u) - np.log1p(-u))


class Scaled(Reparametrized):
    """Draws that are scaled.

    Inputs:
        input1: The scale if no attribute tells it, of floating-point numbers.

    Attributes:
        scale: The factor, of at least 0; None: an array.
    """

    parameters: ClassVar[tuple[str, ...]] = ("scale",)
    ranges: ClassVar[Mapping[str, Range]] = {"scale": NOT_NEGATIVE}

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        return np.asarray(noise * parameters[0])

    def slopes(self, F: Any, dy: Any, y: Any, standard: Any, *parameters: Any) -> Sequence[Any]:
        return (dy * standard,)


@operator("_npi_exponential")
class NumpyExponential(Scaled):
    """Exponential draws with mean `scale`.

    ONNX: Log and Mul, of uniform draws in [0, 1).
    """

    scale: float | None = 1.0
    size: Ints | None = None
    ctx: str = "cpu"

    def standard(self, noise: Array) -> Array:
        return exponential(noise)


@operator("_npi_rayleigh")
class NumpyRayleigh(Scaled):
    """Rayleigh draws with mode `scale`.

    ONNX: Log, Sqrt and Mul, of uniform draws in [0, 1).
    """

    scale: float | None = 1.0
    size: Ints | None = None
    ctx: str = "cpu"

    def standard(self, noise: Array) -> Array:
        return np.asarray(np.sqrt(exponential(noise) * 2))


# ---- a power


class Powers(Reparametrized):
    """Draws whose exponent is a parameter.

    Inputs:
        input1: The exponents if no attribute tells them, of floating-point numbers.

    Attributes:
        a: The distribution's shape, above 0; None: an array.
    """

    parameters: ClassVar[tuple[str, ...]] = ("a",)
    ranges: ClassVar[Mapping[str, Range]] = {"a": POSITIVE}


@operator("_npi_weibull")
class NumpyWeibull(Powers):
    """Weibull draws with shape `a`.

    ONNX: Log, Div and Exp, of uniform draws in [0, 1).
    """

    a: float | None = None
    size: Ints | None = None
    ctx: str = "cpu"

    def standard(self, noise: Array) -> Array:
        return np.asarray(np.log(exponential(noise)))

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        return np.asarray(np.exp(noise / parameters[0]))

    def slopes(self, F: Any, dy: Any, y: Any, standard: Any, *parameters: Any) -> Sequence[Any]:
        return (-(dy * y * standard) / F.square(parameters[0]) if self.a is None else None,)


@operator("_npi_pareto")
class NumpyPareto(Powers):
    """Pareto draws of the second kind with shape `a`.

    ONNX: Log, Div, Exp and Sub, of uniform draws in [0, 1).
    """

    a: float | None = None
    size: Ints | None = None
    ctx: str = "cpu"

    def standard(self, noise: Array) -> Array:
        return exponential(noise)

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        return np.asarray(np.expm1(noise / parameters[0]))

    def slopes(self, F: Any, dy: Any, y: Any, standard: Any, *parameters: Any) -> Sequence[Any]:
        return (-(dy * (y + 1) * standard) / F.square(parameters[0]) if self.a is None else None,)


@operator("_npi_powerd")
class NumpyPower(Draws):
    """Draws from [0, 1] with density `a * x ** (a - 1)`.

    Inputs:
        input1: The exponents if no attribute tells them, of floating-point numbers.

    Attributes:
        a: The distribution's shape, above 0; None: an array.

    ONNX: Pow, of uniform draws in [0, 1).
    """

    parameters: ClassVar[tuple[str, ...]] = ("a",)
    ranges: ClassVar[Mapping[str, Range]] = {"a": POSITIVE}
    a: float | None = None
    size: Ints | None = None

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        return np.asarray((1 - noise) ** (1 / np.asarray(parameters[0], noise.dtype)))


# ---- without a gradient


class _Uniform(Draws):
    """Uniform draws between two bounds.

    Attributes:
        low: The lower end, which belongs to the interval; None: an array.
        high: The upper end, which does not; None: an array.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input1", "input2")
    parameters: ClassVar[tuple[str, ...]] = ("low", "high")

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        low, high = parameters
        return np.asarray(noise * (high - low) + low)


@operator("_npi_uniform")
class NumpyUniform(_Uniform):
    """Uniform draws from [low, high).

    Attributes:
        dtype: The dtype of the output.

    ONNX: Sub, Mul and Add, of uniform draws in [0, 1).
    """

    low: float | None
    high: float | None
    size: Ints | None = None
    ctx: str = "cpu"
    dtype: _Float = "float32"


@operator("_npi_uniform_n")
class NumpyUniformN(_Uniform):
    """Uniform draws of a batch for each pair of `low` and `high`.

    Attributes:
        size: The shape of the batch.
        dtype: The dtype of the output.

    Returns:
        (*size, *the parameters' shape).

    ONNX: Sub, Mul and Add, of uniform draws in [0, 1).
    """

    for_each: ClassVar[bool] = True
    low: float | None
    high: float | None
    size: Ints | None = None
    ctx: str = "cpu"
    dtype: _Float = "float32"


@operator("_npi_bernoulli")
class NumpyBernoulli(Draws):
    """Draws of 1 with a probability, which is given or its logit is, else of 0.

    Inputs:
        input1: The probabilities, or the logits with `is_logit`, if neither is an attribute.

    Attributes:
        prob: The probability.
        logit: The logarithm of the probability over that of 0.
        dtype: The dtype of the output.
        is_logit: Whether the logit is given.

    ONNX: Less and Cast, of uniform draws in [0, 1); Sigmoid of logits.
    """

    ranges: ClassVar[Mapping[str, Range]] = {"prob": Range(0, high=1)}
    prob: float | None
    logit: float | None
    size: Ints | None = None
    ctx: str = "cpu"
    dtype: Literal["bool", "float16", "float32", "float64", "int32", "uint8"] = "float32"
    is_logit: bool

    def arrays(self) -> list[bool]:
        return [self.prob is None and self.logit is None]

    def values(self, inputs: Sequence[Any]) -> list[Any]:
        return [inputs[0] if inputs else self.logit if self.is_logit else self.prob]

    def drawn(self, noise: Array, *parameters: Any) -> Array:
        chance = np.asarray(parameters[0], noise.dtype)
        if self.is_logit:
            with np.errstate(over="ignore"):
                chance = 1 / (1 + np.exp(-chance))
        return np.asarray(noise < chance)


@operator("_npi_gamma")
class NumpyGamma(Draws):
    """Gamma draws with a shape and a scale.

    Attributes:
        shape: The distribution's shape parameter, above 0; None: an array.
        scale: The factor, above 0; None: an array.
        dtype: The dtype of the output.

    ONNX: none; it does not have the distribution.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input1", "input2")
    noise: ClassVar[str] = "other"
    not_in_onnx: ClassVar[str] = _NOT_IN_ONNX
    parameters: ClassVar[tuple[str, ...]] = ("shape", "scale")
    ranges: ClassVar[Mapping[str, Range]] = {"shape": POSITIVE, "scale": POSITIVE}
    shape: float | None
    scale: float | None
    size: Ints | None = None
    ctx: str = "cpu"
    dtype: _Float = "float32"

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        return _seed(rng)

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        return _SEED

    def forward(self, *inputs: Array) -> Array:
        *arrays, noise = inputs
        rng = np.random.default_rng(noise.tolist())
        size = self.infer_shape(*(a.shape for a in arrays))
        wide = [np.asarray(v, np.float64) for v in self.values(arrays)]
        try:
            draws: Array = np.asarray(GAMMA.of(rng, size, *wide))
        except ValueError:  # NumPy's, about the parameters
            raise MXNetError("_npi_gamma: a shape and a scale above 0 are required, got others.") from None
        return draws.astype(self.dtype)


_SEED = Spec((2,), np.dtype("int64"))


def _seed(rng: _Generator) -> Array:
    """A seed, where what is drawn depends on values that only the kernel sees."""
    return rng.integers(0, 2**63 - 1, 2)


@operator("_npi_multinomial")
class NumpyMultinomial(Operator):
    """How often each outcome is drawn in `n` draws.

    Inputs:
        a: The outcomes' probabilities, (K,), if no attribute tells them; what lacks of 1 is the last one's.

    Attributes:
        n: The number of draws.
        pvals: The outcomes' probabilities; None: an array.
        size: The shape of the experiments; None: one.

    Returns:
        (*size, K), of int64.

    ONNX: none; it does not have the distribution.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a",)
    noise: ClassVar[str] = "other"
    not_differentiable: ClassVar[str] = _RANDOM
    not_in_onnx: ClassVar[str] = _NOT_IN_ONNX
    n: int
    pvals: Floats | None = None
    size: Ints | None = None

    def check(self) -> None:
        if self.n < 0:
            raise AttributeValueError(f"_npi_multinomial: n of at least 0 is required, got {self.n}.")

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.pvals is None else ()

    def infer_shape(self, *shapes: Shape) -> Shape:
        if shapes and len(shapes[0]) != 1:
            raise ShapeError(f"_npi_multinomial: probabilities (K,) are required, got {show(shapes[0])}.")
        if shapes and shapes[0][0] == 0:
            raise ShapeError("_npi_multinomial: at least one outcome is required, got none.")
        return (*(self.size or ()), shapes[0][0] if shapes else len(self.pvals or ()))

    def infer_dtype(self, *dtypes: DType | None) -> DType:
        return np.dtype("int64")

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        return _seed(rng)

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        return _SEED

    def forward(self, *inputs: Array) -> Array:
        *arrays, noise = inputs
        chances = np.asarray(arrays[0] if arrays else self.pvals, np.float64)
        total = chances.sum()
        tolerance = 1e-5 if arrays else 1e-12
        if total > 1 + tolerance or (chances < 0).any() or not np.isfinite(total):
            raise MXNetError(
                "_npi_multinomial: probabilities of at least 0 whose sum is at most 1 are required, "
                f"got a sum of {total}."
            )
        chances[-1:] = max(1 - chances[:-1].sum(), 0)
        rng = np.random.default_rng(noise.tolist())
        return np.asarray(rng.multinomial(self.n, chances / chances.sum(), self.size), np.int64)


@operator("_npi_choice")
class NumpyChoice(Operator):
    """Indices of elements that are drawn from a vector.

    Inputs:
        input1: The vector, (N,), if no attribute tells how long it is; else the probabilities.
        input2: The probabilities, (N,), with `weighted`.

    Attributes:
        a: How many elements there are; None: an array has them.
        size: The shape of the output; None: ().
        ctx: The device of the output if there are no arrays, such as cpu(0).
        replace: Whether an element may be drawn again.
        weighted: Whether there are probabilities; else all are equal.

    Returns:
        size, of int64.

    ONNX: Floor of uniform draws; CumSum and LessOrEqual with probabilities; TopK without replacement.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input1", "input2")
    noise: ClassVar[str] = "uniform"
    not_differentiable: ClassVar[str] = _RANDOM
    a: int | None
    size: Ints | None
    ctx: str = "cpu"
    replace: bool = True
    weighted: bool = False

    def check(self) -> None:
        if self.a is not None and self.a < 1:
            raise AttributeValueError(f"_npi_choice: a of at least 1 is required, got {self.a}.")
        self._require_enough(self.a)

    def _require_enough(self, count: Any) -> None:
        if not self.replace and isinstance(count, int) and prod(self.size or ()) > count:
            raise AttributeValueError(
                f"_npi_choice: size of at most {count} elements is required without replacement, "
                f"got {self.size}."
            )

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[: (self.a is None) + self.weighted]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_shape(self, *shapes: Shape) -> Shape:
        count = self.count(*shapes)
        if isinstance(count, int) and count < 1:
            raise ShapeError("_npi_choice: at least one element to choose from is required, got none.")
        self._require_enough(count)
        if self.weighted and (len(shapes[-1]) != 1 or differ(shapes[-1][0], count)):
            raise ShapeError(f"_npi_choice: probabilities ({count},) are required, got {show(shapes[-1])}.")
        return tuple(self.size or ())

    def count(self, *shapes: Shape) -> Any:
        """How many elements there are to choose from."""
        if self.a is not None:
            return self.a
        if not shapes[0]:
            raise ShapeError("_npi_choice: an array with an axis is required, got one without.")
        return shapes[0][0]

    def infer_dtype(self, *dtypes: DType | None) -> DType:
        return np.dtype("int64")

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        if self.replace:
            return Spec(outputs[0].shape, np.dtype("float64"))
        count = self.a if self.a is not None else (inputs[0].shape or (None,))[0] if inputs else None
        return Spec((count,), np.dtype("float64"))

    def draw(self, rng: _Generator, *inputs: Spec) -> Array:
        outputs = self.infer(inputs)[1]
        shape = self.noise_spec(outputs, *inputs).shape
        return rng.random(sizes(shape or ()))  # float64, since float32 could not reach all numbers

    def forward(self, *inputs: Array) -> Array:
        *arrays, noise = inputs
        shape = tuple(self.size or ())
        chances = arrays[-1].astype(np.float64) if self.weighted else None
        count = self.count(*(a.shape for a in arrays))
        if not self.replace:
            keys = noise if chances is None else self._keys(noise, chances)
            order = np.argsort(keys, kind="stable")[: prod(shape)]
            return np.asarray(order.reshape(shape), np.int64)
        if chances is None:
            return np.asarray(np.minimum(np.floor(noise * count), count - 1), np.int64)
        total = np.cumsum(chances)
        below = total[:-1] <= noise[..., None] * total[-1]
        return np.asarray(below.sum(-1), np.int64)

    @staticmethod
    def _keys(noise: Array, chances: Array) -> Array:
        """The least of these are chosen: exponential draws, the sooner the more probable."""
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(1 - noise) / chances)
