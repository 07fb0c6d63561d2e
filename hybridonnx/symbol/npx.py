"""`sym.npx`: operators of neural networks on symbols of mx.np, `F.npx` in a hybrid block that is traced."""

from __future__ import annotations

from typing import Any

from .np_symbol import EXTENSION


def __getattr__(name: str) -> Any:
    """An operator by its name in mx.npx."""
    if name == "__all__":
        return __dir__()
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(EXTENSION, name)


def __dir__() -> list[str]:
    return dir(EXTENSION)
