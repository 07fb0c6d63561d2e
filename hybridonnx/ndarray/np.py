"""`nd.np`: NumPy's functions on arrays, as `F.np` in a hybrid block that runs eagerly."""

from __future__ import annotations

from typing import Any

from . import np_linalg, np_random
from .np_array import FUNCTIONS

linalg, random = np_linalg, np_random


def __getattr__(name: str) -> Any:
    """A function by NumPy's name for it."""
    if name == "__all__":
        return __dir__()
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(FUNCTIONS, name)


def __dir__() -> list[str]:
    names = (n for n in dir(FUNCTIONS) if not n.startswith("_") and n != "binary")
    return sorted({"linalg", "random", *names})
