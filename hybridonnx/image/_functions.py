"""Images as arrays (H, W, C): read from files, resized, cut out, set into borders.

Crops draw from Python's generator `random`, as MXNet's do.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..context import cpu
from ..errors import (
    AttributeValueError,
    DTypeError,
    FormatError,
    MissingFileError,
    RequirementError,
    content_of,
    is_file,
)
from ..formats.files import PathLike
from ..ndarray.namespace import F
from ..ndarray.ndarray import NDArray
from ..ndarray.np_array import shown
from ..ops import Array
from ..ops.cvimage import CUBIC, decoded, interpolation_between, resampled, size_by_shorter_side

Box: TypeAlias = tuple[int, int, int, int]
"""The first column and row of a part of an image, its width and its height."""
Size: TypeAlias = tuple[int, int]
"""A width and a height."""

_INTERPOLATIONS = range(5)
_AUTO, _RANDOM = 9, 10
_TRIES = 10


def ndarray_of(values: Array) -> NDArray:
    """An array of values, which is an `mx.np.ndarray` where blocks make these."""
    return shown(NDArray(values, cpu()))


# ---- files


def imdecode(
    buf: bytes | bytearray | Array | NDArray, flag: int = 1, to_rgb: bool = True, out: NDArray | None = None
) -> NDArray:
    """The image (H, W, 3) that the bytes of a file are, as uint8; in grey (H, W, 1) if `flag` is 0.

    OpenCV reads it, or Pillow where OpenCV is not installed. Which way up a camera was held (EXIF) and
    transparency do not count, as in MXNet.

    Args:
        buf: The bytes of a file of an image.
        flag: 0 for grey, another for three colours.
        to_rgb: Whether red is the first colour; else blue is.
        out: The array that receives the image.

    Returns:
        The image.

    Raises:
        FormatError: The bytes are no image, or one of more pixels than `HYBRIDONNX_PIXELS` allows.
    """
    if isinstance(buf, NDArray):
        content = buf.asnumpy().astype(np.uint8, copy=False).tobytes()
    elif isinstance(buf, bytes | bytearray | memoryview | np.ndarray):
        content = (
            bytes(buf) if not isinstance(buf, np.ndarray) else buf.astype(np.uint8, copy=False).tobytes()
        )
    else:
        raise ValueError(f"imdecode: bytes, or an array of them, are required, got {type(buf).__name__}.")
    return _placed(_image(content, flag, to_rgb, "imdecode"), out)


def imread(filename: PathLike, flag: int = 1, to_rgb: bool = True, out: NDArray | None = None) -> NDArray:
    """The image in a file, as `imdecode` gives it.

    Args:
        filename: The file's path.
        flag: 0 for grey, another for three colours.
        to_rgb: Whether red is the first colour; else blue is.
        out: The array that receives the image.

    Returns:
        The image (H, W, 3), or (H, W, 1), as uint8.

    Raises:
        MissingFileError: There is no such file.
        FormatError: The file is no image.
    """
    path = Path(filename)
    if not is_file(path):
        raise MissingFileError(f"imread: an image file is required, got {str(filename)!r}.")
    return _placed(_image(content_of(path), flag, to_rgb, f"imread: {filename}"), out)


def _image(content: bytes, flag: int, to_rgb: bool, where: str) -> Array:
    if flag < 0:
        raise AttributeValueError(f"{where}: a flag from 0 on is required, got {flag}.")
    if not content:
        raise FormatError(f"{where}: the bytes of an image are required, got none.")
    pixels = decoded(content, flag, where)
    return pixels if to_rgb or not flag else np.ascontiguousarray(pixels[..., ::-1])


def _placed(pixels: Array, out: NDArray | None) -> NDArray:
    if out is None:
        return ndarray_of(pixels)
    out[:] = ndarray_of(pixels)
    return out


# ---- sizes


def interpolation(interp: int, sizes: Sequence[int] = ()) -> int:
    """The interpolation for a number: 9 chooses by the old and new height and width, 10 at random."""
    if interp == _AUTO:
        return interpolation_between(*sizes) if sizes else CUBIC
    if interp == _RANDOM:
        return random.randint(0, _INTERPOLATIONS[-1])
    if interp not in _INTERPOLATIONS:
        raise ValueError(f"interp: 0 to 4, 9 for a choice by sizes, or 10 for any is required, got {interp}.")
    return interp


def _pixels(owner: str, src: NDArray) -> Array:
    """The array of an image with pixels."""
    if not isinstance(src, NDArray):
        raise RequirementError(f"{owner}: an NDArray is required as the image, got {type(src).__name__}.")
    if src.ndim != 3 or 0 in src.shape:
        raise RequirementError(f"{owner}: an image (H, W, C) with pixels is required, got {src.shape}.")
    return src._host


def imresize(src: NDArray, w: int, h: int, interp: int = 1, out: NDArray | None = None) -> NDArray:
    """An image with another width and height.

    By OpenCV where it is installed; without it the numbers are the same, but for some results of cubic
    interpolation, where they are those of the OpenCV that MXNet has, and newer ones differ by 1.

    Args:
        src: (H, W, C), of uint8 or floating-point numbers.
        w: The new width.
        h: The new height.
        interp: 0 nearest, 1 linear, 2 cubic, 3 by area, 4 Lanczos over 8 by 8 pixels, 9 for cubic to larger
            sizes, by area to smaller ones, else linear, 10 for any of the first five at random.
        out: The array that receives the result.

    Returns:
        The image (h, w, C).

    Raises:
        AttributeValueError: The width or height is below 1.
        DTypeError: The image's numbers are integers other than uint8.
    """
    pixels = _pixels("imresize", src)
    if not isinstance(w, int | np.integer) or not isinstance(h, int | np.integer) or min(w, h) < 1:
        raise AttributeValueError(
            f"imresize: a width and height of 1 or more are required, got {w!r} and {h!r}."
        )
    if pixels.dtype != np.uint8 and pixels.dtype.kind != "f":
        raise DTypeError(f"imresize: uint8 or floating-point numbers are required, got {pixels.dtype}.")
    method = interpolation(interp, (*pixels.shape[:2], h, w))
    return _placed(resampled(pixels, int(h), int(w), method), out)


def scale_down(src_size: Size, size: Size) -> Size:
    """A width and height in the ratio of `size` that are not larger than those of an image.

    Args:
        src_size: The width and height of the image.
        size: The width and height that are wanted.

    Returns:
        `size`, or as much of it as fits, as integers.
    """
    w, h = map(float, size)
    widest, highest = src_size
    if highest < h:
        w, h = w * highest / h, highest
    if widest < w:
        w, h = widest, h * widest / w
    return int(w), int(h)


def resize_short(src: NDArray, size: int, interp: int = 2) -> NDArray:
    """An image whose shorter side is `size` long, in the same ratio.

    Args:
        src: (H, W, C).
        size: The length of the shorter side.
        interp: As in `imresize`.

    Returns:
        The resized image.
    """
    h, w = _pixels("resize_short", src).shape[:2]
    height, width = size_by_shorter_side(size, h, w)
    return imresize(src, width, height, interpolation(interp, (h, w, height, width)))


# ---- parts


def fixed_crop(
    src: NDArray, x0: int, y0: int, w: int, h: int, size: Size | None = None, interp: int = 2
) -> NDArray:
    """The part of an image at a place, resized if a size is given.

    Args:
        src: (H, W, C).
        x0: The first column.
        y0: The first row.
        w: The width of the part; what lies beyond the image is left out.
        h: The height of the part.
        size: The width and height of the result; `None` for those of the part.
        interp: As in `imresize`.

    Returns:
        The part.
    """
    pixels = _pixels("fixed_crop", src)
    if min(x0, y0) < 0 or min(w, h) < 1 or x0 >= pixels.shape[1] or y0 >= pixels.shape[0]:
        raise AttributeValueError(
            f"fixed_crop: a part inside the image {src.shape} is required, got {w} x {h} from ({x0}, {y0})."
        )
    part = ndarray_of(pixels[y0 : y0 + h, x0 : x0 + w].copy())
    if size is None or tuple(size) == (w, h):
        return part
    return imresize(part, *size, interpolation(interp, (h, w, size[1], size[0])))


def random_crop(src: NDArray, size: Size, interp: int = 2) -> tuple[NDArray, Box]:
    """A part of an image at a random place, in the ratio of `size`, resized to it if the image is smaller.

    Args:
        src: (H, W, C).
        size: The width and height of the result.
        interp: As in `imresize`.

    Returns:
        The part, and where it was: first column, first row, width, height.
    """
    h, w = _pixels("random_crop", src).shape[:2]
    width, height = scale_down((w, h), size)
    x0 = random.randint(0, w - width)
    y0 = random.randint(0, h - height)
    return fixed_crop(src, x0, y0, width, height, size, interp), (x0, y0, width, height)


def center_crop(src: NDArray, size: Size, interp: int = 2) -> tuple[NDArray, Box]:
    """The middle of an image, in the ratio of `size`, resized to it if the image is smaller.

    Args:
        src: (H, W, C).
        size: The width and height of the result.
        interp: As in `imresize`.

    Returns:
        The part, and where it was: first column, first row, width, height.
    """
    h, w = _pixels("center_crop", src).shape[:2]
    width, height = scale_down((w, h), size)
    x0, y0 = int((w - width) / 2), int((h - height) / 2)
    return fixed_crop(src, x0, y0, width, height, size, interp), (x0, y0, width, height)


def random_size_crop(
    src: NDArray,
    size: Size,
    area: float | tuple[float, float],
    ratio: tuple[float, float],
    interp: int = 2,
    **kwargs: float,
) -> tuple[NDArray, Box]:
    """A part of an image at a random place with a random area and ratio, resized to `size`.

    Args:
        src: (H, W, C).
        size: The width and height of the result.
        area: The least and largest share of the image's area, or the least share alone.
        ratio: The least and largest width by height.
        interp: As in `imresize`.
        **kwargs: `min_area`, the older name of `area`.

    Returns:
        The part, and where it was: first column, first row, width, height. After ten parts that do not fit
        it is the image's middle.
    """
    h, w = _pixels("random_size_crop", src).shape[:2]
    area = kwargs.pop("min_area", area)
    if kwargs:
        raise RequirementError(f"random_size_crop: there is no argument {', '.join(kwargs)}.")
    low, high = area if isinstance(area, list | tuple) else (area, 1.0)
    for _ in range(_TRIES):
        pixels = random.uniform(low, high) * h * w
        shape = np.exp(random.uniform(np.log(ratio[0]), np.log(ratio[1])))
        width, height = round(math.sqrt(pixels * shape)), round(math.sqrt(pixels / shape))
        if width <= w and height <= h:
            x0, y0 = random.randint(0, w - width), random.randint(0, h - height)
            return fixed_crop(src, x0, y0, width, height, size, interp), (x0, y0, width, height)
    return center_crop(src, size, interp)


# ---- values and borders


def color_normalize(src: NDArray, mean: NDArray | None, std: NDArray | None = None) -> NDArray:
    """An image minus a mean, divided by a deviation; it is changed itself.

    Args:
        src: (H, W, C), of floating-point numbers.
        mean: What is subtracted, (C,) or of a shape that broadcasts; `None` for nothing.
        std: What is divided by; `None` for nothing.

    Returns:
        `src`.
    """
    if mean is not None:
        src -= mean
    if std is not None:
        src /= std
    return src


def copyMakeBorder(
    src: NDArray,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: float = 0.0,
    values: Sequence[float] = (),
    out: NDArray | None = None,
) -> NDArray:
    """An image within a border.

    Args:
        src: (H, W, C).
        top: How many rows stand above.
        bot: How many rows stand below.
        left: How many columns stand on the left.
        right: How many columns stand on the right.
        type: OpenCV's number of what the border is: 0 a constant, 1 the edge, 2 mirrored with the edge,
            3 repeated, 4 mirrored without the edge; 16 more make no difference.
        value: The constant, unless there are `values`.
        values: The constant of each channel.
        out: The array that receives the result.

    Returns:
        (top + H + bot, left + W + right, C).
    """
    margins = {"top": int(top), "bot": int(bot), "left": int(left), "right": int(right)}
    numbers = tuple(float(v) for v in values)
    wide: NDArray = F._cvcopyMakeBorder(src, **margins, type=type % 16, value=value, values=numbers, out=out)
    return ndarray_of(wide._host) if out is None else out
