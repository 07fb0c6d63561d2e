"""Memory that changes hands: an array takes that of another which is given up, and copies nothing."""

from __future__ import annotations

import sys

import numpy as np

from .._threads import counts_references
from ._base import ArrayBase


def is_exchangeable(array: ArrayBase, other: ArrayBase) -> bool:
    """Whether the memory of one array may stand for that of the other: nothing else refers to either.

    Views, and what was made of them in other libraries, refer to the memory by NumPy's array.
    """
    if not counts_references() or array.stype != other.stype or type(other._data) is not np.ndarray:
        return False
    if sys.getrefcount(array._data) > _ALONE or sys.getrefcount(other._data) > _ALONE:
        return False
    old, new = array._data, other._data
    own = not isinstance(old.base, np.ndarray) and not isinstance(new.base, np.ndarray)
    same = old.shape == new.shape and old.dtype == new.dtype
    return own and same and new.flags.c_contiguous and new.flags.writeable


class _Holder:
    array = np.empty(0)


_ALONE = sys.getrefcount(_Holder.array)
"""References to memory that one array alone has; how many the call makes depends on Python."""
