"""Images in folders as inputs of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import image
from ..errors import ConversionError
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec

EXTENSIONS = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
_COLOURS = (1, 3)


@dataclass(frozen=True)
class Pixels:
    """What becomes of an image (H, W, C) of red, green and blue from 0 to 255.

    Without a function its middle is taken, in the model's size, after its shorter side was made that long;
    then its numbers go from 0 to 1, and `(x - mean) / std` of each colour is taken.
    """

    transform: Callable[[NDArray], Any] | None = None
    """A function of the image as uint8, which gives what the model takes of it."""
    mean: Sequence[float] = (0.0,)
    std: Sequence[float] = (1.0,)

    def array(self, path: Path, spec: Spec) -> Array:
        """The image of a file as an input takes it, without the axis of the batch."""
        layout = _Layout(path, spec)
        picture = image.imread(str(path), 0 if layout.colours == 1 else 1)
        if self.transform is not None:
            result = self.transform(picture)
            return np.asarray(result.asnumpy() if isinstance(result, NDArray) else result)
        if layout.size is not None and picture.shape[:2] != layout.size:
            height, width = layout.size
            ratio = max(height / picture.shape[0], width / picture.shape[1])
            sizes = [
                max(round(n * ratio), least) for n, least in zip(picture.shape[:2], layout.size, strict=True)
            ]
            picture = image.imresize(picture, sizes[1], sizes[0])
            top, left = (sizes[0] - height) // 2, (sizes[1] - width) // 2
            picture = picture[top : top + height, left : left + width]
        x = picture.asnumpy()
        if spec.dtype != np.uint8:
            scaled = (x / 255 - np.asarray(self.mean)) / np.asarray(self.std)
            x = scaled.astype(spec.dtype or np.float32)
        return x if layout.last else x.transpose(2, 0, 1)


class _Layout:
    """Where a model has an image's colours, and its size if that is fixed."""

    def __init__(self, path: Path, spec: Spec) -> None:
        shape = spec.shape if spec.shape is not None else (None, 3, None, None)
        if len(shape) != 4:
            raise ConversionError(
                f"verify: an input of images (N, C, H, W) or (N, H, W, C) is required for {path}, got one of "
                f"{len(shape)} axes."
            )
        self.last = shape[3] in _COLOURS and shape[1] not in _COLOURS
        self.colours = shape[3] if self.last else shape[1]
        height, width = shape[1:3] if self.last else shape[2:]
        self.size = (height, width) if isinstance(height, int) and isinstance(width, int) else None


def images_in(folder: Path) -> list[Path]:
    """The images in a folder, in the order of their names."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in EXTENSIONS)


def input_of_images(specs: Mapping[str, Spec]) -> tuple[str, Spec]:
    """The only input of a model. Raises `ConversionError` if there are several."""
    if len(specs) != 1:
        raise ConversionError(f"verify: a model of one input is required for images, got {', '.join(specs)}.")
    return next(iter(specs.items()))


def classes_in(folder: Path) -> list[tuple[Path, int]]:
    """The images in a folder's folders, each of which is a class, and which one that is."""
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    return [(path, label) for label, one in enumerate(folders) for path in images_in(one)]


def batches(paths: Sequence[Path], spec: Spec, pixels: Pixels, rows: int) -> Iterator[Array]:
    """Images in batches of so many rows, or as many as the model takes."""
    count = batch_size(spec, rows)
    for start in range(0, len(paths), count):
        arrays = [pixels.array(path, spec) for path in paths[start : start + count]]
        if len({array.shape for array in arrays}) > 1:
            raise ConversionError(
                "verify: images of one size are required where the model's height and width are free, got "
                f"{arrays[0].shape} and others. Give transform, or shapes with numbers."
            )
        yield np.stack(arrays)


def batch_size(spec: Spec, rows: int) -> int:
    """The rows that a model takes at once, if it fixes them, or so many."""
    first = spec.shape[0] if spec.shape else None
    return first if isinstance(first, int) and first > 0 else rows
