"""OpenCV where it is installed, and what it does faster than NumPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .. import config
from ..errors import ShapeError
from ._operator import Array
from ._resampling import resized

_MOST_CHANNELS = 4
_DTYPES = (np.uint8, np.float32, np.float64)


def opencv() -> Any:
    """The module of OpenCV, `None` if it is not installed."""
    try:
        return importlib.import_module("cv2")
    except ImportError:
        return None


def resampled(image: Array, height: int, width: int, interp: int) -> Array:
    """An image (h, w, C) with another height and width, by OpenCV if it is installed.

    Without it the numbers are those of the OpenCV that MXNet has; newer ones round some results of cubic
    interpolation, 2, otherwise, by 1 of 255.
    """
    limit = config.PIXELS()
    if height * width > limit:
        raise ShapeError(
            f"resize: at most {limit} pixels are required, got {width} x {height} for an image of "
            f"{image.shape[1]} x {image.shape[0]}. Set {config.PIXELS.name} to a higher number for more."
        )
    cv2 = opencv()
    if cv2 is None or image.shape[2] > _MOST_CHANNELS or image.dtype not in _DTYPES:
        return resized(image, height, width, interp)
    pixels: Array = cv2.resize(np.ascontiguousarray(image), (width, height), interpolation=interp)
    return pixels if pixels.ndim == 3 else pixels[..., None]
