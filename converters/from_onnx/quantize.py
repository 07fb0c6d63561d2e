"""Imports of DequantizeLinear and of products of integers."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError

from ._registry import imports
from ._windows import Ints
from .conv import conv
from .dense import matmul


@imports("DequantizeLinear", versions=(10, 13, 19, 21, 23, 24, 25, 28))
def dequantize_linear(
    F: Any, x: Any, scale: Any, zero: Any = None, *, axis: int = 1, block_size: int = 0, output_dtype: int = 0
) -> Any:
    """One scale for everything, or one for each index of an axis.

    Beside QuantizeLinear it stays what it is: engines compute on integers between the two.
    """
    if F.is_of_integers():
        raise ConversionError("DequantizeLinear: MXNet has no operator for it.")
    if block_size:
        raise ConversionError(
            f"DequantizeLinear: one scale, or one for each index of an axis, is possible, got block_size "
            f"{block_size}. Export the model with other quantization."
        )
    dtype = F.dtype(scale).name
    numbers = F.Cast(x, dtype=dtype)
    if zero is not None:
        numbers = F.broadcast_sub(numbers, _along(F, F.Cast(zero, dtype=dtype), x, axis))
    return F.broadcast_mul(numbers, _along(F, scale, x, axis))


def _along(F: Any, vector: Any, x: Any, axis: int) -> Any:
    """A vector as an array that is broadcast along the other axes of `x`; a scalar stays."""
    shape, rank = F.shape(vector), len(F.shape(x) or ())
    if shape is None or len(shape) != 1 or shape == (1,) or not rank:
        return vector
    return F.reshape(vector, shape=(1,) * (axis % rank) + (-1,) + (1,) * (rank - 1 - axis % rank))


def _exact(F: Any, x: Any, zero: Any, axis: int) -> Any:
    """Integers less their zero point, in float64, in which sums of their products are exact.

    A vector has a zero point for each index of the axis.
    """
    wide = F.Cast(x, dtype="float64")
    if zero is None:
        return wide
    return F.broadcast_sub(wide, _along(F, F.Cast(zero, dtype="float64"), x, axis))


@imports("MatMulInteger", versions=(10,))
def matmul_integer(F: Any, a: Any, b: Any, a_zero: Any = None, b_zero: Any = None) -> Any:
    """In float64, and back."""
    return F.Cast(matmul(F, _exact(F, a, a_zero, -2), _exact(F, b, b_zero, -1)), dtype="int32")


@imports("ConvInteger", versions=(10,))
def conv_integer(
    F: Any,
    x: Any,
    w: Any,
    x_zero: Any = None,
    w_zero: Any = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Any:
    """In float64, and back."""
    window: dict[str, Any] = {"auto_pad": auto_pad, "dilations": dilations, "group": group}
    window |= {"kernel_shape": kernel_shape, "pads": pads, "strides": strides}
    return F.Cast(conv(F, _exact(F, x, x_zero, 0), _exact(F, w, w_zero, 0), **window), dtype="int32")
