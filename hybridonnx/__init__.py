"""Gluon's hybrid programming model on ONNX Runtime, with MXNet's names and file formats.

    import hybridonnx as mx

Everything is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "nd": "ndarray",
    "sym": "symbol",
    "init": "initializer",
    "kv": "kvstore",
    "mod": "module",
    "mon": "monitor",
    "rnd": "random",
    "viz": "visualization",
}
"""Short names of modules."""
_NAMES = {
    "AttrScope": "attribute",
    "Context": "context",
    "MXNetError": "errors",
    "NDArray": "ndarray",
    "Symbol": "symbol",
    "__version__": "_version",
    "cpu": "context",
    "cpu_pinned": "context",
    "current_context": "context",
    "gpu": "context",
    "num_gpus": "context",
}
"""Names that are in the root, and their modules."""


def __getattr__(name: str) -> Any:
    """A module by its name or short name, or one of the root's own names."""
    if name in _NAMES:
        found = getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
    elif name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        path = f"{__name__}.{_MODULES.get(name, name)}"
        try:
            found = importlib.import_module(path)
        except ModuleNotFoundError as exc:
            if exc.name != path:
                raise
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*(n for n in globals() if not n.startswith("_")), *_MODULES, *_NAMES})
