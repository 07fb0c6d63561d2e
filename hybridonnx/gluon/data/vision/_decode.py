"""Images from the bytes of files: arrays of NumPy as they are, others by Pillow."""

from __future__ import annotations

import importlib
import io
from typing import Any

import numpy as np

from ....errors import FormatError, MXNetError
from ....ndarray import creation
from ....ndarray.ndarray import NDArray

EXTENSIONS = (".jpg", ".jpeg", ".png", ".npy")


def decode(content: bytes, flag: int, where: str) -> NDArray:
    """The image in colours (H, W, 3), or in grey (H, W, 1) if `flag` is 0, as uint8.

    What was written by `numpy.save` is given as it was written.
    """
    if content.startswith(b"\x93NUMPY"):
        return _array(content, where)
    pillow = _pillow(where)
    try:
        with pillow.open(io.BytesIO(content)) as image:
            pixels = np.asarray(image.convert("RGB" if flag else "L"), dtype=np.uint8)
    except (OSError, SyntaxError, ValueError) as exc:  # Pillow's for what is no image
        raise FormatError(f"{where}: Pillow cannot read the image: {exc}.") from exc
    return creation.array(pixels if flag else pixels[..., None], dtype=np.uint8)


def _array(content: bytes, where: str) -> NDArray:
    try:
        values = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError) as exc:
        raise FormatError(f"{where}: NumPy cannot read the array: {exc}.") from exc
    return creation.array(values, dtype=values.dtype)


def _pillow(where: str) -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ModuleNotFoundError as exc:
        raise MXNetError(
            f"{where}: to decode images, Pillow is required, which is not installed. Install it, pip install "
            "'hybridonnx[image]', or store arrays as numpy.save writes them."
        ) from exc
