"""`mx.npx.image`: operators on images as arrays of mx.np, and what `mx.image` has."""

from __future__ import annotations

from typing import Any

from .. import image as _images
from ..ndarray import image as _operators
from ..ndarray.np_array import as_np as _as_np

_NAMES = (
    "adjust_lighting crop flip_left_right flip_top_bottom normalize random_brightness random_color_jitter "
    "random_contrast random_flip_left_right random_flip_top_bottom random_hue random_lighting "
    "random_saturation resize to_tensor"
).split()


def __getattr__(name: str) -> Any:
    """An operator on images, or what `mx.image` calls so."""
    if name == "__all__":
        return __dir__()
    if name in _NAMES:
        operator = getattr(_operators, name)
        return lambda *args, **kwargs: _as_np(operator(*args, **kwargs))
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_images, name)


def __dir__() -> list[str]:
    return sorted({*_NAMES, *(n for n in dir(_images) if not n.startswith("_"))})
