"""Element types: NumPy dtypes, MXNet's type flags, and their names; types of values that are no arrays.

MXNet has eight element types, which its operators take. ONNX has more: *extension types*, which arrays may
have and files hold; strings among them are NumPy arrays of `str` objects. A *container*, such as a sequence
of arrays, has a dtype of its own too, so that whatever tells dtypes can tell it.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from math import lcm
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import DTypeError, suggest

DType: TypeAlias = np.dtype[Any]
DTypeLike: TypeAlias = (
    str | type[np.generic] | type[bool] | type[int] | type[float] | type[complex] | type[str] | np.dtype[Any]
)
"""What users may say for a dtype: a name, a type of NumPy's or Python's, or a dtype."""

FLAGS: dict[int, DType] = {
    0: np.dtype("float32"),
    1: np.dtype("float64"),
    2: np.dtype("float16"),
    3: np.dtype("uint8"),
    4: np.dtype("int32"),
    5: np.dtype("int8"),
    6: np.dtype("int64"),
    7: np.dtype("bool"),
}
"""Type flag of MXNet's files to NumPy dtype: the types that MXNet's operators take."""

BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in FLAGS.values()}
_FLAG_OF: dict[DType, int] = {dtype: flag for flag, dtype in FLAGS.items()}

NATIVE: frozenset[DType] = frozenset(FLAGS.values())
float32: DType = FLAGS[0]
strings: DType = np.dtype(object)
"""The dtype of arrays of `str`."""

STRING = "string"
EXTENSIONS: dict[str, int] = {
    "int16": 8,
    "uint16": 9,
    "uint32": 10,
    "uint64": 11,
    "bfloat16": 12,
    STRING: 108,
    "complex64": 114,
    "complex128": 115,
    "float8_e4m3fn": 117,
    "float8_e4m3fnuz": 118,
    "float8_e5m2": 119,
    "float8_e5m2fnuz": 120,
    "uint4": 121,
    "int4": 122,
    "float4_e2m1fn": 123,
    "float8_e8m0fnu": 124,
    "uint2": 125,
    "int2": 126,
    "float6_e2m3fn": 127,
    "float6_e3m2fn": 128,
}
"""Name of each extension type to its flag in files: 8 to 12 are MXNet's own numbers, of which 1.9.1 uses
bfloat16's alone; the others are 100 and ONNX's number."""

ONNX_NAMES: dict[str, str] = {
    "float": "float32",
    "double": "float64",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "float6e2m3": "float6_e2m3fn",
    "float6e3m2": "float6_e3m2fn",
    "float4e2m1": "float4_e2m1fn",
}
"""ONNX's text of element types to our names, where the two differ."""

_OF_NUMPY: dict[DType, str] = {
    np.dtype(name): name for name in ("int16", "uint16", "uint32", "uint64", "complex64", "complex128")
}
_BFLOAT16_OF_MXNET: DType = np.dtype([("bfloat16", np.uint16)])
"""The dtype that stands for bfloat16 in MXNet's own Python."""
_LOWEST_BFLOAT16 = 0xFF7F
"""The bits of the least finite bfloat16."""
OF_ML_DTYPES = EXTENSIONS.keys() - {*_OF_NUMPY.values(), STRING}
"""The names of types that need the package ml_dtypes."""
_NAMES: dict[DType, str] = {dtype: name for name, dtype in BY_NAME.items()} | _OF_NUMPY
_NAME_OF_FLAG: dict[int, str] = {flag: name for name, flag in EXTENSIONS.items()}
_BITS: dict[str, int] = {
    "uint4": 4,
    "int4": 4,
    "float4_e2m1fn": 4,
    "uint2": 2,
    "int2": 2,
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
}
"""The types that files hold in less than a byte."""


def as_dtype(dtype: DTypeLike | None) -> DType:
    """The NumPy dtype of a name, a type or a dtype; `None` is float32. Raises `DTypeError` if unsupported."""
    if dtype is None:
        return float32
    candidate = _numpy_dtype(dtype)
    if candidate in _FLAG_OF:
        return candidate
    extension = _extension(dtype, candidate)
    if extension is None:
        known = [*BY_NAME, *EXTENSIONS]
        near = suggest(str(dtype)[:80], known)
        raise DTypeError(f"dtype: one of {', '.join(known)} is required, got {repr(dtype)[:80]}.{near}")
    return extension


def native_dtype(dtype: DTypeLike | None) -> DType:
    """The same for MXNet's own types alone."""
    if dtype is None:
        return float32
    candidate = _numpy_dtype(dtype)
    if candidate is None or candidate not in _FLAG_OF:
        near = suggest(str(dtype)[:80], BY_NAME)
        raise DTypeError(f"dtype: one of {', '.join(BY_NAME)} is required, got {repr(dtype)[:80]}.{near}")
    return candidate


