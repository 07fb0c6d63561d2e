"""Augmenters of images (H, W, C) together with the boxes of objects in them.

Labels are arrays (objects, 5 or more) of NumPy: a class, then left, top, right and bottom as shares of the
width and height. Draws come from Python's generator `random`, as in MXNet.
"""

from __future__ import annotations

import json
import logging
import math
import random
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..errors import RequirementError
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ._augmenters import (
    DEVIATION,
    MEAN,
    Augmenter,
    CastAug,
    Colours,
    ForceResizeAug,
    ResizeAug,
    colour_augmenters,
    normalization,
    plain,
)
from ._functions import Box, copyMakeBorder, fixed_crop, ndarray_of

Limits: TypeAlias = tuple[float, float]

_NEARLY_HALF = 0.4999999


class DetAugmenter:
    """What is done to an image and its labels; subclasses define `__call__`."""

    def __init__(self, **kwargs: object) -> None:
        self._kwargs = {name: plain(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """The class in small letters and its arguments, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: NDArray, label: Array) -> tuple[NDArray, Array]:
        """The image and its labels, changed."""
        raise NotImplementedError(f"{type(self).__name__}: a subclass of DetAugmenter defines __call__.")


class DetBorrowAug(DetAugmenter):
    """An augmenter of images alone that leaves boxes where they are, such as one of colours."""

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise TypeError(f"DetBorrowAug: an Augmenter is required, got {type(augmenter).__name__}.")
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> Any:
        """The class in small letters and what the augmenter gives, as a list."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: NDArray, label: Array) -> tuple[NDArray, Array]:
        """The image after the augmenter, and the labels as they are."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """One of several augmenters at random, or with probability `skip_prob` none."""

    def __init__(self, aug_list: Sequence[DetAugmenter] | DetAugmenter, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        self.aug_list: list[Any] = list(aug_list) if isinstance(aug_list, list | tuple) else [aug_list]
        for each in self.aug_list:
            if not isinstance(each, DetAugmenter):
                raise ValueError(
                    f"DetRandomSelectAug: DetAugmenters are required, got {type(each).__name__}."
                )
        self.skip_prob = skip_prob if self.aug_list else 1

    def dumps(self) -> Any:
        """The class in small letters and what its augmenters give, as a list."""
        return [type(self).__name__.lower(), [each.dumps() for each in self.aug_list]]

    def __call__(self, src: NDArray, label: Array) -> tuple[NDArray, Array]:
        """The image and its labels after the chosen augmenter."""
        if random.random() < self.skip_prob:
            return src, label
        random.shuffle(self.aug_list)
        chosen: DetAugmenter = self.aug_list[0]
        return chosen(src, label)


class DetHorizontalFlipAug(DetAugmenter):
    """Left and right exchanged, with probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray, label: Array) -> tuple[NDArray, Array]:
        """The image and its labels, or their mirror images; the labels are changed themselves."""
        if random.random() < self.p:
            src = ndarray_of(src._host[:, ::-1].copy())
            label[:, [1, 3]] = 1.0 - label[:, [3, 1]]
        return src, label


def _areas(boxes: Array) -> Array:
    """The areas of boxes (n, 4) of left, top, right, bottom; 0 of those turned over."""
    return np.asarray(np.maximum(0, boxes[:, 2] - boxes[:, 0]) * np.maximum(0, boxes[:, 3] - boxes[:, 1]))


class DetRandomCropAug(DetAugmenter):
    """A part of the image at random that covers more than a share of each object it touches.

    Objects of which too little is left lose their labels. Without a part that fits in `max_attempts` draws
    the image stays whole.
    """

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: Limits | float = (0.75, 1.33),
        area_range: Limits | float = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        aspect_ratio_range, area_range = _limits(aspect_ratio_range), _limits(area_range)
        super().__init__(
            min_object_covered=min_object_covered,
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            min_eject_coverage=min_eject_coverage,
            max_attempts=max_attempts,
        )
        self.min_object_covered = min_object_covered
        self.min_eject_coverage = min_eject_coverage
        self.max_attempts = max_attempts
        self.aspect_ratio_range = aspect_ratio_range
        self.area_range = area_range
        self.enabled = _usable("DetRandomCropAug", area_range, aspect_ratio_range, 0)

    def __call__(self, src: NDArray, label: Array) -> tuple[NDArray, Array]:
        """The part of the image with its labels, or both as they are."""
        h, w = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled else 0):
            box = self._box(h, w)
            if box is None or not self._covers(label, box, h, w):
                continue
            labels = self._labels(label, box, h, w)
            if labels is not None:
                return fixed_crop(src, *box), labels
        return src, label

    def _box(self, h: int, w: int) -> Box | None:
        """A place within the image, if the drawn ratio has one of an area within limits."""
        ratio = random.uniform(*self.aspect_ratio_range)
        if ratio <= 0:
            return None
        least, largest = (share * h * w for share in self.area_range)
        height, highest = (round(math.sqrt(area / ratio)) for area in (least, largest))
        if round(highest * ratio) > w:
            highest = int((w + _NEARLY_HALF) / ratio)
        highest = min(highest, h)
        height = min(height, highest)
        if height < highest:
            height = random.randint(height, highest)
        width = round(height * ratio)
        if width * height < least:
            height, width = height + 1, round((height + 1) * ratio)
        if width * height > largest:
            height, width = height - 1, round((height - 1) * ratio)
        if not (least <= width * height <= largest and 0 <= width <= w and 0 <= height <= h):
            return None
        y = random.randint(0, max(0, h - height))
        x = random.randint(0, max(0, w - width))
        return x, y, width, height

    def _covers(self, label: Array, box: Box, h: int, w: int) -> bool:
        """Whether enough is seen of each object that a box touches, and it touches one."""
        x, y, width, height = box
        if width * height < 2:
            return False
        areas = _areas(label[:, 1:])
        objects = label[areas * w * h > 2, 1:5]
        if not len(objects):
            return False
        low = np.maximum(objects[:, :2], (x / w, y / h))
        high = np.minimum(objects[:, 2:], ((x + width) / w, (y + height) / h))
        shares = _areas(np.concatenate([low, high], 1)) / _areas(objects)
        seen = shares[shares > 0]
        return bool(seen.size and seen.min() > self.min_object_covered)

    def _labels(self, label: Array, box: Box, h: int, w: int) -> Array | None:
        """The labels of the objects of which enough is left, `None` without any."""
        x, y, width, height = box
        across, down = width / w, height / h
        moved = label.copy()
        moved[:, [1, 3]] = (moved[:, [1, 3]] - x / w) / across
        moved[:, [2, 4]] = (moved[:, [2, 4]] - y / h) / down
        moved[:, 1:5] = moved[:, 1:5].clip(0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = _areas(moved[:, 1:]) * across * down / _areas(label[:, 1:])
        kept = (moved[:, 3] > moved[:, 1]) & (moved[:, 4] > moved[:, 2]) & (left > self.min_eject_coverage)
        return moved[kept] if kept.any() else None


class DetRandomPadAug(DetAugmenter):
    """The image at a random place in a larger one of the colour `pad_val`."""

    def __init__(
        self,
        aspect_ratio_range: Limits | float = (0.75, 1.33),
        area_range: Limits | float = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Sequence[float] | float = (128, 128, 128),
    ) -> None:
        aspect_ratio_range, area_range = _limits(aspect_ratio_range), _limits(area_range)
        super().__init__(
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            max_attempts=max_attempts,
            pad_val=pad_val,
        )
        self.pad_val = pad_val
        self.aspect_ratio_range = aspect_ratio_range
        self.area_range = area_range
        self.max_attempts = max_attempts
        self.enabled = _usable("DetRandomPadAug", area_range, aspect_ratio_range, 1)

    def __call__(self, src: NDArray, label: Array) -> tuple[NDArray, Array]:
        """The larger image with its labels, or both as they are."""
        h, w = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled else 0):
            box = self._box(h, w)
            if box is None:
                continue
            x, y, width, height = box
            moved = label.copy()
            moved[:, [1, 3]] = (moved[:, [1, 3]] * w + x) / width
            moved[:, [2, 4]] = (moved[:, [2, 4]] * h + y) / height
            colour = self.pad_val if isinstance(self.pad_val, list | tuple) else (self.pad_val,)
            wide = copyMakeBorder(src, y, height - y - h, x, width - x - w, 16, values=colour)
            return wide, moved
        return src, label

    def _box(self, h: int, w: int) -> Box | None:
        """The place of the image in the larger one, and its width and height, if the drawn ratio has one."""
        ratio = random.uniform(*self.aspect_ratio_range)
        if ratio <= 0:
            return None
        least, largest = (share * h * w for share in self.area_range)
        height, highest = (round(math.sqrt(area / ratio)) for area in (least, largest))
        if round(height * ratio) < w:
            height = int((w + _NEARLY_HALF) / ratio)
        height = min(max(height, h), highest)
        if height < highest:
            height = random.randint(height, highest)
        width = round(height * ratio)
        if height - h < 2 or width - w < 2:
            return None
        y = random.randint(0, max(0, height - h))
        x = random.randint(0, max(0, width - w))
        return x, y, width, height


