"""Functions of `sym` that are no operators themselves: constants, sequences, choices between operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..attrs import ShapeLike
from ..dtypes import DTypeLike, as_dtype
from ..ops import find, is_number
from ._arithmetic import binary
from ._methods import split
from .compose import call
from .symbol import Group, Symbol, Variable, load, load_json, var

__all__ = (
    "Group",
    "Symbol",
    "Variable",
    "arange",
    "eye",
    "full",
    "histogram",
    "hypot",
    "linspace",
    "load",
    "load_json",
    "maximum",
    "minimum",
    "ones",
    "pow",
    "power",
    "split_v2",
    "var",
    "zeros",
)


def _symbol(name: str, args: Sequence[Any], attributes: dict[str, Any]) -> Symbol:
    return call(find(name), name, args, attributes, Symbol)


def _dtype(dtype: Any) -> str:
    return as_dtype(dtype).name


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Symbol:
    """Zeros; a size of 0 is found by inference."""
    return _symbol("_zeros", (), {"shape": shape, "dtype": _dtype(dtype), **kwargs})


def ones(shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Symbol:
    """Ones; a size of 0 is found by inference."""
    return _symbol("_ones", (), {"shape": shape, "dtype": _dtype(dtype), **kwargs})


def full(shape: ShapeLike, val: float, dtype: DTypeLike | None = None, **kwargs: object) -> Symbol:
    """An array of which every element is `val`."""
    return _symbol("_full", (), {"shape": shape, "dtype": _dtype(dtype), "value": float(val), **kwargs})


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: DTypeLike | None = None,
) -> Symbol:
    """Numbers from `start` (0 if `stop` is not given) to below `stop` by `step`, each `repeat` times."""
    attributes = {"start": start, "stop": stop, "step": step, "repeat": repeat, "infer_range": infer_range}
    return _symbol("_arange", (), {**attributes, "name": name, "dtype": _dtype(dtype)})


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    name: str | None = None,
    dtype: DTypeLike | None = None,
) -> Symbol:
    """`num` evenly spaced numbers from `start` to `stop`."""
    attributes = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return _symbol("_linspace", (), {**attributes, "name": name, "dtype": _dtype(dtype)})


def eye(N: int, M: int = 0, k: int = 0, dtype: DTypeLike | None = None, **kwargs: object) -> Symbol:
    """An (N, M) matrix, square if M is 0, with ones on the diagonal `k` to the right of the main one."""
    return _symbol("_eye", (), {"N": N, "M": M, "k": k, "dtype": _dtype(dtype), **kwargs})


def histogram(
    a: Symbol, bins: int | Symbol = 10, range: tuple[float, float] | None = None, **kwargs: object
) -> Symbol:
    """How many values lie in each bin, and the bins' edges; `bins` is a number, or a symbol of the edges."""
    if isinstance(bins, Symbol):
        return _symbol("_histogram", (a, bins), kwargs)
    if range is None:
        raise ValueError("histogram: range is required for a symbol, whose values are not known.")
    return _symbol("_histogram", (a,), {"bin_cnt": bins, "range": range, **kwargs})


def split_v2(
    ary: Symbol,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
    **kwargs: object,
) -> Any:
    """Parts of `ary` along an axis: so many equal ones, or ones that begin at the given indices."""
    return split(ary, indices_or_sections, axis, squeeze_axis, **kwargs)


def _choice(what: str, numbers: Callable[[Any, Any], Any], sentence: str) -> Callable[[Any, Any], Any]:
    def function(left: Symbol | float, right: Symbol | float) -> Any:
        if is_number(left) and is_number(right):
            return numbers(left, right)
        return binary(what, left, right)

    function.__name__ = function.__qualname__ = what
    function.__doc__ = f"{sentence} of two symbols of one shape, a symbol and a number, or two numbers."
    return function


maximum = _choice("maximum", max, "The greater")
minimum = _choice("minimum", min, "The smaller")
hypot = _choice("hypot", math.hypot, "The hypotenuse")


def power(base: Symbol | float, exp: Symbol | float) -> Any:
    """The first to the power of the second: symbols of one shape, a symbol and a number, or numbers."""
    return base**exp if is_number(base) and is_number(exp) else binary("power", base, exp)


pow = power
