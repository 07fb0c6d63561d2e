"""Further recurrent cells: `contrib.rnn.Conv2DLSTMCell` and the others, under MXNet's names."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("conv_rnn_cell", "rnn_cell")


def __getattr__(name: str) -> Any:
    """A cell, or a module of them."""
    if name == "__all__":
        return __dir__()
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        for module in _modules():
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _modules() -> list[Any]:
    return [importlib.import_module(f"{__name__}.{module}") for module in _MODULES]


def __dir__() -> list[str]:
    return sorted(name for module in _modules() for name in module.__all__)
