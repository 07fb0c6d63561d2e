"""Requests and responses of the protocol of KServe v2, with arrays as JSON or as bytes behind it.

What a client sends is not trusted: each size is held against the bytes that are there before anything is
allocated, and all that is wrong raises `RefusedError` with the status of HTTP that says so.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..errors import MXNetError
from ..ops import Array
from .datatypes import BYTES, dtype_named

_COUNT = re.compile(r"[0-9]{1,18}")
_AXES = 32
_MOST = 1 << 31
_SHOWN = 80
"""Letters of what a client sent that an error repeats."""


class RefusedError(MXNetError):
    """A request that is not answered, and the status that says so."""

    def __init__(self, message: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(message)
        self.status = status


class Tensor(NamedTuple):
    """An input of a model as the protocol has it."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    """-1 is a free size."""


@dataclass(frozen=True)
class Request:
    """What a client asks for."""

    arrays: Mapping[str, Array]
    """By the inputs' names."""
    outputs: Mapping[str, bool] = field(default_factory=dict)
    """Which are wanted, and whether as bytes; all of them if there are none."""
    binary: bool = False
    """Whether outputs that are not named go as bytes."""
    id: str | None = None


def parse_request(
    body: bytes | bytearray, length: str | None, inputs: Sequence[Tensor], outputs: Sequence[str]
) -> Request:
    """What a request's body asks for.

    Args:
        body: The whole of it.
        length: How many bytes of it are JSON, as a header says; all of them if it says nothing.
        inputs: What the model takes.
        outputs: The names of what it gives.

    Raises:
        RefusedError: If it is not what the model takes.
    """
    text, rest = _parts(body, length)
    document = _document(text)
    given = _objects(document, "inputs")
    readers = {item.name: item for item in inputs}
    arrays: dict[str, Array] = {}
    for item in given:
        name = _name(item, "inputs", readers)
        if name in arrays:
            raise RefusedError(f"inputs: each input once is required, got {name} twice.")
        arrays[name], rest = _array(item, readers[name], rest)
    missing = [name for name in readers if name not in arrays]
    if missing:
        raise RefusedError(f"inputs: {', '.join(readers)} are required, got no {', '.join(missing)}.")
    if rest:
        raise RefusedError(f"inputs: a binary_data_size for all bytes is required, got {len(rest)} more.")
    _require_alone(document)
    told = _object(document.get("parameters"), "parameters")
    binary = _flag(told.get("binary_data_output", False), "binary_data_output")
    wanted = _objects(document, "outputs") if document.get("outputs") else []
    names = {_name(item, "outputs", outputs): _wants_bytes(item, binary) for item in wanted}
    number = document.get("id")
    if number is not None and not isinstance(number, str):
        raise RefusedError(f"id: a text is required, got {_shown(number)}.")
    return Request(arrays, names, binary, number)


# ---- the envelope


def _parts(body: bytes | bytearray, length: str | None) -> tuple[memoryview, memoryview]:
    """The JSON of a body, and the bytes behind it."""
    whole = memoryview(body)
    if length is None:
        return whole, whole[len(whole) :]
    if not _COUNT.fullmatch(length) or int(length) > len(whole):
        raise RefusedError(
            f"Inference-Header-Content-Length: a number up to {len(whole)}, the size of the body, is "
            f"required, got {_shown(length)}."
        )
    return whole[: int(length)], whole[int(length) :]


def _document(text: memoryview) -> dict[str, Any]:
    try:
        document = json.loads(bytes(text), parse_constant=_refuse_constant)
    except RefusedError:
        raise
    except RecursionError:
        raise RefusedError("JSON of fewer levels is required.") from None
    except ValueError as exc:
        raise RefusedError(f"JSON is required, got something else: {_shown(exc)}.") from None
    return _object(document, "the request")


def _refuse_constant(text: str) -> Any:
    raise RefusedError(f"JSON has no {text}; send such numbers as binary data.")


def _shown(value: Any) -> str:
    text = str(value) if isinstance(value, str | Exception) else repr(value)
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return text.encode("utf-8", "replace").decode().rstrip(".")


def _object(value: Any, what: str) -> dict[str, Any]:
    if value is None and what == "parameters":
        return {}
    if not isinstance(value, dict):
        raise RefusedError(f"{what}: an object of JSON is required, got {type(value).__name__}.")
    return value


def _objects(document: Mapping[str, Any], what: str) -> list[dict[str, Any]]:
    values = document.get(what)
    if not isinstance(values, list):
        raise RefusedError(f"{what}: a list is required, got {type(values).__name__}.")
    return [_object(value, what) for value in values]


