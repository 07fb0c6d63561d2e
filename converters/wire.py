"""Protobuf's wire format, for what is read and written without protobuf: fields with a length before them."""

from __future__ import annotations

BYTES = 2
"""The wire type of fields whose length stands before them: bytes, texts and messages."""


def varint(number: int) -> bytes:
    """A natural number in groups of seven bits, the lowest first."""
    result = bytearray()
    while number > 127:
        result.append(number & 127 | 128)
        number >>= 7
    result.append(number)
    return bytes(result)


def begin(field: int, size: int) -> bytes:
    """What stands before a field of `size` bytes."""
    return varint(field << 3 | BYTES) + varint(size)
