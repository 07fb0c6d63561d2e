"""The iterator over files of records of images with the boxes of objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..errors import MXNetError
from ..ops import Array
from ._box_augmentation import BoxAugmenter
from ._record_options import BoxAugmentation, Normalization, Source, options_of
from .image_records import ImageRecordIter, Preparation, Records

__all__ = ["ImageDetRecordIter"]

_HEADER = 4
"""The numbers before an image's labels: its channels, height, width, and how many labels follow."""
_MEANT_OTHERWISE = {"max_random_contrast", "max_random_illumination", "mirror", "rand_mirror"}
"""Options of other iterators, which have other meanings here or none."""


class _BoxPreparation(Preparation):
    """Fills rows of batches with images and labels of their objects."""

    def _augmenter(self, options: dict[str, Any], height: int, width: int) -> BoxAugmenter:
        return BoxAugmenter(self._owner, options_of(BoxAugmentation, self._owner, options), height, width)

    def _normalization(self, options: dict[str, Any]) -> Normalization:
        chosen = super()._normalization({k: v for k, v in options.items() if k not in _MEANT_OTHERWISE})
        stds = (chosen.std_r, chosen.std_g, chosen.std_b, chosen.std_a)
        r, g, b, a = (std or 1.0 for std in stds)  # 0, the default of MXNet here, divides nothing
        return replace(chosen, std_r=r, std_g=g, std_b=b, std_a=a)

    def _fill(self, number: int, rng: np.random.Generator, data: Array, label: Array) -> int:
        identifier, labels, content = self._records.record(number)
        where = f"{self._owner}: {self._records.where(number, identifier)}"
        before, objects = _objects(labels, where)
        image, objects = self._augment(self._records.image(content, self._channels, where), objects, rng)
        h, w = image.shape[:2]
        self._normalize(self._placed(image), data, rng)
        numbers = np.concatenate(
            [[image.shape[2], h, w, before.size + objects.size], before, objects.ravel()]
        )
        label[0, : numbers.size] = numbers
        label[0, numbers.size :] = self._source.label_pad_value
        return identifier

    def _sample(self, number: int, rng: np.random.Generator) -> tuple[int, Array, Array]:
        identifier, labels, content = self._records.record(number)
        where = f"{self._owner}: {self._records.where(number, identifier)}"
        image = self._records.image(content, self._channels, where)
        part, _ = self._augment(image, _objects(labels, where)[1], rng)
        return identifier, labels, self._placed(part)

    def _placed(self, image: Array) -> Array:
        """The image above and on the left in an array of the iterator's height and width."""
        height, width = self._source.data_shape[1:]
        if image.shape[:2] == (height, width):
            return image
        whole = np.zeros((height, width, image.shape[2]), np.uint8)
        whole[: image.shape[0], : image.shape[1]] = image
        return whole


def _objects(labels: Array, where: str) -> tuple[Array, Array]:
    """What stands before the objects of a label, and the objects (n, 5 or more)."""
    counted = labels.size > 2 and bool(np.isfinite(labels[:2]).all())
    before, width = (int(labels[0]), int(labels[1])) if counted else (0, 0)
    if before < 2 or width < 5 or before > labels.size or (labels.size - before) % width:
        raise MXNetError(
            f"{where}: a label whose first two numbers tell how many stand before the objects, and how many "
            f"each has, is required, got {labels[:8].tolist()}."
        )
    return labels[:before], labels[before:].reshape(-1, width)


class ImageDetRecordIter(ImageRecordIter):
    """Batches of images (N, C, H, W) of a file of records, with labels of objects.

    A row of labels begins with the image's channels, and its height and width within the batch; then come the
    number of its labels, these, and `label_pad_value` up to the longest label, or up to `label_pad_width`.
    Arguments are those of MXNet; crops and other draws are not MXNet's, and all else is as in
    `ImageRecordIter`.
    """

    _defaults: ClassVar[dict[str, Any]] = {"label_width": -1}

    def _open(self, owner: str, source: Source) -> Records:
        records = Records(owner, source)
        widths = [records.record(number)[1].size for number in range(len(records))]
        wrong = [width for width in widths if width != source.label_width]
        if source.label_width > 0 and wrong:
            raise MXNetError(
                f"{owner}: label_width={source.label_width} labels are required, got {wrong[0]}."
            )
        if 0 < source.label_pad_width < max(widths):
            least = f"a label_pad_width of {max(widths)} or more"
            raise MXNetError(f"{owner}: {least} is required, got {source.label_pad_width}.")
        self._width = max(*widths, source.label_pad_width)
        return records

    def _preparation(self, owner: str, source: Source, options: dict[str, Any]) -> Callable[..., None]:
        return _BoxPreparation(owner, self._records, source, options, self._dtype)

    def _label_shape(self) -> tuple[int, ...]:
        return (_HEADER + self._width,)
