"""Between floating-point numbers and integers of 8 bits with a range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError
from ._operator import Array, Operator
from ._quantization import (
    BYTES,
    FLOAT32,
    INT8,
    INT32,
    INT32_STEPS,
    RANGE,
    STEPS,
    UINT8,
    WHOLE_STEPS,
    Calibrated,
    over,
    require_dtype,
    rounded,
    single,
    size_of,
    times,
)
from ._registry import operator
from ._shapes import Shape, require_axes

_STEPWISE = "it is piecewise constant"


class _Quantizing(Operator):
    """Numbers and a range to integers and their range.

    Returns:
        output0: The integers, in the shape of data.
        output1: (1,), the lower end of their range.
        output2: (1,), its upper end.
    """

    outputs = ("output0", "output1", "output2")
    not_differentiable = _STEPWISE

    def infer_inputs(self, data: Shape | None, *others: Shape | None) -> Sequence[Shape | None]:
        return data, *(RANGE for _ in others)

    def infer_shape(self, data: Shape, *_: Shape) -> list[Shape]:
        require_axes(self.names[0], data)
        return [data, RANGE, RANGE]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The data's shape is that of the integers."""
        return outputs[0], *inputs[1:]


@operator("_contrib_quantize")
class Quantize(_Quantizing):
    """Numbers as integers of 8 bits, by a range that two arrays give.

    Numbers beyond the range become its ends; of two integers equally near the even one is taken.

    Inputs:
        data: Numbers of float32 in any shape.
        min_range: (1,), the lower end of the range, float32.
        max_range: (1,), its upper end.

    Attributes:
        out_type: The integers' dtype: "int8", in which the size of the range is 127, or "uint8", in which it
            is 255 and all below zero becomes zero.

    ONNX: Mul, Round, Clip and Cast.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "min_range", "max_range")
    out_type: Literal["int8", "uint8"] = "uint8"

    def infer_input_dtypes(self, data: Any, low: Any, high: Any) -> Sequence[DType | None]:
        for name, dtype in zip(self.inputs, (data, low, high), strict=True):
            require_dtype("_contrib_quantize", name, dtype, (FLOAT32,))
        return FLOAT32, FLOAT32, FLOAT32

    def infer_dtype(self, *_: DType | None) -> list[DType | None]:
        return [np.dtype(self.out_type), FLOAT32, FLOAT32]

    def forward(self, data: Array, low: Array, high: Array) -> tuple[Array, ...]:
        dtype, size = np.dtype(self.out_type), size_of(low, high)
        y = rounded(times(data, over(np.float32(WHOLE_STEPS[dtype]), size)), dtype)
        return (y, -size, size) if dtype == INT8 else (y, low.copy(), high.copy())


class _Typed(Calibrated, _Quantizing):
    """What has a range as attributes, or else takes that of the data, and chooses between int8 and uint8.

    Attributes:
        out_type: The integers' dtype: "int8", "uint8", or "auto", which is uint8 for a calibrated range
            without negative numbers, and else int8.
        min_calib_range: The lower end of the calibrated range; the data's own range is taken unless both ends
            are given.
        max_calib_range: Its upper end.
    """

    if TYPE_CHECKING:
        out_type: Literal["auto", "int8", "uint8"]

    def written(self) -> DType:
        """The integers' dtype."""
        if self.out_type != "auto":
            return np.dtype(self.out_type)
        ends = self.calibration()
        return UINT8 if ends and ends[0][0] >= 0 else INT8

    def infer_dtype(self, *_: DType | None) -> list[DType | None]:
        return [self.written(), FLOAT32, FLOAT32]


@operator("_contrib_quantize_v2")
class QuantizeV2(_Typed):
    """Numbers as integers of 8 bits, by a calibrated range or by their own.

    Unlike `quantize` it lets the size of the range be 127.5 or 255.5 integers. Integers of 8 bits pass.

    Inputs:
        data: Numbers of float32 in any shape, or integers of out_type (any of 8 bits with "auto").

    ONNX: Mul, Round, Clip and Cast, after ReduceMin and ReduceMax without a calibrated range.
    """

    out_type: Literal["auto", "int8", "uint8"] = "int8"
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def infer_input_dtypes(self, data: DType | None) -> Sequence[DType | None]:
        require_dtype("_contrib_quantize_v2", "data", data, (FLOAT32, *BYTES))
        if data in BYTES and self.out_type not in ("auto", str(data)):
            raise DTypeError(
                f"_contrib_quantize_v2: out_type {data} or auto is required for data that is quantized "
                f"already, got {self.out_type}."
            )
        return (data,)

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        return [dtypes[0] if dtypes[0] in BYTES else self.written(), FLOAT32, FLOAT32]

    def passed(self, dtype: DType) -> list[Array]:
        """The range that integers have which pass."""
        return self.calibration() or single(-STEPS[INT8] if dtype == INT8 else 0.0, STEPS[dtype])

    def forward(self, data: Array) -> tuple[Array, ...]:
        if data.dtype in BYTES:
            return data.copy(), *self.passed(data.dtype)
        ends = self.range_of(data)
        dtype, size = self.written(), size_of(*ends)
        y = rounded(times(data, over(np.float32(STEPS[dtype]), size)), dtype)
        return (y, -size, size) if dtype == INT8 else (y, *ends)


