"""Imports of determinants."""

from __future__ import annotations

from typing import Any

from ._registry import imports


@imports("Det", versions=(11, 22))
def det(F: Any, x: Any) -> Any:
    return F._linalg_det(x)
