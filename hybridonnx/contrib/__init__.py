"""What MXNet keeps apart as contributed: ONNX, and operators whose names begin with `_contrib_`."""

from __future__ import annotations

import importlib
from typing import Any

_OPERATORS = {"nd": "ndarray", "ndarray": "ndarray", "sym": "symbol", "symbol": "symbol"}


def __getattr__(name: str) -> Any:
    """A module, or the operators on arrays or symbols."""
    if name in _OPERATORS:
        return importlib.import_module(f"hybridonnx.{_OPERATORS[name]}").contrib
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as exc:
        if exc.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
