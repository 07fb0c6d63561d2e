"""Seeds and the generator that every draw comes from."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..errors import AttributeValueError

_lock = threading.Lock()
_generator = np.random.default_rng()


def seed(seed_state: int, ctx: Any = "all") -> None:
    """Start the generator anew, so that the same draws follow. All devices share it, whatever `ctx` says."""
    global _generator
    try:
        fresh = np.random.default_rng(int(seed_state) & 0xFFFFFFFF)
    except (TypeError, ValueError):
        raise AttributeValueError(f"random.seed: a whole number is required, got {seed_state!r}.") from None
    with _lock:
        _generator = fresh


class Drawing:
    """The generator, for as long as the `with` block lasts; other threads wait."""

    def __enter__(self) -> np.random.Generator:
        _lock.acquire()
        return _generator

    def __exit__(self, *_: object) -> None:
        _lock.release()
