"""Files of records, alone or with an index, and the headers with labels that image records have."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import ExitStack
from io import TextIOWrapper
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np

from ._locks import new_lock, no_fork
from .errors import FormatError, MissingFileError, MXNetError, file_errors
from .formats.files import GrowingFile, PathLike, open_to_read, take_places
from .formats.indexed import open_pair, place_pair
from .formats.recordio import RecordReader, encode
from .ops.cvimage import decoded_as_stored, encoded
from .typing import ArrayLike

__all__ = ["IRHeader", "MXIndexedRecordIO", "MXRecordIO", "pack", "pack_img", "unpack", "unpack_img"]

_HEADER = struct.Struct("<IfQQ")


class MXRecordIO:
    """A file of records, for reading with the flag "r" or for writing with "w", by one thread at a time.

    What is written takes its place when it is closed, or when nobody has it any more: until then the file of
    before is there. A `with` block that an exception ends leaves that file as it was.
    """

    def __init__(self, uri: PathLike, flag: str) -> None:
        if flag not in ("r", "w"):
            raise ValueError(f"{type(self).__name__}: r or w is required as flag, got {flag!r}.")
        self.uri = os.fspath(uri)
        self.flag = flag
        self.writable = flag == "w"
        self.is_open = False
        self._file: BinaryIO | None = None
        self._records: GrowingFile | None = None
        self._is_written = False
        """Whether there are records, and nothing has cut the last one off."""
        self.open()

    def open(self) -> None:
        """Open the file; one that is written begins empty."""
        self._reader, self._is_written = None, False
        try:
            if self.writable:
                self._records = GrowingFile(self.uri)
            else:
                self._file = self._opened()
                self._reader = RecordReader(self._file)
        except MissingFileError as exc:
            raise _missing(exc) from None
        self._pid, self._lock = os.getpid(), new_lock()
        self.is_open = True

    def _opened(self) -> BinaryIO:
        """The file, to be read."""
        return open_to_read(self.uri)

    def close(self) -> None:
        """Close the file, if it is open; one that was written takes its place."""
        if not self.is_open:
            return
        self.is_open = False
        try:
            if self.writable and not self._is_of_another_process():
                self._take_places()
        finally:
            self._release()

    def _take_places(self) -> None:
        assert self._records is not None
        self._records.complete()
        if self._records.staged is not None:
            self._records.staged.take_place()

    def _release(self) -> None:
        """Let go of what is open; what has not taken its place is removed."""
        self.is_open = False
        for file in (self._file, self._records):
            if file is not None:
                file.close()

    def __getstate__(self) -> dict[str, Any]:
        """What copies and other processes receive: they open the file anew, and begin at its beginning."""
        if self.is_open and self.writable:
            raise TypeError(f"{type(self).__name__}: a file that is read or closed is required of a pickle.")
        return {**self.__dict__, "_file": None, "_records": None, "_reader": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what `__getstate__` gave, or what is in a pickle that MXNet wrote."""
        is_open = state.get("is_open", False) and not state["writable"]
        self.__dict__.update({**state, "is_open": False, "_file": None, "_records": None})
        if is_open:
            self.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self.writable:
            self._release()
        else:
            self.close()

    def __del__(self) -> None:
        if not getattr(self, "is_open", False):
            return
        if self.writable and not self._is_written:  # nobody has come to the end of it
            self._release()
        else:
            self.close()

    def reset(self) -> None:
        """Begin anew; what was written is dropped."""
        self._release()
        self.open()

    def write(self, buf: bytes) -> None:
        """Add a record."""
        if not isinstance(buf, bytes | bytearray | memoryview):
            raise TypeError(f"{type(self).__name__}.write: bytes are required, got {type(buf).__name__}.")
        self._require_open(True)
        assert self._records is not None
        self._is_written = False
        self._records.append(encode(bytes(buf)))
        self._is_written = True

    def read(self) -> bytes | None:
        """The next record, `None` at the end."""
        self._require_open(False)
        assert self._reader is not None
        try:
            with file_errors(self.uri):
                return self._reader.read()
        except FormatError as exc:
            exc.add_note(f"In file {self.uri}.")
            raise

    def _require_open(self, writing: bool) -> None:
        if self.writable != writing or not self.is_open:
            flag, current = ("w", "r") if writing else ("r", "w")
            state = f"with flag {current!r}" if self.is_open else "closed"
            raise MXNetError(
                f"{type(self).__name__}: a file opened with flag {flag!r} is required, got one {state}."
            )
        if self._is_of_another_process():  # which would move the place that is read or written there
            raise MXNetError(
                f"{type(self).__name__}: a file opened in this process is required, got one of process "
                f"{self._pid}. Call reset() first, or read by keys, with MXIndexedRecordIO.read_idx."
            )

    def _is_of_another_process(self) -> bool:
        return self._pid != os.getpid()


def _missing(exc: OSError) -> MissingFileError:
    return MissingFileError(exc.errno, "recordio: there is no such file or folder", exc.filename)


