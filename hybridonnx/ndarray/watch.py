"""Noticing that arrays change in place, for those who keep something that was made from their values."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from ..ops import Array

_watched: dict[int, weakref.WeakSet[Watch]] = {}
"""The watches on each piece of memory, by the id of the array that owns it; watches keep the owners alive."""


class Watch:
    """Becomes `dirty` when any of some arrays, or a view that shares their memory, is written."""

    def __init__(self, arrays: Iterable[Array]) -> None:
        self.dirty = False
        self._owners = [_owner(a) for a in arrays]
        for owner in self._owners:
            _watched.setdefault(id(owner), weakref.WeakSet()).add(self)

    def __del__(self) -> None:
        for owner in self._owners:
            watches = _watched.get(id(owner))
            if watches is not None and not watches:
                _watched.pop(id(owner), None)


def _owner(array: Array) -> Array:
    while isinstance(array.base, type(array)):
        array = array.base
    return array


def written(array: Array) -> None:
    """Tell the watches that an array was written."""
    if _watched:
        for watch in tuple(_watched.get(id(_owner(array)), ())):
            watch.dirty = True


def overwrite(array: Array, value: Array, key: Any = ...) -> None:
    """Write `value` into a region of an array, by default all of it.

    The watches know before as well: other threads see the new value before they could be told of it.
    """
    written(array)
    array[key] = value
    written(array)
