"""What is done to images (H, W, C) between a data set and a network; each transform is a block.

    for_net = transforms.Compose([transforms.Resize(32), transforms.ToTensor(), transforms.Normalize(0.5)])
    loader = DataLoader(dataset.transform_first(for_net), batch_size=64, num_workers=2)

Draws come from the generator that `mx.random.seed` starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ...._locks import no_fork
from ....dtypes import DTypeLike
from ....image.image import imrotate
from ....ndarray.namespace import F
from ....ndarray.ndarray import NDArray
from ....ops import drawing, generator
from ....typing import Tensor
from ...block import Block
from ...hybrid_block import HybridBlock
from ...nn.basic_layers import HybridSequential, Sequential

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomHue",
    "RandomLighting",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSaturation",
    "Resize",
    "Rotate",
    "ToTensor",
]

Size = int | Sequence[int]
Pair = tuple[int, int]
Range = tuple[float, float]


class Compose(Sequential):
    """Several transforms, one after another."""

    def __init__(self, transforms: Sequence[Callable[..., object]]) -> None:
        super().__init__()
        run: list[HybridBlock] = []
        for each in [*transforms, None]:
            if isinstance(each, HybridBlock):
                run.append(each)
                continue
            if run:
                self.add(*([_joined(run)] if len(run) > 1 else run))
                run = []
            if each is not None:
                self.add(each)  # type: ignore[arg-type]  # functions will do


def _joined(blocks: Sequence[HybridBlock]) -> HybridSequential:
    joined = HybridSequential()
    joined.add(*blocks)
    return joined


class Cast(HybridBlock):
    """An array as another dtype."""

    def __init__(self, dtype: DTypeLike = "float32") -> None:
        super().__init__()
        self._dtype = dtype

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The array as the dtype."""
        return F.cast(x, self._dtype)


class RandomApply(Sequential):
    """A transform that is applied with probability `p`."""

    def __init__(self, transforms: Callable[..., object], p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Tensor) -> Any:
        """The image transformed, or as it is."""
        return self.transforms(x) if _uniform() < self.p else x


def _uniform(low: float = 0.0, high: float = 1.0) -> float:
    with no_fork(), drawing():
        rng = generator()
        return float(rng.uniform(low, high))


# ---- into networks


class ToTensor(HybridBlock):
    """An image (H, W, C) of 0 to 255, or several, as float32 (C, H, W) of 0 to 1."""

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image for a network."""
        return F.image.to_tensor(x)


class Normalize(HybridBlock):
    """(x - mean) / std of an image (C, H, W), or several; both are one number or one for each channel."""

    def __init__(self, mean: float | Sequence[float] = 0.0, std: float | Sequence[float] = 1.0) -> None:
        super().__init__()
        self._mean, self._std = _numbers(mean), _numbers(std)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The normalized image."""
        return F.image.normalize(x, mean=self._mean, std=self._std)


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in np.ravel(values))


# ---- sizes


def _pair(size: Size) -> Pair:
    """Width and height."""
    sizes = (size, size) if isinstance(size, int | np.integer) else tuple(size)
    if len(sizes) != 2:
        raise ValueError(f"transforms: a size as one number, or (width, height), is required, got {size}.")
    return int(sizes[0]), int(sizes[1])


class Resize(HybridBlock):
    """An image of the given size, (width, height) or one number, which `keep_ratio` makes the shorter side.

    `interpolation` is 0 nearest, 1 linear, 2 cubic, 3 by area, 4 Lanczos.
    """

    def __init__(self, size: Size, keep_ratio: bool = False, interpolation: int = 1) -> None:
        super().__init__()
        self._size = (size,) if isinstance(size, int | np.integer) else tuple(size)
        self._keep = keep_ratio
        self._interpolation = interpolation

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image in its new size."""
        return F.image.resize(x, self._size, self._keep, self._interpolation)


class CropResize(HybridBlock):
    """The part of an image that begins `x` from the left and `y` from the top, perhaps resized."""

    def __init__(
        self,
        x: int,
        y: int,
        width: int,
        height: int,
        size: Size | None = None,
        interpolation: int | None = None,
    ) -> None:
        super().__init__()
        self._part = {"x": x, "y": y, "width": width, "height": height}
        self._size = None if size is None else _pair(size)
        self._interpolation = 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The part."""
        part = F.image.crop(x, **self._part)
        return part if self._size is None else F.image.resize(part, self._size, False, self._interpolation)


def _cut(F: Any, image: Any, x: int, y: int, part: Pair, size: Pair, interp: int) -> Any:
    """A part of an image, of size (width, height), resized if it must be."""
    cut = F._image_crop(image, x=x, y=y, width=part[0], height=part[1])
    return cut if part == size else F._image_resize(cut, size=size, interp=interp)