class MXIndexedRecordIO(MXRecordIO):
    """A file of records with an index: lines of a key and the offset of its record."""

    def __init__(
        self, idx_path: PathLike, uri: PathLike, flag: str, key_type: Callable[[Any], int | str] = int
    ) -> None:
        self.idx_path = os.fspath(idx_path)
        self.key_type = key_type
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self._index: GrowingFile | None = None
        super().__init__(uri, flag)

    def open(self) -> None:
        """Open the file and read its index, or begin one."""
        self.idx, self.keys = {}, []
        super().open()
        if self.writable:
            self._index = GrowingFile(self.idx_path)

    def _opened(self) -> BinaryIO:
        records, index = open_pair(self.uri, self.idx_path)
        with ExitStack() as stack, TextIOWrapper(index, "utf-8", "replace") as file:
            stack.enter_context(records)
            for number, line in enumerate(file, 1):
                self._entry(number, line)
            stack.pop_all()
        return records

    def _entry(self, number: int, line: str) -> None:
        key, tab, offset = line.strip().partition("\t")
        try:
            at = int(offset)
            identifier = self.key_type(key)
        except ValueError:
            at = -1
        if not tab or at < 0:
            raise FormatError(
                f"{self.idx_path}, line {number}: a key, a tab and an offset are required, got {line[:80]!r}."
            )
        self.idx[identifier] = at
        self.keys.append(identifier)

    def _take_places(self) -> None:
        """Have the records and their index take their places, neither without the other."""
        assert self._records is not None
        assert self._index is not None
        self._records.complete()
        self._index.complete()
        both = [file.staged for file in (self._records, self._index) if file.staged is not None]
        if len(both) == 2:
            place_pair(*both)
        else:  # a device, which has its part by now
            take_places(*both)

    def _release(self) -> None:
        try:
            super()._release()
        finally:
            if self._index is not None:
                self._index.close()
                self._index = None

    def seek(self, idx: int | str) -> None:
        """Go to the record of a key. In another process than that which opened the file, open it anew."""
        self._open_here()
        self._require_open(False)
        if idx not in self.idx:
            raise KeyError(idx)
        assert self._file is not None
        self._file.seek(self.idx[idx])

    def tell(self) -> int:
        """The offset at which the next record will be written."""
        self._require_open(True)
        assert self._records is not None
        return self._records.size

    def read_idx(self, idx: int | str) -> bytes | None:
        """The record of a key; threads, as the workers of a DataLoader are, may read at once."""
        self._open_here()
        with no_fork(), self._lock:
            self.seek(idx)
            return self.read()

    def _open_here(self) -> None:
        if self.is_open and not self.writable and self._is_of_another_process():
            self.reset()

    def write_idx(self, idx: int | str, buf: bytes) -> None:
        """Add a record with a key."""
        key = self.key_type(idx)
        offset = self.tell()
        assert self._records is not None
        assert self._index is not None
        line = self._index.size
        try:
            self.write(buf)
            self._index.append(f"{key}\t{offset}\n".encode())
        except BaseException:  # neither without the other
            self._records.size, self._index.size = offset, line
            raise
        self.idx[key] = offset
        self.keys.append(key)


class IRHeader(NamedTuple):
    """What stands before an image in a record: the number of labels, if several, the label, and two ids."""

    flag: int
    label: Any
    id: int
    id2: int

    def __repr__(self) -> str:
        return f"HEADER(flag={self.flag!r}, label={self.label!r}, id={self.id!r}, id2={self.id2!r})"


def pack(header: IRHeader, s: bytes) -> bytes:
    """A record of a header and bytes."""
    flag, label, number, second = header
    labels = b""
    if isinstance(label, int | float | np.number):
        flag = 0
    else:
        array = np.asarray(label.asnumpy() if hasattr(label, "asnumpy") else label, dtype=np.float32)
        flag, label, labels = array.size, 0, array.tobytes()
    try:
        return _HEADER.pack(flag, label, number, second) + labels + bytes(memoryview(s))
    except (struct.error, OverflowError):
        raise MXNetError(
            f"pack: ids from 0 to 2**64 - 1 and labels that float32 holds are required, got {header!r}."
        ) from None


def unpack(s: bytes) -> tuple[IRHeader, bytes]:
    """The header of a record, and the bytes after it."""
    if len(s) < _HEADER.size:
        raise FormatError(f"unpack: a record of at least {_HEADER.size} bytes is required, got {len(s)}.")
    header = IRHeader(*_HEADER.unpack(s[: _HEADER.size]))
    rest = s[_HEADER.size :]
    if not header.flag:
        return header, rest
    size = 4 * header.flag
    if size > len(rest):
        raise FormatError(
            f"unpack: {size} bytes for the header's {header.flag} labels are required, got {len(rest)}."
        )
    return header._replace(label=np.frombuffer(rest[:size], "<f4").astype(np.float32)), rest[size:]


def pack_img(header: IRHeader, img: ArrayLike, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """A record of a header and an image, which OpenCV writes, or Pillow where OpenCV is not installed.

    Args:
        header: What stands before the image.
        img: The image (H, W, 3) of uint8 with blue first, as OpenCV has it, or grey (H, W).
        quality: That of JPEG, from 1 to 100, or how much PNG is compressed, from 0 to 9.
        img_fmt: `.jpg` or `.png`.

    Returns:
        The record.

    Raises:
        MXNetError: Another format or image.
    """
    pixels = np.asarray(img.asnumpy() if hasattr(img, "asnumpy") else img)
    if pixels.dtype != np.uint8 or pixels.ndim not in (2, 3) or not pixels.size:
        required = "an image (H, W, C) or (H, W) of uint8"
        raise MXNetError(f"pack_img: {required} is required, got {pixels.shape} of {pixels.dtype}.")
    return pack(header, encoded(np.ascontiguousarray(pixels), quality, img_fmt, "pack_img"))


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[IRHeader, Any]:
    """The header of a record, and its image as `cv2.imdecode` gives it.

    Args:
        s: The record.
        iscolor: 1 for colours, 0 for grey, -1 for what the file has, transparency included.

    Returns:
        The header, and an array of NumPy, (H, W, 3 or 4) with blue first, or (H, W).

    Raises:
        FormatError: The record has no image.
    """
    header, content = unpack(s)
    return header, decoded_as_stored(content, iscolor, "unpack_img")
