"""Rows that predictions are made of: Parquet, NumPy's files, records and folders of images."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from math import prod
from pathlib import Path
from struct import unpack_from
from typing import Any, NamedTuple, Protocol
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo
from zlib import error as zlib_error

import numpy as np

from ..errors import FormatError, MissingFileError
from ..formats.recordio import RecordMap
from ..recordio import unpack
from . import tables
from .pixels import EXTENSIONS

__all__ = ["Encoded", "Source", "sources_of"]

Columns = Mapping[str, Any]
_FILES = (".parquet", ".npz", ".npy", ".rec")
_LOCAL_HEADER, _NAME_LENGTH = 30, 26
"""Bytes of the header of a ZIP file's member without its name, and where in it the name's length is."""
_HEADERS: Mapping[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class Encoded(NamedTuple):
    """The bytes of an image's file."""

    content: bytes


class Source(Protocol):
    """Rows in files."""

    name: str
    """Of the file or folder, as what is written calls it."""
    files: Sequence[Path]
    rows: int

    def names(self) -> list[str] | None:
        """The columns that there are; `None` if it has one without a name."""

    def read(self, columns: Sequence[str], start: int, stop: int) -> dict[str, Any]:
        """Rows by column, each an array, or a list with `None` for what is missing."""

    def label(self, row: int) -> str:
        """The name of the file that a row comes from."""


class _Parquet:
    """A file of Apache Parquet."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.files: Sequence[Path] = [path]
        self.rows = tables.parquet_rows(path)

    def names(self) -> list[str] | None:
        return tables.parquet_names(self.files[0])

    def read(self, columns: Sequence[str], start: int, stop: int) -> dict[str, Any]:
        return tables.parquet_columns(self.files[0], columns, start, stop)

    def label(self, row: int) -> str:
        return self.name


class _Arrays:
    """An .npz file with an array for each column, or an .npy file."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.files: Sequence[Path] = [path]
        if path.suffix == ".npz":
            _require_whole(path)
        counts = {key: len(array) for key, array in _arrays(path).items() if array.ndim}
        if len({*counts.values()}) != 1:
            raise FormatError(f"{path}: arrays with as many rows are required, got {counts or 'none'}.")
        self.rows = next(iter(counts.values()))

    def names(self) -> list[str] | None:
        return None if self.files[0].suffix == ".npy" else list(_arrays(self.files[0]))

    def read(self, columns: Sequence[str], start: int, stop: int) -> dict[str, Any]:
        arrays = _arrays(self.files[0])
        if self.files[0].suffix == ".npy":
            return dict.fromkeys(columns, arrays[""][start:stop])
        missing = [name for name in columns if name not in arrays]
        if missing:
            raise FormatError(
                f"{self.files[0]}: arrays {', '.join(missing)} are required, got {', '.join(arrays)}."
            )
        return {name: arrays[name][start:stop] for name in columns}

    def label(self, row: int) -> str:
        return self.name


def _arrays(path: Path) -> dict[str, Any]:
    """The arrays in a file; those that were read last are kept for the next shard, until it is another."""
    stat = path.stat()
    return _loaded(path, (stat.st_mtime_ns, stat.st_size, stat.st_ino))


@lru_cache(maxsize=1)
def _loaded(path: Path, _state: tuple[int, ...]) -> dict[str, Any]:
    try:
        if path.suffix == ".npy":
            return {"": np.load(path, mmap_mode="r", allow_pickle=False)}
        with ZipFile(path) as file:
            members = [info for info in file.infolist() if info.filename.endswith(".npy")]
            return {info.filename.removesuffix(".npy"): _member(file, info, path) for info in members}
    except (ValueError, EOFError, OSError, MemoryError, BadZipFile, NotImplementedError, zlib_error) as exc:
        raise FormatError(f"{path}: a file of NumPy's with numbers is required: {exc}") from None


def _member(file: ZipFile, info: ZipInfo, path: Path) -> Any:
    """An array in an .npz file, which stays there unless it is compressed."""
    with file.open(info) as member:
        read_header = _HEADERS.get(np.lib.format.read_magic(member))
        if read_header is None:
            raise ValueError(f"{info.filename} is of a version of NumPy's format that has no numbers.")
        shape, by_columns, dtype = read_header(member)
        order: Any = "F" if by_columns else "C"
        length, size = member.tell(), prod(shape) * dtype.itemsize
        if dtype.hasobject:
            raise ValueError(f"{info.filename} has objects of Python's.")
        if length + size > info.file_size:
            raise ValueError(f"{info.filename} has {info.file_size - length} of {size} bytes.")
        if info.compress_type != ZIP_STORED or not size:
            return np.frombuffer(member.read(size), dtype, prod(shape)).reshape(shape, order=order)
    with path.open("rb") as raw:  # in front of a member is a header with parts of any length
        raw.seek(info.header_offset + _NAME_LENGTH)
        name, extra = unpack_from("<HH", raw.read(4))
    return np.memmap(
        path, dtype, "r", info.header_offset + _LOCAL_HEADER + name + extra + length, shape, order
    )


