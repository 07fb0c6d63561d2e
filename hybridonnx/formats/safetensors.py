"""`.safetensors` files, by the package safetensors, which is an extra."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dtypes import as_dtype
from ..errors import DTypeError, FormatError, MXNetError
from .files import PathLike, open_to_read

ENDING = ".safetensors"


def _package() -> ModuleType:
    try:
        return importlib.import_module("safetensors.numpy")
    except ModuleNotFoundError as exc:
        if (exc.name or "").partition(".")[0] != "safetensors":
            raise
        raise MXNetError(
            "safetensors: the package of this name is required for .safetensors files, and is not installed. "
            "Install it with pip install 'hybridonnx[safetensors]'."
        ) from None


def write(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a file with these arrays."""
    content: bytes = _package().save({name: np.asarray(a, order="C") for name, a in arrays.items()})
    return content


def read(path: PathLike) -> dict[str, NDArray[Any]]:
    """The arrays of a file by name. Raises `FormatError` for anything that is not one."""
    package = _package()
    open_to_read(path).close()
    try:
        arrays = package.load_file(os.fspath(path))
    except Exception as exc:
        raise FormatError(f"safetensors: not a sound file, or of dtypes that NumPy lacks: {exc}.") from exc
    for name, array in arrays.items():
        try:
            as_dtype(array.dtype)
        except DTypeError as exc:
            exc.add_note(f"In the array {name!r}.")
            raise
    return {name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()}
