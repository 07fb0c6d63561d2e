"""Layers: `nn.Dense`, `nn.Conv2D`, `nn.HybridSequential` and the others, under MXNet's names."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("activations", "basic_layers", "conv_layers")
_BLOCKS = {"Block": "block", "HybridBlock": "hybrid_block", "SymbolBlock": "symbol_block"}
"""The bases of layers, and their modules in the package above."""


def __getattr__(name: str) -> Any:
    """A layer, the base of one, or a module of layers."""
    if name == "__all__":
        return __dir__()
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _BLOCKS:
        module = importlib.import_module(f"{__name__.rpartition('.')[0]}.{_BLOCKS[name]}")
        globals()[name] = getattr(module, name)
        return globals()[name]
    if not name.startswith("_"):
        for found in _modules():
            if name in found.__all__:
                globals()[name] = getattr(found, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _modules() -> list[Any]:
    return [importlib.import_module(f"{__name__}.{module}") for module in _MODULES]


def __dir__() -> list[str]:
    return sorted({*_BLOCKS, *(name for module in _modules() for name in module.__all__)})
