"""Functions of nd.npx whose results depend on values: what is not zero, and whether all is true."""

from __future__ import annotations

import numpy as np

from ...errors import MXNetError
from ..np_array import ndarray

__all__ = ["constraint_check", "nonzero"]


def nonzero(a: ndarray) -> ndarray:
    """The indices of what is not zero, a row for each."""
    return ndarray(np.argwhere(a._data).astype(np.int64), a.context)


def constraint_check(x: ndarray, msg: str = "Constraint violated.") -> ndarray:
    """True, if all of `x` is; else an error with the message."""
    if not x._data.all():
        raise MXNetError(f"constraint_check: {msg}")
    return ndarray(np.asarray(True))
