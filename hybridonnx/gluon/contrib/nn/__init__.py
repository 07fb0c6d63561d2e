"""Containers that run blocks side by side, and further layers."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """A layer, or the module that defines them."""
    layers = importlib.import_module(f"{__name__}.basic_layers")
    if name == "__all__":
        return __dir__()
    if name in layers.__all__:
        globals()[name] = getattr(layers, name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    names: list[str] = importlib.import_module(f"{__name__}.basic_layers").__all__
    return sorted(names)
