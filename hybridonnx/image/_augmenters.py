"""Augmenters: what is done to images (H, W, C) before they become a batch, most of it at random.

Draws come from Python's generator `random`, those of `LightingAug` from NumPy's, as in MXNet.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..dtypes import DTypeLike
from ..errors import RequirementError
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..typing import ArrayLike
from ._functions import (
    Size,
    center_crop,
    color_normalize,
    imresize,
    interpolation,
    ndarray_of,
    random_crop,
    random_size_crop,
    resize_short,
)

Colours: TypeAlias = NDArray | Array | bool | None
"""A number for each colour, or one for all; `True` for ImageNet's, `None` for nothing."""

_BRIGHTNESS = np.array([0.299, 0.587, 0.114], np.float32)
"""How bright red, green and blue are."""
_GREY = np.array([[0.21] * 3, [0.72] * 3, [0.07] * 3], np.float32)
_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
_FROM_YIQ = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])
_COLOUR_DEVIATIONS = (55.46, 4.794, 1.148)
_COLOUR_AXES = ((-0.5675, 0.7192, 0.4009), (-0.5808, -0.0045, -0.8140), (-0.5836, -0.6948, 0.4203))
"""The principal components of the colours of ImageNet's pixels, in columns, and their deviations."""
MEAN, DEVIATION = (123.68, 116.28, 103.53), (58.395, 57.12, 57.375)
"""Those of the colours of ImageNet's images."""


class Augmenter:
    """What is done to an image; subclasses define `__call__`, and pass their arguments here for `dumps`."""

    def __init__(self, **kwargs: object) -> None:
        self._kwargs = {name: plain(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """The class in small letters and its arguments, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: NDArray) -> NDArray:
        """The image, changed."""
        raise NotImplementedError(f"{type(self).__name__}: a subclass of Augmenter defines __call__.")


def plain(value: Any) -> Any:
    """A value that JSON can hold."""
    if isinstance(value, NDArray):
        value = value.asnumpy()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


class _Several(Augmenter):
    """Augmenters one after another; neither of its two kinds is the other, as in MXNet."""

    def __init__(self, ts: Any) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> Any:
        """The class in small letters and what its augmenters give, as a list."""
        return [type(self).__name__.lower(), [each.dumps() for each in self.ts]]

    def __call__(self, src: NDArray) -> NDArray:
        """The image after all of them."""
        for each in self.ts:
            src = each(src)
        return src


class SequentialAug(_Several):
    """Augmenters one after another."""

    def __init__(self, ts: Sequence[Augmenter]) -> None:
        super().__init__(ts)


class RandomOrderAug(_Several):
    """Augmenters in a new order for each image."""

    def __init__(self, ts: list[Augmenter]) -> None:
        super().__init__(ts)

    def __call__(self, src: NDArray) -> NDArray:
        """The image after all of them."""
        random.shuffle(self.ts)
        return super().__call__(src)


# ---- sizes and parts


class ResizeAug(Augmenter):
    """`resize_short`: the shorter side becomes `size` long."""

    def __init__(self, size: int, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """The resized image."""
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(Augmenter):
    """The width and height become those of `size`, whatever the ratio was."""

    def __init__(self, size: Size, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """The resized image."""
        h, w = src.shape[:2]
        return imresize(src, *self.size, interpolation(self.interp, (h, w, self.size[1], self.size[0])))


class RandomCropAug(Augmenter):
    """`random_crop` to a width and height."""

    def __init__(self, size: Size, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """The part."""
        return random_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """`random_size_crop` to a width and height; `min_area` is the older name of `area`."""

    def __init__(
        self,
        size: Size,
        area: float | tuple[float, float],
        ratio: tuple[float, float],
        interp: int = 2,
        **kwargs: float,
    ) -> None:
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size, self.ratio, self.interp = size, ratio, interp
        self.area = kwargs.pop("min_area", area)
        if kwargs:
            raise RequirementError(f"RandomSizedCropAug: there is no argument {', '.join(kwargs)}.")

    def __call__(self, src: NDArray) -> NDArray:
        """The part."""
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class CenterCropAug(Augmenter):
    """`center_crop` to a width and height."""

    def __init__(self, size: Size, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """The part."""
        return center_crop(src, self.size, self.interp)[0]


class HorizontalFlipAug(Augmenter):
    """Left and right exchanged, with probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray) -> NDArray:
        """The image, or its mirror image."""
        return ndarray_of(src._host[:, ::-1].copy()) if random.random() < self.p else src


# ---- colours


class BrightnessJitterAug(Augmenter):
    """The image times a random factor, at most `brightness` from 1; it is changed itself."""

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: NDArray) -> NDArray:
        """The image, brighter or darker."""
        src *= 1.0 + random.uniform(-self.brightness, self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """Differences from the mean brightness times a random factor; the image is changed itself."""

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast

    def __call__(self, src: NDArray) -> NDArray:
        """The image with more or less contrast."""
        factor = 1.0 + random.uniform(-self.contrast, self.contrast)
        brightness = _colours(src) @ _BRIGHTNESS
        src *= factor
        src += float((1.0 - factor) * brightness.mean(dtype=np.float64))
        return src


class SaturationJitterAug(Augmenter):
    """Differences from grey times a random factor; the image is changed itself."""

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation

    def __call__(self, src: NDArray) -> NDArray:
        """The image with more or less colour."""
        factor = 1.0 + random.uniform(-self.saturation, self.saturation)
        grey = (_colours(src) @ _BRIGHTNESS)[..., None] * np.float32(1.0 - factor)
        src *= factor
        src += ndarray_of(grey)
        return src


class HueJitterAug(Augmenter):
    """The hues turned by a random part of half a turn, at most `hue` to either side."""

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue

    def __call__(self, src: NDArray) -> NDArray:
        """The image in other colours."""
        angle = random.uniform(-self.hue, self.hue) * np.pi
        cos, sin = np.cos(angle), np.sin(angle)
        turn = np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])
        return ndarray_of(_colours(src) @ (_FROM_YIQ @ turn @ _TO_YIQ).T.astype(np.float32))


