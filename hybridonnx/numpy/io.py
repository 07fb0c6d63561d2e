"""Arrays from files of text."""

from __future__ import annotations

from typing import Any

import numpy as _np

from ..context import Context
from ..ndarray.np_array import array_of, ndarray

__all__ = ["genfromtxt"]


def genfromtxt(*args: Any, ctx: Context | None = None, **kwargs: Any) -> ndarray:
    """A table of numbers in a file of text, as float64 unless `dtype` says another; see NumPy's."""
    return array_of(_np.genfromtxt(*args, **kwargs), ctx=ctx)