def _name(item: Mapping[str, Any], what: str, known: Any) -> str:
    name = item.get("name")
    if not isinstance(name, str) or name not in known:
        raise RefusedError(f"{what}: names among {', '.join(known)} are required, got {_shown(name)}.")
    return name


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise RefusedError(f"{what}: true or false is required, got {_shown(value)}.")
    return value


def _wants_bytes(item: Mapping[str, Any], binary: bool) -> bool:
    told = _object(item.get("parameters"), "parameters")
    for name in ("classification", "shared_memory_region"):
        if told.get(name):
            raise RefusedError(f"outputs: parameters that this server has are required, got {name}.")
    return _flag(told.get("binary_data", binary), "binary_data")


def _require_alone(document: Mapping[str, Any]) -> None:
    """Refuse what belongs to a sequence of requests."""
    told = _object(document.get("parameters"), "parameters")
    if told.get("sequence_id"):
        raise RefusedError("parameters: requests that stand alone are required, got a sequence_id.")


# ---- arrays


def _array(item: Mapping[str, Any], reader: Tensor, rest: memoryview) -> tuple[Array, memoryview]:
    """An input, and the bytes that are left."""
    if item.get("datatype") != reader.datatype:
        raise RefusedError(
            f"inputs: {reader.datatype} is required of {reader.name}, got {_shown(item.get('datatype'))}."
        )
    shape = _shape(item.get("shape"), reader)
    told = _object(item.get("parameters"), "parameters")
    if told.get("shared_memory_region"):
        raise RefusedError(f"inputs: the data of {reader.name} is required, got a shared_memory_region.")
    size = told.get("binary_data_size")
    if size is None:
        return _from_json(item.get("data"), reader, shape), rest
    if type(size) is not int or size < 0 or size > len(rest):
        raise RefusedError(
            f"inputs: a binary_data_size up to {len(rest)}, the bytes that are there, is required of "
            f"{reader.name}, got {_shown(size)}."
        )
    if "data" in item:
        raise RefusedError(f"inputs: data or binary_data_size is required of {reader.name}, got both.")
    return _from_bytes(rest[:size], reader, shape), rest[size:]


def _shape(shape: Any, reader: Tensor) -> tuple[int, ...]:
    said = [size if size >= 0 else "any" for size in reader.shape]
    fits = isinstance(shape, list) and len(shape) == len(said) <= _AXES
    if not fits or any(type(size) is not int or not 0 <= size < _MOST for size in shape):
        raise RefusedError(f"inputs: a shape as {said} is required of {reader.name}, got {_shown(shape)}.")
    for size, wanted in zip(shape, reader.shape, strict=True):
        if size != wanted and (wanted >= 0 or not size):
            raise RefusedError(
                f"inputs: a shape as {said}, with sizes from 1 on, is required of {reader.name}, got "
                f"{_shown(shape)}."
            )
    return tuple(shape)


def _from_bytes(data: memoryview, reader: Tensor, shape: tuple[int, ...]) -> Array:
    count = math.prod(shape)
    if reader.datatype == BYTES:
        return _texts(_split(data, reader, count), shape)
    dtype = dtype_named(reader.datatype)
    if count * dtype.itemsize != len(data):
        raise RefusedError(
            f"inputs: {count * dtype.itemsize} bytes are required of {reader.name}, of shape {list(shape)} "
            f"and {reader.datatype}, got {len(data)}."
        )
    array = np.frombuffer(data, np.uint8).view(dtype).reshape(shape)
    if reader.datatype == "BOOL" and data and max(data) > 1:
        raise RefusedError(f"inputs: bytes 0 and 1 are required of {reader.name}, got {max(data)}.")
    return array


def _split(data: memoryview, reader: Tensor, count: int) -> list[bytes]:
    """Texts, each behind its length."""
    if 4 * count > len(data):
        raise RefusedError(f"inputs: {count} texts are required of {reader.name}, got {len(data)} bytes.")
    texts: list[bytes] = []
    while data and len(texts) < count:
        size = int.from_bytes(data[:4], "little")
        if len(data) < 4 + size:
            raise RefusedError(
                f"inputs: texts that end in the data are required of {reader.name}, got {size} bytes."
            )
        texts.append(bytes(data[4 : 4 + size]))
        data = data[4 + size :]
    if data or len(texts) != count:
        raise RefusedError(f"inputs: {count} texts are required of {reader.name}, got other data.")
    return texts


