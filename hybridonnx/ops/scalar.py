"""Arithmetic on an array and a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ._arithmetic import divide, hypot, modulo, power
from ._operator import Array, Operator
from ._registry import operator
from ._rows import scalar


def _floored(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    return (-dy * F.floor(F._rdiv_scalar(x, scalar=s)),)


def _power(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    if s == 0:
        return (None,)
    return (dy if s == 1 else dy * (x if s == 2 else x ** (s - 1)) * s,)


def _rpower(F: Any, dy: Any, y: Any, x: Any, s: float) -> Sequence[Any]:
    if s == 0:
        return (None,)
    log = math.log(s) if s > 0 else math.nan
    return (dy * y * log,)


def _reversed_divide(x: Array, s: Array) -> Array:
    return divide(np.broadcast_to(s, x.shape), x)


scalar("_plus_scalar", np.add, lambda F, dy, y, x, s: (dy,), "_PlusScalar")
scalar("_minus_scalar", np.subtract, lambda F, dy, y, x, s: (dy,), "_MinusScalar")
scalar("_scatter_plus_scalar", np.add, lambda F, dy, y, x, s: (dy,))
scalar("_scatter_minus_scalar", np.subtract, lambda F, dy, y, x, s: (dy,))
scalar("_rminus_scalar", lambda x, s: s - x, lambda F, dy, y, x, s: (-dy,), "_RMinusScalar")
scalar("_mul_scalar", np.multiply, lambda F, dy, y, x, s: (dy * s,), "_MulScalar")
scalar("_div_scalar", divide, lambda F, dy, y, x, s: (dy / s,), "_DivScalar")
scalar("_rdiv_scalar", _reversed_divide, lambda F, dy, y, x, s: (dy * -s / (x * x),), "_RDivScalar")
scalar("_mod_scalar", modulo, lambda F, dy, y, x, s: (dy,), "_ModScalar")
scalar("_rmod_scalar", lambda x, s: modulo(s, x), _floored, "_RModScalar")
scalar("_power_scalar", power, _power, "_PowerScalar")
scalar("_rpower_scalar", lambda x, s: power(s, x), _rpower, "_RPowerScalar")
scalar(
    "_maximum_scalar",
    np.maximum,
    lambda F, dy, y, x, s: (dy * (x >= s),),
    "_MaximumScalar",
    "_npi_maximum_scalar",
)
scalar(
    "_minimum_scalar",
    np.minimum,
    lambda F, dy, y, x, s: (dy * (x <= s),),
    "_MinimumScalar",
    "_npi_minimum_scalar",
)
scalar("_hypot_scalar", hypot, lambda F, dy, y, x, s: (dy * x / y,), "_HypotScalar", "_npi_hypot_scalar")


@operator("_contrib_gradientmultiplier")
class GradientMultiplier(Operator):
    """`data` of any shape, unchanged; its gradient is multiplied by `scalar`."""

    elementwise: ClassVar[bool] = True
    scalar: float = 1.0
    is_int: bool = True

    def forward(self, data: Array) -> Array:
        return data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * self.scalar,)