class ColorJitterAug(RandomOrderAug):
    """Random brightness, contrast and saturation in random order; what is 0 is left out."""

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds = (
            (BrightnessJitterAug, brightness),
            (ContrastJitterAug, contrast),
            (SaturationJitterAug, saturation),
        )
        super().__init__([kind(far) for kind, far in kinds if far > 0])


class LightingAug(Augmenter):
    """The main variations of colours added, each times a draw of deviation `alphastd`; changes the image."""

    def __init__(self, alphastd: float, eigval: ArrayLike, eigvec: ArrayLike) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd, self.eigval, self.eigvec = alphastd, eigval, eigvec

    def __call__(self, src: NDArray) -> NDArray:
        """The image in another light."""
        draws = np.random.normal(0, self.alphastd, size=(3,))
        axes, deviations = np.asarray(plain(self.eigvec)), np.asarray(plain(self.eigval))
        src += ndarray_of(np.asarray((axes * draws) @ deviations, np.float32))
        return src


class ColorNormalizeAug(Augmenter):
    """`color_normalize` with a mean and a deviation, either of which may be `None`."""

    def __init__(self, mean: ArrayLike | None, std: ArrayLike | None) -> None:
        super().__init__(mean=mean, std=std)
        self.mean = _as_array(mean)
        self.std = _as_array(std)

    def __call__(self, src: NDArray) -> NDArray:
        """The image, changed itself."""
        return color_normalize(src, self.mean, self.std)


def _as_array(values: ArrayLike | None) -> NDArray | None:
    return (
        values if values is None or isinstance(values, NDArray) else ndarray_of(np.array(values, np.float32))
    )


