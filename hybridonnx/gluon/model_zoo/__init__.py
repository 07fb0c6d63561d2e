"""Known networks, in MXNet's structure and names: `gluon.model_zoo.vision`."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("model_store", "vision")


def __getattr__(name: str) -> Any:
    """The store of parameter files, or the package of networks."""
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
