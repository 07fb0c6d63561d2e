"""Arithmetic on an array and a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from . import _storage
from ._arithmetic import divide, hypot, modulo, power, power_log
from ._operator import Array, Operator
from ._registry import operator
from ._rows import scalar
from ._slopes import times_slope, widened, widened_scalar


def _floored(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    return (-F._zero_of_integers(dy) * F.floor(F._rdiv_scalar(x, scalar=s)),)


def _power(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    if s == 0:
        return (None,)
    return (dy if s == 1 else dy * (x if s == 2 else x ** (s - 1)) * s,)


def _rpower(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    if s == 0:
        return (None,)
    return (dy * F._rpower_log_scalar(x, scalar=s),)


def _rpower_log(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    return (dy * y * (math.log(s) if s > 0 else math.nan),)


def _reversed_div(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    wide = widened(F, x)
    return (times_slope(F, dy, -widened_scalar(F, x, s) / F.square(wide), x),)


def _hypot(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    wide, number = widened(F, x), widened_scalar(F, x, s)
    exact = isinstance(number, float)
    root = F._hypot_scalar(wide, scalar=number) if exact else F.broadcast_hypot(wide, number)
    return (times_slope(F, dy, wide / root, x),)


def _reversed_divide(x: Array, s: Array) -> Array:
    return divide(np.broadcast_to(s, x.shape), x)


scalar(
    "_plus_scalar",
    np.add,
    lambda F, dy, y, x, s: (dy,),
    "_PlusScalar",
    stores=_storage.where_zero_stays,
    doc="""`data` plus `scalar`.

    ONNX: Add.
    """,
)
scalar(
    "_minus_scalar",
    np.subtract,
    lambda F, dy, y, x, s: (dy,),
    "_MinusScalar",
    stores=_storage.where_zero_stays,
    doc="""`data` minus `scalar`.

    ONNX: Sub.
    """,
)
scalar(
    "_scatter_plus_scalar",
    np.add,
    lambda F, dy, y, x, s: (dy,),
    stores=_storage.as_first,
    doc="""`data` plus `scalar`, as MXNet calls the sum with a sparse array's stored elements.

    ONNX: Add.
    """,
)
scalar(
    "_scatter_minus_scalar",
    np.subtract,
    lambda F, dy, y, x, s: (dy,),
    stores=_storage.as_first,
    doc="""`data` minus `scalar`, as MXNet calls the difference for a sparse array's stored elements.

    ONNX: Sub.
    """,
)
scalar(
    "_rminus_scalar",
    lambda x, s: s - x,
    lambda F, dy, y, x, s: (-dy,),
    "_RMinusScalar",
    doc="""`scalar` minus `data`.

    ONNX: Sub.
    """,
)
scalar(
    "_mul_scalar",
    np.multiply,
    lambda F, dy, y, x, s: (dy * s,),
    "_MulScalar",
    stores=_storage.as_first,
    doc="""`data` times `scalar`.

    ONNX: Mul.
    """,
)
scalar(
    "_div_scalar",
    divide,
    lambda F, dy, y, x, s: (dy / s,),
    "_DivScalar",
    stores=_storage.as_first,
    doc="""`data` divided by `scalar`; of integers truncated towards zero, and 0 where scalar is.

    ONNX: Div.
    """,
)
scalar(
    "_rdiv_scalar",
    _reversed_divide,
    _reversed_div,
    "_RDivScalar",
    doc="""`scalar` divided by `data`; of integers truncated towards zero, and 0 where data is.

    ONNX: Div, with Where for integers.
    """,
)
scalar(
    "_mod_scalar",
    modulo,
    lambda F, dy, y, x, s: (F._zero_of_integers(dy),),
    "_ModScalar",
    doc="""The remainder of `data` divided by `scalar`, with the sign of scalar; 0 if that is 0.

    ONNX: Mod, with Where.
    """,
)
scalar(
    "_rmod_scalar",
    lambda x, s: modulo(s, x),
    _floored,
    "_RModScalar",
    doc="""The remainder of `scalar` divided by `data`, with the sign of data; 0 where that is 0.

    ONNX: Mod, with Where.
    """,
)
scalar(
    "_power_scalar",
    power,
    _power,
    "_PowerScalar",
    doc="""`data` to the power of `scalar`; of integers computed in float64 and truncated.

    ONNX: Pow.
    """,
)
scalar(
    "_rpower_scalar",
    lambda x, s: power(s, x),
    _rpower,
    "_RPowerScalar",
    doc="""`scalar` to the power of `data`; of integers computed in float64 and truncated.

    ONNX: Pow.
    """,
)
scalar(
    "_rpower_log_scalar",
    lambda x, s: power_log(s, x),
    _rpower_log,
    doc="""The derivative of `scalar` to the power of `data`, that power times the logarithm of scalar.

    Of integers it is computed in float64 and truncated.

    ONNX: Pow and Mul.
    """,
)
scalar(
    "_maximum_scalar",
    np.maximum,
    lambda F, dy, y, x, s: (dy * (x >= s),),
    "_MaximumScalar",
    "_npi_maximum_scalar",
    doc="""The larger of `data` and `scalar`; NaN stays.

    ONNX: Max.
    """,
)
scalar(
    "_minimum_scalar",
    np.minimum,
    lambda F, dy, y, x, s: (dy * (x <= s),),
    "_MinimumScalar",
    "_npi_minimum_scalar",
    doc="""The smaller of `data` and `scalar`; NaN stays.

    ONNX: Min.
    """,
)
scalar(
    "_hypot_scalar",
    hypot,
    _hypot,
    "_HypotScalar",
    "_npi_hypot_scalar",
    doc="""The hypotenuse of `data` and `scalar`: the root of the sum of their squares.

    ONNX: Sqrt of Mul and Add, with Less and Where so that the squares do not overflow.
    """,
)


@operator("_contrib_gradientmultiplier")
class GradientMultiplier(Operator):
    """`data` as it is, whose gradient is multiplied by `scalar`.

    Inputs:
        data: An array of any shape.

    Attributes:
        scalar: The factor of the gradient.
        is_int: Accepted for MXNet's sake; without effect.

    Returns:
        The shape of data.

    ONNX: Identity.
    """

    elementwise: ClassVar[bool] = True
    scalar: float = 1.0
    is_int: bool = True

    def forward(self, data: Array) -> Array:
        return data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * self.scalar,)
