"""Protobuf's wire format: a message is its fields one after the other, each after its number and type."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct

_VARINT, _FIXED32 = 0, 5
BYTES = 2
"""The wire type of fields whose length stands before them: bytes, texts and messages."""
_FLOAT = Struct("<f")
_SHORT = [bytes([number]) for number in range(128)]
"""Numbers of one group."""


def varint(number: int) -> bytes:
    """A number of 64 bits in groups of seven, the lowest first; negative ones as their complement of two."""
    if 0 <= number < 128:
        return _SHORT[number]
    number &= (1 << 64) - 1
    result = bytearray()
    while number > 127:
        result.append(number & 127 | 128)
        number >>= 7
    result.append(number)
    return bytes(result)


def begin(field: int, size: int) -> bytes:
    """What stands before a field of `size` bytes."""
    return varint(field << 3 | BYTES) + varint(size)


def number(field: int, value: int) -> bytes:
    """A field with a number of 64 bits."""
    return varint(field << 3 | _VARINT) + varint(value)


def single(field: int, value: float) -> bytes:
    """A field with a number of float32; what is too large for it is infinite."""
    try:
        return varint(field << 3 | _FIXED32) + _FLOAT.pack(value)
    except OverflowError:
        return single(field, float("inf") if value > 0 else float("-inf"))


def data(field: int, value: bytes) -> bytes:
    """A field with bytes, or with the message that they are."""
    key, size = field << 3 | BYTES, len(value)
    if key < 128 and size < 128:  # nearly all
        return _SHORT[key] + _SHORT[size] + value
    return varint(key) + varint(size) + value


def text(field: int, value: str) -> bytes:
    """A field with a text."""
    return data(field, value.encode())


def texts(field: int, values: Iterable[str]) -> bytes:
    """A field that there may be any number of, with texts."""
    return b"".join([data(field, value.encode()) for value in values])
