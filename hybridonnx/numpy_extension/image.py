"""`mx.npx.image`: operators on images as arrays of mx.np, and what `mx.image` has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import image as _images
from .._lazy import lazy_module as _lazy_module
from ..ndarray.numpy_extension import image as _operators

if TYPE_CHECKING:
    from ..image import *  # noqa: F403
    from ..ndarray.numpy_extension.image import *  # noqa: F403


def _value(name: str) -> Any:
    return getattr(_operators if name in dir(_operators) else _images, name)


__getattr__, __dir__ = _lazy_module(__name__, _value, lambda: [*dir(_operators), *dir(_images)])
