"""Python's operators as mx.np has them."""

from __future__ import annotations

from typing import NamedTuple


class NumpyOverload(NamedTuple):
    """The operators of one of Python's: of two values, of a value and a number, of a number and a value."""

    arrays: str
    scalar: str
    reflected: str


def _arithmetic(name: str, reflected: str = "") -> NumpyOverload:
    return NumpyOverload(f"_npi_{name}", f"_npi_{name}_scalar", f"_npi_{reflected or name}_scalar")


NUMPY_OVERLOADS: dict[str, NumpyOverload] = {
    "add": _arithmetic("add"),
    "sub": _arithmetic("subtract", "rsubtract"),
    "mul": _arithmetic("multiply"),
    "truediv": _arithmetic("true_divide", "rtrue_divide"),
    "mod": _arithmetic("mod", "rmod"),
    "pow": _arithmetic("power", "rpower"),
    "and": _arithmetic("bitwise_and"),
    "or": _arithmetic("bitwise_or"),
    "xor": _arithmetic("bitwise_xor"),
    "eq": _arithmetic("equal"),
    "ne": _arithmetic("not_equal"),
    "gt": _arithmetic("greater", "less"),
    "ge": _arithmetic("greater_equal", "less_equal"),
    "lt": _arithmetic("less", "greater"),
    "le": _arithmetic("less_equal", "greater_equal"),
    "maximum": NumpyOverload("broadcast_maximum", "_maximum_scalar", "_maximum_scalar"),
    "minimum": NumpyOverload("broadcast_minimum", "_minimum_scalar", "_minimum_scalar"),
    "arctan2": _arithmetic("arctan2", "rarctan2"),
    "hypot": NumpyOverload("_npi_hypot", "_hypot_scalar", "_hypot_scalar"),
    "copysign": _arithmetic("copysign", "rcopysign"),
    "ldexp": _arithmetic("ldexp", "rldexp"),
    "lcm": _arithmetic("lcm"),
}
"""Python's binary operators by the names of their methods, and the other functions of two values."""
