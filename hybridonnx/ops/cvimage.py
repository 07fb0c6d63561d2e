"""What MXNet leaves to OpenCV: image files decoded, images (H, W, C) resized and set into borders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..attrs import Floats
from ..dtypes import DType
from ..errors import (
    AttributeValueError,
    DTypeError,
    FormatError,
    MissingFileError,
    ShapeError,
    content_of,
    is_file,
)
from ._image_files import decoded as decoded
from ._image_files import decoded_as_stored as decoded_as_stored
from ._image_files import encoded as encoded
from ._opencv import opencv as opencv
from ._opencv import resampled as resampled
from ._operator import Array, Operator
from ._registry import operator
from ._resampling import AREA as AREA
from ._resampling import CUBIC as CUBIC
from ._resampling import LINEAR as LINEAR
from ._resampling import NEAREST as NEAREST
from ._resampling import Taps as Taps
from ._resampling import averages as averages
from ._resampling import axes as axes
from ._resampling import by_area as by_area
from ._resampling import by_eight as by_eight
from ._resampling import halves_up as halves_up
from ._resampling import in_eights as in_eights
from ._resampling import integers as integers
from ._resampling import interpolation_between as interpolation_between
from ._resampling import matrix as matrix
from ._resampling import resized
from ._resampling import size_by_shorter_side as size_by_shorter_side
from ._shapes import Shape, is_zero, show
from ._windows import require_positive

_PIXELS = "images are prepared by it, before a network sees them"
_FILES = "it decodes the bytes of files, for which ONNX Runtime has nothing"

# ---- files


class _Decoder(Operator):
    """An image as an array.

    Attributes:
        flag: 0 for grey, another for three colours.
        to_rgb: Whether colours are in the order red, green, blue; else blue is first.

    Returns:
        (H, W, 3), or with flag 0 (H, W, 1), of uint8.

    ONNX: none; it decodes the bytes of files, for which ONNX Runtime has nothing.
    """

    not_differentiable = _PIXELS
    not_in_onnx = _FILES
    flag: int = 1
    to_rgb: bool = True

    def check(self) -> None:
        if self.flag < 0:
            raise AttributeValueError(f"{self.names[0]}: a flag from 0 on is required, got {self.flag}.")

    def infer_dtype(self, *_: DType | None) -> DType:
        return np.dtype("uint8")

    def infer_shape(self, *_: Shape) -> Shape:
        return (None, None, 3 if self.flag else 1)

    def image(self, content: bytes, where: str) -> Array:
        """The image in these bytes."""
        pixels = decoded(content, self.flag, where)
        return pixels if self.to_rgb or not self.flag else np.ascontiguousarray(pixels[..., ::-1])


@operator("_cvimdecode", "_npi_cvimdecode")
class ImDecode(_Decoder):
    """The image that the bytes of a file are.

    Inputs:
        buf: The bytes as uint8, in any shape.
    """

    inputs: ClassVar[tuple[str, ...]] = ("buf",)
    flag: int = 1
    to_rgb: bool = True

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        (buf,) = dtypes
        if buf is not None and buf != np.uint8:
            raise DTypeError(f"_cvimdecode: bytes as uint8 are required, got {buf}.")
        return [np.dtype("uint8")]

    def forward(self, buf: Array) -> Array:
        if not buf.size:
            raise FormatError("_cvimdecode: the bytes of an image are required, got none.")
        return self.image(buf.tobytes(), "_cvimdecode")


@operator("_cvimread", "_npi_cvimread")
class ImRead(_Decoder):
    """The image in a file.

    Attributes:
        filename: The file's path.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    filename: str
    flag: int = 1
    to_rgb: bool = True

    def forward(self) -> Array:
        path = Path(self.filename)
        if not is_file(path):
            raise MissingFileError(f"_cvimread: an image file is required, got {self.filename!r}.")
        return self.image(content_of(path), self.filename)


# ---- sizes and borders


def _require_image(owner: str, src: Shape) -> Shape:
    if len(src) != 3 or any(map(is_zero, src)):
        raise ShapeError(f"{owner}: an image (H, W, C) with pixels is required, got {show(src)}.")
    return src


