"""Arithmetic and comparisons on symbols: which operator, under which name, each of Python's becomes."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np

from ..errors import NotImplementedForSymbol
from ..ops import OVERLOADS, find, is_number
from .compose import Outputs, call

Operand: TypeAlias = Outputs | float | np.number[Any] | np.bool_
"""The other side of arithmetic with a symbol."""


def binary(what: str, lhs: object, rhs: object) -> Any:
    """The symbol of `lhs` and `rhs`, of which one may be a number."""
    forms = OVERLOADS[what]
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


def _with_number(form: tuple[str, str], symbol: Any, number: object) -> Any:
    name, hint = form
    return call(find(name), hint, (symbol,), {"scalar": number}, type(symbol))


class Arithmetic:
    """Python's operators on symbols."""

    __slots__ = ()
    _broadcasts: ClassVar[bool] = False

    def _combined(self, what: str, lhs: object, rhs: object) -> Self:
        result: Self = binary(what, lhs, rhs)
        return result

    def __add__(self, other: Operand) -> Self:
        return self._combined("add", self, other)

    def __radd__(self, other: Operand) -> Self:
        return self._combined("add", other, self)

    def __sub__(self, other: Operand) -> Self:
        return self._combined("sub", self, other)

    def __rsub__(self, other: Operand) -> Self:
        return self._combined("sub", other, self)

    def __mul__(self, other: Operand) -> Self:
        return self._combined("mul", self, other)

    def __rmul__(self, other: Operand) -> Self:
        return self._combined("mul", other, self)

    def __truediv__(self, other: Operand) -> Self:
        return self._combined("truediv", self, other)

    def __rtruediv__(self, other: Operand) -> Self:
        return self._combined("truediv", other, self)

    def __mod__(self, other: Operand) -> Self:
        return self._combined("mod", self, other)

    def __rmod__(self, other: Operand) -> Self:
        return self._combined("mod", other, self)

    def __pow__(self, other: Operand) -> Self:
        return self._combined("pow", self, other)

    def __rpow__(self, other: Operand) -> Self:
        return self._combined("pow", other, self)

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._combined("eq", self, other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._combined("ne", self, other)

    def __gt__(self, other: Operand) -> Self:
        return self._combined("gt", self, other)

    def __ge__(self, other: Operand) -> Self:
        return self._combined("ge", self, other)

    def __lt__(self, other: Operand) -> Self:
        return self._combined("lt", self, other)

    def __le__(self, other: Operand) -> Self:
        return self._combined("le", self, other)

    def __neg__(self) -> Self:
        return self * -1.0

    def __abs__(self) -> Self:
        kind: Any = type(self)
        magnitude: Self = call(find("abs"), "abs", (self,), {}, kind)
        return magnitude

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
