"""IDX files: one array of bytes, as MNIST is published, packed by gzip or not."""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from typing import Any, BinaryIO

import numpy as np

from ..errors import FormatError
from .files import PathLike, open_to_read

_GZIP = b"\x1f\x8b"
_MOST_PACKED = 1032
"""How many bytes one packed byte can stand for at most."""


def read_idx(path: PathLike, rank: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The array in the file `path`: 0, 0, 8 and the rank, big-endian sizes, the values."""
    with open_to_read(path) as file:
        length = os.fstat(file.fileno()).st_size
        packed = file.read(2) == _GZIP or os.fspath(path).endswith(".gz")
        file.seek(0)
        if not packed:
            return _values(file, path, rank, length, "")
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                return _values(unpacked, path, rank, length * _MOST_PACKED, " at most")
        except (OSError, EOFError, zlib.error) as exc:
            raise FormatError(f"{path}: the gzip file cannot be read: {exc}.") from exc


def _values(
    file: BinaryIO | gzip.GzipFile, path: PathLike, rank: int, length: int, bound: str
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The array of a file of `length` bytes, or with `bound` of so many at most; larger sizes are refused."""
    head = 4 * (1 + rank)
    begin = file.read(head)
    if len(begin) < head or begin[:4] != bytes((0, 0, 8, rank)):
        raise FormatError(
            f"{path}: an IDX file with {rank} axes, which begins with 00 00 08 0{rank}, is required, "
            f"got {begin[:4].hex(' ') or 'nothing'}."
        )
    shape = struct.unpack(f">{rank}I", begin[4:])
    size = math.prod(shape)
    if length - head < size:
        raise FormatError(f"{path}: {size} values for {shape} are required, got {length - head}{bound}.")
    content = file.read(size + 1)
    if len(content) != size:
        count = "more" if len(content) > size else f"{len(content)}"
        raise FormatError(f"{path}: {size} values for {shape} are required, got {count}.")
    return np.frombuffer(content, np.uint8).reshape(shape)
