"""Functions of two operands of which either may be a number: `nd.add(x, 2)`, `nd.maximum(1, x)`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .ndarray import NDArray


def _function(
    name: str, array: str, scalar: str, reverse: str, plain: Callable[[Any, Any], Any], described: str
) -> Callable[[Any, Any], Any]:
    def function(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray):
            return getattr(NDArray.F, array)(lhs, rhs)
        if isinstance(lhs, NDArray):
            return getattr(NDArray.F, scalar)(lhs, scalar=_number(name, rhs))
        if isinstance(rhs, NDArray):
            return getattr(NDArray.F, reverse)(rhs, scalar=_number(name, lhs))
        return plain(_number(name, lhs), _number(name, rhs))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{described} of two arrays, which broadcast, or of an array and a number."
    return function


def _number(name: str, value: Any) -> float:
    try:
        float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: an NDArray or a number is required, got {type(value)}.") from None
    return value  # type: ignore[no-any-return]


def _as_float(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], float]:
    return lambda a, b: 1.0 if compare(a, b) else 0.0


_P = "broadcast_"
add = _function("add", _P + "add", "_plus_scalar", "_plus_scalar", operator.add, "The sum")
subtract = _function(
    "subtract", _P + "sub", "_minus_scalar", "_rminus_scalar", operator.sub, "The difference"
)
multiply = _function("multiply", _P + "mul", "_mul_scalar", "_mul_scalar", operator.mul, "The product")
divide = _function("divide", _P + "div", "_div_scalar", "_rdiv_scalar", operator.truediv, "The quotient")
true_divide = divide
modulo = _function("modulo", _P + "mod", "_mod_scalar", "_rmod_scalar", operator.mod, "The remainder")
power = _function("power", _P + "power", "_power_scalar", "_rpower_scalar", operator.pow, "The power")
maximum = _function("maximum", _P + "maximum", "_maximum_scalar", "_maximum_scalar", max, "The larger")
minimum = _function("minimum", _P + "minimum", "_minimum_scalar", "_minimum_scalar", min, "The smaller")
hypot = _function(
    "hypot",
    _P + "hypot",
    "_hypot_scalar",
    "_hypot_scalar",
    lambda a, b: (a * a + b * b) ** 0.5,
    "The hypotenuse",
)
equal = _function(
    "equal",
    _P + "equal",
    "_equal_scalar",
    "_equal_scalar",
    _as_float(operator.eq),
    "Whether equal (1 or 0), each",
)
not_equal = _function(
    "not_equal",
    _P + "not_equal",
    "_not_equal_scalar",
    "_not_equal_scalar",
    _as_float(operator.ne),
    "Whether unequal",
)
greater = _function(
    "greater", _P + "greater", "_greater_scalar", "_lesser_scalar", _as_float(operator.gt), "Whether greater"
)
greater_equal = _function(
    "greater_equal",
    _P + "greater_equal",
    "_greater_equal_scalar",
    "_lesser_equal_scalar",
    _as_float(operator.ge),
    "Whether greater or equal",
)
lesser = _function(
    "lesser", _P + "lesser", "_lesser_scalar", "_greater_scalar", _as_float(operator.lt), "Whether less"
)
lesser_equal = _function(
    "lesser_equal",
    _P + "lesser_equal",
    "_lesser_equal_scalar",
    "_greater_equal_scalar",
    _as_float(operator.le),
    "Whether less or equal",
)
logical_and = _function(
    "logical_and",
    _P + "logical_and",
    "_logical_and_scalar",
    "_logical_and_scalar",
    _as_float(lambda a, b: a and b),
    "Whether both are not 0",
)
logical_or = _function(
    "logical_or",
    _P + "logical_or",
    "_logical_or_scalar",
    "_logical_or_scalar",
    _as_float(lambda a, b: a or b),
    "Whether either is not 0",
)
logical_xor = _function(
    "logical_xor",
    _P + "logical_xor",
    "_logical_xor_scalar",
    "_logical_xor_scalar",
    _as_float(lambda a, b: bool(a) != bool(b)),
    "Whether just one is not 0",
)