def _limits(value: Limits | float) -> Limits:
    """Two limits; a number alone is both."""
    return (value[0], value[1]) if isinstance(value, list | tuple) else (value, value)


def _usable(owner: str, area: Limits, ratio: Limits, above: float) -> bool:
    """Whether the largest area is above a limit, and the least of both are not above the largest."""
    if area[0] <= area[1] and area[1] > above and 0 < ratio[0] <= ratio[1]:
        return True
    logging.warning("%s: it does nothing, as no area of %s with a ratio of %s fits", owner, area, ratio)
    return False


# ---- all together


def CreateMultiRandCropAugmenter(
    min_object_covered: float | Sequence[float] = 0.1,
    aspect_ratio_range: Limits | Sequence[Limits] = (0.75, 1.33),
    area_range: Limits | Sequence[Limits] = (0.05, 1.0),
    min_eject_coverage: float | Sequence[float] = 0.3,
    max_attempts: int | Sequence[int] = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """One of several random crops, which is chosen at random; arguments are lists, or the same for all.

    Args:
        min_object_covered: The share of an object that a part covers at least if it touches it.
        aspect_ratio_range: The least and largest width by height.
        area_range: The least and largest share of the image's area.
        min_eject_coverage: The share of an object that is left at least if it keeps its label.
        max_attempts: How often a part is drawn.
        skip_prob: The probability of no crop.

    Returns:
        The augmenter that chooses.

    Raises:
        RequirementError: Lists of different lengths.
    """
    columns: list[list[Any]] = [
        value if isinstance(value, list) else [value]
        for value in (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
    ]
    count = max(map(len, columns))
    if any(len(column) not in (1, count) for column in columns):
        lengths = ", ".join(str(len(column)) for column in columns)
        raise RequirementError(
            f"CreateMultiRandCropAugmenter: lists of one length are required, got {lengths}."
        )
    rows = zip(*(column * (count // len(column)) for column in columns), strict=True)
    return DetRandomSelectAug([DetRandomCropAug(*row) for row in rows], skip_prob=skip_prob)


def CreateDetAugmenter(
    data_shape: Sequence[int],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Colours = None,
    std: Colours = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: float | Sequence[float] = 0.1,
    aspect_ratio_range: Limits = (0.75, 1.33),
    area_range: Limits = (0.05, 3.0),
    min_eject_coverage: float | Sequence[float] = 0.3,
    max_attempts: int | Sequence[int] = 50,
    pad_val: Sequence[float] = (127, 127, 127),
) -> list[DetAugmenter]:
    """The augmenters for training a detector, in their usual order; what is 0 is left out.

    `rand_crop` and `rand_pad` are the probabilities of a random part and of a random place in a larger image
    of the colour `pad_val`, which has an area of at most the second number in `area_range`. What is said of
    parts is as in `CreateMultiRandCropAugmenter`, all else as in `CreateAugmenter`.

    Returns:
        The augmenters.

    Raises:
        RequirementError: A mean or deviation not of 1 or 3 numbers.
    """
    augmenters: list[DetAugmenter] = [DetBorrowAug(ResizeAug(resize, inter_method))] if resize > 0 else []
    if rand_crop > 0:
        crop = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
        augmenters.append(CreateMultiRandCropAugmenter(*crop, skip_prob=1 - rand_crop))
    if rand_mirror:
        augmenters.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        tries = max_attempts if isinstance(max_attempts, int) else max(max_attempts)
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, area_range[1]), tries, pad_val)
        augmenters.append(DetRandomSelectAug([pad], 1 - rand_pad))
    borrowed: list[Augmenter] = [ForceResizeAug((data_shape[2], data_shape[1]), inter_method), CastAug()]
    borrowed += colour_augmenters((brightness, contrast, saturation), hue, pca_noise, rand_gray)
    mean, std = (np.array(of) if it is True else it for it, of in ((mean, MEAN), (std, DEVIATION)))
    normalize = normalization("CreateDetAugmenter", mean, std)
    borrowed += [] if normalize is None else [normalize]
    return augmenters + [DetBorrowAug(each) for each in borrowed]
