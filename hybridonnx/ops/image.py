"""What is done to images (H, W, C), or several (N, H, W, C), of 0 to 255, before a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..attrs import Floats, Ints
from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError, ShapeError
from ._arithmetic import mean_of
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._resampling import resized
from ._shapes import Dim, Shape, show, sizes

_PIXELS = "it is made for images, before a network sees them"
_CHANCE = "it draws at random, and is made for images before a network sees them"
_GREY = np.array([0.299, 0.587, 0.114])
"""How bright red, green and blue are."""
_LIGHT = np.array(
    [
        [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
        [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
        [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
    ]
)
"""The principal components of the colours of ImageNet's pixels (columns), times their deviations."""


def _require(owner: str, shape: Shape, ranks: tuple[int, ...] = (3, 4), layout: str = "(H, W, C)") -> Shape:
    if len(shape) not in ranks:
        several = f" or (N, {layout[1:]}" if 4 in ranks else ""
        raise ShapeError(f"{owner}: an image {layout}{several} is required, got {show(shape)}.")
    return shape


def _channels(owner: str, channels: Dim, allowed: tuple[int, ...] = (1, 3)) -> None:
    if channels is not None and channels not in allowed:
        raise ShapeError(f"{owner}: {' or '.join(map(str, allowed))} channels are required, got {channels}.")


def _as(dtype: DType, values: Array) -> Array:
    """Values as a dtype: integers are cut off, and clipped to the dtype's range."""
    if dtype.kind == "f":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    return values.clip(limits.min, limits.max).astype(dtype)


# ---- into and out of networks


@operator("_image_to_tensor", "_npx__image_to_tensor")
class ToTensor(Operator):
    """Images of numbers from 0 to 255 as what networks read: float32 from 0 to 1, channels before rows.

    Inputs:
        data: (H, W, C), or (N, H, W, C) for several images, of any dtype.

    Returns:
        (C, H, W) or (N, C, H, W).

    ONNX: Transpose, Cast and Div.
    """

    not_differentiable = _PIXELS

    def infer_shape(self, data: Shape) -> Shape:
        *before, h, w, c = _require("_image_to_tensor", data)
        return (*before, c, h, w)

    def infer_dtype(self, data: DType | None) -> DType:
        return np.dtype("float32")

    def forward(self, data: Array) -> Array:
        scaled: Array = np.moveaxis(data, -1, -3).astype(np.float32) / np.float32(255)
        return scaled


@operator("_image_normalize", "_npx__image_normalize")
class Normalize(Operator):
    """Images minus a mean and divided by a standard deviation, channel by channel.

    Integers are computed in float32, cut off, and wrap around their dtype's range.

    Inputs:
        data: (C, H, W), or (N, C, H, W) for several images, with 1 or 3 channels.

    Attributes:
        mean: What is subtracted: a number for each channel, or one for all.
        std: What the difference is divided by: a number for each channel, or one for all.

    Returns:
        The shape of data.

    ONNX: Sub and Div.
    """

    takes_bool = False
    mean: Floats = (0.0, 0.0, 0.0, 0.0)
    std: Floats = (1.0, 1.0, 1.0, 1.0)

    def check(self) -> None:
        if not self.std or not self.mean:
            raise AttributeValueError(
                f"_image_normalize: mean and std are required, got {self.mean} and {self.std}."
            )

    def infer_shape(self, data: Shape) -> Shape:
        channels = _require("_image_normalize", data, layout="(C, H, W)")[-3]
        _channels("_image_normalize", channels)
        for name, values in (("mean", self.mean), ("std", self.std)):
            usual = values == (getattr(type(self), name))
            if channels is not None and len(values) not in (1, channels) and not usual:
                raise ShapeError(
                    f"_image_normalize: {name} as one number, or one for each of {channels} channels, is "
                    f"required, got {values}."
                )
        return data

    def by_channel(self, values: Floats, channels: int) -> Array:
        """Numbers (C, 1, 1)."""
        numbers = np.array(values if len(values) > 1 else values * channels, np.float32)
        return numbers[:channels, None, None]

    def forward(self, data: Array) -> Array:
        x = data if data.dtype.kind == "f" else data.astype(np.float32)
        mean, std = (self.by_channel(v, data.shape[-3]).astype(x.dtype) for v in (self.mean, self.std))
        with np.errstate(divide="ignore", invalid="ignore"):
            y = np.asarray((x - mean) / std)
        return y if x is data else y.astype(np.int64).astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._image_normalize(dy, mean=(0.0,), std=self.std),)


