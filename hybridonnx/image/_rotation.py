"""Images as networks read them, (C, H, W) of float32, turned around their middle."""

from __future__ import annotations

import math

import numpy as np

from ..errors import DTypeError, ShapeError
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ._functions import ndarray_of


def imrotate(
    src: NDArray, rotation_degrees: float | NDArray, zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """An image, or several, turned around the middle; what comes from outside is 0.

    Args:
        src: (C, H, W), or (N, C, H, W) for several, of float32.
        rotation_degrees: The angle, or (N,) for one of each image.
        zoom_in: Whether images are enlarged until no corner is empty.
        zoom_out: Whether images are made smaller until all of them is seen.

    Returns:
        The shape of `src`.

    Raises:
        DTypeError: The images are not of float32, or one image has several angles.
        ShapeError: The shape is another, or there are as many angles as images not.
        ValueError: Both zooms are asked for.
    """
    if not isinstance(src, NDArray) or src.dtype != np.float32:
        kind = np.dtype(src.dtype).name if hasattr(src, "dtype") else type(src).__name__
        raise DTypeError(f"imrotate: an NDArray of float32 is required, got {kind}. Apply ToTensor before.")
    if zoom_in and zoom_out:
        raise ValueError("imrotate: zoom_in or zoom_out is required, got both.")
    if src.ndim not in (3, 4):
        raise ShapeError(f"imrotate: images (C, H, W) or (N, C, H, W) are required, got {src.shape}.")
    images = src._host if src.ndim == 4 else src._host[None]
    angles = _angles(src, rotation_degrees)
    turned = [_turned(image, angle, zoom_in, zoom_out) for image, angle in zip(images, angles, strict=True)]
    return ndarray_of(np.stack(turned).reshape(src.shape))


def _angles(src: NDArray, degrees: float | NDArray) -> list[float]:
    """The angle of each image, in radians."""
    count = src.shape[0] if src.ndim == 4 else 1
    if not isinstance(degrees, NDArray):
        return [math.radians(degrees)] * count
    if src.ndim == 3:
        raise DTypeError("imrotate: a number is required as the angle of one image, got an NDArray.")
    if degrees.size != count:
        raise ShapeError(f"imrotate: an angle for each of {count} images is required, got {degrees.size}.")
    return [math.radians(angle) for angle in degrees._host.ravel()]


def random_rotate(
    src: NDArray, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """An image, or several, turned by random angles, which NumPy's generator draws as in MXNet.

    Args:
        src: (C, H, W), or (N, C, H, W) for several, of float32.
        angle_limits: The least and the largest angle.
        zoom_in: Whether images are enlarged until no corner is empty.
        zoom_out: Whether images are made smaller until all of them is seen.

    Returns:
        The shape of `src`.
    """
    if src.ndim == 3:
        return imrotate(src, float(np.random.uniform(*angle_limits)), zoom_in, zoom_out)
    angles = np.random.uniform(*angle_limits, size=src.shape[0]).astype(np.float32)
    return imrotate(src, ndarray_of(angles), zoom_in, zoom_out)


def _turned(image: Array, angle: float, zoom_in: bool, zoom_out: bool) -> Array:
    """An image (C, H, W) turned by an angle in radians."""
    h, w = image.shape[-2:]
    rows, columns = np.meshgrid(np.arange(h) - (h - 1) / 2, np.arange(w) - (w - 1) / 2, indexing="ij")
    x = (columns * math.cos(angle) - rows * math.sin(angle)) * (2 / max(w - 1, 1))
    y = (columns * math.sin(angle) + rows * math.cos(angle)) * (2 / max(h - 1, 1))
    zoom = _zoom(h, w, angle, zoom_in, zoom_out)
    return _sampled(image, np.stack([x * zoom, y * zoom]).astype(np.float32)).astype(np.float32)


def _zoom(h: int, w: int, angle: float, zoom_in: bool, zoom_out: bool) -> float:
    """How much larger the part is that is seen: nothing is 0 with `zoom_in`, all is seen with `zoom_out`."""
    if not (zoom_in or zoom_out):
        return 1.0
    corner, radius = math.atan2(h, w), math.hypot(h, w)
    widest = max(abs(radius * math.cos(corner + turn)) for turn in (angle, -angle))
    highest = max(abs(radius * math.sin(corner + turn)) for turn in (angle, -angle))
    if zoom_out:
        return max(widest / w, highest / h)
    return min(w / widest, h / highest)


def _sampled(image: Array, grid: Array) -> Array:
    """An image (C, H, W) at positions (2, H, W) from -1 to 1, linearly; 0 outside."""
    h, w = image.shape[-2:]
    x, y = (grid[0] + 1) * ((w - 1) / 2), (grid[1] + 1) * ((h - 1) / 2)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    total = np.zeros(image.shape)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        row, column = top + i, left + j
        inside = (row >= 0) & (row < h) & (column >= 0) & (column < w)
        weight = (1 - abs(y - row)) * (1 - abs(x - column)) * inside
        total += image[..., row.clip(0, h - 1), column.clip(0, w - 1)] * weight
    return total