def is_native(dtype: DType) -> bool:
    """Whether MXNet has the type, so that its operators take it."""
    return dtype in _FLAG_OF


def has_gradients(dtype: DType) -> bool:
    """Whether arrays of the type may be trained: those of MXNet's types and bfloat16."""
    return dtype in _FLAG_OF or name_of(dtype) == "bfloat16"


def is_bfloat16(dtype: DType | None) -> bool:
    """Whether a dtype is that of bfloat16, the one extension type that operators of floating point take."""
    return dtype is not None and dtype.kind == "V" and dtype.name == "bfloat16"


def is_floating(dtype: DType | None) -> bool:
    """Whether a dtype is one that operators of floating point take: NumPy's own, or bfloat16."""
    return dtype is not None and (dtype.kind == "f" or is_bfloat16(dtype))


def lowest(dtype: DType) -> float:
    """The least finite number of a dtype of floating point."""
    if is_bfloat16(dtype):
        return float(np.array(_LOWEST_BFLOAT16, np.uint16).view(dtype))
    return float(np.finfo(dtype).min)


def flag_of(dtype: DType) -> int:
    """The type flag of a dtype in files: MXNet's, or of `EXTENSIONS`."""
    known = as_dtype(dtype)
    flag = _FLAG_OF.get(known)
    if flag is None:
        flag = EXTENSIONS.get(name_of(known))
    if flag is None:
        raise DTypeError(f"dtype: an element type is required, got {name_of(known)}, which no array has.")
    return flag


def dtype_of_flag(flag: int) -> DType | None:
    """The dtype with this type flag; `None` if there is none."""
    native = FLAGS.get(flag)
    if native is None and flag in _NAME_OF_FLAG:
        return as_dtype(_NAME_OF_FLAG[flag])
    return native


def name_of(dtype: DType) -> str:
    """The name of a dtype, by which `as_dtype` knows it."""
    return _NAMES.get(dtype) or container_of(dtype) or (STRING if dtype.kind == "O" else dtype.name)


def _numpy_dtype(dtype: Any) -> DType | None:
    """What NumPy makes of it, or of its `dtype`, as MXNet's arrays have one, if it is no NumPy array."""
    if not isinstance(dtype, type | np.dtype | np.ndarray | str) and isinstance(
        getattr(dtype, "dtype", None), type | np.dtype
    ):
        dtype = dtype.dtype
    try:
        known: DType = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        return None
    return known


def _extension(dtype: Any, candidate: DType | None) -> DType | None:
    """The extension type or container that is meant; `candidate` is what NumPy says."""
    name = dtype.strip() if isinstance(dtype, str) else "" if candidate is None else candidate.name
    if candidate == _BFLOAT16_OF_MXNET:
        name = "bfloat16"
    if name in OF_ML_DTYPES:
        return _of_ml_dtypes(name)
    if name == STRING:
        return strings
    if "(" in name:
        return container(name)
    if candidate is None:
        return None
    if candidate.names is not None:
        return candidate if len(candidate.names) == 1 and candidate == container(candidate.names[0]) else None
    return strings if candidate.kind in "OU" else candidate if candidate in _OF_NUMPY else None


@lru_cache
def _of_ml_dtypes(name: str) -> DType:
    try:
        package = importlib.import_module("ml_dtypes")
    except ModuleNotFoundError:
        raise DTypeError(
            f"dtype: the package ml_dtypes is required for {name}, and is not installed. "
            "Install it with pip install ml_dtypes."
        ) from None
    kind = getattr(package, name, None)
    if kind is None:
        raise DTypeError(
            f"dtype: a newer ml_dtypes is required for {name}, got {package.__version__}. "
            "Install it with pip install --upgrade ml_dtypes."
        )
    dtype: DType = np.dtype(kind)
    return dtype


