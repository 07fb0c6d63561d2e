"""Further layers and samplers that MXNet has as contributions: `gluon.contrib.nn`, `gluon.contrib.data`."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """A package in this folder."""
    if not name.startswith("_"):
        path = f"{__name__}.{name}"
        try:
            return importlib.import_module(path)
        except ModuleNotFoundError as exc:
            if exc.name != path:
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
