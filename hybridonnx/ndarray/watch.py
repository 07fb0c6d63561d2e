"""Noticing that arrays change in place, for those who keep something that was made from their values."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from .._locks import new_lock
from ..ops import Array

_watched: dict[int, tuple[weakref.ref[Watch], ...]] = {}
"""The watches on each piece of memory, by the id of the array that owns it; watches keep the owners alive."""
_watching = new_lock()
"""Held while a watch begins or ends; whoever writes reads a tuple that does not change."""


class Watch:
    """Becomes `dirty` when any of some arrays, or a view that shares their memory, is written."""

    def __init__(self, arrays: Iterable[Array]) -> None:
        self.dirty = False
        self._owners = [_owner(a) for a in arrays]
        own = weakref.ref(self)
        with _watching:
            for owner in self._owners:
                others = _watched.get(id(owner), ())
                _watched[id(owner)] = others if own in others else (*others, own)

    def __del__(self, watching: Any = _watching, watched: Any = _watched) -> None:
        with watching:  # by arguments, as modules may be empty when Python ends
            for owner in self._owners:
                others = watched.pop(id(owner), ())
                left = tuple([other for other in others if other() not in (None, self)])
                if left:
                    watched[id(owner)] = left


def _owner(array: Array) -> Array:
    while isinstance(array.base, type(array)):
        array = array.base
    return array


def written(array: Array) -> None:
    """Tell the watches that an array was written."""
    if _watched:
        for reference in _watched.get(id(_owner(array)), ()):
            watch = reference()
            if watch is not None:
                watch.dirty = True


def overwrite(array: Array, value: Array, key: Any = ...) -> None:
    """Write `value` into a region of an array, by default all of it.

    The watches know before as well: other threads see the new value before they could be told of it.
    """
    written(array)
    array[key] = value
    written(array)
