"""An image of a record, as an array of NumPy, through the augmentations and normalization of its iterator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import MXNetError
from ..ops import Array
from ..ops.cvimage import interpolation_between, opencv, resampled, size_by_shorter_side
from ._record_options import Augmentation, Normalization

_AUTO, _RANDOM = 9, 10
_TRIES = 10
_LIGHT = np.array(
    [
        [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
        [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
        [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
    ]
)
"""The principal components of the colours of ImageNet's pixels (columns), times their deviations."""
_BRIGHTNESS = np.array([0.299, 0.587, 0.114], np.float32)


class Augmenter:
    """Images (H, W, C) of uint8 to a height and width; `rng` draws what is random."""

    def __init__(self, owner: str, options: Augmentation, height: int, width: int) -> None:
        self._owner, self._options = owner, options
        self._height, self._width = height, width
        o = options
        self._warps = (
            max(o.max_rotate_angle, o.rotate, o.max_shear_ratio, o.min_img_size) > 0
            or (o.max_random_scale, o.min_random_scale) != (1, 1)
            or o.max_img_size != 1e10
            or (o.max_aspect_ratio != 0 and not o.random_resized_crop)
        )
        self._jitter = [
            (change, far)
            for change, far in (
                (_brighter, o.brightness),
                (_contrasted, o.contrast),
                (_saturated, o.saturation),
            )
            if far > 0
        ]
        if o.min_crop_size > o.max_crop_size and not o.random_resized_crop:
            raise MXNetError(
                f"{owner}: a min_crop_size up to max_crop_size={o.max_crop_size} is required, got "
                f"{o.min_crop_size}."
            )
        if self._warps or max(o.random_h, o.random_s, o.random_l) > 0:
            self._require_opencv()

    def _require_opencv(self) -> Any:
        cv2 = opencv()
        if cv2 is None:
            raise MXNetError(
                f"{self._owner}: to rotate, shear or scale images, or to change hues, OpenCV is required, "
                "which is not installed. pip install opencv-python-headless"
            )
        return cv2

    def __call__(self, image: Array, rng: np.random.Generator) -> Array:
        """The image at the height and width."""
        o = self._options
        if o.resize > 0:
            image = self._resized(image, *size_by_shorter_side(o.resize, *image.shape[:2]), rng)
        if self._warps:
            image = self._warped(image, rng)
        if o.pad > 0:
            image = np.pad(image, ((o.pad, o.pad), (o.pad, o.pad), (0, 0)), constant_values=o.fill_value)
        image = self._cropped(image, rng)
        if image.shape[2] == 3:
            image = self._coloured(image, rng)
        return image

    def _resized(self, image: Array, height: int, width: int, rng: np.random.Generator) -> Array:
        h, w = image.shape[:2]
        if (h, w) == (height, width):
            return image
        return resampled(image, height, width, self._method(h, w, height, width, rng))

    def _method(self, h: int, w: int, height: int, width: int, rng: np.random.Generator) -> int:
        method = self._options.inter_method
        if method == _AUTO:
            return interpolation_between(h, w, height, width)
        return int(rng.integers(5)) if method == _RANDOM else method

    # ---- shapes

    def _warped(self, image: Array, rng: np.random.Generator) -> Array:
        """The image rotated, sheared and scaled around its middle."""
        o, cv2 = self._options, self._require_opencv()
        h, w = image.shape[:2]
        angle = o.rotate if o.rotate > 0 else int(rng.integers(-o.max_rotate_angle, o.max_rotate_angle + 1))
        shear = rng.uniform(-o.max_shear_ratio, o.max_shear_ratio)
        scale = rng.uniform(o.min_random_scale, o.max_random_scale)
        ratio = self._ratio(rng) if not o.random_resized_crop else 1.0
        highest, widest = (max(o.min_img_size, min(o.max_img_size, scale * n)) for n in (h, w))
        height, width = int(highest), int(widest)
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        down = 2 * scale / (1 + ratio)
        across = ratio * down
        turn = np.array(
            [
                [down * cos - shear * sin * across, down * sin + shear * cos * across],
                [-sin * across, cos * across],
            ],
            np.float32,
        )
        middle = (np.array([widest, highest]) - turn @ np.array([w, h])) / 2
        matrix = np.hstack([turn, middle[:, None]]).astype(np.float32)
        method = self._method(h, w, height, width, rng)
        fill = (o.fill_value,) * image.shape[2]
        pixels: Array = cv2.warpAffine(
            image, matrix, (width, height), flags=method, borderMode=cv2.BORDER_CONSTANT, borderValue=fill
        )
        return pixels.reshape(height, width, -1)

    def _ratio(self, rng: np.random.Generator) -> float:
        """A width by height."""
        largest, least = self._options.max_aspect_ratio, self._options.min_aspect_ratio
        if least is None:
            return float(rng.uniform(1 - largest, 1 + largest))
        return float(rng.uniform(least, largest))

    def _cropped(self, image: Array, rng: np.random.Generator) -> Array:
        o = self._options
        if o.random_resized_crop and not self._whole():
            part = self._random_part(image, rng)
            if part is not None:
                return self._resized(part, self._height, self._width, rng)
        elif not o.random_resized_crop and (o.max_crop_size > 0 or o.min_crop_size > 0):
            size = int(rng.integers(o.min_crop_size, o.max_crop_size + 1))
            if size < 1 or size > min(image.shape[:2]):
                raise MXNetError(
                    f"{self._owner}: images of max_crop_size={o.max_crop_size} pixels or more are required, "
                    f"got {image.shape[1]} x {image.shape[0]}. Set resize to a larger size."
                )
            return self._resized(self._part(image, size, size, rng), self._height, self._width, rng)
        h, w = image.shape[:2]
        if h < self._height:
            h, w = self._height, int(self._height / h * w)
            image = self._resized(image, h, max(w, 1), rng)
        if w < self._width:
            h, w = int(self._width / w * h), self._width
            image = self._resized(image, max(h, 1), w, rng)
        return self._part(image, self._height, self._width, rng)

    def _whole(self) -> bool:
        """Whether a random part could only be a whole square image; it is cropped as without them then."""
        o = self._options
        least = 1 - o.max_aspect_ratio if o.min_aspect_ratio is None else o.min_aspect_ratio
        return o.min_random_area == o.max_random_area == 1 and least == o.max_aspect_ratio == 1

    def _part(self, image: Array, height: int, width: int, rng: np.random.Generator) -> Array:
        """A part in the middle, or anywhere."""
        y, x = image.shape[0] - height, image.shape[1] - width
        if self._options.rand_crop:
            y, x = int(rng.integers(y + 1)), int(rng.integers(x + 1))
        else:
            y, x = y // 2, x // 2
        return image[y : y + height, x : x + width]

    def _random_part(self, image: Array, rng: np.random.Generator) -> Array | None:
        """A part anywhere with a random area and ratio, `None` if none of ten fits."""
        o = self._options
        h, w = image.shape[:2]
        for _ in range(_TRIES):
            area = rng.uniform(o.min_random_area, o.max_random_area) * h * w
            ratio = self._ratio(rng)
            if ratio <= 0:
                continue
            height, width = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
            if rng.random() > 0.5:
                height, width = width, height
            if 0 < height <= h and 0 < width <= w:
                y, x = int(rng.integers(h - height + 1)), int(rng.integers(w - width + 1))
                return image[y : y + height, x : x + width]
        return None

    # ---- colours

    def _coloured(self, image: Array, rng: np.random.Generator) -> Array:
        o = self._options
        for k in rng.permutation(len(self._jitter)) if self._jitter else ():
            change, far = self._jitter[k]
            image = change(image, np.float32(1 + rng.uniform(-far, far)))
        if max(o.random_h, o.random_s, o.random_l) > 0:
            image = self._shifted(image, rng)
        if o.pca_noise > 0:
            image = _bytes(image + (_LIGHT @ rng.normal(0, o.pca_noise, 3)).astype(np.float32))
        return image

    def _shifted(self, image: Array, rng: np.random.Generator) -> Array:
        """Hue, lightness and saturation plus random numbers; a turn of hues has 180."""
        o, cv2 = self._options, self._require_opencv()
        far = (o.random_h, o.random_l, o.random_s)
        values = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2HLS).astype(np.int32)
        values += np.array([int(rng.uniform(-n, n)) for n in far])
        values[..., 0] %= 180
        pixels: Array = cv2.cvtColor(_bytes(values), cv2.COLOR_HLS2RGB)
        return pixels


