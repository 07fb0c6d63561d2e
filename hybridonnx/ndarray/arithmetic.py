"""Functions of two operands of which either may be a number: `nd.add(x, 2)`, `nd.maximum(1, x)`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Protocol, overload

from ..ops import OVERLOADS, is_number
from .ndarray import NDArray, Operand, combine

__all__ = [
    "add",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "hypot",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "multiply",
    "not_equal",
    "power",
    "subtract",
    "true_divide",
]


class _Arithmetic(Protocol):
    """Functions of two arrays, of an array and a number, or of two numbers."""

    @overload
    def __call__(self, lhs: NDArray, rhs: Operand) -> NDArray: ...
    @overload
    def __call__(self, lhs: Operand, rhs: NDArray) -> NDArray: ...
    @overload
    def __call__(self, lhs: float, rhs: float) -> float: ...


def _function(name: str, form: str, plain: Callable[[Any, Any], Any], described: str) -> _Arithmetic:
    forms = OVERLOADS[form]

    def function(lhs: Operand, rhs: Operand) -> Any:
        if isinstance(lhs, NDArray):
            return combine(lhs, rhs, forms.broadcasting, forms.scalar[0])
        if isinstance(rhs, NDArray):
            return combine(rhs, lhs, forms.broadcasting, forms.reflected[0])
        if is_number(lhs) and is_number(rhs):
            return plain(lhs, rhs)
        strange = rhs if is_number(lhs) else lhs
        raise TypeError(f"{name}: an NDArray or a number is required, got {type(strange)}.")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{described} of two arrays, which broadcast, or of an array and a number."
    return function


def _as_int(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], int]:
    return lambda a, b: 1 if compare(a, b) else 0


add = _function("add", "add", operator.add, "The sum")
subtract = _function("subtract", "sub", operator.sub, "The difference")
multiply = _function("multiply", "mul", operator.mul, "The product")
divide = _function("divide", "truediv", operator.truediv, "The quotient")
true_divide = divide
modulo = _function("modulo", "mod", operator.mod, "The remainder")
maximum = _function("maximum", "maximum", max, "The larger")
minimum = _function("minimum", "minimum", min, "The smaller")
hypot = _function("hypot", "hypot", math.hypot, "The hypotenuse")
equal = _function("equal", "eq", _as_int(operator.eq), "Whether equal (1 or 0), each")
not_equal = _function("not_equal", "ne", _as_int(operator.ne), "Whether unequal")
greater = _function("greater", "gt", _as_int(operator.gt), "Whether greater")
greater_equal = _function("greater_equal", "ge", _as_int(operator.ge), "Whether greater or equal")
lesser = _function("lesser", "lt", _as_int(operator.lt), "Whether less")
lesser_equal = _function("lesser_equal", "le", _as_int(operator.le), "Whether less or equal")
logical_and = _function("logical_and", "logical_and", _as_int(lambda a, b: a and b), "Whether both are not 0")
logical_or = _function("logical_or", "logical_or", _as_int(lambda a, b: a or b), "Whether either is not 0")
logical_xor = _function(
    "logical_xor", "logical_xor", _as_int(lambda a, b: bool(a) != bool(b)), "Whether just one is not 0"
)

_power = _function("power", "pow", operator.pow, "The power")


@overload
def power(base: NDArray, exp: Operand) -> NDArray: ...
@overload
def power(base: Operand, exp: NDArray) -> NDArray: ...
@overload
def power(base: float, exp: float) -> float: ...
def power(base: Operand, exp: Operand) -> Any:
    """The power of two arrays, which broadcast, or of an array and a number."""
    return _power(base, exp)  # type: ignore[arg-type]
