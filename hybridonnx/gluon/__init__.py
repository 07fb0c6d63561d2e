"""Blocks, parameters and layers, under MXNet's names."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("block", "hybrid_block", "parameter", "symbol_block", "trainer")
_PACKAGES = ("contrib", "data", "loss", "model_zoo", "nn", "rnn", "utils")


def __getattr__(name: str) -> Any:
    """A subpackage, or a class of one of the modules."""
    if name in _PACKAGES or name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name.startswith("_"):
        raise AttributeError(name)
    for module in _MODULES:
        found = getattr(importlib.import_module(f"{__name__}.{module}"), name, None)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
