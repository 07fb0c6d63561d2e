"""Symbols and the operators on them, under MXNet's names: `sym.var`, `sym.Convolution` and so on."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any


def __getattr__(name: str) -> Any:
    """A function, a group of operators, a module, or an operator."""
    if name.startswith("__"):
        raise AttributeError(name)
    if find_spec(f"{__name__}.{name}") is not None:  # `from . import` asks here before it looks for a file
        return importlib.import_module(f"{__name__}.{name}")
    namespace = importlib.import_module(f"{__name__}.namespace")
    creation = importlib.import_module(f"{__name__}._creation")
    if name in namespace.SPACES:
        found = namespace.Namespace(f"symbol.{name}", *namespace.SPACES[name])
    elif name in creation.__all__:
        found = getattr(creation, name)
    else:
        found = getattr(namespace.plain, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    namespace = importlib.import_module(f"{__name__}.namespace")
    creation = importlib.import_module(f"{__name__}._creation")
    return sorted({*namespace.SPACES, *creation.__all__, *dir(namespace.plain), "random"})
