"""`sym.np`: NumPy's functions on symbols, as `F.np` in a hybrid block that is traced."""

from __future__ import annotations

from typing import Any

from . import np_linalg, np_random
from .np_symbol import FUNCTIONS
from .np_symbol import _Symbol as _Symbol

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
