"""Arrays and the operators on them, under MXNet's names: `nd.array`, `nd.Convolution` and so on."""

from __future__ import annotations

import importlib
from typing import Any

_SPACES = {
    "_internal": ("_", "", "_random_"),
    "contrib": ("_contrib_",),
    "image": ("_image_",),
    "linalg": ("_linalg_",),
    "op": ("",),
    "sparse": ("_sparse_", ""),
}


def __getattr__(name: str) -> Any:
    """A function of one of the modules, a group of operators, or an operator."""
    if name.startswith("__"):
        raise AttributeError(name)
    for module in ("creation", "arithmetic", "ndarray"):
        found = getattr(importlib.import_module(f"{__name__}.{module}"), name, None)
        if found is not None:
            break
    else:
        namespace = importlib.import_module(f"{__name__}._namespace")
        found = (
            namespace.Namespace(f"nd.{name}", *_SPACES[name])
            if name in _SPACES
            else getattr(namespace.F, name)
        )
    globals()[name] = found
    return found
