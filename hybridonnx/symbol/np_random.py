"""Random draws as symbols of mx.np, of numbers as parameters."""

from __future__ import annotations

from typing import Any

from ..attrs import ShapeLike
from ..context import Context
from ..dtypes import DTypeLike, as_dtype
from .np_symbol import operators

__all__ = ["normal", "rand", "randint", "randn", "uniform"]


def _drawn(name: str, size: ShapeLike | None, dtype: str, ctx: Context | None, **attributes: Any) -> Any:
    shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    place = {} if ctx is None else {"ctx": str(ctx)}
    draws = operators(name)(shape=shape or (1,), dtype=dtype, **attributes, **place)
    return draws if shape else operators("_np_reshape")(draws, newshape=())


def uniform(
    low: float = 0.0,
    high: float = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Uniform draws from [low, high)."""
    return _drawn("_random_uniform", size, _float(dtype), ctx, low=low, high=high)


def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Normal draws with a mean and a standard deviation."""
    return _drawn("_random_normal", size, _float(dtype), ctx, loc=loc, scale=scale)


def rand(*size: int, **kwargs: Any) -> Any:
    """Uniform draws of a shape given as separate sizes."""
    return uniform(size=size, **kwargs)


def randn(*size: int, **kwargs: Any) -> Any:
    """Normal draws of a shape given as separate sizes."""
    return normal(size=size, **kwargs)


def randint(
    low: int,
    high: int | None = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> Any:
    """Integers from [low, high), or from [0, low)."""
    first, end = (0, low) if high is None else (low, high)
    name = "int64" if dtype is None else as_dtype(dtype).name
    return _drawn("_random_randint", size, name, ctx, low=first, high=end)


def _float(dtype: DTypeLike | None) -> str:
    return "float32" if dtype is None else as_dtype(dtype).name
