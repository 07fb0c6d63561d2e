"""Noticing that arrays change in place, for those who keep something that was made from their values."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from .._locks import new_lock
from ..ops import Array

_watched: dict[int, tuple[weakref.ref[Watch], ...]] = {}
"""The watches on each piece of memory, by the id of the array that owns it, which lives longer."""
_watching = new_lock()
"""Held while a watch begins or ends; whoever writes reads a tuple that does not change."""


class Watch:
    """Becomes `dirty` when any of some arrays, or a view that shares their memory, is written.

    It keeps the arrays alive, unless it does not hold them: then whoever made it has it end before they do.
    """

    def __init__(self, arrays: Iterable[Array], holds: bool = True) -> None:
        self.dirty = False
        owners = [_owner(a) for a in arrays]
        self._ids, self._held = [id(owner) for owner in owners], owners if holds else None
        own = weakref.ref(self)
        with _watching:
            for key in self._ids:
                others = _watched.get(key, ())
                _watched[key] = others if own in others else (*others, own)

    def __del__(self, watching: Any = _watching, watched: Any = _watched) -> None:
        with watching:  # by arguments, as modules may be empty when Python ends
            for key in self._ids:
                others = watched.pop(key, ())
                left = tuple([other for other in others if other() not in (None, self)])
                if left:
                    watched[key] = left


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
