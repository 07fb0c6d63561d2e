"""Weights inside of model files, read where they lie instead of through protobuf.

A parsed message copies all bytes, and again whenever they are asked for. Here the file's own structure is
walked: the model comes without the contents of large initializers, and each content as a part of the file.
Whatever is unusual is left to protobuf, which reports what is damaged.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from hybridonnx.dtypes import DType

from ..elements import Array, is_plain
from ..values import of_bytes
from ..wire import BYTES, begin

_GRAPH = 7
_INITIALIZER = 5
_NAME = 8
_CONTENT = 9
_LARGE = 4096
"""Contents of fewer bytes stay inside of the model."""
_VARINT, _FIXED64, _FIXED32 = 0, 1, 5
_LONGEST = 10
"""The most bytes that a number has."""
_PART = 1 << 24
"""So many bytes of a mapped file are copied at once."""


class _Field(NamedTuple):
    """A field of a message: where it begins, and its content."""

    number: int
    wire: int
    begin: int
    content: int
    end: int


class _UnusualError(Exception):
    """What is left to protobuf."""


def split_weights(data: memoryview) -> tuple[bytes, Mapping[str, memoryview]] | None:
    """The model's bytes without large contents, and these by name; `None` if the file is unusual."""
    weights: dict[str, memoryview] = {}
    try:
        fields = list(_fields(data, 0, len(data)))
        graphs = [f for f in fields if f.number == _GRAPH]
        if len(graphs) != 1 or graphs[0].wire != BYTES:
            return None
        graph = _without_contents(data, graphs[0], weights)
    except (_UnusualError, UnicodeDecodeError):
        return None
    if not weights:
        return None
    parts = [graph if f is graphs[0] else bytes(data[f.begin : f.end]) for f in fields]
    return b"".join(parts), weights


def copied(content: memoryview, count: int, dtype: DType) -> Array:
    """The elements of a content, which is as long as they are, in memory of their own.

    A mapped file is let go of part by part, as else it would be in memory together with the copy.
    """
    mapped = content.obj
    if not (is_plain(dtype) and isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED")):
        return of_bytes(content, count, dtype)
    source = np.frombuffer(content, np.uint8)
    at = source.ctypes.data - np.frombuffer(mapped, np.uint8).ctypes.data
    result = np.empty(count, dtype)
    target = result.view(np.uint8)
    for start in range(0, len(source), _PART):
        target[start : start + _PART] = source[start : start + _PART]
        page = (at + start) // mmap.PAGESIZE * mmap.PAGESIZE
        mapped.madvise(mmap.MADV_DONTNEED, page, min(_PART + mmap.PAGESIZE, len(mapped) - page))
    return result if sys.byteorder == "little" else result.byteswap()


def _without_contents(data: memoryview, graph: _Field, weights: dict[str, memoryview]) -> bytes:
    """The graph's field without large contents, which go into `weights`."""
    names: set[str] = set()
    parts: list[bytes] = []
    for field in _fields(data, graph.content, graph.end):
        if field.number == _INITIALIZER and field.wire == BYTES:
            parts.append(_tensor(data, field, names, weights))
        else:
            parts.append(bytes(data[field.begin : field.end]))
    return _field(_GRAPH, b"".join(parts))


def _tensor(data: memoryview, tensor: _Field, names: set[str], weights: dict[str, memoryview]) -> bytes:
    """An initializer's field, without its content if that is large."""
    fields = list(_fields(data, tensor.content, tensor.end))
    named = [f for f in fields if f.number == _NAME and f.wire == BYTES]
    contents = [f for f in fields if f.number == _CONTENT and f.wire == BYTES]
    if len(named) != 1 or len(contents) > 1:
        raise _UnusualError
    name = bytes(data[named[0].content : named[0].end]).decode()
    if name in names:
        raise _UnusualError
    names.add(name)
    if not contents or contents[0].end - contents[0].content < _LARGE:
        return bytes(data[tensor.begin : tensor.end])
    weights[name] = data[contents[0].content : contents[0].end]
    rest = b"".join(bytes(data[f.begin : f.end]) for f in fields if f.number != _CONTENT)
    return _field(_INITIALIZER, rest)


def _fields(data: memoryview, begin: int, end: int) -> Iterator[_Field]:
    """The fields of a message."""
    while begin < end:
        key, content = _number(data, begin, end)
        wire = key & 7
        if wire == _VARINT:
            content, after = content, _number(data, content, end)[1]
        elif wire == BYTES:
            length, content = _number(data, content, end)
            after = content + length
        elif wire in (_FIXED32, _FIXED64):
            after = content + (4 if wire == _FIXED32 else 8)
        else:
            raise _UnusualError
        if after > end or key >> 3 == 0:
            raise _UnusualError
        yield _Field(key >> 3, wire, begin, content, after)
        begin = after


def _number(data: memoryview, begin: int, end: int) -> tuple[int, int]:
    """A number of 7 bits a byte, and where it ends."""
    value = 0
    for i in range(min(_LONGEST, end - begin)):
        byte = data[begin + i]
        value |= (byte & 127) << (7 * i)
        if byte < 128:
            return value, begin + i + 1
    raise _UnusualError


def _field(number: int, content: bytes) -> bytes:
    """A field that is a message."""
    return begin(number, len(content)) + content
