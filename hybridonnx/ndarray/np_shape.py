"""Whether NumPy's shape semantics are on in this thread: files with arrays without axes need them."""

from __future__ import annotations

import threading


class _State(threading.local):
    on = False


_state = _State()


def is_np_shape() -> bool:
    """Whether NumPy's shape semantics are on in this thread."""
    return _state.on


def set_np_shape(active: bool) -> bool:
    """Turn NumPy's shape semantics on or off in this thread; returns what they were."""
    before, _state.on = _state.on, bool(active)
    return before
