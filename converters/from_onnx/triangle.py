"""Imports of triangles of matrices."""

from __future__ import annotations

from typing import Any

from ._registry import Const, imports


@imports("Trilu", versions=(14,))
def trilu(F: Any, x: Any, k: Const = None, *, upper: int = 1) -> Any:
    return F._triangle(x, lower=not upper, k=0 if k is None else int(k.item()))