def _require_whole(path: Path) -> None:
    """Raise `FormatError` if an .npz file is damaged, which arrays that stay in it do not tell."""
    with suppress(BadZipFile, zlib_error, EOFError, OSError, NotImplementedError), ZipFile(path) as file:
        if file.testzip() is None:
            return
    raise FormatError(f"{path}: a whole file of NumPy's is required, got a damaged one.")


class _Records:
    """A file of records, each an image with its label and id."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.files: Sequence[Path] = [path]
        self._offsets = list(RecordMap(path).offsets())
        self.rows = len(self._offsets)

    def names(self) -> list[str] | None:
        return ["label", "id", "image"]

    def read(self, columns: Sequence[str], start: int, stop: int) -> dict[str, Any]:
        records = RecordMap(self.files[0])
        rows = [unpack(records.read(offset)) for offset in self._offsets[start:stop]]
        values = {
            "label": [header.label for header, _ in rows],
            "id": [header.id for header, _ in rows],
        }
        images = [Encoded(content) for _, content in rows]
        return {name: values.get(name, images) for name in columns}

    def label(self, row: int) -> str:
        return self.name


class _Images:
    """Files of images in a folder and the folders in it, in the order of their names."""

    def __init__(self, folder: Path, files: Sequence[Path], name: str) -> None:
        self.name = name
        self.files: Sequence[Path] = files
        self._folder = folder
        self.rows = len(self.files)

    def names(self) -> list[str] | None:
        return ["label", "image"]

    def read(self, columns: Sequence[str], start: int, stop: int) -> dict[str, Any]:
        files = self.files[start:stop]
        values = {"label": [file.parent.name for file in files]}
        images = [Encoded(file.read_bytes()) for file in files] if {*columns} - {*values} else []
        return {name: values.get(name, images) for name in columns}

    def label(self, row: int) -> str:
        return self.files[row].relative_to(self._folder).as_posix()


def sources_of(inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Source]:
    """The sources that files, folders and patterns name, in the order of their names.

    A folder is its .parquet, .npz, .npy and .rec files, those in folders in it too, or where it has none of
    them, its images.

    Args:
        inputs: A name or several; a pattern has `*`, `?` or `**`.

    Raises:
        MissingFileError: If there is no such file, or a folder has none.
        FormatError: If a file is damaged, or no kind that is read.
    """
    texts = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    return [source for text in texts for source in _sources(os.fspath(text))]


def _sources(text: str) -> list[Source]:
    path = Path(text)
    if path.is_dir():
        return _in_folder(path)
    if path.is_file():
        return _of_files([path], path.parent)
    matches = sorted(Path(match) for match in glob.glob(text, recursive=True))
    files = [match for match in matches if match.is_file()]
    if not files:
        raise MissingFileError(f"predict: a file, a folder or a pattern of files is required, got {text}.")
    return _of_files(files, Path(os.path.commonpath([file.parent for file in files])))


def _in_folder(folder: Path) -> list[Source]:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not _is_hidden(file, folder))
    tables = [file for file in files if file.suffix in _FILES]
    chosen = tables or [file for file in files if file.suffix.lower() in EXTENSIONS]
    if not chosen:
        raise MissingFileError(
            f"predict: files of {', '.join(_FILES)} or images are required in {folder}, got none."
        )
    return _of_files(chosen, folder)


def _is_hidden(file: Path, folder: Path) -> bool:
    """Whether it is a file of those that readers of tables pass over."""
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _of_files(files: Sequence[Path], folder: Path) -> list[Source]:
    """A source of each file, but one of all images."""
    images = [file for file in files if file.suffix.lower() in EXTENSIONS]
    sources: list[Source] = [_Images(folder, images, folder.name)] if images else []
    for file in files:
        if file in images:
            continue
        kind = _KINDS.get(file.suffix)
        if kind is None:
            raise FormatError(
                f"{file}: a file of {', '.join(_FILES)} or an image is required, got another kind."
            )
        sources.append(kind(file, file.relative_to(folder).as_posix()))
    return sources


_KINDS: Mapping[str, Any] = {".parquet": _Parquet, ".npz": _Arrays, ".npy": _Arrays, ".rec": _Records}
