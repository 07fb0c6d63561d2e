"""Memory that changes hands: an array takes that of another which is given up, and copies nothing."""

from __future__ import annotations

import sys

import numpy as np

from .._threads import counts_references
from ..ops import Array
from ._base import ArrayBase


def whole_memory(array: ArrayBase) -> Array | None:
    """The memory of an array, for values to be computed right there; `None` if anything else refers to it."""
    if not counts_references() or type(array._data) is not np.ndarray:
        return None
    if sys.getrefcount(array._data) > _ALONE or not _is_whole(array._data):
        return None
    data: Array = array._data
    return data if data.flags.c_contiguous and data.flags.writeable else None


def is_exchangeable(array: ArrayBase, other: ArrayBase) -> bool:
    """Whether the memory of one array may stand for that of the other: nothing else refers to either.

    Views, and what was made of them in other libraries, refer to the memory by NumPy's array.
    """
    if not counts_references() or array.stype != other.stype or type(other._data) is not np.ndarray:
        return False
    if sys.getrefcount(array._data) > _ALONE or sys.getrefcount(other._data) > _ALONE:
        return False
    old, new = array._data, other._data
    same = old.shape == new.shape and old.dtype == new.dtype
    return same and _is_whole(old) and _is_whole(new) and new.flags.c_contiguous and new.flags.writeable


def _is_whole(array: Array) -> bool:
    """Whether an array has its memory for itself: it may be all of another in another shape."""
    if not isinstance(array.base, np.ndarray):
        return True
    if _references_of_base(array) > _HELD_BY_VIEW or isinstance(array.base.base, np.ndarray):
        return False
    return array.base.nbytes == array.nbytes


def _references_of_base(array: Array) -> int:
    return sys.getrefcount(array.base)


class _Holder:
    array = np.empty(0)


_ALONE = sys.getrefcount(_Holder.array)
"""References to memory that one array alone has; how many the call makes depends on Python."""
_HELD_BY_VIEW = _references_of_base(np.empty(2).reshape(1, 2))
"""References to what one view alone is a view of."""
