"""Whether NumPy's semantics are on: of shapes, which files with arrays without axes need, and of arrays."""

from __future__ import annotations

import threading
from typing import Any, Self


class _State(threading.local):
    shape: bool | None = None
    array: bool | None = None
    scopes: Any = None
    """The innermost scope, what held before it, and the scopes around it."""


class _Everywhere:
    shape = False
    array = False


_state = _State()
_everywhere = _Everywhere()
"""What holds in threads that have not said otherwise."""


def is_np_shape() -> bool:
    """Whether NumPy's shape semantics are on in this thread."""
    return _everywhere.shape if _state.shape is None else _state.shape


def set_np_shape(active: bool) -> bool:
    """Turn NumPy's shape semantics on or off in this thread; returns what they were."""
    before, _state.shape = is_np_shape(), bool(active)
    return before


def is_np_array() -> bool:
    """Whether blocks and the like make and take `mx.np.ndarray` in this thread."""
    return _everywhere.array if _state.array is None else _state.array


def set_np_array(active: bool) -> bool:
    """Have blocks make `mx.np.ndarray` in this thread, or `nd.NDArray`; returns whether they did before."""
    before, _state.array = is_np_array(), bool(active)
    return before


class Scope:
    """A `with` block in which semantics are on or off."""

    def __init__(self, active: bool = True) -> None:
        self._active = active

    def __exit__(self, *_: object) -> None:
        scopes = _state.scopes
        while scopes is not None and scopes[0] is not self:
            scopes = scopes[3]
        if scopes is not None:
            _, _state.shape, _state.array, _state.scopes = scopes


class ShapeScope(Scope):
    """A `with` block with or without NumPy's shape semantics."""

    def __enter__(self) -> Self:
        _state.scopes = self, _state.shape, _state.array, _state.scopes  # as `autograd.scopes` tells
        _state.shape = self._active
        return self


class ArrayScope(Scope):
    """A `with` block with or without NumPy's array semantics."""

    def __enter__(self) -> Self:
        _state.scopes = self, _state.shape, _state.array, _state.scopes
        _state.array = self._active
        return self


def set_everywhere(shape: bool, array: bool) -> None:
    """Turn both on or off, in every thread that does not say otherwise later."""
    _everywhere.shape, _everywhere.array = shape, array
    _state.shape = _state.array = None
