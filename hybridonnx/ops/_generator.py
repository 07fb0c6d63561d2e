"""Seeds and the generator that every draw comes from."""

from __future__ import annotations

import operator
import threading
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from .._locks import new_lock, no_fork
from ..errors import AttributeValueError

_lock = new_lock()
_making = new_lock()
_generator: np.random.Generator | None = None
"""Made when it is first asked for: to load NumPy's random numbers takes 14 ms."""
_thread = threading.local()


def seed(seed_state: int, ctx: object = "all") -> None:
    """Start the generator anew, so that the same draws follow. All devices share it, whatever `ctx` says."""
    global _generator
    try:
        fresh = np.random.default_rng(operator.index(seed_state) & 0xFFFFFFFF)
    except TypeError:
        raise AttributeValueError(f"random.seed: an integer is required, got {seed_state!r}.") from None
    with no_fork(), _lock, _making:  # or a thread that is making the first one would put it in the place
        _generator = fresh


def drawing() -> AbstractContextManager[object]:
    """What a `with` block holds while it draws from the `generator()`: threads that share one wait.

    `no_fork()` comes before it. It is a lock itself, which Python lets go of even if an interrupt comes as
    the block begins or ends.
    """
    return _lock if getattr(_thread, "generator", None) is None else nullcontext()


def generator() -> np.random.Generator:
    """The generator that this thread draws from."""
    global _generator
    own: np.random.Generator | None = getattr(_thread, "generator", None)
    if own is not None:
        return own
    if _generator is None:
        with no_fork(), _making:
            _generator = _generator or np.random.default_rng()
    return _generator


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
