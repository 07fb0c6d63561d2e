"""What users may say to NumPy's functions, as operators take it."""

from __future__ import annotations

import operator as python
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from ..attrs import ShapeLike
from ..dtypes import DTypeLike, as_dtype

Axes: TypeAlias = int | Sequence[int] | None
"""An axis, several, or all."""
V = TypeVar("V")
"""The frontend's values: arrays, or symbols."""
V_co = TypeVar("V_co", covariant=True)


class Call(Protocol[V_co]):
    """Calls an operator by its name, on values and with attributes."""

    def __call__(self, name: str, *inputs: Any, out: Any = None, **attributes: Any) -> V_co: ...


def axes_of(axis: Axes) -> tuple[int, ...] | None:
    """An axis or several as a tuple."""
    return None if axis is None else (axis,) if isinstance(axis, int | np.integer) else tuple(axis)


def shape_of(shape: ShapeLike) -> tuple[int, ...]:
    """A shape or its only size as a tuple."""
    return (python.index(shape),) if hasattr(shape, "__index__") else tuple(map(python.index, shape))


def dtype_of(dtype: DTypeLike | None) -> str | None:
    """The name of a dtype."""
    return None if dtype is None else as_dtype(dtype).name


def or_none(value: Any) -> Any:
    """The value; the text of None in its place, for attributes that files have although they are None."""
    return "None" if value is None else value