class RandomGrayAug(Augmenter):
    """All three colours become the brightness, with probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p
        self.mat = ndarray_of(_GREY.copy())

    def __call__(self, src: NDArray) -> NDArray:
        """The image in grey, or as it is."""
        return ndarray_of(_colours(src) @ _GREY) if random.random() < self.p else src


def _colours(src: NDArray) -> Array:
    """The array of a floating-point image of three colours."""
    if src.ndim != 3 or src.shape[2] != 3 or np.dtype(src.dtype) != np.float32:
        raise RequirementError(
            f"An image (H, W, 3) of float32 is required for a change of its colours, got {src.shape} of "
            f"{np.dtype(src.dtype)}. Apply CastAug before."
        )
    return src._host


class CastAug(Augmenter):
    """The image as another dtype."""

    def __init__(self, typ: DTypeLike = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: NDArray) -> NDArray:
        """The image as the dtype."""
        return src.astype(self.typ)


# ---- all together


def CreateAugmenter(
    data_shape: Sequence[int],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Colours = None,
    std: Colours = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """The augmenters for training a classifier, in their usual order; what is 0 is left out.

    `resize` is the length of the shorter side before a crop to the size in `data_shape` (C, H, W), in the
    middle or with `rand_crop` anywhere, with `rand_resize` of a random size and ratio. Colours change by as
    much as `brightness`, `contrast`, `saturation` and `hue`, by draws of deviation `pca_noise` along
    ImageNet's main variations, and become grey with probability `rand_gray`. `mean` and `std` are arrays of 1
    or 3 numbers, or `True` for ImageNet's. `inter_method` is the interpolation, as in `imresize`.

    Returns:
        The augmenters.

    Raises:
        RequirementError: `rand_resize` without `rand_crop`, or a mean or deviation not of 1 or 3 numbers.
    """
    augmenters: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    size = (data_shape[2], data_shape[1])
    if rand_resize:
        if not rand_crop:
            raise RequirementError("CreateAugmenter: rand_crop is required with rand_resize.")
        augmenters.append(RandomSizedCropAug(size, 0.08, (3.0 / 4.0, 4.0 / 3.0), inter_method))
    elif rand_crop:
        augmenters.append(RandomCropAug(size, inter_method))
    else:
        augmenters.append(CenterCropAug(size, inter_method))
    if rand_mirror:
        augmenters.append(HorizontalFlipAug(0.5))
    augmenters.append(CastAug())
    augmenters += colour_augmenters((brightness, contrast, saturation), hue, pca_noise, rand_gray)
    normalize = normalization("CreateAugmenter", mean, std)
    return augmenters if normalize is None else [*augmenters, normalize]


def colour_augmenters(
    jitter: tuple[float, float, float], hue: float, pca_noise: float, rand_gray: float
) -> list[Augmenter]:
    """Those of colours that are asked for: of brightness, contrast and saturation, hue, lighting and grey."""
    augmenters: list[Augmenter] = [ColorJitterAug(*jitter)] if any(jitter) else []
    if hue:
        augmenters.append(HueJitterAug(hue))
    if pca_noise > 0:
        augmenters.append(LightingAug(pca_noise, np.array(_COLOUR_DEVIATIONS), np.array(_COLOUR_AXES)))
    if rand_gray > 0:
        augmenters.append(RandomGrayAug(rand_gray))
    return augmenters


def normalization(owner: str, mean: Colours, std: Colours) -> ColorNormalizeAug | None:
    """The augmenter for a mean and a deviation, `None` without them; `True` is ImageNet's."""
    mean = ndarray_of(np.array(MEAN, np.float32)) if mean is True else mean
    std = ndarray_of(np.array(DEVIATION, np.float32)) if std is True else std
    for name, value in (("mean", mean), ("std", std)):
        if value is None:
            continue
        if not isinstance(value, NDArray | np.ndarray) or value.shape[:1] not in ((1,), (3,)):
            raise RequirementError(
                f"{owner}: an array of 1 or 3 numbers is required as {name}, got {value!r}."
            )
    return None if mean is None and std is None else ColorNormalizeAug(mean, std)
