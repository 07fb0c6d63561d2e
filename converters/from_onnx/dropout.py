"""Imports of dropout."""

from __future__ import annotations

from typing import Any

from ._registry import Const, imports


@imports("Dropout", versions=(1, 6, 7, 10))
def old_dropout(F: Any, x: Any, *, ratio: float = 0.5, is_test: int = 0) -> Any:
    """The versions with the ratio as an attribute. In a model for inference the mask keeps everything."""
    return F.Dropout(x, p=ratio), F.ones_like(x)


@imports("Dropout", versions=(12, 13, 22))
def dropout(F: Any, x: Any, ratio: Const = None, training_mode: Const = None, *, seed: int = 0) -> Any:
    """As in MXNet; a model in training mode drops at every run."""
    p = 0.5 if ratio is None else float(ratio)
    always = training_mode is not None and bool(training_mode)
    if always:
        return F.Dropout(x, p=p, mode="always")
    return F.Dropout(x, p=p), F.ones_like(x)
