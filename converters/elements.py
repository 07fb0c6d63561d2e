"""ONNX's element types: their numbers, their texts, and the dtypes of NumPy that stand for them.

Nothing here needs the onnx package, whose import takes longer than many a network's first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hybridonnx.dtypes import EXTENSIONS, OF_ML_DTYPES, ONNX_NAMES, DType, as_dtype, container_of
from hybridonnx.errors import ConversionError, DTypeError

Array: TypeAlias = NDArray[Any]

CODES: Mapping[str, int] = {
    name: code
    for code, name in enumerate(
        (
            *("undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool"),
            *("float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16"),
            *("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4"),
            *("float4e2m1", "float8e8m0", "uint2", "int2", "float6e2m3", "float6e3m2"),
        )
    )
}
"""ONNX's number of each element type, by its name in texts such as `tensor(float)`."""
_ONNX_NAMES = {code: name for name, code in CODES.items()}
_NAMES = {code: ONNX_NAMES.get(name, name) for code, name in _ONNX_NAMES.items() if code}
"""Our name of each."""
_OF_ML_DTYPES = {name: code for code, name in _NAMES.items() if name in OF_ML_DTYPES}
_DTYPES: dict[int, DType] = {
    code: as_dtype(name) for code, name in _NAMES.items() if name not in OF_ML_DTYPES
}
"""Those of NumPy. Others are of ml_dtypes, whose import takes as long as to lower a small network."""
_NUMBERS: dict[DType, int] = {dtype: code for code, dtype in _DTYPES.items()}
_CODES: dict[str, int] = {f"tensor({name})": code for name, code in CODES.items() if code}
"""The numbers by texts such as `tensor(float)`."""


def elem_type(dtype: Any) -> int:
    """ONNX's number for a NumPy dtype."""
    known = np.dtype(dtype)
    code = _NUMBERS.get(known) or _OF_ML_DTYPES.get(known.name)
    if code is None or container_of(known):
        raise ConversionError(f"ONNX has no element type {container_of(known) or known}.")
    return code


def elem_type_name(code: int) -> str:
    """The name of an element type in texts such as `tensor(float)`; empty if there is none."""
    return _ONNX_NAMES.get(code, "") if code else ""


def dtype_of(code: int) -> DType:
    """The NumPy dtype of one of ONNX's element types."""
    dtype = _DTYPES.get(code)
    if dtype is not None:
        return dtype
    if _NAMES.get(code) in EXTENSIONS:
        return as_dtype(_NAMES[code])  # which tells what to install
    name = _ONNX_NAMES.get(code, str(code)).upper()
    raise ConversionError(
        f"ONNX: element type {name} is not supported, as NumPy lacks it. "
        "Convert the model to float32 or float16 first."
    )


def dtype_of_type_string(text: str) -> DType | None:
    """The dtype of `tensor(float)` and the like; `None` for sequences, optionals and maps."""
    code = _CODES.get(text)
    try:
        return None if code is None else dtype_of(code)
    except (ConversionError, DTypeError):
        return None


def name_of_type_string(text: str) -> str | None:
    """The same as our name of the element type."""
    code = _CODES.get(text)
    return None if code is None else _NAMES[code]


def little_endian(dtype: DType) -> DType:
    """The dtype as files have it, with the lowest byte first."""
    return dtype.newbyteorder("<") if dtype.isbuiltin == 1 else dtype


def is_plain(dtype: DType | None) -> bool:
    """Whether files have the memory of an array as it is: not so for strings and types of ml_dtypes."""
    if dtype is None or dtype.hasobject:
        return False
    return dtype.isbuiltin == 1 or (dtype.isbuiltin == 0 and dtype.isnative and dtype.kind in "biufc")
