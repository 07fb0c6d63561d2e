"""Plain values and arrays as bytes between two processes: JSON with the arrays' elements behind it.

What comes in is read as data alone, whoever wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import IO, Any

import numpy as np

from ..dtypes import DType, as_dtype, container_of, name_of, strings
from ..errors import ConversionError, DTypeError, FormatError, MXNetError
from ..ops import Array

_LENGTH = 8
_HEAD = 1 << 28
"""The most bytes of a message beside those of arrays."""


def send(stream: IO[bytes], value: Any) -> None:
    """Write a value: `None`, numbers, texts, bytes, arrays, and lists, tuples and tables by name of these.

    Args:
        stream: What takes it.
        value: The value.

    Raises:
        ConversionError: If something in it is none of these.
    """
    arrays: list[Array] = []
    text = json.dumps([_packed(value, arrays), [_form(x) for x in arrays]]).encode()
    stream.write(len(text).to_bytes(_LENGTH, "little") + text)
    for x in arrays:
        stream.write(np.ascontiguousarray(x).tobytes())
    stream.flush()


def receive(stream: IO[bytes], most: int) -> Any:
    """Read a value.

    Args:
        stream: What has it.
        most: So many bytes of arrays may be behind it.

    Raises:
        EOFError: If the stream ends before or in it.
        FormatError: If it is no value that `send` writes.
    """
    length = int.from_bytes(_taken(stream, _LENGTH), "little")
    if length > _HEAD:
        raise FormatError(f"A message of at most {_HEAD} bytes is required, got {length}.")
    try:
        packed, forms = json.loads(_taken(stream, length))
        arrays = []
        for name, shape in forms:
            dtype, count = as_dtype(name), prod(shape)
            most -= count * dtype.itemsize
            if most < 0 or any(d < 0 for d in shape):
                raise FormatError("A message with fewer elements of arrays is required.")
            data = _taken(stream, count * dtype.itemsize)
            arrays.append(np.frombuffer(bytearray(data), dtype).reshape(shape))
        return _unpacked(packed, arrays)
    except MXNetError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as exc:
        raise FormatError(f"A message of this version is required: {type(exc).__name__}.") from exc


def _taken(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _form(x: Array) -> tuple[str, tuple[int, ...]]:
    return name_of(x.dtype), x.shape


def _packed(value: Any, arrays: list[Array]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    if isinstance(value, list):
        return [_packed(item, arrays) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_packed(item, arrays) for item in value]}
    if isinstance(value, Mapping):
        return {"table": [[_key(key), _packed(item, arrays)] for key, item in value.items()]}
    if isinstance(value, bytes):
        arrays.append(np.frombuffer(value, np.uint8))
        return {"bytes": len(arrays) - 1}
    x = value.asnumpy() if hasattr(value, "asnumpy") else value
    if not isinstance(x, np.ndarray) or container_of(x.dtype):
        raise ConversionError(
            f"isolated: numbers, texts and arrays are required, got {type(value).__name__}, which no other "
            "process can be given."
        )
    is_text = x.dtype.kind == "U" or (x.dtype == strings and all(isinstance(item, str) for item in x.flat))
    if is_text:
        return {"texts": [str(item) for item in x.flat], "shape": list(x.shape)}
    x = x.astype(x.dtype.newbyteorder("="), copy=False)
    if not _is_of_numbers(x.dtype):
        raise ConversionError(
            f"isolated: numbers, texts and arrays of these are required, got an array of {x.dtype}, which no "
            "other process can be given."
        )
    arrays.append(x)
    return {"array": len(arrays) - 1}


def _is_of_numbers(dtype: DType) -> bool:
    try:
        return as_dtype(dtype).kind not in "OSU"
    except DTypeError:
        return False


def _key(key: Any) -> Any:
    """What an item of a table is called: ONNX's maps have integers as well."""
    return key if isinstance(key, int) else str(key)


def _unpacked(value: Any, arrays: list[Array]) -> Any:
    if isinstance(value, list):
        return [_unpacked(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(_unpacked(item, arrays) for item in value["tuple"])
    if "table" in value:
        return {_key(key): _unpacked(item, arrays) for key, item in value["table"]}
    if "bytes" in value:
        return arrays[value["bytes"]].tobytes()
    if "texts" in value:
        return np.array(value["texts"], strings).reshape(value["shape"])
    return arrays[value["array"]]
