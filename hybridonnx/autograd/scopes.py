"""Whether operators are recorded and behave as in training: a state of each thread, and its scopes.

Python looks for an interrupt where a function begins, after a call, and where a loop begins anew. So a scope,
here and elsewhere, takes effect by assignments that no call comes after, and ends by assignments that no call
comes before; it brings back what held before it, even if a block inside of it could not end.
"""

from __future__ import annotations

import threading
from typing import Any


class _State(threading.local):
    recording = False
    training = False
    scopes: Any = None
    """The innermost scope, what held before it, and the scopes around it."""


state = _State()
"""Whether this thread records, and whether it trains."""


def is_recording() -> bool:
    """Whether operators are being recorded for differentiation."""
    return state.recording


def is_training() -> bool:
    """Whether operators such as Dropout and BatchNorm behave as in training."""
    return state.training


def set_recording(is_recording: bool) -> bool:
    """Turn recording on or off; returns what it was."""
    before, state.recording = state.recording, bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Turn training mode on or off; returns what it was."""
    before, state.training = state.training, bool(train_mode)
    return before


class Scope:
    """A `with` block that sets both, or one; it may be entered again, and inside itself."""

    __slots__ = ("_recording", "_training")

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._recording = recording
        self._training = training

    def __enter__(self) -> None:
        state.scopes = self, state.recording, state.training, state.scopes
        if self._recording is not None:
            state.recording = self._recording
        if self._training is not None:
            state.training = self._training

    def __exit__(self, *_: object) -> None:
        scopes = state.scopes
        while scopes is not None and scopes[0] is not self:
            scopes = scopes[3]
        if scopes is not None:
            _, state.recording, state.training, state.scopes = scopes


def record(train_mode: bool | None = True) -> Scope:
    """A scope whose operators are recorded, by default as in training."""
    return Scope(True, train_mode)


def pause(train_mode: bool | None = False) -> Scope:
    """A scope inside `record` whose operators are not recorded."""
    return Scope(False, train_mode)


def train_mode() -> Scope:
    """A scope in which operators behave as in training, recorded or not."""
    return Scope(None, True)


def predict_mode() -> Scope:
    """A scope in which operators behave as in prediction, recorded or not."""
    return Scope(None, False)
