"""Optimizers under MXNet's names: `mx.optimizer.Adam(...)`, `mx.optimizer.create("adam", ...)`."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("optimizer", "updater", "sgd", "adam", "adaptive", "layerwise")
_SUBMODULES = (*_MODULES, "contrib")


def __getattr__(name: str) -> Any:
    """A module, or a class or function of one of them."""
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name.startswith("_"):
        raise AttributeError(name)
    for module in _MODULES:
        found = importlib.import_module(f"{__name__}.{module}")
        if name in found.__all__:
            globals()[name] = vars(found)[name]
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    modules = (importlib.import_module(f"{__name__}.{module}") for module in _MODULES)
    return sorted({*_SUBMODULES, *(name for module in modules for name in module.__all__)})
