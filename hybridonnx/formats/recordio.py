"""`.rec` files: records of bytes, one after another.

    uint32 magic, uint32 kind << 29 | length, the bytes, zeros up to a multiple of 4

Where the magic number stands at a multiple of 4 inside a record, the record is cut: the number is left out,
and the parts follow as records of the kinds first, middle and last. So a reader may start anywhere in a file.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from .._locks import new_lock, no_fork
from ..errors import FormatError
from .files import PathLike, open_to_read

_MAGIC = struct.pack("<I", 0xCED7230A)
_LONGEST = (1 << 29) - 1
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)


def encode(record: bytes) -> bytes:
    """A record as it stands in a file."""
    if len(record) > _LONGEST:
        raise FormatError(f"recordio: a record of at most {_LONGEST} bytes is required, got {len(record)}.")
    parts = _cut(record)
    if len(parts) == 1:
        return _part(_WHOLE, record)
    middle = [_part(_MIDDLE, part) for part in parts[1:-1]]
    return b"".join([_part(_FIRST, parts[0]), *middle, _part(_LAST, parts[-1])])


def _cut(record: bytes) -> list[bytes]:
    """What stands between magic numbers at multiples of 4."""
    parts, start = [], 0
    for match in re.finditer(re.escape(_MAGIC), record):
        if match.start() % 4 == 0:
            parts.append(record[start : match.start()])
            start = match.end()
    return [*parts, record[start:]]


def _part(kind: int, data: bytes) -> bytes:
    return _MAGIC + struct.pack("<I", kind << 29 | len(data)) + data + bytes(-len(data) % 4)


class RecordReader:
    """The records of a file that can be seeked in."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        at = file.tell()
        self._size = file.seek(0, os.SEEK_END)
        file.seek(at)

    def read(self) -> bytes | None:
        """The next record, `None` at the end. Raises `FormatError` for anything that is not one."""
        if self._left() == 0:
            return None
        kind, data = self._next()
        if kind == _WHOLE:
            return data
        if kind != _FIRST:
            self._fail("the beginning of a record", "a later part of one")
        parts = [data]
        while kind != _LAST:
            kind, data = self._next()
            if kind in (_WHOLE, _FIRST):
                self._fail("the rest of a record", "the beginning of another")
            parts.append(data)
        return _MAGIC.join(parts)

    def _left(self) -> int:
        return self._size - self._file.tell()

    def _next(self) -> tuple[int, bytes]:
        """The kind and the bytes of the next part."""
        header = self._take(8, "the header of a record")
        if header[:4] != _MAGIC:
            self._fail(f"a record, which begins with {_MAGIC.hex()}", header[:4].hex())
        (about,) = struct.unpack("<I", header[4:])
        kind, length = about >> 29, about & _LONGEST
        if kind > _LAST:
            self._fail("a kind of part from 0 to 3", str(kind))
        data = self._take(length, "a record")
        self._file.seek(min(-length % 4, self._left()), os.SEEK_CUR)  # some writers leave out the last zeros
        return kind, data

    def _take(self, count: int, what: str) -> bytes:
        if count > self._left():
            self._fail(f"{what} of {count} bytes", f"the end of the file after {self._left()}")
        return self._file.read(count)

    def _fail(self, required: str, got: str) -> NoReturn:
        raise FormatError(
            f"recordio file, before byte {self._file.tell()}: {required} is required, got {got}."
        )


class RecordMap:
    """The records of a file by their offsets, which many threads may read at once; `file` is the open one."""

    def __init__(self, path: PathLike, file: BinaryIO | None = None) -> None:
        self._where, self._lock = os.fspath(path), new_lock()
        self._file = open_to_read(path) if file is None else file
        self.size = os.fstat(self._file.fileno()).st_size

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def offsets(self) -> Iterator[int]:
        """Where records begin, in their order. Raises `FormatError` for anything that is not a record."""
        at = 0
        while at < self.size:
            yield at
            *_, (begin, length) = self._parts(at)
            at = begin + length + -length % 4

    def read(self, offset: int) -> bytes:
        """The record at an offset. Raises `FormatError` if there is none."""
        return _MAGIC.join([self._slice(begin, length) for begin, length in self._parts(offset)])

    def _slice(self, begin: int, length: int) -> bytes:
        """Bytes as they are in the file now: a file that grows shorter ends a process that has mapped it."""
        if hasattr(os, "pread"):
            part = os.pread(self._file.fileno(), length, begin)
        else:
            with no_fork(), self._lock:
                self._file.seek(begin)
                part = self._file.read(length)
        if len(part) < min(length, self.size - begin):
            raise FormatError(
                f"{self._where}, byte {begin}: a file that nobody cuts while it is read is required, "
                f"got {len(part)} of {length} bytes."
            )
        return part

    def _parts(self, at: int) -> Iterator[tuple[int, int]]:
        """Where the bytes of the parts of a record begin, and their numbers."""
        expected = (_WHOLE, _FIRST)
        while True:
            kind, begin, length = self._part(at)
            if kind not in expected:
                required = "the beginning of a record" if _WHOLE in expected else "the rest of a record"
                raise FormatError(f"{self._where}, byte {at}: {required} is required, got kind {kind}.")
            yield begin, length
            if kind in (_WHOLE, _LAST):
                return
            expected = (_MIDDLE, _LAST)
            at = begin + length + -length % 4

    def _part(self, at: int) -> tuple[int, int, int]:
        """The kind of the part at an offset, where its bytes begin, and their number."""
        header = self._slice(at, 8) if at >= 0 else b""
        if len(header) < 8 or header[:4] != _MAGIC:
            raise FormatError(
                f"{self._where}, byte {at}: a record, which begins with {_MAGIC.hex()}, is required, got "
                f"{header.hex() or 'the end of the file'}."
            )
        (about,) = struct.unpack("<I", header[4:])
        kind, length = about >> 29, about & _LONGEST
        if kind > _LAST or at + 8 + length > self.size:
            raise FormatError(
                f"{self._where}, byte {at}: a whole record is required, got one of kind {kind} with {length} "
                f"bytes, {self.size - at - 8} before the end."
            )
        return kind, at + 8, length
