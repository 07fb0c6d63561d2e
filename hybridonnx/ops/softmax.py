"""Softmax and its relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, DTypeError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, axis_index, show
from ._slopes import narrowed, widened


def softmax_of(data: Array, axis: int) -> Array:
    """Softmax along an axis, without overflow; computed in float32 for float16."""
    x = data.astype(np.float32) if data.dtype == np.float16 else data
    if not x.size:
        return x
    with np.errstate(invalid="ignore"):  # infinite data have no softmax: nan, as in MXNet
        power: Array = np.exp(x - x.max(axis, keepdims=True))
    power /= power.sum(axis, keepdims=True)
    return power


class _AlongAxis(Operator):
    """What softmax, softmin and log_softmax share.

    Inputs:
        data: An array of any shape.

    Attributes:
        axis: The axis along which probabilities sum to 1; negative ones count from the last.
        temperature: What data is divided by; None: 1.
        dtype: The dtype of the output; None: that of data.
        use_length: Accepted for MXNet's sake, False or None alone; only softmax takes lengths.

    Returns:
        The shape of data.
    """

    cheap: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False

    axis: int
    temperature: float | None
    dtype: Any
    use_length: bool | None

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], *inputs[1:]

    def infer_shape(self, data: Shape, *length: Shape) -> Shape:
        axis_index(self.names[0], self.axis, len(data))
        return data

    def infer_input_dtypes(self, data: DType | None, *length: DType | None) -> Sequence[DType | None]:
        if length and length[0] is not None and length[0].kind not in "iu":
            raise DTypeError(
                f"{self.names[0]}: integers are required as length, got {length[0]}. Cast with astype."
            )
        return *super().infer_input_dtypes(data), *length

    def infer_dtype(self, data: DType | None, *_: Any) -> DType | None:
        return data if self.dtype is None else as_dtype(self.dtype)

    def scaled(self, data: Array) -> Array:
        """`data` divided by the temperature."""
        x = data.astype(np.float32) if data.dtype == np.float16 else data
        if data.dtype != np.float64 and self.infer_dtype(data.dtype) == np.float64:
            x = x.astype(np.float64)
        return x if self.temperature is None else x / x.dtype.type(self.temperature)

    def tempered(self, F: Any, dx: Any, data: Any) -> Any:
        """The gradient of `data` from that of the scaled data."""
        dx = dx if self.temperature is None else dx * (1 / self.temperature)
        return narrowed(F, dx, data) if self.dtype is None else F._cast_like(dx, data)


def _softmax_gradient(F: Any, dy: Any, y: Any, axis: int) -> Any:
    """The gradient of the scaled data, wide as the differences in it are small."""
    dy, y = widened(F, dy), widened(F, y)
    return y * (dy - F.sum(dy * y, axis=(axis,), keepdims=True))


@operator("softmax", "_npx_softmax")
class Softmax(_AlongAxis):
    """exp(data / temperature), divided by its sum along `axis`.

    Inputs:
        length: How many elements of each row count, the others giving 0: integers, in data's shape without
            axis; only with use_length.

    Attributes:
        use_length: Whether rows have lengths of their own.

    ONNX: Softmax, with Where for lengths.
    """

    saves: ClassVar[float] = 6.0
    gradient_saves: ClassVar[float] = 0.4
    inputs: ClassVar[tuple[str, ...]] = ("data", "length")
    axis: int = -1
    temperature: float | None = None
    dtype: Literal["float16", "float32", "float64"] | None = None
    use_length: bool | None = False

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.use_length else ("data",)

    def infer_inputs(self, data: Shape | None, *length: Shape | None) -> Sequence[Shape | None]:
        if data is None or not length:
            return data, *length
        axis = axis_index(self.names[0], self.axis, len(data))
        return data, data[:axis] + data[axis + 1 :] or (1,)

    def forward(self, data: Array, length: Array | None = None) -> Array:
        x, axis = self.scaled(data), axis_index(self.names[0], self.axis, data.ndim)
        if length is None:
            return softmax_of(x, axis)
        position = np.arange(data.shape[axis]).reshape([-1 if i == axis else 1 for i in range(data.ndim)])
        inside = position < np.expand_dims(length.reshape(data.shape[:axis] + data.shape[axis + 1 :]), axis)
        low = np.where(inside, x, -np.inf)
        with np.errstate(invalid="ignore"):  # rows without elements, and infinite data
            power = np.exp(low - low.max(axis, keepdims=True, initial=-np.inf))
            return np.where(inside, power / power.sum(axis, keepdims=True), 0)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *length: Any) -> Sequence[Any]:
        dx = self.tempered(F, _softmax_gradient(F, dy, y, self.axis), data)
        return dx, *[None] * len(length)


def _without_length(op: _AlongAxis) -> None:
    if op.use_length:
        raise AttributeValueError(
            f"{op.names[0]}: use_length=False is required, got {op.use_length}. Only softmax takes lengths."
        )


@operator("softmin")
class Softmin(_AlongAxis):
    """exp(-data / temperature), divided by its sum along `axis`.

    ONNX: Neg and Softmax.
    """

    saves: ClassVar[float] = 6.0
    axis: int = -1
    temperature: float | None = None
    dtype: Literal["float16", "float32", "float64"] | None = None
    use_length: bool | None = False

    def check(self) -> None:
        _without_length(self)

    def forward(self, data: Array) -> Array:
        return softmax_of(-self.scaled(data), axis_index(self.names[0], self.axis, data.ndim))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (-self.tempered(F, _softmax_gradient(F, dy, y, self.axis), data),)


@operator("log_softmax", "_npx_log_softmax")
class LogSoftmax(_AlongAxis):
    """The logarithm of the softmax of data / temperature along `axis`.

    ONNX: LogSoftmax.
    """

    saves: ClassVar[float] = 6.0
    gradient_saves: ClassVar[float] = 0.9
    axis: int = -1
    temperature: float | None = None
    dtype: Literal["float16", "float32", "float64"] | None = None
    use_length: bool | None = False

    def check(self) -> None:
        _without_length(self)

    def forward(self, data: Array) -> Array:
        x, axis = self.scaled(data), axis_index(self.names[0], self.axis, data.ndim)
        if not x.size:
            return x
        with np.errstate(invalid="ignore", divide="ignore"):
            low: Array = x - x.max(axis, keepdims=True)
            result: Array = low - np.log(np.exp(low).sum(axis, keepdims=True))
        return result

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        wide = widened(F, dy)
        dx = wide - F.exp(widened(F, y)) * F.sum(wide, axis=(self.axis,), keepdims=True)
        return (self.tempered(F, dx, data),)


@operator("SoftmaxActivation")
class SoftmaxActivation(Operator):
    """The softmax of `data` over its last axis, or over its channels.

    Inputs:
        data: An array of any shape; (N, C, *spatial) for mode "channel".

    Attributes:
        mode: The axis of the softmax: "instance" the last, "channel" axis 1.

    Returns:
        The shape of data.

    ONNX: Softmax.
    """

    saves: ClassVar[float] = 8.0
    elementwise: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False
    mode: Literal["channel", "instance"] = "instance"

    def axis(self) -> int:
        """The axis of the softmax."""
        return 1 if self.mode == "channel" else -1

    def check_shape(self, shape: Shape) -> None:
        if self.mode == "channel" and len(shape) < 3:
            raise ShapeError(
                f"SoftmaxActivation: data of at least 3 axes is required for mode=channel, got {show(shape)}."
            )

    def forward(self, data: Array) -> Array:
        return softmax_of(data, self.axis())

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (narrowed(F, _softmax_gradient(F, dy, y, self.axis()), data),)