def _centre(F: Any, image: Any, h: int, w: int, size: Pair, interp: int) -> Any:
    """The middle of an image; what is too small gives the largest middle of this form, enlarged."""
    wide, high = float(size[0]), float(size[1])
    if h < high:
        wide, high = wide * h / high, float(h)
    if w < wide:
        wide, high = float(w), high * w / wide
    part = max(1, int(wide)), max(1, int(high))
    return _cut(F, image, (w - part[0]) // 2, (h - part[1]) // 2, part, size, interp)


class CenterCrop(Block):
    """The middle of an image, of size (width, height) or one number for both."""

    def __init__(self, size: Size, interpolation: int = 1) -> None:
        super().__init__()
        self._args = _pair(size), interpolation

    def forward(self, x: NDArray) -> NDArray:
        """The middle."""
        h, w = x.shape[-3:-1]
        middle: NDArray = self._of_size(F, x, h, w)
        return middle

    def _of_size(self, F: Any, x: Any, h: int, w: int) -> Any:
        """The middle of images of this height and width, arrays or symbols."""
        return _centre(F, x, h, w, *self._args)


class RandomResizedCrop(Block):
    """A part of an image, of random position, share of its area and width to height, in a given size."""

    def __init__(
        self,
        size: Size,
        scale: Range = (0.08, 1.0),
        ratio: Range = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ) -> None:
        super().__init__()
        self._size = _pair(size)
        self._scale = scale
        self._log_ratio = math.log(ratio[0]), math.log(ratio[1])
        self._interpolation = interpolation

    def forward(self, x: NDArray) -> NDArray:
        """The part."""
        h, w = x.shape[-3:-1]
        for _ in range(10):  # until one fits into the image
            with no_fork(), drawing():
                rng = generator()
                area = h * w * rng.uniform(*self._scale)
                ratio = math.exp(rng.uniform(*self._log_ratio))
                part = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
                if 0 < part[0] <= w and 0 < part[1] <= h:
                    left, top = int(rng.integers(w - part[0] + 1)), int(rng.integers(h - part[1] + 1))
                    break
        else:
            middle: NDArray = _centre(F, x, h, w, self._size, self._interpolation)
            return middle
        cut: NDArray = _cut(F, x, left, top, part, self._size, self._interpolation)
        return cut


# ---- mirror images and colours


class RandomFlipLeftRight(HybridBlock):
    """An image, half of the time with left and right exchanged."""

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image, or its mirror image."""
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """An image, half of the time with top and bottom exchanged."""

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image, or its mirror image."""
        return F.image.random_flip_top_bottom(x)


def _around_one(name: str, far: float) -> Range:
    """The range of factors at most `far` from 1."""
    if far < 0:
        raise ValueError(f"{name}: a number of 0 or more is required, got {far}.")
    return max(0.0, 1 - far), 1 + far


class RandomBrightness(HybridBlock):
    """An image times a random factor, at most `brightness` from 1."""

    def __init__(self, brightness: float) -> None:
        super().__init__()
        self._range = _around_one("RandomBrightness", brightness)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image, brighter or darker."""
        return F.image.random_brightness(x, *self._range)


class RandomContrast(HybridBlock):
    """An image with its differences from the mean brightness times a factor, at most `contrast` from 1."""

    def __init__(self, contrast: float) -> None:
        super().__init__()
        self._range = _around_one("RandomContrast", contrast)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image with more or less contrast."""
        return F.image.random_contrast(x, *self._range)


class RandomSaturation(HybridBlock):
    """An image with its differences from grey times a random factor, at most `saturation` from 1."""

    def __init__(self, saturation: float) -> None:
        super().__init__()
        self._range = _around_one("RandomSaturation", saturation)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image with more or less colour."""
        return F.image.random_saturation(x, *self._range)


class RandomHue(HybridBlock):
    """An image with its hues turned by a random part of a full turn, at most `hue` to either side."""

    def __init__(self, hue: float) -> None:
        super().__init__()
        self._range = _around_one("RandomHue", hue)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image in other colours."""
        return F.image.random_hue(x, *self._range)


class RandomColorJitter(HybridBlock):
    """An image with random brightness, contrast, saturation and hue, in random order."""

    def __init__(
        self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0
    ) -> None:
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)
        for far in self._args:
            _around_one("RandomColorJitter", far)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image in other colours."""
        return F.image.random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """An image with the main variations of ImageNet's colours added, at random with deviation `alpha`."""

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The image in another light."""
        return F.image.random_lighting(x, self._alpha)


# ---- rotation, of what ToTensor gives


def _rotated(image: NDArray, degrees: float, zoom_in: bool, zoom_out: bool) -> NDArray:
    """An image (C, H, W), or several, turned around its middle; outside it is 0."""
    if image.dtype != np.float32:
        raise TypeError(f"Rotate: float32 is required, got {np.dtype(image.dtype)}. Apply ToTensor before.")
    if zoom_in and zoom_out:
        raise ValueError("Rotate: zoom_in or zoom_out is required, got both.")
    return imrotate(image, degrees, zoom_in, zoom_out)


class Rotate(Block):
    """An image (C, H, W) of float32, turned; `zoom_in` leaves no corner empty, `zoom_out` shows all."""

    def __init__(self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False) -> None:
        super().__init__()
        self._args = rotation_degrees, zoom_in, zoom_out

    def forward(self, x: NDArray) -> NDArray:
        """The image, turned."""
        return _rotated(x, *self._args)


class RandomRotation(Block):
    """An image (C, H, W) of float32 turned by a random angle between two, with a probability."""

    def __init__(
        self,
        angle_limits: Range,
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ) -> None:
        super().__init__()
        low, high = angle_limits
        if low >= high:
            raise ValueError(
                f"RandomRotation: a lower limit below the upper one is required, got {low}, {high}."
            )
        if not 0 <= rotate_with_proba <= 1:
            raise ValueError(f"RandomRotation: a probability is required, got {rotate_with_proba}.")
        self._limits = angle_limits
        self._zoom = zoom_in, zoom_out
        self._probability = rotate_with_proba

    def forward(self, x: NDArray) -> NDArray:
        """The image, turned or as it is."""
        if _uniform() > self._probability:
            return x
        return _rotated(x, _uniform(*self._limits), *self._zoom)
