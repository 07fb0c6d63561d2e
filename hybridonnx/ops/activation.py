"""Activations that are chosen by an attribute, and those with parameters of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import pi, sqrt
from typing import Any, ClassVar, Literal

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, differ, show
from ._special import erf, erf_single

SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


def _sigmoid(x: Array) -> Array:
    """To the last bits also where it is near 0, which tanh would not be."""
    result: Array = 1 / (1 + np.exp(-x))
    return result


def _softrelu(x: Array) -> Array:
    softened: Array = np.log1p(np.exp(-np.abs(x)))
    softened += np.maximum(x, x.dtype.type(0))
    return softened


_KERNELS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "sigmoid": _sigmoid,
    "softrelu": _softrelu,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanh": np.tanh,
}


def _softsign_gradient(F: Any, dy: Any, y: Any, x: Any) -> Any:
    denominator = 1 + F.abs(x)
    return dy / (denominator * denominator)


_GRADIENTS: dict[str, Callable[..., Any]] = {
    "relu": lambda F, dy, y, x: dy * (y > 0),  # the output is what the next layer keeps anyway
    "sigmoid": lambda F, dy, y, x: dy * y * (1 - y),
    "softrelu": lambda F, dy, y, x: dy * F.sigmoid(x),
    "softsign": _softsign_gradient,
    "tanh": lambda F, dy, y, x: dy * (1 - y * y),
}


@operator("Activation", "_npx_activation")
class Activation(Operator):
    """One of five activation functions of each element, chosen by name.

    relu is max(x, 0), sigmoid 1 / (1 + exp(-x)), softrelu log(1 + exp(x)), softsign x / (1 + |x|).

    Inputs:
        data: An array of any shape, of floating-point numbers.

    Attributes:
        act_type: The function's name.

    Returns:
        The shape of data.

    ONNX: Relu, Sigmoid, Softplus, Softsign or Tanh, by act_type.
    """

    saves: ClassVar[float] = 0.25
    elementwise: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False
    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]

    def slopes_by_output(self) -> bool:
        return self.act_type in ("relu", "sigmoid", "tanh")

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        return super().work(inputs, outputs) if self.act_type in ("relu", "sigmoid") else 0

    def forward(self, data: Array) -> Array:
        return _KERNELS[self.act_type](data)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (_GRADIENTS[self.act_type](F, dy, y, data),)


# ---- leaky ones


@operator("_prelu_slope")
class PReluSlope(Operator):
    """The slopes of a parametric rectifier with axes of length 1 added, so that they broadcast against data.

    Slopes of one axis belong to the data's axis 1, slopes of several axes to the data's first ones.

    Inputs:
        gamma: The slopes: (C,) or (1,), or one axis for each of the data's first ones.
        data: (N, C, *spatial); only its number of axes matters.

    Returns:
        As many axes as data has, such as (1, C, 1, 1).

    ONNX: Reshape and Unsqueeze, as far as axes are to be added; else Identity.
    """

    inputs: ClassVar[tuple[str, ...]] = ("gamma", "data")

    def infer_input_dtypes(self, gamma: Any, data: Any) -> Sequence[DType | None]:
        return gamma, data

    def infer_shape(self, gamma: Shape, data: Shape) -> Shape:
        return slope_shape(gamma, len(data))

    def forward(self, gamma: Array, data: Array) -> Array:
        return gamma.reshape(slope_shape(gamma.shape, data.ndim))  # type: ignore[arg-type]

    def gradient(self, F: Any, dy: Any, y: Any, gamma: Any, data: Any) -> Sequence[Any]:
        return F.reshape_like(dy, gamma), None


def slope_shape(gamma: Shape, rank: int) -> Shape:
    """The shape with `rank` axes of PReLU's slopes."""
    if len(gamma) > rank:
        raise ShapeError(
            f"LeakyReLU: gamma with at most the data's {rank} axes is required, got {show(gamma)}."
        )
    before = (1,) if len(gamma) == 1 and rank > 1 else ()
    return before + gamma + (1,) * (rank - len(gamma) - len(before))


