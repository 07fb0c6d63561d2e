"""Imports of arithmetic on two or more arrays."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from hybridonnx.dtypes import is_floating
from hybridonnx.ops import alike

from ._arithmetic import begun_at, number, two
from ._registry import imports

_ARITHMETIC: dict[str, tuple[str, str, str]] = {
    "Add": ("broadcast_add", "_plus_scalar", ""),
    "Sub": ("broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "Mul": ("broadcast_mul", "_mul_scalar", ""),
    "Div": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
}


def _arithmetic(onnx_type: str, operators: tuple[str, str, str]) -> None:
    @imports(onnx_type, versions=(7, 13, 14))
    def function(F: Any, a: Any, b: Any) -> Any:
        return two(F, a, b, *operators)

    @imports(onnx_type, versions=(1, 6))
    def aligned(F: Any, a: Any, b: Any, *, axis: int | None = None, broadcast: int = 0) -> Any:
        return two(F, a, begun_at(F, a, b, axis) if broadcast else b, *operators)


for _type, _operators in _ARITHMETIC.items():
    _arithmetic(_type, _operators)


def _bitwise(name: str) -> None:
    @imports(f"Bitwise{name}", versions=(18,))
    def function(F: Any, a: Any, b: Any) -> Any:
        operator = f"_npi_bitwise_{name.lower()}"
        return two(F, a, b, operator, f"{operator}_scalar")


for _name in ("And", "Or", "Xor"):
    _bitwise(_name)


@imports("Pow", versions=(7, 12, 13, 15))
def power(F: Any, x: Any, y: Any) -> Any:
    """The exponent may have another dtype in ONNX; the result has the base's."""
    base, exponent, value = F.dtype(x), F.dtype(y), number(F, y)
    if value is not None and (value.is_integer() or base is None or base.kind == "f"):
        return F._power_scalar(x, scalar=value)
    if base is not None and exponent is not None and base != exponent:
        if base.kind != "f" and exponent.kind == "f":
            return F.Cast(F.broadcast_power(F.Cast(x, dtype=exponent.name), y), dtype=base.name)
        y = F.Cast(y, dtype=base.name)
    return two(F, x, y, "broadcast_power", "_power_scalar", "_rpower_scalar")


@imports("Pow", versions=(1,))
def aligned_power(F: Any, x: Any, y: Any, *, axis: int | None = None, broadcast: int = 0) -> Any:
    """The exponent may begin at any axis."""
    return power(F, x, begun_at(F, x, y, axis) if broadcast else y)


@imports("Mod", versions=(10, 13, 28))
def modulo(F: Any, a: Any, b: Any, *, fmod: int = 0) -> Any:
    """The sign is the divisor's, or with `fmod` the dividend's. By 0 it is 0 in MXNet, and NaN here."""
    divisor, dtype = number(F, b), F.dtype(a)
    if dtype is not None and not is_floating(dtype):
        return _remainder(F, a, b, divisor, fmod)
    if divisor is not None:
        rest = _remainder(F, a, b, divisor, fmod)
        return rest if divisor else rest * math.nan
    unit = F.sign(b)
    return _remainder(F, a, b, None, fmod) * (unit / unit)


def _remainder(F: Any, a: Any, b: Any, divisor: float | None, fmod: int) -> Any:
    if not fmod:
        return two(F, a, b, "broadcast_mod", "_mod_scalar", "_rmod_scalar")
    sign = (a < 0) * -2.0 + 1.0  # of 0 it is 1, and so is the gradient there
    if divisor is not None:
        return sign * F._mod_scalar(sign * a, scalar=abs(divisor))
    return sign * F.broadcast_mod(sign * a, F.abs(b))


def _chain(F: Any, operator: str, inputs: tuple[Any, ...], scalar: str = "") -> Any:
    if not scalar:
        return reduce(getattr(F, operator), inputs)
    return reduce(lambda a, b: two(F, a, b, operator, scalar), inputs)


@imports("Max", versions=(1, 6, 8, 12, 13))
def maximum(F: Any, *inputs: Any) -> Any:
    """Of any number of values."""
    return _chain(F, "broadcast_maximum", inputs, "_maximum_scalar")


@imports("Min", versions=(1, 6, 8, 12, 13))
def minimum(F: Any, *inputs: Any) -> Any:
    """Of any number of values."""
    return _chain(F, "broadcast_minimum", inputs, "_minimum_scalar")


@imports("Sum", versions=(1, 6, 8, 13))
def total(F: Any, *inputs: Any) -> Any:
    """Of any number of values, in one operator if they have one shape."""
    shapes = [F.dims(x) for x in inputs]
    if (
        len(inputs) > 2
        and shapes[0] is not None
        and None not in shapes[0]
        and all(alike(shape, shapes[0]) for shape in shapes)
    ):
        return F.add_n(*inputs)
    return _chain(F, "broadcast_add", inputs)


@imports("Mean", versions=(1, 6, 8, 13))
def mean(F: Any, *inputs: Any) -> Any:
    """The sum, divided."""
    return total(F, *inputs) / float(len(inputs)) if len(inputs) > 1 else inputs[0]