# ---- parts and mirror images


@operator("_image_crop", "_npx__image_crop")
class Crop(Operator):
    """The part of images that lies in a rectangle.

    Inputs:
        data: (H, W, C), or (N, H, W, C) for several images, with 1 or 3 channels.

    Attributes:
        x: The rectangle's first column.
        y: The rectangle's first row.
        width: The number of its columns.
        height: The number of its rows.

    Returns:
        (height, width, C) or (N, height, width, C).

    ONNX: Slice.
    """

    x: int
    y: int
    width: int
    height: int

    def infer_shape(self, data: Shape) -> Shape:
        *before, h, w, c = _require("_image_crop", data)
        _channels("_image_crop", c)
        for name, start, size, whole in (("x", self.x, self.width, w), ("y", self.y, self.height, h)):
            if start < 0 or size < 1 or (whole is not None and start + size > whole):
                raise ShapeError(
                    f"_image_crop: a part inside the image {show(data)} is required, got {size} from "
                    f"{name}={start}."
                )
        return (*before, self.height, self.width, c)

    def ranges(self) -> tuple[dict[str, int], dict[str, int]]:
        """What `slice_axis` cuts: rows, and columns."""
        rows = {"axis": -3, "begin": self.y, "end": self.y + self.height}
        return rows, {"axis": -2, "begin": self.x, "end": self.x + self.width}

    def forward(self, data: Array) -> Array:
        self.infer_shape(data.shape)
        return data[..., self.y : self.y + self.height, self.x : self.x + self.width, :]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        rows, columns = self.ranges()
        wide = F._slice_axis_grad(dy, F.slice_axis(data, **rows), **columns)
        return (F._slice_axis_grad(wide, data, **rows),)


class _Flip(Operator):
    """An image mirrored along one axis.

    Inputs:
        data: (H, W, C) with 1 or 3 channels.

    Returns:
        The shape of data.

    ONNX: Slice with a step of -1.
    """

    axis: ClassVar[int]

    def infer_shape(self, data: Shape) -> Shape:
        _channels(self.names[0], _require(self.names[0], data, (3,))[-1])
        return data

    def forward(self, data: Array) -> Array:
        return np.flip(data, self.axis)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (getattr(F, self.names[0])(dy),)


@operator("_image_flip_left_right", "_npx__image_flip_left_right")
class FlipLeftRight(_Flip):
    """An image with left and right exchanged."""

    axis = 1


@operator("_image_flip_top_bottom", "_npx__image_flip_top_bottom")
class FlipTopBottom(_Flip):
    """An image with top and bottom exchanged."""

    axis = 0


# ---- resizing


