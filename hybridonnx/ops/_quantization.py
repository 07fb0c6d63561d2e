"""What quantized operators share: ranges as steps between integers, and rounding to 8 bits.

A range is two arrays of one number. It is symmetric about zero, of the larger size of the two: MXNet's
quantized numbers have no zero point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError, ShapeError
from ._operator import Array, Operator
from ._shapes import Shape

INT8, UINT8, INT32 = (np.dtype(name) for name in ("int8", "uint8", "int32"))
FLOAT32 = np.dtype("float32")
BYTES = (INT8, UINT8)
STEPS = {INT8: 127.5, UINT8: 255.5}
"""How many steps the size of a range has: half a step more than the largest integer."""
WHOLE_STEPS = {INT8: 127.0, UINT8: 255.0}
"""The same without the half, for `quantize`, `requantize` and the ranges of products."""
INT32_STEPS = 2.0**31
"""The steps of int32, as float32 has them."""
LARGEST_INT32 = 2147483520.0
"""The largest float32 that is an int32."""

RANGE: Shape = (1,)


def require_dtype(owner: str, name: str, dtype: DType | None, allowed: Sequence[DType] = BYTES) -> None:
    """Raise `DTypeError` unless `dtype` is unknown or among those allowed."""
    if dtype is not None and dtype not in allowed:
        names = " or ".join(map(str, allowed))
        raise DTypeError(f"{owner}: {name} of {names} is required, got {dtype}. Cast or quantize it before.")


class Calibrated(Operator):
    """What may have a range as attributes.

    Attributes:
        min_calib_range: The lower end of the calibrated range; there is none unless both ends are given.
        max_calib_range: Its upper end.
    """

    if TYPE_CHECKING:  # each operator has these in MXNet's order
        min_calib_range: float | None
        max_calib_range: float | None

    def check(self) -> None:
        low, high = self.min_calib_range, self.max_calib_range
        if low is not None and high is not None and low > high:
            raise AttributeValueError(
                f"{self.names[0]}: min_calib_range must not be above max_calib_range {high}, got {low}."
            )

    def calibration(self) -> list[Array]:
        """The ends of the calibrated range; none without one."""
        low, high = self.min_calib_range, self.max_calib_range
        return [] if low is None or high is None else single(low, high)

    def required_calibration(self) -> list[Array]:
        """The ends of the calibrated range. Raises `AttributeValueError` without one."""
        if ends := self.calibration():
            return ends
        raise AttributeValueError(
            f"{self.names[0]}: min_calib_range and max_calib_range are required, got "
            f"{self.min_calib_range} and {self.max_calib_range}."
        )

    def range_of(self, data: Array) -> list[Array]:
        """The calibrated range, or that of the data, of which NaN is no part."""
        if ends := self.calibration():
            return ends
        self.require_elements(data)
        return [np.fmin.reduce(data, None).reshape(1), np.fmax.reduce(data, None).reshape(1)]

    def require_elements(self, data: Array) -> None:
        """Raise `ShapeError` for data without elements, which have no range."""
        if not data.size:
            raise ShapeError(
                f"{self.names[0]}: data with elements is required, as their range is taken, got shape "
                f"{data.shape}. Give min_calib_range and max_calib_range."
            )


class Quantized(Operator):
    """An operator on integers, each array of them with the two ends of its range behind all of them.

    Returns:
        output: The integers.
        min_output: (1,), the lower end of the output's range.
        max_output: (1,), its upper end.
    """

    outputs = ("output", "min_output", "max_output")
    not_differentiable = "quantized numbers are integers"
    replaces: ClassVar[str] = ""
    """The operator on floating-point numbers in whose place quantizing a graph puts this one."""
    replaces_alone: ClassVar[bool] = False
    """Whether it is worth quantizing by itself, and not only between others."""
    floating: ClassVar[tuple[str, ...]] = ()
    """The inputs that stay floating-point numbers, without a range."""
    takes_uint8: ClassVar[bool] = True
    sums: ClassVar[bool] = False
    """Whether the output is in int32, to be brought to 8 bits."""

    def number_shapes(self, *shapes: Any) -> Sequence[Shape | None]:
        """What the known shapes of the integers tell of unknown ones."""
        return shapes

    def result_shape(self, *shapes: Any) -> Shape:
        """The output's shape, from those of the integers."""
        first: Shape = shapes[0]
        return first

    def number_dtypes(self, *dtypes: Any) -> Sequence[DType | None]:
        """The integers' dtypes. Raises `DTypeError` for others than it takes."""
        for name, dtype in zip(self.input_names(), dtypes, strict=False):
            require_dtype(self.names[0], name, dtype)
        return dtypes

    def result_dtype(self, *dtypes: Any) -> DType | None:
        """The output's dtype, from those of the integers."""
        first: DType | None = dtypes[0]
        return first

    def infer_inputs(self, *shapes: Any) -> Sequence[Shape | None]:
        count = len(shapes) // 3
        return [*self.number_shapes(*shapes[:count]), *(RANGE for _ in shapes[count:])]

    def infer_shape(self, *shapes: Any) -> Shape | list[Shape]:
        return [self.result_shape(*shapes[: len(shapes) // 3]), RANGE, RANGE]

    def infer_input_dtypes(self, *dtypes: Any) -> Sequence[DType | None]:
        count = len(dtypes) // 3
        for name, dtype in zip(self.input_names()[count:], dtypes[count:], strict=True):
            require_dtype(self.names[0], name, dtype, (FLOAT32,))
        return [*self.number_dtypes(*dtypes[:count]), *(FLOAT32 for _ in dtypes[count:])]

    def infer_dtype(self, *dtypes: Any) -> DType | list[DType | None] | None:
        return [self.result_dtype(*dtypes[: len(dtypes) // 3]), FLOAT32, FLOAT32]


def size_of(low: Array, high: Array) -> Array:
    """The size of a range: its end that is farther from zero."""
    return np.asarray(np.maximum(np.abs(low), np.abs(high)))


def single(*values: float) -> list[Array]:
    """Numbers as arrays of one."""
    return [np.array([v], np.float32) for v in values]


def over(a: Any, b: Any) -> Array:
    """The quotient in float32, of zero too."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.divide(a, b, dtype=np.float32))


def times(a: Any, b: Any) -> Array:
    """The product in float32, infinite or not."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.multiply(a, b, dtype=np.float32))


def rounded(x: Array, dtype: DType) -> Array:
    """The nearest integers of 8 bits, even ones of two. NaN, as at a range of size 0, is 127 or 0."""
    info = np.iinfo(dtype)
    y = np.clip(np.rint(x), info.min, info.max)
    return np.where(np.isnan(y), 127 if dtype == INT8 else 0, y).astype(dtype)


def rounded32(x: Array) -> Array:
    """The nearest int32, even ones of two; NaN is 0."""
    y = np.clip(np.rint(x), -INT32_STEPS, LARGEST_INT32)
    return np.where(np.isnan(y), 0, y).astype(np.int32)


def product_size(lhs: DType, low: Array, high: Array, low_rhs: Array, high_rhs: Array) -> Array:
    """The size of the range of int32 sums of products with int8 numbers."""
    level = over(size_of(low, high), np.float32(WHOLE_STEPS[lhs])) * over(
        size_of(low_rhs, high_rhs), np.float32(127)
    )
    return times(level, np.float32(INT32_STEPS))


def with_bias(sums: Array, bias: Array, lhs: DType, sizes: Sequence[Array]) -> Array:
    """int32 sums of products plus an int8 bias (one for each column) in their steps.

    `sizes` are those of the ranges of the data, of the weight and of the bias. As MXNet does, the bias is cut
    off towards zero, and the sum is that of two float32.
    """
    data, weight, own = sizes
    step = over(np.float32(STEPS[lhs]), data)
    step = times(times(step, over(np.float32(STEPS[INT8]), weight)), own)
    scaled = np.trunc(times(bias.astype(np.float32), over(step, np.float32(STEPS[INT8]))))
    scaled = np.nan_to_num(np.clip(scaled, -INT32_STEPS, LARGEST_INT32), nan=0.0)
    return rounded32(sums.astype(np.float32) + scaled)
