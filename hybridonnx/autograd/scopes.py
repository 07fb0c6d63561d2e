"""Whether operators are recorded and behave as in training: a state of each thread, and its scopes."""

from __future__ import annotations

import threading


class _State(threading.local):
    recording = False
    training = False


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

    __slots__ = ("_before", "_recording", "_training")

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._recording = recording
        self._training = training
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((state.recording, state.training))
        if self._recording is not None:
            state.recording = self._recording
        if self._training is not None:
            state.training = self._training

    def __exit__(self, *_: object) -> None:
        state.recording, state.training = self._before.pop()


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
