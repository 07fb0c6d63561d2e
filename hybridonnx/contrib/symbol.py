"""The operators of `sym.contrib`, under the name that MXNet's module has."""

from __future__ import annotations

from typing import Any

from ..symbol import contrib as _contrib


def __getattr__(name: str) -> Any:
    """What `sym.contrib` calls `name`."""
    return getattr(_contrib, name)


def __dir__() -> list[str]:
    return dir(_contrib)
