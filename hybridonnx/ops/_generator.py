"""Seeds and the generator that every draw comes from."""

from __future__ import annotations

import operator
import threading

import numpy as np

from .._locks import new_lock, no_fork
from ..errors import AttributeValueError

_lock = new_lock()
_generator = np.random.default_rng()
_thread = threading.local()


def seed(seed_state: int, ctx: object = "all") -> None:
    """Start the generator anew, so that the same draws follow. All devices share it, whatever `ctx` says."""
    global _generator
    try:
        fresh = np.random.default_rng(operator.index(seed_state) & 0xFFFFFFFF)
    except TypeError:
        raise AttributeValueError(f"random.seed: an integer is required, got {seed_state!r}.") from None
    with no_fork(), _lock:
        _generator = fresh


class Drawing:
    """The generator, for as long as the `with` block lasts; other threads wait."""

    def __enter__(self) -> np.random.Generator:
        own: np.random.Generator | None = getattr(_thread, "generator", None)
        self._shared = own is None
        if own is not None:
            return own
        self._gate = no_fork()
        self._gate.__enter__()
        _lock.acquire()
        return _generator

    def __exit__(self, *_: object) -> None:
        if self._shared:
            _lock.release()
            self._gate.__exit__(None, None, None)


class DrawingFrom:
    """A generator that this thread draws from, instead, for as long as the `with` block lasts.

    So what several threads draw does not depend on which of them is first.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def __enter__(self) -> None:
        self._before = getattr(_thread, "generator", None)
        _thread.generator = self._generator

    def __exit__(self, *_: object) -> None:
        _thread.generator = self._before
