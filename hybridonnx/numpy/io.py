"""Arrays from files of text."""

from __future__ import annotations

from typing import Any

import numpy as _np

from ..ndarray.np_array import array_of, ndarray

__all__ = ["genfromtxt"]


def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """A table of numbers in a file of text, as float32 unless `dtype` says another."""
    kwargs.setdefault("dtype", _np.float32)
    return array_of(_np.genfromtxt(*args, **kwargs))
