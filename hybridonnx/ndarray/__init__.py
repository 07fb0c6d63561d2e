"""Arrays and the operators on them, under MXNet's names: `nd.array`, `nd.Convolution` and so on."""

from __future__ import annotations

import importlib
from typing import Any

_SPACES = {
    "_internal": ("_", "", "_random_"),
    "image": ("_image_",),
    "linalg": ("_linalg_",),
    "op": ("",),
}
_SUBMODULES = ("contrib", "random", "sparse")
_MODULES = ("creation", "arrangement", "arithmetic", "ndarray", "files")


def __getattr__(name: str) -> Any:
    """A function of one of the modules, a group of operators, a module, or an operator."""
    if name.startswith("__"):
        raise AttributeError(name)
    namespace = importlib.import_module(f"{__name__}.namespace")
    if name in _SPACES:
        found = namespace.Namespace(f"nd.{name}", *_SPACES[name])
    elif name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    else:
        found = _function(name) or getattr(namespace.F, name)
    globals()[name] = found
    return found


def _function(name: str) -> Any:
    if name.startswith("_"):
        return None
    modules = (importlib.import_module(f"{__name__}.{module}") for module in _MODULES)
    return next((vars(module)[name] for module in modules if name in vars(module)), None)


def __dir__() -> list[str]:
    names = {*globals(), *_SPACES, *_SUBMODULES, *dir(importlib.import_module(f"{__name__}.namespace").F)}
    for module in _MODULES:
        names |= {n for n, v in vars(importlib.import_module(f"{__name__}.{module}")).items() if callable(v)}
    return sorted(n for n in names if not n.startswith("_"))
