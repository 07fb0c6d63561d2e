"""What quantized operators share: ranges as steps between integers, and rounding to 8 bits.

A range is two arrays of one number. It is symmetric about zero, of the larger size of the two: MXNet's
quantized numbers have no zero point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError
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


def integer_dtype(owner: str, name: str, dtype: DType | None, allowed: Sequence[DType] = BYTES) -> None:
    """Raise `DTypeError` unless `dtype` is unknown or among those allowed."""
    if dtype is not None and dtype not in allowed:
        names = " or ".join(map(str, allowed))
        raise DTypeError(f"{owner}: {name} of {names} is required, got {dtype}. Cast or quantize it before.")


def calibrated(owner: str, low: float | None, high: float | None) -> bool:
    """Whether the attributes give a range."""
    if low is not None and high is not None and low > high:
        raise AttributeValueError(
            f"{owner}: min_calib_range must not be above max_calib_range {high}, got {low}."
        )
    return low is not None and high is not None


class Quantized(Operator):
    """An operator on integers and on ranges, which are arrays of one number.

    Returns:
        output: The integers.
        min_output: (1,), the lower end of the output's range.
        max_output: (1,), its upper end.
    """

    outputs = ("output", "min_output", "max_output")
    not_differentiable = "quantized numbers are integers"


def ranges(dtypes: Sequence[Any], numbers: int) -> list[DType]:
    """float32 for all inputs behind the first `numbers`."""
    return [FLOAT32] * (len(dtypes) - numbers)


def size_of(low: Array, high: Array) -> Array:
    """The size of a range: its end that is farther from zero."""
    return np.maximum(np.abs(low), np.abs(high))


def single(*values: float | None) -> list[Array]:
    """Attributes as arrays of one number."""
    return [np.array([0.0 if v is None else v], np.float32) for v in values]


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
    return np.nan_to_num(y, nan=0.0).astype(np.int32)


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
