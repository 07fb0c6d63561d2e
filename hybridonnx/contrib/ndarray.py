"""The operators of `nd.contrib`, under the name that MXNet's module has."""

from __future__ import annotations

from typing import Any

from ..ndarray import contrib as _contrib


def __getattr__(name: str) -> Any:
    """What `nd.contrib` calls `name`."""
    return getattr(_contrib, name)


def __dir__() -> list[str]:
    return dir(_contrib)
