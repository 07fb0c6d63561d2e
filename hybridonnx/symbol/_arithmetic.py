"""Arithmetic and comparisons on symbols: which operator, under which name, each of Python's becomes."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from ..errors import NotImplementedForSymbol
from ..ops._registry import find
from ._compose import Outputs, call


class _Forms(NamedTuple):
    """The operators of one of Python's, each with the hint that unnamed results are named by."""

    plain: tuple[str, str]
    broadcasting: str
    scalar: tuple[str, str]
    reflected: tuple[str, str]


def _forms(plain: str, hint: str, broadcasting: str, scalar: str, reflected: str = "") -> _Forms:
    """Forms whose scalar hints lack underscores, as MXNet's arithmetic has them."""
    reflected = reflected or scalar
    return _Forms((plain, hint), broadcasting, (scalar, _joined(scalar)), (reflected, _joined(reflected)))


def _joined(name: str) -> str:
    return "_" + name.replace("_", "")


def _comparison(plain: str, reflected: str) -> _Forms:
    scalar, mirrored = f"{plain}_scalar", f"{reflected}_scalar"
    return _Forms((plain, plain), f"broadcast{plain}", (scalar, scalar), (mirrored, mirrored))


FORMS: dict[str, _Forms] = {
    "add": _forms("elemwise_add", "_plus", "broadcast_add", "_plus_scalar"),
    "sub": _forms("elemwise_sub", "_minus", "broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "mul": _forms("elemwise_mul", "_mul", "broadcast_mul", "_mul_scalar"),
    "div": _forms("elemwise_div", "_div", "broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "mod": _forms("_mod", "_mod", "broadcast_mod", "_mod_scalar", "_rmod_scalar"),
    "pow": _Forms(
        ("_power", "_power"),
        "broadcast_power",
        ("_power_scalar", "_powerscalar"),
        ("_rpower_scalar", "_rpower_scalar"),
    ),
    "power": _forms("_power", "_power", "broadcast_power", "_power_scalar", "_rpower_scalar"),
    "maximum": _forms("_maximum", "_maximum", "broadcast_maximum", "_maximum_scalar"),
    "minimum": _forms("_minimum", "_minimum", "broadcast_minimum", "_minimum_scalar"),
    "hypot": _forms("_hypot", "_hypot", "broadcast_hypot", "_hypot_scalar"),
    "eq": _comparison("_equal", "_equal"),
    "ne": _comparison("_not_equal", "_not_equal"),
    "gt": _comparison("_greater", "_lesser"),
    "ge": _comparison("_greater_equal", "_lesser_equal"),
    "lt": _comparison("_lesser", "_greater"),
    "le": _comparison("_lesser_equal", "_greater_equal"),
}


def is_number(value: object) -> bool:
    """Whether arithmetic takes `value` as a number."""
    return isinstance(value, numbers.Real | np.bool_)


def binary(what: str, lhs: Any, rhs: Any) -> Any:
    """The symbol of `lhs` and `rhs`, of which one may be a number."""
    forms = FORMS[what]
    if isinstance(lhs, Outputs) and isinstance(rhs, Outputs):
        kind = _kind(lhs, rhs)
        name, hint = (forms.broadcasting,) * 2 if kind._broadcasts else forms.plain
        return call(find(name), hint, (lhs, rhs), {}, kind)
    if isinstance(lhs, Outputs) and is_number(rhs):
        return _with_number(forms.scalar, lhs, rhs)
    if isinstance(rhs, Outputs) and is_number(lhs):
        return _with_number(forms.reflected, rhs, lhs)
    stranger = rhs if isinstance(lhs, Outputs) else lhs
    raise TypeError(
        f"Symbol: arithmetic takes symbols and numbers, got {type(stranger).__name__}. "
        "An array can enter as a variable that is bound to it."
    )


def _kind(lhs: Any, rhs: Any) -> Any:
    return type(rhs) if issubclass(type(rhs), type(lhs)) else type(lhs)


def _with_number(form: tuple[str, str], symbol: Any, number: Any) -> Any:
    name, hint = form
    return call(find(name), hint, (symbol,), {"scalar": number}, type(symbol))


class Arithmetic:
    """Python's operators on symbols."""

    __slots__ = ()
    _broadcasts: ClassVar[bool] = False

    def __add__(self, other: Any) -> Any:
        return binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return binary("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return binary("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return binary("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("div", other, self)

    def __mod__(self, other: Any) -> Any:
        return binary("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return binary("mod", other, self)

    def __pow__(self, other: Any) -> Any:
        return binary("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return binary("pow", other, self)

    def __eq__(self, other: object) -> Any:
        return binary("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return binary("ne", self, other)

    def __gt__(self, other: Any) -> Any:
        return binary("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return binary("ge", self, other)

    def __lt__(self, other: Any) -> Any:
        return binary("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return binary("le", self, other)

    def __neg__(self) -> Any:
        return self * -1.0

    def __abs__(self) -> Any:
        return call(find("abs"), "abs", (self,), {}, type(self))  # type: ignore[type-var]

    def __bool__(self) -> bool:
        raise NotImplementedForSymbol(
            "Symbol: has no truth value, because a graph is built before there are values. "
            "Use where, or contrib.cond; compare with None by `is`."
        )

    def _refuse_in_place(self, other: object) -> NoReturn:
        raise NotImplementedForSymbol(
            "Symbol: cannot be changed in place, as arrays can. Write x = x + y instead of x += y."
        )

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __imod__ = __ipow__ = _refuse_in_place

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        raise NotImplementedForSymbol("Symbol: only arrays have values. Call eval for the outputs'.")

    __array_priority__: ClassVar[float] = 1000.0
    __array_ufunc__: ClassVar[None] = None