@operator("_contrib_quantize_asym")
class QuantizeAsym(Calibrated):
    """Numbers as uint8 by a scale and a shift, so that the whole of a range is used.

    Inputs:
        data: Numbers of float32 in any shape.

    Attributes:
        min_calib_range: The number that becomes 0; the data's least unless both ends are given.
        max_calib_range: The number that becomes 255; the data's largest.

    Returns:
        output: The integers, data * scale + shift to the nearest (of two the larger), in the shape of data.
        scale: (1,), how many integers one is.
        shift: (1,), the integer of zero, before it is rounded.

    ONNX: Mul, Add, Floor, Clip and Cast, after ReduceMin and ReduceMax without a calibrated range.
    """

    outputs = ("output", "scale", "shift")
    not_differentiable = _STEPWISE
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def infer_input_dtypes(self, data: DType | None) -> Sequence[DType | None]:
        require_dtype("_contrib_quantize_asym", "data", data, (FLOAT32,))
        return (FLOAT32,)

    def infer_dtype(self, _: DType | None) -> list[DType | None]:
        return [UINT8, FLOAT32, FLOAT32]

    def infer_shape(self, data: Shape) -> list[Shape]:
        require_axes(self.names[0], data)
        return [data, RANGE, RANGE]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The data's shape is that of the integers."""
        return (outputs[0],)

    def forward(self, data: Array) -> tuple[Array, ...]:
        low, high = self.range_of(data)
        scale = over(np.float32(255), high - low)
        shift = np.float32(255) - times(high, scale)
        y = np.clip(np.floor(times(data, scale) + shift + np.float32(0.5)), 0, 255)
        return np.nan_to_num(y, nan=0.0).astype(np.uint8), scale, shift


@operator("_contrib_dequantize")
class Dequantize(Operator):
    """Integers of 8 bits as the numbers that they stand for.

    Inputs:
        data: Integers of int8 or uint8 in any shape.
        min_range: (1,), the lower end of their range, float32.
        max_range: (1,), its upper end.

    Attributes:
        out_type: The numbers' dtype, "float32".

    Returns:
        data times the size of the range, divided by 127.5 or 255.5, in the shape of data.

    ONNX: DequantizeLinear for uint8, Cast and Mul for int8.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "min_range", "max_range")
    not_differentiable = "quantized numbers are integers"
    out_type: Literal["float32"] = "float32"

    def infer_inputs(self, data: Shape | None, *_: Shape | None) -> Sequence[Shape | None]:
        return data, RANGE, RANGE

    def infer_shape(self, data: Shape, *_: Shape) -> Shape:
        require_axes(self.names[0], data)
        return data

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The data's shape is that of the numbers."""
        return outputs[0], *inputs[1:]

    def infer_input_dtypes(self, data: Any, low: Any, high: Any) -> Sequence[DType | None]:
        require_dtype("_contrib_dequantize", "data", data)
        require_dtype("_contrib_dequantize", "min_range", low, (FLOAT32,))
        require_dtype("_contrib_dequantize", "max_range", high, (FLOAT32,))
        return data, FLOAT32, FLOAT32

    def infer_dtype(self, *_: DType | None) -> DType:
        return FLOAT32

    def forward(self, data: Array, low: Array, high: Array) -> Array:
        return times(data, over(size_of(low, high), np.float32(STEPS[data.dtype])))


@operator("_contrib_requantize")
class Requantize(_Typed):
    """Sums of int32 as integers of 8 bits, by a calibrated range or by that of the sums.

    Inputs:
        data: Integers of int32 in any shape.
        min_range: (1,), the number that the lowest int32 stands for, float32.
        max_range: (1,), the number that the highest int32 stands for.

    ONNX: Cast, Mul, Round and Clip, after Abs and ReduceMax without a calibrated range.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "min_range", "max_range")
    out_type: Literal["auto", "int8", "uint8"] = "int8"
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def infer_input_dtypes(self, data: Any, low: Any, high: Any) -> Sequence[DType | None]:
        require_dtype("_contrib_requantize", "data", data, (INT32,))
        require_dtype("_contrib_requantize", "min_range", low, (FLOAT32,))
        require_dtype("_contrib_requantize", "max_range", high, (FLOAT32,))
        return INT32, FLOAT32, FLOAT32

    def forward(self, data: Array, low: Array, high: Array) -> tuple[Array, ...]:
        numbers = data.astype(np.float32)
        step = over(size_of(low, high), np.float32(INT32_STEPS))
        if ends := self.calibration():
            size = size_of(*ends)
        else:
            self.require_elements(data)
            size = np.abs(numbers).max() * step
        dtype = self.written()
        y = rounded(times(numbers, times(over(np.float32(WHOLE_STEPS[dtype]), size), step)), dtype)
        return y, np.zeros_like(size) if dtype == UINT8 else -size, size
