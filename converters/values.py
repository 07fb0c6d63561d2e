"""Tensors and types between NumPy and ONNX's messages."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, TypeProto, ValueInfoProto

from hybridonnx.dtypes import DType, container, is_packed, stored_bytes, strings, unpacked

from . import messages
from .elements import Array, dtype_of, elem_type_name, little_endian

# ---- tensors


def to_tensor(name: str, array: Array, note: str = "") -> TensorProto:
    """`array` as ONNX writes it, its bytes inside."""
    tensor: TensorProto = TensorProto.FromString(messages.tensor(name, array, note))
    return tensor


def of_bytes(data: bytes | memoryview | Array, count: int, dtype: DType) -> Array:
    """So many numbers of the bytes of a tensor, of which there must be as many as `stored_bytes` says."""
    if is_packed(dtype):
        return unpacked(np.frombuffer(data, np.uint8), count, dtype)
    return np.frombuffer(data, little_endian(dtype)).astype(dtype)


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
    proto: TypeProto = TypeProto.FromString(messages.type_of(dtype, shape))
    return proto


def dtype_of_type(proto: TypeProto) -> DType | None:
    """The dtype of a type, a tensor's or a container's; `None` if it is not told."""
    if proto.HasField("tensor_type"):
        code = proto.tensor_type.elem_type
        return dtype_of(code) if code else None
    text = _type_text(proto)
    return container(text) if text else None


def _type_text(proto: TypeProto) -> str:
    """ONNX's text of a type; empty where it leaves the element type open."""
    kind = proto.WhichOneof("value")
    if kind == "tensor_type":
        name = elem_type_name(proto.tensor_type.elem_type)
        return f"tensor({name})" if name else ""
    if kind == "map_type":
        key, value = elem_type_name(proto.map_type.key_type), _type_text(proto.map_type.value_type)
        return f"map({key}, {value})" if value else ""
    if kind not in ("sequence_type", "optional_type"):
        return ""
    item = _type_text(getattr(proto, kind).elem_type)
    return f"{'seq' if kind == 'sequence_type' else 'optional'}({item})" if item else ""


def value_info(name: str, dtype: Any, shape: tuple[int | str | None, ...] | None) -> ValueInfoProto:
    """The declaration of a graph's input or output; sizes may be names, or `None` if nothing is known."""
    info: ValueInfoProto = ValueInfoProto.FromString(messages.value_info(name, dtype, shape))
    return info
