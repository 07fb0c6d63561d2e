"""An image of a record with the boxes of its objects, through the augmentations of its iterator.

Objects are arrays (n, 5 or more): a class, left, top, right and bottom as shares of the width and height.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import AttributeValueError, MXNetError
from ..ops import Array
from ..ops.cvimage import interpolation_between, opencv, resampled, size_by_shorter_side
from ._record_options import BoxAugmentation

_AUTO, _RANDOM = 9, 10
_NOTHING = 1e-6


class BoxAugmenter:
    """Images (H, W, C) of uint8 within a height and width, with their objects; `rng` draws what is random."""

    def __init__(self, owner: str, options: BoxAugmentation, height: int, width: int) -> None:
        self._owner, self._options = owner, options
        self._height, self._width = height, width
        for name, allowed in (
            ("crop_emit_mode", ("center", "overlap")),
            ("resize_mode", ("force", "fit", "shrink")),
        ):
            if getattr(options, name) not in allowed:
                required = " or ".join(allowed)
                raise AttributeValueError(
                    f"{owner}: {required} is required as {name}, got {getattr(options, name)!r}."
                )
        o = options
        chances = (o.random_hue_prob, o.random_saturation_prob, o.random_illumination_prob)
        if max(chances) > 0 and opencv() is None:
            raise MXNetError(
                f"{owner}: to change hues, OpenCV is required, which is not installed. "
                "pip install opencv-python-headless"
            )

    def __call__(self, image: Array, objects: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """The image, of at most the height and width, and its objects."""
        o = self._options
        if o.resize > 0:
            image = self._resized(image, *size_by_shorter_side(o.resize, *image.shape[:2]), rng)
        if image.shape[2] == 3:
            image = self._coloured(image, rng)
        objects = objects.copy()
        if rng.random() < o.rand_mirror_prob:
            image = image[:, ::-1]
            objects[:, [1, 3]] = 1 - objects[:, [3, 1]]
        if rng.random() < o.rand_pad_prob:
            image, objects = self._padded(image, objects, rng)
        if rng.random() < o.rand_crop_prob:
            image, objects = self._cropped(image, objects, rng)
        return self._fitted(image, rng), objects

    def _resized(self, image: Array, height: int, width: int, rng: np.random.Generator) -> Array:
        h, w = image.shape[:2]
        if (h, w) == (height, width):
            return image
        method = self._options.inter_method
        if method == _AUTO:
            method = interpolation_between(h, w, height, width)
        elif method == _RANDOM:
            method = int(rng.integers(5))
        return resampled(image, height, width, method)

    def _fitted(self, image: Array, rng: np.random.Generator) -> Array:
        h, w = image.shape[:2]
        mode = self._options.resize_mode
        if mode == "force":
            return self._resized(image, self._height, self._width, rng)
        factor = min(self._height / h, self._width / w)
        if mode == "shrink" and factor >= 1:
            return image
        height, width = (
            max(min(int(n * factor), most), 1) for n, most in ((h, self._height), (w, self._width))
        )
        return self._resized(image, height, width, rng)

    # ---- colours

    def _coloured(self, image: Array, rng: np.random.Generator) -> Array:
        o = self._options
        far = (o.max_random_hue, o.max_random_illumination, o.max_random_saturation)
        chances = (o.random_hue_prob, o.random_illumination_prob, o.random_saturation_prob)
        shifts = [
            int(rng.uniform(-n, n)) if rng.random() < p else 0 for n, p in zip(far, chances, strict=True)
        ]
        if any(shifts):
            cv2 = opencv()
            values = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2HLS).astype(np.int32) + shifts
            values[..., 0] %= 180
            image = cv2.cvtColor(values.clip(0, 255).astype(np.uint8), cv2.COLOR_HLS2RGB)
        if rng.random() < o.random_contrast_prob:
            factor = np.float32(1 + rng.uniform(-o.max_random_contrast, o.max_random_contrast))
            image = np.rint(image * factor).clip(0, 255).astype(np.uint8)
        return image

    # ---- places

    def _padded(self, image: Array, objects: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """The image at a random place in a larger one."""
        h, w = image.shape[:2]
        scale = rng.uniform(1, max(self._options.max_pad_scale, 1))
        height, width = int(h * scale), int(w * scale)
        y, x = int(rng.integers(height - h + 1)), int(rng.integers(width - w + 1))
        wide = np.full((height, width, image.shape[2]), self._options.fill_value, np.uint8)
        wide[y : y + h, x : x + w] = image
        objects[:, [1, 3]] = (objects[:, [1, 3]] * w + x) / width
        objects[:, [2, 4]] = (objects[:, [2, 4]] * h + y) / height
        return wide, objects

    def _cropped(self, image: Array, objects: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """A part of the image by a kind of crop that is drawn, or all if no part fits."""
        h, w = image.shape[:2]
        for kind in rng.permutation(self._options.num_crop_sampler):
            for _ in range(int(self._of("max_crop_trials", kind))):
                box = self._box(kind, w / h, rng)
                if not self._fits(kind, box, objects):
                    continue
                left = self._objects(box, objects)
                if len(left):
                    top, bottom = int(box[1] * h), max(int(box[3] * h), int(box[1] * h) + 1)
                    begin, end = int(box[0] * w), max(int(box[2] * w), int(box[0] * w) + 1)
                    return image[top:bottom, begin:end], left
        return image, objects

    def _of(self, name: str, kind: int) -> Any:
        """An option for a kind of crop."""
        values = getattr(self._options, name)
        return values[min(kind, len(values) - 1)]

    def _box(self, kind: int, ratio: float, rng: np.random.Generator) -> Array:
        """A random part of the unit square; `ratio` is the image's width by height."""
        scale = max(
            rng.uniform(self._of("min_crop_scales", kind), self._of("max_crop_scales", kind)), _NOTHING
        )
        low = max(self._of("min_crop_aspect_ratios", kind) / ratio, scale * scale)
        high = min(self._of("max_crop_aspect_ratios", kind) / ratio, 1 / (scale * scale))
        shape = math.sqrt(rng.uniform(min(low, high), max(low, high)))
        width, height = min(scale * shape, 1.0), min(scale / shape, 1.0)
        x, y = rng.uniform(0, 1 - width), rng.uniform(0, 1 - height)
        return np.array([x, y, x + width, y + height])

    def _fits(self, kind: int, box: Array, objects: Array) -> bool:
        """Whether one object at least is covered as the options ask for."""
        shared, area, areas = _shared(box, objects), _areas(box[None])[0], _areas(objects[:, 1:5])
        shares = {
            "overlaps": shared / np.maximum(area + areas - shared, _NOTHING),
            "sample_coverages": shared / max(area, _NOTHING),
            "object_coverages": shared / np.maximum(areas, _NOTHING),
        }
        fits = np.ones(len(objects), np.bool_)
        for name, share in shares.items():
            fits &= (share >= self._of(f"min_crop_{name}", kind)) & (
                share <= self._of(f"max_crop_{name}", kind)
            )
        return bool(fits.any())

    def _objects(self, box: Array, objects: Array) -> Array:
        """The objects that keep their labels, as they lie in a part."""
        if self._options.crop_emit_mode == "center":
            middle = (objects[:, 1:3] + objects[:, 3:5]) / 2
            kept = ((middle >= box[:2]) & (middle <= box[2:])).all(1)
        else:
            left = _shared(box, objects) / np.maximum(_areas(objects[:, 1:5]), _NOTHING)
            kept = left > self._options.emit_overlap_thresh
        moved = objects[kept]
        size = np.tile(box[2:] - box[:2], 2)
        moved[:, 1:5] = ((moved[:, 1:5] - np.tile(box[:2], 2)) / size).clip(0, 1)
        return moved


def _areas(boxes: Array) -> Array:
    return np.asarray((boxes[:, 2] - boxes[:, 0]).clip(0) * (boxes[:, 3] - boxes[:, 1]).clip(0))


def _shared(box: Array, objects: Array) -> Array:
    """The areas that a box and objects share."""
    low, high = np.maximum(box[:2], objects[:, 1:3]), np.minimum(box[2:], objects[:, 3:5])
    return _areas(np.concatenate([low, high], 1))
