"""Files that are either wholly written or not touched at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from .. import config
from ..errors import FormatError, MissingFileError

PathLike: TypeAlias = str | os.PathLike[str]


def open_to_read(path: PathLike) -> BinaryIO:
    """The file `path`, opened. Raises `MissingFileError` if it is not there."""
    require_name(path)
    try:
        return open(path, "rb")
    except FileNotFoundError as exc:
        raise MissingFileError(exc.errno, exc.strerror, exc.filename) from None


def lines_of(path: PathLike) -> list[str]:
    """The lines of a text in UTF-8, whose other bytes come back when a line is taken for a path.

    Raises `MissingFileError` if it is not there.
    """
    with open_to_read(path) as file:
        return file.read().decode("utf-8", "surrogateescape").splitlines()


def write_atomically(path: PathLike, chunks: Iterable[Any]) -> None:
    """Write the bytes of `chunks`, one after another, as the file `path`, as `staged_file` does."""
    with staged_file(path, chunks) as file:
        file.take_place()


class StagedFile:
    """A file that is complete and does not have its name yet."""

    def __init__(self, file: BinaryIO, path: Path, target: Path) -> None:
        self._file, self._target = file, target
        self.path = path
        """The name that it has until then, in the same folder."""
        self.in_place = False

    def take_place(self) -> None:
        """Give the file its name, which takes it from the file that had it; or fill a device or a pipe."""
        if _is_device(self._target):
            with open(self.path, "rb") as source, open(self._target, "wb") as through:
                shutil.copyfileobj(source, through)
            return
        if not fcntl:  # Windows moves no open files
            self._file.close()
        os.replace(self.path, self._target)
        self.in_place = True


@contextmanager
def staged_file(path: PathLike, chunks: Iterable[Any]) -> Iterator[StagedFile]:
    """A file with the bytes of `chunks`, one after another, which becomes the file `path` by `take_place`.

    Raises `MissingFileError` if its folder is not there.
    Until then it has a temporary name in the same folder, and is removed if the context is left: a
    process that is killed leaves the old file or the new one. With `HYBRIDONNX_SYNC=1` the bytes are on the
    disk before that, so that a power failure does so too; 1 GB then takes several times as long. A link is
    followed, and a file that was there keeps its permissions. What killed writers of `path` left is removed.
    A device or a pipe stays what it is, and gets the bytes.
    """
    require_name(path)
    target = Path(path).resolve()
    prefix = f".{target.name[:64]}."
    folder = None if _is_device(target) else target.parent
    try:
        file, name = _claimed(lambda: tempfile.mkstemp(prefix=prefix, suffix=".tmp", dir=folder))
    except FileNotFoundError as exc:
        raise MissingFileError(exc.errno, exc.strerror, str(target.parent)) from None
    staged = StagedFile(file, Path(name), target)
    try:
        with file:  # locked as long as it is open
            _write(file, chunks)
            os.chmod(name, _mode(target))
            yield staged
    finally:
        if not staged.in_place:
            with suppress(OSError):
                os.unlink(name)
    if fcntl and staged.in_place:
        remove_abandoned(target.parent, re.escape(prefix) + r"[a-z0-9_]{8}\.tmp", lambda name: False)


@contextmanager
def claimed_file(folder: Path, prefix: str, suffix: str, chunks: Iterable[Any]) -> Iterator[str]:
    """The name of a new file with the bytes of `chunks`, which is removed if an exception leaves the context.

    Until then it is locked: `remove_abandoned` spares it.
    """

    def create() -> tuple[int, str]:
        name = str(folder / f"{prefix}{secrets.token_hex(8)}{suffix}")
        return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666), name

    file, name = _claimed(create)
    with file:
        try:
            _write(file, chunks)
            yield os.path.basename(name)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise


CLAIMED = r"[0-9a-f]{16}"
"""What stands between prefix and suffix in the name of a claimed file, as a regular expression."""


def remove_abandoned(folder: Path, pattern: str, needed: Callable[[str], bool]) -> None:
    """Remove the files of a folder whose whole name matches `pattern`, but those locked or `needed`.

    `needed` is asked when the file's writer has done all that it does.
    """
    for name in [name for name in os.listdir(folder) if re.fullmatch(pattern, name)]:
        with suppress(OSError), _locked(folder / name):
            if not needed(name):
                os.unlink(folder / name)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file's lock. Raises `OSError` if somebody else does."""
    if fcntl is None:  # Windows removes no open files
        yield
        return
    with open(path, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def _claimed(create: Callable[[], tuple[int, str]]) -> tuple[BinaryIO, str]:
    """A new file, locked as long as it is open, so that others can tell whether its writer is alive."""
    while True:
        handle, name = create()
        file = os.fdopen(handle, "wb")
        if fcntl is None:
            return file, name
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:  # else it was taken for an abandoned one before it was locked
            return file, name
        file.close()


def _write(file: BinaryIO, chunks: Iterable[Any]) -> None:
    for chunk in chunks:
        file.write(chunk)
    file.flush()
    if config.SYNC():
        os.fsync(file.fileno())


def require_name(path: PathLike) -> None:
    """Raise a `FormatError` if no file can have a name."""
    name = os.fspath(path)
    if ("\0" if isinstance(name, str) else b"\0") in name:
        raise FormatError(f"a file's name without a byte of 0 is required, got {name!r}.")


def _is_device(path: Path) -> bool:
    """Whether there is something at a path that is neither a file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
