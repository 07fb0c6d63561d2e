"""Files of records with their index, of which no moment of a kill leaves one with another's.

Two files take their names one after the other, and an older index beside new records would be read without an
error. So an index is at its own name only while its records are at theirs. In between, the index of before
and the new one have names that tell which records they belong to, which readers look for:

    .NAME.hybridonnx-index-CRC-INODE-SIZE-TIME

A rename changes none of these of the records. What a killed writer left there goes with the next one's.
Programs that do not know these names see no index in between, which is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from filecmp import cmp
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from .._locks import no_fork
from ..errors import FormatError, MissingFileError, file_errors
from .files import PathLike, StagedFile, open_to_read, short_name, take_places

_TRIES = 100
"""How often a pair that is replaced while it is opened is opened anew."""


def open_pair(records: PathLike, index: PathLike) -> tuple[BinaryIO, BinaryIO]:
    """A file of records and its index, opened to be read, which belong together.

    Args:
        records: The name of the file of records.
        index: That of the index.

    Returns:
        Both files.

    Raises:
        MissingFileError: If one of them is not there.
        FormatError: If they are replaced again and again.
    """
    for _ in range(_TRIES):
        with ExitStack() as stack:
            file = stack.enter_context(open_to_read(records))
            known = os.fstat(file.fileno())
            lines = _open_index(index, known)
            if lines is not None:
                stack.enter_context(lines)
            with file_errors(records):
                stays = os.path.samestat(known, os.stat(records))
            if stays and lines is None:
                open_to_read(index).close()
            elif stays and lines is not None:  # so that an index which was at its name was theirs
                stack.pop_all()
                return file, lines
    raise FormatError(f"{os.fspath(records)}: records that stay while they are opened are required.")


def _open_index(path: PathLike, records: os.stat_result) -> BinaryIO | None:
    """The index at its name, or where a writer has it meanwhile or left it; it may go to and fro."""
    for name in (path, _kept_name(Path(os.path.realpath(path)), records)) * 3:
        with suppress(MissingFileError):
            return open_to_read(name)
    return None


def place_pair(records: StagedFile, index: StagedFile) -> None:
    """Have records and their index take their places: a reader gets the pair of before or the new one.

    Args:
        records: The file of records, complete.
        index: The index, complete.

    Raises:
        FileError: If the system refuses it.
    """
    with no_fork(), _one_writer(index.target.parent), file_errors(index.target):
        if index.target.exists() and cmp(index.target, index.path, False):
            take_places(records, index)  # one index is that of either records
        else:
            _replace_pair(records, index)
        for path in _kept(index.target):
            path.unlink(missing_ok=True)


def _replace_pair(records: StagedFile, index: StagedFile) -> None:
    before = _kept_name(index.target, os.stat(records.target)) if records.target.exists() else None
    try:
        if before is None:
            index.target.unlink(missing_ok=True)  # it is no records' index
        elif os.path.lexists(index.target):
            os.replace(index.target, before)
        index.wait_at(_kept_name(index.target, os.stat(records.path)))
        take_places(records, index)
    except BaseException:
        if not os.path.lexists(records.path):
            index.stay()  # readers look for it there
        elif before is not None and before.exists():
            os.replace(before, index.target)
        raise


@contextmanager
def _one_writer(folder: Path) -> Iterator[None]:
    """Have other writers of pairs in a folder wait, where the file system has locks."""
    with ExitStack() as stack:
        if fcntl is not None:
            with suppress(OSError):
                handle = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


# ---- names


def _beginning(index: Path) -> str:
    return f".{short_name(index.name)}.hybridonnx-index-{crc32(os.fsencode(index.name)):08x}-"


def _kept_name(index: Path, records: os.stat_result) -> Path:
    """The name of an index while it is not at its own."""
    which = f"{records.st_ino:x}-{records.st_size:x}-{records.st_mtime_ns:x}"
    return index.with_name(f"{_beginning(index)}{which}")


def _kept(index: Path) -> list[Path]:
    """What has such a name."""
    try:
        names = os.listdir(index.parent)
    except OSError:  # a folder that may be written to and not read
        return []
    return [index.with_name(name) for name in names if name.startswith(_beginning(index))]