@operator("_cvimresize", "_npi_cvimresize")
class ImResize(Operator):
    """An image with another width and height, by one of OpenCV's interpolations.

    Inputs:
        src: (H, W, C), of uint8 or floating-point numbers.

    Attributes:
        w: The new width.
        h: The new height.
        interp: OpenCV's number of the interpolation: 0 nearest, 1 linear, 2 cubic, 3 by area, 4 Lanczos over
            8 by 8 pixels.

    Returns:
        (h, w, C).

    ONNX: Gather for nearest, else MatMul with the weights of rows and of columns; of bytes with integers.
    """

    not_differentiable = _PIXELS
    inputs: ClassVar[tuple[str, ...]] = ("src",)
    w: int
    h: int
    interp: int = 1

    def check(self) -> None:
        require_positive("_cvimresize", w=self.w, h=self.h)
        if self.interp not in range(5):
            raise AttributeValueError(f"_cvimresize: interp from 0 to 4 is required, got {self.interp}.")

    def infer_dtype(self, src: DType | None) -> DType | None:
        if src is not None and src.kind != "f" and src != np.uint8:
            raise DTypeError(f"_cvimresize: uint8 or floating-point numbers are required, got {src}.")
        return src

    def infer_shape(self, src: Shape) -> Shape:
        return (self.h, self.w, _require_image("_cvimresize", src)[2])

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (resized_shape,) = outputs
        return inputs if not resized_shape else ((None, None, resized_shape[-1]),)

    def forward(self, src: Array) -> Array:
        return resized(src, self.h, self.w, self.interp)


def _mirrored(i: Array, n: int) -> Array:
    """Indices that turn back behind the last pixel, which counts twice."""
    return np.asarray(np.minimum(i % (2 * n), 2 * n - 1 - i % (2 * n)))


def _mirrored_within(i: Array, n: int) -> Array:
    """Indices that turn back at the last pixel, which counts once."""
    period = max(2 * n - 2, 1)
    return np.asarray(np.minimum(i % period, period - i % period))


_OUTSIDE: tuple[Callable[[Array, int], Array], ...] = (
    lambda i, n: i.clip(0, n - 1),
    lambda i, n: i.clip(0, n - 1),
    _mirrored,
    lambda i, n: i % n,
    _mirrored_within,
)
"""For each type which pixel of n stands for those outside; a constant hides it."""


@operator("_cvcopyMakeBorder")
class CopyMakeBorder(Operator):
    """An image within a border.

    Inputs:
        src: (H, W, C).

    Attributes:
        top: How many rows stand above.
        bot: How many rows stand below.
        left: How many columns stand on the left.
        right: How many columns stand on the right.
        type: OpenCV's number of what the border is: 0 a constant, 1 the edge, 2 mirrored with the edge,
            3 repeated, 4 mirrored without the edge.
        value: The constant, unless there are `values`.
        values: The constant of each channel, 0 for further ones.

    Returns:
        (top + H + bot, left + W + right, C).

    ONNX: Gather, and Where for a constant.
    """

    not_differentiable = _PIXELS
    takes_bool = False
    inputs: ClassVar[tuple[str, ...]] = ("src",)
    top: int
    bot: int
    left: int
    right: int
    type: int = 0
    value: float = 0.0
    values: Floats = ()

    def check(self) -> None:
        margins = (self.top, self.bot, self.left, self.right)
        if min(margins) < 0:
            raise AttributeValueError(f"_cvcopyMakeBorder: margins from 0 on are required, got {margins}.")
        if self.type not in range(len(_OUTSIDE)):
            raise AttributeValueError(f"_cvcopyMakeBorder: type from 0 to 4 is required, got {self.type}.")

    def infer_shape(self, src: Shape) -> Shape:
        h, w, c = _require_image("_cvcopyMakeBorder", src)
        down, across = self.top + self.bot, self.left + self.right
        return (None if h is None else h + down, None if w is None else w + across, c)

    def sources(self, h: int, w: int) -> tuple[Array, Array]:
        """Which row and which column of the image each one of the result is, or stands for."""
        outside = _OUTSIDE[self.type]
        rows, columns = np.arange(-self.top, h + self.bot), np.arange(-self.left, w + self.right)
        return outside(rows, h), outside(columns, w)

    def inside(self, h: int, w: int) -> Array:
        """Which pixels of the result are those of the image, (H', W', 1)."""
        around = [(self.top, self.bot), (self.left, self.right), (0, 0)]
        return np.pad(np.ones((h, w, 1), np.bool_), around)

    def constant(self, channels: int, dtype: DType) -> Array:
        """The constant of each channel."""
        values = (*self.values, *(0.0,) * channels) if self.values else (self.value,) * channels
        fill = np.array(values[:channels])
        if dtype.kind == "f":
            return fill.astype(dtype)
        limits = np.iinfo(dtype)
        return np.asarray(np.rint(fill).clip(limits.min, limits.max), dtype)

    def forward(self, src: Array) -> Array:
        _require_image("_cvcopyMakeBorder", src.shape)
        h, w, channels = src.shape
        top, left = self.top, self.left
        image = np.empty((top + h + self.bot, left + w + self.right, channels), src.dtype)
        if self.type == 0:
            fill = self.constant(channels, src.dtype)
            image[...] = fill if (fill != fill[0]).any() else fill[0]  # one number is faster than a row
        image[top : top + h, left : left + w] = src
        if self.type:
            rows, columns = self.sources(h, w)
            for part in (slice(left), slice(left + w, None)):
                image[top : top + h, part] = src[:, columns[part]]
            for part in (slice(top), slice(top + h, None)):
                image[part] = image[top + rows[part]]
        return image
