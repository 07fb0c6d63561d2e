"""What users may say to NumPy's functions, as operators take it."""

from __future__ import annotations

import operator as python
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from ..attrs import ShapeLike
from ..dtypes import DTypeLike, as_dtype

Axes: TypeAlias = int | Sequence[int] | None
"""An axis, several, or all."""
Name: TypeAlias = str | None
"""What the node of a symbol is called; arrays have none. MXNet's functions of one operator take it."""
V = TypeVar("V")
"""The frontend's values: arrays, or symbols."""
V_co = TypeVar("V_co", covariant=True)


class Call(Protocol[V_co]):
    """Calls an operator on values and with attributes; `name` is the node's, which arrays do not have."""

    def __call__(
        self, operator: str, /, *inputs: Any, out: Any = None, name: Any = None, **attributes: Any
    ) -> V_co: ...


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


_DEFAULTS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
_CHOICES: dict[str, tuple[object, ...]] = {
    "where": (True, False),
    "casting": ("no", "equiv", "safe", "same_kind", "unsafe"),
    "subok": (True, False),
    "dtype": tuple("float16 float32 float64 int8 int32 int64 uint8 bool".split()),
}


def is_option(key: str, value: object) -> bool:
    """Whether NumPy's functions take a keyword beside arrays, and that value for it."""
    if key == "order":
        return isinstance(value, str)
    return any(value == choice and type(value) is type(choice) for choice in _CHOICES.get(key, ()))


def only_defaults(name: str, kwargs: Mapping[str, object]) -> None:
    """Refuse what NumPy's functions take beside arrays, but for the defaults."""
    for key, value in kwargs.items():
        if key not in _DEFAULTS:
            raise TypeError(f"{name}: has no argument {key!r}.")
        if value is _DEFAULTS[key]:
            continue
        if not is_option(key, value):
            raise TypeError(f"{name}: {key}={_DEFAULTS[key]!r} is required, got {value!r}.")
        if value != _DEFAULTS[key]:
            raise NotImplementedError(f"{name}: {key}={_DEFAULTS[key]!r} is required, got {value!r}.")
