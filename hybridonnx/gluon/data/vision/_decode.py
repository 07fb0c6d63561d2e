"""Images from the bytes of files: arrays of NumPy as they are, others by OpenCV or Pillow."""

from __future__ import annotations

import io

import numpy as np

from ....errors import FormatError
from ....ndarray import creation
from ....ndarray.ndarray import NDArray
from ....ndarray.np_array import shown
from ....ops.cvimage import decoded

EXTENSIONS = (".jpg", ".jpeg", ".png", ".npy")


def decode(content: bytes, flag: int, where: str) -> NDArray:
    """The image in colours (H, W, 3), or in grey (H, W, 1) if `flag` is 0, as uint8.

    What was written by `numpy.save` is given as it was written.
    """
    if content.startswith(b"\x93NUMPY"):
        return _array(content, where)
    return shown(creation.array(decoded(content, flag, where), dtype=np.uint8))


def _array(content: bytes, where: str) -> NDArray:
    try:
        values = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError) as exc:
        raise FormatError(f"{where}: NumPy cannot read the array: {exc}.") from exc
    return shown(creation.array(values, dtype=values.dtype))