def _bytes(values: Array) -> Array:
    return np.asarray(np.rint(values).clip(0, 255), np.uint8)


def _brighter(image: Array, factor: Any) -> Array:
    return _bytes(image * factor)


def _contrasted(image: Array, factor: Any) -> Array:
    return _bytes(image * factor + (1 - factor) * (image @ _BRIGHTNESS).mean())


def _saturated(image: Array, factor: Any) -> Array:
    return _bytes(image * factor + (1 - factor) * (image @ _BRIGHTNESS)[..., None])


class Normalizer:
    """Images (H, W, C) of uint8 as what networks read, (C, H, W) of a dtype."""

    def __init__(self, options: Normalization, channels: int, dtype: Any, mean: Array | None) -> None:
        o = options
        self._options, self._dtype = options, np.dtype(dtype)
        self._raw = self._dtype == np.uint8
        self._mean = np.array([o.mean_r, o.mean_g, o.mean_b, o.mean_a][:channels], np.float32)[:, None, None]
        std = np.array([o.std_r, o.std_g, o.std_b, o.std_a][:channels], np.float32)[:, None, None]
        self._factor = np.float32(o.scale) / std
        self.image = mean

    def __call__(self, image: Array, out: Array, rng: np.random.Generator) -> None:
        """Write the image's numbers into `out`, an array (C, H, W)."""
        o = self._options
        mirror = o.mirror or (o.rand_mirror and rng.random() < 0.5)
        pixels = (image[:, ::-1] if mirror else image).transpose(2, 0, 1)
        if self._raw:
            out[...] = pixels
            return
        values = out if out.dtype == np.float32 else np.empty(out.shape, np.float32)
        values[...] = pixels
        mean = self._mean
        if self.image is not None:
            mean = (
                self.image[..., ::-1] if mirror else self.image
            )  # it belongs to images that are not mirrored
        if mean.any():
            values -= mean
        if self._dtype.kind in "iu":
            limits = np.iinfo(self._dtype)
            out[...] = np.rint(values).clip(limits.min, limits.max)
            return
        if o.max_random_contrast > 0 or o.max_random_illumination > 0:
            values *= np.float32(1 + rng.uniform(-o.max_random_contrast, o.max_random_contrast))
            values += np.float32(rng.uniform(-o.max_random_illumination, o.max_random_illumination))
        if (self._factor != 1).any():
            values *= self._factor
        if values is not out:
            out[...] = values