@operator("_image_resize", "_npx__image_resize")
class Resize(Operator):
    """Images resized with one of OpenCV's interpolations.

    Inputs:
        data: (H, W, C), or (N, H, W, C) for several images, of uint8 or floating-point numbers.

    Attributes:
        size: (width, height), or one number for both.
        keep_ratio: Whether one number in `size` is the length of the shorter side, and the other side follows
            from the ratio of the two.
        interp: OpenCV's number of the interpolation: 0 nearest, 1 linear, 2 cubic, 3 by area, 4 Lanczos over
            8 by 8 pixels.

    Returns:
        (height, width, C) or (N, height, width, C).

    ONNX: Gather for nearest, else MatMul with the weights of rows and of columns; of bytes with integers.
    """

    not_differentiable = _PIXELS
    size: Ints = ()
    keep_ratio: bool = False
    interp: int = 1

    def check(self) -> None:
        if self.interp not in range(5):
            raise AttributeValueError(f"_image_resize: interp from 0 to 4 is required, got {self.interp}.")

    def infer_dtype(self, data: DType | None) -> DType | None:
        if data is not None and data.kind != "f" and data != np.uint8:
            raise DTypeError(f"_image_resize: uint8 or floating-point numbers are required, got {data}.")
        return data

    def infer_shape(self, data: Shape) -> Shape:
        if len(self.size) not in (1, 2) or any(s < 1 for s in self.size):
            raise AttributeValueError(
                f"_image_resize: size as one or two numbers above 0 is required, got {self.size}."
            )
        *before, h, w, c = _require("_image_resize", data)
        if 0 in (h, w):
            raise ShapeError(f"_image_resize: an image with pixels is required, got {show(data)}.")
        return (*before, *self.resized(h, w), c)

    def resized(self, h: Dim, w: Dim) -> tuple[Dim, Dim]:
        """The new height and width."""
        if len(self.size) == 2:
            return self.size[1], self.size[0]
        (short,) = self.size
        if not self.keep_ratio:
            return short, short
        if h is None or w is None:
            return None, None
        return (short, short * w // h) if w > h else (short * h // w, short)

    def forward(self, data: Array) -> Array:
        self.infer_shape(data.shape)
        height, width = sizes(self.resized(*data.shape[-3:-1]))
        return resized(data, height, width, self.interp)


# ---- colours: (H, W, C) as float64, and a factor


def _brightened(pixels: Array, factor: float) -> Array:
    return pixels * factor


def _contrasted(pixels: Array, factor: float) -> Array:
    """Farther from the mean brightness, or nearer to it."""
    return np.asarray(pixels * factor + (1 - factor) * mean_of(_grey(pixels)[..., None], (0, 1, 2)))


def _saturated(pixels: Array, factor: float) -> Array:
    """Farther from grey, or nearer to it."""
    if pixels.shape[-1] == 1:
        return pixels
    return pixels * factor + (1 - factor) * _grey(pixels)[..., None]


def _grey(pixels: Array) -> Array:
    grey: Array = pixels @ _GREY if pixels.shape[-1] == 3 else pixels[..., 0]
    return grey


def _turned(pixels: Array, factor: float) -> Array:
    """With the hue turned by factor times a full turn, at the same lightness and saturation."""
    if pixels.shape[-1] == 1:
        return pixels
    top, bottom = pixels.max(-1), pixels.min(-1)
    spread = np.where(top > bottom, top - bottom, 1)
    r, g, b = np.moveaxis(pixels, -1, 0)
    hue = np.where(top == r, (g - b) / spread, np.where(top == g, (b - r) / spread + 2, (r - g) / spread + 4))
    hue = hue + 6 * factor
    sixths = [(hue + shift) % 6 for shift in (2, 0, 4)]
    shares = [np.clip(np.minimum(s, 4 - s), 0, 1) for s in sixths]
    return np.stack([bottom + (top - bottom) * share for share in shares], -1)


def _lit(pixels: Array, alpha: Any) -> Array:
    return pixels + _LIGHT @ alpha if pixels.shape[-1] == 3 else pixels


class _Colours(Operator):
    """An image with other colours.

    Inputs:
        data: (H, W, C) with 1 or 3 channels (red, green, blue).

    Returns:
        The shape of data.

    ONNX: none; it is made for images before a network sees them.
    """

    not_differentiable = _PIXELS
    not_in_onnx = _PIXELS
    takes_bool = False

    def infer_shape(self, data: Shape) -> Shape:
        _channels(self.names[0], _require(self.names[0], data, (3,))[-1])
        return data

    def _changed(self, data: Array, change: Callable[[Array], Array]) -> Array:
        changed = change(data.astype(np.float64))
        if data.dtype.kind != "f":
            changed = changed + 1e-6  # what is an integer but for rounding stays so when it is cut off
        return _as(data.dtype, changed)


@operator("_image_adjust_lighting", "_npx__image_adjust_lighting")
class AdjustLighting(_Colours):
    """An image with multiples of the principal components of ImageNet's colours added.

    An image of one channel stays as it is.

    Attributes:
        alpha: A factor for each of the 3 components.
    """

    alpha: Floats

    def infer_shape(self, data: Shape) -> Shape:
        if len(self.alpha) != 3:
            raise AttributeValueError(
                f"_image_adjust_lighting: alpha as three numbers is required, got {self.alpha}."
            )
        return super().infer_shape(data)

    def forward(self, data: Array) -> Array:
        return self._changed(data, lambda pixels: _lit(pixels, np.array(self.alpha)))


class _RandomColours(_Colours):
    """An image changed at random.

    ONNX: none; it draws at random, and is made for images before a network sees them.
    """

    not_differentiable = _CHANCE
    not_in_onnx = _CHANCE
    noise = "other"

    def draw(self, rng: np.random.Generator, *inputs: Spec) -> Array:
        return rng.random(8)

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        return Spec((8,), np.dtype("float64"))


class _ByFactor(_RandomColours):
    """An image changed by a factor drawn uniformly between two numbers.

    Attributes:
        min_factor: The smallest factor, at least 0.
        max_factor: The largest factor.
    """

    change: ClassVar[staticmethod[..., Array]]
    min_factor: float
    max_factor: float

    def check(self) -> None:
        if not 0 <= self.min_factor <= self.max_factor:
            raise AttributeValueError(
                f"{self.names[0]}: 0 <= min_factor <= max_factor is required, got {self.min_factor} and "
                f"{self.max_factor}."
            )

    def forward(self, data: Array, noise: Array) -> Array:
        factor = self.min_factor + (self.max_factor - self.min_factor) * float(noise[0])
        return self._changed(data, lambda pixels: self.change(pixels, factor))


@operator("_image_random_brightness", "_npx__image_random_brightness")
class RandomBrightness(_ByFactor):
    """An image made brighter or darker: its pixels times a random factor."""

    change = staticmethod(_brightened)
    min_factor: float
    max_factor: float


@operator("_image_random_contrast", "_npx__image_random_contrast")
class RandomContrast(_ByFactor):
    """An image with its pixels' differences from its mean brightness times a random factor."""

    change = staticmethod(_contrasted)
    min_factor: float
    max_factor: float


@operator("_image_random_saturation", "_npx__image_random_saturation")
class RandomSaturation(_ByFactor):
    """An image with its pixels' differences from grey of the same brightness times a random factor."""

    change = staticmethod(_saturated)
    min_factor: float
    max_factor: float


@operator("_image_random_hue", "_npx__image_random_hue")
class RandomHue(_ByFactor):
    """An image with its hues turned by a random multiple of a full turn; a factor of 1 changes nothing."""

    change = staticmethod(_turned)
    min_factor: float
    max_factor: float


@operator("_image_random_color_jitter", "_npx__image_random_color_jitter")
class RandomColorJitter(_RandomColours):
    """An image with random brightness, contrast, saturation and hue, changed in random order.

    Each attribute says how far from 1 the factor of its change may be; a factor is never negative, and with 0
    there is no such change.

    Attributes:
        brightness: The largest distance from 1 of the factor of `_image_random_brightness`.
        contrast: The same for `_image_random_contrast`.
        saturation: The same for `_image_random_saturation`.
        hue: The same for `_image_random_hue`.
    """

    brightness: float
    contrast: float
    saturation: float
    hue: float

    def forward(self, data: Array, noise: Array) -> Array:
        ways = (
            (self.brightness, _brightened),
            (self.contrast, _contrasted),
            (self.saturation, _saturated),
            (self.hue, _turned),
        )
        for i in np.argsort(noise[4:]):
            far, way = ways[i]
            if far > 0:
                low = max(0.0, 1 - far)
                factor = low + (1 + far - low) * float(noise[i])
                data = self._changed(data, lambda pixels, way=way, by=factor: way(pixels, by))  # type: ignore[misc]
        return data


@operator("_image_random_lighting", "_npx__image_random_lighting")
class RandomLighting(_RandomColours):
    """An image with random amounts of the principal components of ImageNet's colours added.

    Attributes:
        alpha_std: The standard deviation of the normal distribution of the 3 amounts, whose mean is 0.
    """

    alpha_std: float = 0.05

    def draw(self, rng: np.random.Generator, *inputs: Spec) -> Array:
        return rng.standard_normal(3)

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        return Spec((3,), np.dtype("float64"))

    def forward(self, data: Array, noise: Array) -> Array:
        return self._changed(data, lambda pixels: _lit(pixels, noise * self.alpha_std))


class _RandomFlip(_RandomColours):
    """An image mirrored along one axis, or not, with equal probability."""

    takes_bool = True
    axis: ClassVar[int]

    def forward(self, data: Array, noise: Array) -> Array:
        return np.flip(data, self.axis) if noise[0] < 0.5 else data


@operator("_image_random_flip_left_right", "_npx__image_random_flip_left_right")
class RandomFlipLeftRight(_RandomFlip):
    """An image with left and right exchanged, or unchanged, with equal probability."""

    axis = 1


@operator("_image_random_flip_top_bottom", "_npx__image_random_flip_top_bottom")
class RandomFlipTopBottom(_RandomFlip):
    """An image with top and bottom exchanged, or unchanged, with equal probability."""

    axis = 0
