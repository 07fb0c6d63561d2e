"""Types of arguments that users give, for what stands above arrays and symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy.typing

from .attrs import ShapeLike
from .context import Context
from .dtypes import DTypeLike
from .ndarray.ndarray import NDArray
from .symbol.symbol import Symbol

__all__ = ["ArrayLike", "Arrays", "Contexts", "DTypeLike", "NamedArrays", "ShapeLike", "Tensor"]

Tensor = TypeVar("Tensor", NDArray, Symbol)
"""Arrays or symbols: a rule that is written for both is called with one kind at a time."""
ArrayLike: TypeAlias = NDArray | numpy.typing.ArrayLike
"""What arrays are made of: arrays, NumPy's, numbers, and lists of them."""
Arrays: TypeAlias = NDArray | Sequence[NDArray]
"""One array, or several."""
NamedArrays: TypeAlias = Mapping[str, NDArray]
Contexts: TypeAlias = Context | Sequence[Context] | None
"""One device or several; the current one if there is none."""