def converted(values: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """New values of another dtype, as NumPy converts them. Raises `DTypeError` where that would lose meaning.

    Strings come of strings alone, and complex numbers become nothing else.
    """
    if dtype.kind == "O":
        return _as_strings(values)
    if (
        container_of(values.dtype)
        or values.dtype.kind in "OU"
        or (values.dtype.kind == "c" and dtype.kind != "c")
    ):
        given = name_of(as_dtype(values.dtype))
        remedy = "Take the real part, in NumPy" if values.dtype.kind == "c" else "Parse them, in NumPy"
        raise DTypeError(f"dtype: numbers that {dtype} can hold are required, got {given}. {remedy}.")
    with np.errstate(all="ignore"):  # what does not fit wraps, as in MXNet
        return values.astype(dtype, order="C")


def _as_strings(values: NDArray[Any]) -> NDArray[Any]:
    result = np.asarray(values.astype(object, order="C"))
    if container_of(values.dtype):
        raise DTypeError(f"dtype: strings are required, got a value of type {container_of(values.dtype)}.")
    for item in result.flat:
        if not isinstance(item, str):
            raise DTypeError(
                f"dtype: text is required in an array of strings, got {repr(item)[:80]} of {type(item)}. "
                "Say it with str."
            )
    return result


def zeros_of(shape: tuple[int, ...], dtype: DType) -> NDArray[Any]:
    """An array of zeros, or of empty strings."""
    return np.full(shape, "", object) if dtype.kind == "O" else np.zeros(shape, dtype)


# ---- as files and ONNX hold them


def stored_bytes(count: int, dtype: DType) -> int:
    """How many bytes so many elements take, packed where they take less than one each; not for strings."""
    return (count * _BITS.get(dtype.name, 8 * dtype.itemsize) + 7) // 8


def is_packed(dtype: DType) -> bool:
    """Whether elements take less than a byte each in files."""
    return dtype.name in _BITS


def packed(values: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of elements that take less than one each, the first in the lowest bits, in C order."""
    bits = _BITS[values.dtype.name]
    lanes, width = lcm(8, bits) // bits, lcm(8, bits) // 8
    flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    groups = np.zeros((-(-len(flat) // lanes), lanes), np.uint8)
    groups.reshape(-1)[: len(flat)] = flat & ((1 << bits) - 1)
    words = np.zeros(len(groups), "<u4")
    for lane in range(lanes):
        words |= groups[:, lane].astype("<u4") << np.uint32(lane * bits)
    data = np.ascontiguousarray(words.view(np.uint8).reshape(-1, 4)[:, :width]).reshape(-1)
    return data[: stored_bytes(len(flat), values.dtype)]


def unpacked(data: NDArray[np.uint8], count: int, dtype: DType) -> NDArray[Any]:
    """So many elements of the bytes that `packed` gives."""
    bits = _BITS[dtype.name]
    lanes, width = lcm(8, bits) // bits, lcm(8, bits) // 8
    groups = np.zeros((-(-count // lanes), 4), np.uint8)
    padded = np.zeros(len(groups) * width, np.uint8)
    padded[: len(data)] = data
    groups[:, :width] = padded.reshape(-1, width)
    words = groups.view("<u4").reshape(-1)
    values = np.empty((len(groups), lanes), np.uint8)
    for lane in range(lanes):
        values[:, lane] = (words >> np.uint32(lane * bits)) & np.uint32((1 << bits) - 1)
    return values.reshape(-1)[:count].view(dtype)


# ---- containers

_MAP = re.compile(r"map\((string|u?int(?:8|16|32|64)),\s*(.+)\)")
_DEEPEST = 8


@lru_cache
def container(text: str) -> DType:
    """The dtype that stands for a type of ONNX that is no tensor, such as "seq(tensor(float))".

    Arrays of it have no axes and one field, which the type names and which holds the value itself.
    """
    return np.dtype([(_canonical(text.strip(), 0), "O")])


def container_of(dtype: DType | None) -> str:
    """ONNX's text of the type that a dtype stands for; empty for those of arrays."""
    return "" if dtype is None or dtype.names is None else dtype.names[0]


def _canonical(text: str, depth: int) -> str:
    """The text as ONNX's own schemas write it: maps of ONNX Runtime's have tensors in them."""
    entries = _MAP.fullmatch(text) if depth < _DEEPEST else None
    if entries:
        value = entries[2].strip()
        element = value[len("tensor(") : -1] if _is_tensor(value) else value
        return f"map({entries[1]}, {element if element.isalnum() else _canonical(element, depth + 1)})"
    for kind in ("seq", "optional"):
        if text.startswith(f"{kind}(") and text.endswith(")") and depth < _DEEPEST:
            item = text[len(kind) + 1 : -1].strip()
            return f"{kind}({item if _is_tensor(item) else _canonical(item, depth + 1)})"
    raise DTypeError(
        "dtype: a type of ONNX such as seq(tensor(float)), optional(tensor(int64)) or map(int64, float) is "
        f"required, got {text[:80]!r}."
    )


def tensor_dtype(text: str) -> DType:
    """The dtype of ONNX's text of a tensor's type, such as "tensor(float)"."""
    name = text.partition("(")[2].rstrip(")")
    return as_dtype(ONNX_NAMES.get(name, name))


def _is_tensor(text: str) -> bool:
    return re.fullmatch(r"(?:sparse_)?tensor\([a-z0-9]+\)", text) is not None
