"""Element types, types and tensors between NumPy and ONNX."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, TypeProto, ValueInfoProto, helper

from hybridonnx.dtypes import (
    EXTENSIONS,
    ONNX_NAMES,
    DType,
    as_dtype,
    container,
    container_of,
    converted,
    is_packed,
    packed,
    stored_bytes,
    strings,
    unpacked,
)
from hybridonnx.errors import ConversionError, DTypeError

Array: TypeAlias = NDArray[Any]

_NAMES: dict[int, str] = {
    code: ONNX_NAMES.get(onnx_name.lower(), onnx_name.lower())
    for onnx_name, code in TensorProto.DataType.items()
    if code
}
"""ONNX's number of each element type that the installed onnx knows, with our name."""


_ONNX_CODES: dict[str, int] = dict(TensorProto.DataType.items())


def _available() -> dict[int, DType]:
    """The element types for which there are dtypes: some need ml_dtypes, which newer onnx brings."""
    dtypes = {}
    for code, name in _NAMES.items():
        try:
            dtypes[code] = as_dtype(name)
        except DTypeError:
            continue
    return dtypes


_DTYPES: dict[int, DType] = _available()
_CODES: dict[DType, int] = {dtype: code for code, dtype in _DTYPES.items()}
_TYPE_STRINGS: dict[str, DType] = {
    f"tensor({TensorProto.DataType.Name(code).lower()})": dtype for code, dtype in _DTYPES.items()
}


def elem_type(dtype: Any) -> int:
    """ONNX's number for a NumPy dtype."""
    known = np.dtype(dtype)
    code = _CODES.get(known)
    if code is None or container_of(known):
        raise ConversionError(f"ONNX has no element type {container_of(known) or known}.")
    return code


def dtype_of(code: int) -> DType:
    """The NumPy dtype of one of ONNX's element types."""
    dtype = _DTYPES.get(code)
    if dtype is not None:
        return dtype
    if _NAMES.get(code) in EXTENSIONS:
        return as_dtype(_NAMES[code])  # which tells what to install
    known = code in TensorProto.DataType.values()
    name = TensorProto.DataType.Name(code) if known else str(code)
    raise ConversionError(
        f"ONNX: element type {name} is not supported, as NumPy lacks it. "
        "Convert the model to float32 or float16 first."
    )


def dtype_of_type_string(text: str) -> DType | None:
    """The dtype of `tensor(float)` and the like; `None` for sequences, optionals and maps."""
    return _TYPE_STRINGS.get(text)


# ---- tensors


def to_tensor(name: str, array: Array, note: str = "") -> TensorProto:
    """`array` as ONNX writes it, its bytes inside."""
    array = np.asarray(array)
    tensor = TensorProto(name=name, data_type=elem_type(array.dtype), dims=array.shape)
    if array.dtype == strings:
        tensor.string_data.extend(text.encode() for text in converted(array, strings).flat)
    elif is_packed(array.dtype):
        tensor.raw_data = packed(array).tobytes()
    else:
        tensor.raw_data = array.astype(_little(array.dtype), copy=False).tobytes()
    if note:
        tensor.doc_string = note
    return tensor


def _little(dtype: DType) -> DType:
    return dtype.newbyteorder("<") if dtype.isbuiltin == 1 else dtype


def is_plain(dtype: DType | None) -> bool:
    """Whether files have the memory of an array as it is: not so for strings and types of ml_dtypes."""
    if dtype is None or dtype.hasobject:
        return False
    return dtype.isbuiltin == 1 or (dtype.isbuiltin == 0 and dtype.isnative and dtype.kind in "biufc")


def of_bytes(data: bytes | memoryview | Array, count: int, dtype: DType) -> Array:
    """So many numbers of the bytes of a tensor, of which there must be as many as `stored_bytes` says."""
    if is_packed(dtype):
        return unpacked(np.frombuffer(data, np.uint8), count, dtype)
    return np.frombuffer(data, _little(dtype)).astype(dtype)


