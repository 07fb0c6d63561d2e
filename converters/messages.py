"""ONNX's messages in bytes, as protobuf writes them: models go to sessions without the onnx package.

The numbers of fields are those of onnx.proto. Fields are written in their order, so that the bytes are those
that protobuf itself gives for the same message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from hybridonnx.dtypes import container_of, converted, is_packed, packed, strings
from hybridonnx.errors import ConversionError

from .elements import CODES, Array, elem_type, little_endian
from .wire import begin, data, number, single, text, texts


class AttributeKind(IntEnum):
    """The types of attributes, by ONNX's numbers."""

    UNDEFINED = 0
    FLOAT = 1
    INT = 2
    STRING = 3
    TENSOR = 4
    GRAPH = 5
    FLOATS = 6
    INTS = 7
    STRINGS = 8
    TENSORS = 9
    GRAPHS = 10
    SPARSE_TENSOR = 11
    SPARSE_TENSORS = 12
    TYPE_PROTO = 13
    TYPE_PROTOS = 14


# ---- tensors


def tensor(name: str, array: Array, note: str = "") -> bytes:
    """`array` as a tensor with its bytes inside; `note` is its `doc_string`."""
    array = np.asarray(array)
    pieces = [_tensor_head(elem_type(array.dtype), array.shape)]
    if array.dtype == strings:
        pieces += [text(6, str(item)) for item in converted(array, strings).flat]
        pieces.append(text(8, name))
    else:
        raw = (
            packed(array) if is_packed(array.dtype) else array.astype(little_endian(array.dtype), copy=False)
        )
        pieces += [text(8, name), data(9, raw.tobytes())]
    if note:
        pieces.append(text(12, note))
    return b"".join(pieces)


def outside_tensor(name: str, dtype: Any, shape: Sequence[int], location: str, note: str = "") -> bytes:
    """A tensor whose bytes are elsewhere, at `location`."""
    head = _tensor_head(elem_type(dtype), shape) + text(8, name) + (text(12, note) if note else b"")
    return head + data(13, text(1, "location") + text(2, location)) + number(14, 1)


def _tensor_head(code: int, shape: Sequence[int]) -> bytes:
    return b"".join([number(1, size) for size in shape]) + number(2, code)


# ---- types


def type_of(dtype: Any, shape: Sequence[int | str | None] | None = None) -> bytes:
    """The type of a value, a tensor or a container; sizes may be names, or `None` if nothing is known."""
    container = container_of(np.dtype(dtype))
    if container:
        return _parsed(container)
    content = number(1, elem_type(dtype))
    if shape is not None:
        content += data(2, b"".join([data(1, _size(size)) for size in shape]))
    return data(1, content)


def _size(size: int | str | None) -> bytes:
    if size is None:
        return b""
    if isinstance(size, str):
        return text(2, size)
    if not 0 <= size < 1 << 63:
        raise ConversionError(f"sizes from 0 to 2^63 are required, got {size}.")
    return number(1, int(size))


def _parsed(kind: str) -> bytes:
    """The type of ONNX's text of it, such as `seq(tensor(float))`."""
    name, _, inside = kind.partition("(")
    inside = inside[:-1]
    if name == "map":
        key, value = re.split(r",\s*", inside, maxsplit=1)
        item = _parsed(value if "(" in value else f"tensor({value})")
        return data(5, number(1, CODES[key]) + data(2, item))
    if name == "seq":
        return data(4, data(1, _parsed(inside)))
    if name == "optional":
        return data(9, data(1, _parsed(inside)))
    if name == "tensor" and inside in CODES:
        return data(1, number(1, CODES[inside]))
    raise ConversionError(f"ONNX: a type that it has is required, got {kind}.")


def value_info(name: str, dtype: Any, shape: Sequence[int | str | None] | None) -> bytes:
    """The declaration of a graph's input or output; sizes may be names, or `None` if nothing is known."""
    return text(1, name) + data(2, type_of(dtype, shape))


# ---- nodes and graphs


def node(
    op_type: str,
    domain: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    name: str = "",
    attributes: Iterable[bytes] = (),
    note: str = "",
) -> bytes:
    """A node; `note` is its `doc_string`, and `attributes` are messages."""
    pieces = [texts(1, inputs), texts(2, outputs)]
    if name:
        pieces.append(text(3, name))
    pieces.append(text(4, op_type))
    pieces += [data(5, item) for item in attributes]
    if note:
        pieces.append(text(6, note))
    pieces.append(text(7, domain))
    return b"".join(pieces)


def attribute(name: str, kind: AttributeKind, value: Any) -> bytes:
    """An attribute of a node; graphs are messages."""
    return text(1, name) + _VALUES[kind](value) + number(20, kind)


_VALUES: Mapping[AttributeKind, Callable[[Any], bytes]] = {
    AttributeKind.FLOAT: lambda value: single(2, value),
    AttributeKind.INT: lambda value: number(3, value),
    AttributeKind.STRING: lambda value: text(4, value),
    AttributeKind.TENSOR: lambda value: data(5, tensor("", value)),
    AttributeKind.GRAPH: lambda value: data(6, value),
    AttributeKind.FLOATS: lambda value: b"".join([single(7, item) for item in value]),
    AttributeKind.INTS: lambda value: b"".join([number(8, item) for item in value]),
    AttributeKind.STRINGS: lambda value: texts(9, value),
}


def kind_of(value: Any) -> AttributeKind:
    """The type of attribute that a value of Python is, where no schema tells."""
    if isinstance(value, str):
        return AttributeKind.STRING
    if isinstance(value, int | np.integer):
        return AttributeKind.INT
    if isinstance(value, float | np.floating):
        return AttributeKind.FLOAT
    if isinstance(value, np.ndarray):
        return AttributeKind.TENSOR
    kinds = {kind_of(item) for item in value}
    several = {
        AttributeKind.INT: AttributeKind.INTS,
        AttributeKind.FLOAT: AttributeKind.FLOATS,
        AttributeKind.STRING: AttributeKind.STRINGS,
    }
    return several[kinds.pop()] if len(kinds) == 1 else AttributeKind.FLOATS


def graph(
    nodes: Iterable[bytes],
    name: str,
    initializers: Iterable[bytes] = (),
    inputs: Iterable[bytes] = (),
    outputs: Iterable[bytes] = (),
) -> list[bytes]:
    """A graph of messages, in pieces: constants may be large."""
    pieces = [data(1, item) for item in nodes]
    pieces.append(text(2, name))
    for item in initializers:
        pieces += begin(5, len(item)), item
    pieces += [data(11, item) for item in inputs]
    pieces += [data(12, item) for item in outputs]
    return pieces


def model(
    graph: Sequence[bytes], ir_version: int, producer: str, version: str, opsets: Mapping[str, int]
) -> bytes:
    """A model of a graph in pieces; `opsets` are the versions of operators by domain."""
    head = number(1, ir_version) + text(2, producer) + text(3, version)
    imports = b"".join([data(8, text(1, domain) + number(2, opset)) for domain, opset in opsets.items()])
    return b"".join([head, begin(7, sum(map(len, graph))), *graph, imports])