@operator("LeakyReLU", "_npx_leaky_relu")
class LeakyReLU(Operator):
    """A rectifier that does not cut off negative elements but scales or bends them.

    leaky, prelu and rrelu multiply negative elements by a slope, which is an attribute, learned, or drawn for
    each element (outside of training the mean of the bounds). elu takes negative elements to
    slope * (exp(x) - 1); selu does so with a slope of its own and scales all elements, so that mean 0 and
    variance 1 last through layers; gelu is x times the normal distribution function of x.

    Inputs:
        data: (N, C, *spatial), of floating-point numbers.
        gamma: The slopes of prelu, (C,) or (1,); absent for the other types.

    Attributes:
        act_type: The kind of rectifier.
        slope: The slope of leaky; elu's limit is its negative. The other types ignore it.
        lower_bound: The smallest slope that rrelu draws.
        upper_bound: The largest slope that rrelu draws.

    Returns:
        output: The shape of data.
        mask: For rrelu alone, the drawn slopes, of data's shape; zeros outside of training.

    ONNX: LeakyRelu, PRelu, Elu or Selu, by act_type; gelu is Erf with Mul and Add, or Gelu from opset 20 on;
        rrelu is LeakyRelu, in training Where with Mul.
    """

    cheap: ClassVar[bool] = True
    saves: ClassVar[float] = 40.0
    gradient_saves: ClassVar[float] = 2.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "gamma")
    mode_dependent: ClassVar[bool] = True
    noise: ClassVar[str] = "uniform"
    takes_ints: ClassVar[bool] = False
    initializers: ClassVar[Mapping[str, str]] = {"gamma": '["Constant", {"value": 0.25}]'}
    act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky"
    slope: float = 0.25
    lower_bound: float = 0.125
    upper_bound: float = 0.334

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        return super().work(inputs, outputs) if self.act_type == "gelu" else 0

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.act_type == "prelu" else ("data",)

    def output_names(self) -> tuple[str, ...]:
        return ("output", "mask") if self.act_type == "rrelu" else ("output",)

    def check(self) -> None:
        if self.act_type == "rrelu" and self.lower_bound > self.upper_bound:
            raise AttributeValueError(
                f"LeakyReLU: lower_bound up to upper_bound={self.upper_bound} is required, "
                f"got {self.lower_bound}."
            )

    def draws(self) -> bool:
        return self.act_type == "rrelu" and self.training

    def mean_slope(self) -> float:
        """The slope that is not learned or drawn."""
        return (self.lower_bound + self.upper_bound) / 2 if self.act_type == "rrelu" else self.slope

    def infer_inputs(self, data: Shape | None, gamma: Shape | None = None) -> Sequence[Shape | None]:
        if self.act_type != "prelu":
            return (data,)
        if data is not None and gamma is None:
            return data, (data[min(1, len(data) - 1)],)
        return data, gamma

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], *inputs[1:]

    def infer_shape(self, data: Shape, gamma: Shape | None = None) -> Shape | list[Shape]:
        if gamma is not None:
            self._fit_slopes(data, gamma)
        return [data, data] if self.act_type == "rrelu" else data

    def _fit_slopes(self, data: Shape, gamma: Shape) -> None:
        slopes = slope_shape(gamma, len(data))
        if any(differ(s, 1) and differ(s, d) for s, d in zip(slopes, data, strict=True)):
            raise ShapeError(
                f"LeakyReLU: gamma of shape (1,) or ({show(data[1:2]).strip('(,)')},), the data's axis 1, is "
                f"required, got {show(gamma)} with data {show(data)}."
            )

    def forward(self, data: Array, *others: Array) -> Array | tuple[Array, ...]:
        if self.act_type in _CURVES:
            return _CURVES[self.act_type](self, data).astype(data.dtype, copy=False)
        slope: Any = data.dtype.type(self.mean_slope())
        if self.act_type == "prelu":
            slope = others[0].reshape(slope_shape(others[0].shape, data.ndim))
        elif self.draws():
            slopes = self.lower_bound + (self.upper_bound - self.lower_bound) * others[0]
            slope = slopes.astype(data.dtype)
        y = np.where(data > 0, data, data * slope)
        if self.act_type != "rrelu":
            return y
        return y, (slope if self.draws() else np.zeros_like(data))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, gamma: Any = None) -> Sequence[Any]:
        # the signs are those of the output, which the next layer keeps anyway
        same_signs = self.act_type == "selu" or (self.act_type in ("elu", "leaky") and self.slope > 0)
        right = (y if same_signs else data) > 0
        left = 1 - right
        if self.act_type == "gelu":
            phi = F.exp(data * data * -0.5) * (1 / sqrt(2 * pi))
            return (dy * (0.5 * (1 + F.erf(data * sqrt(0.5))) + data * phi),)
        if self.act_type == "elu":
            return (dy * (right + left * (y + self.slope)),)
        if self.act_type == "selu":
            return (dy * (right * SELU_SCALE + left * (y + SELU_SCALE * SELU_ALPHA)),)
        if self.act_type == "prelu":
            slope = F._prelu_slope(gamma, data)
            d_slope = F._sum_like(dy * data * left, slope)
            return dy * (right + left * slope), F.reshape_like(d_slope, gamma)
        if self.act_type == "rrelu":
            return (dy[0] * (right + left * (y[1] if self.draws() else self.mean_slope())),)
        return (dy * (right + left * self.slope),)


def _elu(op: LeakyReLU, x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)) * x.dtype.type(op.slope))


def _selu(op: LeakyReLU, x: Array) -> Array:
    left = np.expm1(np.minimum(x, 0)) * SELU_ALPHA
    return np.where(x > 0, x, left) * SELU_SCALE


def _gelu(op: LeakyReLU, x: Array) -> Array:
    if x.dtype == np.float64:
        gelu: Array = 0.5 * x * (1 + erf(x * sqrt(0.5)))
        return gelu
    single = x.astype(np.float32, copy=False)
    scaled: Array = erf_single(single * np.float32(sqrt(0.5)))
    scaled += 1
    scaled *= single * np.float32(0.5)
    return scaled


_CURVES: dict[str, Callable[[LeakyReLU, Array], Array]] = {"elu": _elu, "selu": _selu, "gelu": _gelu}