def of_field(tensor: TensorProto, count: int) -> Array | None:
    """So many elements of a tensor's field for its type; `None` if another number of them is there."""
    dtype = dtype_of(tensor.data_type)
    if dtype == strings:
        texts = np.empty(len(tensor.string_data), object)
        texts[:] = [text.decode() for text in tensor.string_data]
        return texts if len(texts) == count else None
    if dtype.kind == "c":
        numbers = tensor.float_data if dtype.itemsize == 8 else tensor.double_data
        return np.array(numbers, dtype.char.lower()).view(dtype) if len(numbers) == 2 * count else None
    numbers = getattr(tensor, _FIELDS.get(dtype.name, "int32_data"))
    if is_packed(dtype) and not dtype.name.startswith("float6"):  # the bytes of raw_data, one in each number
        data = np.array(numbers, np.int64).astype(np.uint8)
        return unpacked(data, count, dtype) if len(data) == stored_bytes(count, dtype) else None
    if len(numbers) != count:
        return None
    if dtype.isbuiltin != 1 or dtype == np.float16:  # the bits, one element in each number
        return np.array(numbers, np.int64).astype(f"u{dtype.itemsize}").view(dtype)
    wide = np.array(numbers)
    values = wide.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(values, wide):
        raise OverflowError(f"numbers that {dtype} holds are required in its field")
    return values


_FIELDS = {
    "float32": "float_data",
    "float64": "double_data",
    "int64": "int64_data",
    "uint32": "uint64_data",
    "uint64": "uint64_data",
}
"""Where tensors have their numbers if not as bytes: the others are in int32_data."""


# ---- types


def type_proto(dtype: Any, shape: tuple[int | str | None, ...] | None = None) -> TypeProto:
    """The type of a value, a tensor or a container; sizes may be names, or `None` if nothing is known."""
    text = container_of(np.dtype(dtype))
    if text:
        return _parsed(text)
    wrong = next((d for d in shape or () if isinstance(d, int) and not 0 <= d < 1 << 63), None)
    if wrong is not None:
        raise ConversionError(f"sizes from 0 to 2^63 are required, got {wrong}.")
    proto: TypeProto = helper.make_tensor_type_proto(elem_type(dtype), shape)
    return proto


def dtype_of_type(proto: TypeProto) -> DType | None:
    """The dtype of a type, a tensor's or a container's; `None` if it is not told."""
    if proto.HasField("tensor_type"):
        code = proto.tensor_type.elem_type
        return dtype_of(code) if code else None
    text = _type_text(proto)
    return container(text) if text else None


def _parsed(text: str) -> TypeProto:
    kind, _, inside = text.partition("(")
    inside = inside[:-1]
    proto = TypeProto()
    if kind == "map":
        key, value = re.split(r",\s*", inside, maxsplit=1)
        proto.map_type.key_type = _ONNX_CODES[key.upper()]
        proto.map_type.value_type.CopyFrom(_parsed(value if "(" in value else f"tensor({value})"))
    elif kind == "seq":
        proto.sequence_type.elem_type.CopyFrom(_parsed(inside))
    elif kind == "optional":
        proto.optional_type.elem_type.CopyFrom(_parsed(inside))
    elif kind == "tensor" and inside.upper() in _ONNX_CODES:
        proto.tensor_type.elem_type = _ONNX_CODES[inside.upper()]
    else:
        raise ConversionError(f"ONNX: a type that the installed onnx knows is required, got {text}.")
    return proto


def _type_text(proto: TypeProto) -> str:
    """ONNX's text of a type; empty where it leaves the element type open."""
    kind = proto.WhichOneof("value")
    if kind == "tensor_type":
        code = proto.tensor_type.elem_type
        known = code in TensorProto.DataType.values() and code
        return f"tensor({TensorProto.DataType.Name(code).lower()})" if known else ""
    if kind == "map_type":
        code, value = proto.map_type.key_type, _type_text(proto.map_type.value_type)
        key = TensorProto.DataType.Name(code).lower() if code in TensorProto.DataType.values() else ""
        return f"map({key}, {value})" if value else ""
    if kind not in ("sequence_type", "optional_type"):
        return ""
    item = _type_text(getattr(proto, kind).elem_type)
    return f"{'seq' if kind == 'sequence_type' else 'optional'}({item})" if item else ""


def value_info(name: str, dtype: Any, shape: tuple[int | str | None, ...] | None) -> ValueInfoProto:
    """The declaration of a graph's input or output; sizes may be names, or `None` if nothing is known."""
    return ValueInfoProto(name=name, type=type_proto(dtype, shape))