def _texts(values: Sequence[bytes | str], shape: tuple[int, ...]) -> Array:
    try:
        texts = [value.decode() if isinstance(value, bytes) else value for value in values]
        for text in texts:
            text.encode()  # JSON can say halves of letters
    except UnicodeError:
        raise RefusedError("inputs: texts in UTF-8 are required, got other bytes.") from None
    array = np.empty(len(texts), object)
    array[:] = texts
    return array.reshape(shape)


_KINDS: dict[str, tuple[set[type], str]] = {
    "b": ({bool}, "true and false"),
    "i": ({int}, "whole numbers"),
    "u": ({int}, "whole numbers from 0 on"),
    "f": ({int, float}, "numbers"),
    "V": ({int, float}, "numbers"),
    "O": ({str}, "texts"),
}


def _from_json(data: Any, reader: Tensor, shape: tuple[int, ...]) -> Array:
    dtype = dtype_named(reader.datatype)
    allowed, said = _KINDS[dtype.kind]
    flat = _flat(data, reader, shape)
    if not set(map(type, flat)) <= allowed:
        raise RefusedError(f"inputs: {said} are required as data of {reader.name}, got something else.")
    if dtype.kind == "O":
        return _texts(flat, shape)
    try:
        with np.errstate(over="ignore"):
            array = np.array(flat, np.float64 if dtype.kind == "V" else dtype).astype(dtype, copy=False)
    except OverflowError:
        array = None
    if array is None or (allowed & {float} and not np.isfinite(array.astype(np.float64)).all()):
        raise RefusedError(f"inputs: numbers that {reader.datatype} has are required of {reader.name}.")
    return array.reshape(shape)


def _flat(data: Any, reader: Tensor, shape: tuple[int, ...]) -> list[Any]:
    """The elements of data, which is as deep as the shape, or flat."""
    if not isinstance(data, list):
        raise RefusedError(f"inputs: a list is required as data of {reader.name}, got {type(data).__name__}.")
    count = math.prod(shape)
    level, depth = data, 0
    while level and depth < len(shape) - 1 and isinstance(level[0], list):
        sizes = {len(item) if isinstance(item, list) else -1 for item in level}
        if (not depth and len(level) != shape[0]) or sizes != {shape[depth + 1]}:
            raise RefusedError(f"inputs: data of the shape {list(shape)} is required of {reader.name}.")
        level, depth = list(chain.from_iterable(level)), depth + 1
    if len(level) != count or depth not in (0, len(shape) - 1):
        raise RefusedError(f"inputs: {count} elements are required as data of {reader.name}, got others.")
    return level


# ---- responses


class Answer(NamedTuple):
    """What goes to a client."""

    parts: list[bytes]
    """Of the body, in order."""
    json_length: int | None
    """How many bytes of it are JSON; nothing if all are."""

    @property
    def media(self) -> str:
        """What HTTP calls it."""
        return "application/json" if self.json_length is None else "application/octet-stream"


def response_of(
    model: str, request: Request, results: Mapping[str, Any], datatypes: Mapping[str, str]
) -> Answer:
    """The outputs as a client wants them.

    Args:
        model: The model's name.
        request: What was asked for.
        results: The outputs by name.
        datatypes: Their types.

    Raises:
        RefusedError: If JSON cannot say what is in them.
    """
    entries, parts = [], []
    for name, array in results.items():
        entry: dict[str, Any] = {"name": name, "datatype": datatypes[name], "shape": list(array.shape)}
        if request.outputs.get(name, request.binary):
            data = (
                b"".join(_pieces(array)) if array.dtype == object else np.ascontiguousarray(array).tobytes()
            )
            entry["parameters"] = {"binary_data_size": len(data)}
            parts.append(data)
        else:
            entry["data"] = _plain(name, array)
        entries.append(entry)
    told = {"model_name": model, "model_version": "1", "outputs": entries}
    text = json.dumps(told if request.id is None else {**told, "id": request.id}).encode()
    return Answer([text, *parts], len(text) if parts else None)


def _plain(name: str, array: Array) -> list[Any]:
    if array.dtype.kind in "fV":
        array = array.astype(np.float64)
        if not np.isfinite(array).all():
            raise RefusedError(
                f"outputs: numbers that JSON has are required of {name}, got infinity or NaN. Ask for binary "
                "data."
            )
    values: list[Any] = array.reshape(-1).tolist()
    return values


def _pieces(array: Array) -> Iterator[bytes]:
    for text in array.reshape(-1):
        data = str(text).encode()
        yield len(data).to_bytes(4, "little")
        yield data
