"""`.safetensors` files, by the package safetensors, which is an extra."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dtypes import as_dtype, name_of
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
    package = _package()
    try:
        content: bytes = package.save({name: np.asarray(a, order="C") for name, a in arrays.items()})
    except Exception as exc:
        listing = ", ".join(sorted({name_of(a.dtype) for a in arrays.values()}))
        raise FormatError(
            f"safetensors: dtypes that the format has are required, got {listing}: {exc}. Save as .params."
        ) from exc
    return content


_NAMES = {
    "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2": "float8_e5m2",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "F8_E8M0": "float8_e8m0fnu",
    "C64": "complex64",
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "I64": "int64",
    "U64": "uint64",
    "I32": "int32",
    "U32": "uint32",
    "I16": "int16",
    "U16": "uint16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
}


def _arrays(package: ModuleType, path: str) -> dict[str, NDArray[Any]]:
    try:
        arrays: dict[str, NDArray[Any]] = package.load_file(path)
    except (AttributeError, KeyError):  # the package looks for all types in NumPy itself
        with open_to_read(path) as file:
            entries = importlib.import_module("safetensors").deserialize(file.read())
        return {
            name: np.frombuffer(entry["data"], as_dtype(_NAMES.get(entry["dtype"], entry["dtype"]))).reshape(
                entry["shape"]
            )
            for name, entry in entries
        }
    return arrays


def read(path: PathLike) -> dict[str, NDArray[Any]]:
    """The arrays of a file by name. Raises `FormatError` for anything that is not one."""
    package = _package()
    open_to_read(path).close()
    try:
        arrays = _arrays(package, os.fspath(path))
    except Exception as exc:
        raise FormatError(f"safetensors: not a sound file, or of dtypes that NumPy lacks: {exc}.") from exc
    for name, array in arrays.items():
        try:
            as_dtype(array.dtype)
        except DTypeError as exc:
            exc.add_note(f"In the array {name!r}.")
            raise
    return {name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()}
