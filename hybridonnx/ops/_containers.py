"""Values that are no arrays, such as sequences, and the arrays without axes that carry them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DType, container_of, strings
from ._operator import Array


def enclosed(value: Any, dtype: DType) -> Array:
    """The array that carries a list, `None`, a dict, or an optional's array; `dtype` is the `container`'s."""
    box = np.empty(1, dtype)
    box[0] = (value,)
    return box.reshape(())


def opened(array: Array) -> Any:
    """What an array of `enclosed` carries."""
    return array.item()[0]


def zeros(array: Array) -> Array:
    """Zeros in an array's shape and dtype: empty strings; what carries no array stays what it is."""
    if container_of(array.dtype):
        return array
    return np.full_like(array, "") if array.dtype == strings else np.zeros_like(array)
