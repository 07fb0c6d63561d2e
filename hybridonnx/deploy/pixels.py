"""Pictures as inputs of models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import image
from ..errors import ShapeError
from ..ndarray.ndarray import NDArray
from ..onnx.inspection import Declaration
from ..ops import Array

__all__ = ["EXTENSIONS", "Pixels", "decode", "picture"]

EXTENSIONS = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
_COLOURS = 3


class Pixels(NamedTuple):
    """What becomes of an image's pixels, from 0 to 255: each is divided by `scale`, then normalized."""

    scale: float = 1.0
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    """Of each colour."""
    bgr: bool = False
    """Whether blue is the first colour, not red."""
    crop: bool = False
    """Whether an image keeps its ratio and loses its edges, instead of being stretched to the input."""


def decode(content: bytes, item: Declaration, pixels: Pixels = Pixels()) -> NDArray:  # noqa: B008
    """The image (H, W, C) in a file's bytes, with the colours that an input takes.

    Args:
        content: The bytes.
        item: The input.
        pixels: Of which `bgr` counts.

    Raises:
        MXNetError: If they are no image that can be read.
    """
    return image.imdecode(content, 0 if _layout(item)[0] == 1 else 1, not pixels.bgr)


def picture(data: NDArray, item: Declaration, pixels: Pixels) -> Array:
    """An image as a model takes it: of its size, with the colours in the axis that it has them in.

    Args:
        data: The image (H, W, C).
        item: The input, (N, C, H, W) or (N, H, W, C).
        pixels: What becomes of its numbers.

    Returns:
        The image without the axis of the batch.
    """
    _, last, height, width = _layout(item)
    if isinstance(height, int) and isinstance(width, int) and data.shape[:2] != (height, width):
        if pixels.crop:
            data = _cropped(data, height, width)
        else:
            data = image.imresize(data, width, height)
    array = data.asnumpy()
    if item.dtype != "uint8":
        mean, std = np.array(pixels.mean or (0.0,)), np.array(pixels.std or (1.0,))
        array = ((array / pixels.scale - mean) / std).astype(item.dtype)
    return array if last else array.transpose(2, 0, 1)


def _layout(item: Declaration) -> tuple[object, bool, object, object]:
    """How many colours there are, whether they are in the last axis, height and width."""
    shape = (None, _COLOURS, None, None) if item.shape is None else item.shape
    if len(shape) != 4:
        raise ShapeError(
            f"an input (N, C, H, W) or (N, H, W, C) is required for images, got {item.name} with "
            f"{len(shape)} axes."
        )
    last = shape[3] in (1, _COLOURS) and shape[1] not in (1, _COLOURS)
    return (shape[3], last, *shape[1:3]) if last else (shape[1], last, *shape[2:])


def _cropped(data: NDArray, height: int, width: int) -> NDArray:
    """The middle of an image, after its shorter side was made as long as the input's."""
    ratio = max(height / data.shape[0], width / data.shape[1])
    tall, wide = max(round(data.shape[0] * ratio), height), max(round(data.shape[1] * ratio), width)
    data = image.imresize(data, wide, tall)
    top, left = (tall - height) // 2, (wide - width) // 2
    return data[top : top + height, left : left + width]
