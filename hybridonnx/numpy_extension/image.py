"""`mx.npx.image`: operators on images as arrays of mx.np, and what `mx.image` has."""

from __future__ import annotations

from typing import Any

from .. import image as _images
from ..ndarray.numpy_extension import image as _operators


def __getattr__(name: str) -> Any:
    """An operator on images, or what `mx.image` calls so."""
    if name == "__all__":
        return __dir__()
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_operators if name in dir(_operators) else _images, name)


def __dir__() -> list[str]:
    return sorted({*dir(_operators), *(n for n in dir(_images) if not n.startswith("_"))})
