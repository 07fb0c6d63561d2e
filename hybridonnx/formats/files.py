"""Files that are either wholly written or not touched at all."""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from zlib import crc32

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from .. import config
from ..errors import FormatError, file_error, file_errors

PathLike: TypeAlias = str | os.PathLike[str]
FileContent: TypeAlias = tuple[PathLike, Iterable[Any]]
"""A file's name and its bytes, piece by piece."""


def open_to_read(path: PathLike) -> BinaryIO:
    """The file `path`, opened. Raises `MissingFileError` if it is not there, `FileError` if it is refused."""
    require_name(path)
    with file_errors(path):
        return open(path, "rb")


def lines_of(path: PathLike) -> list[str]:
    """The lines of a text in UTF-8, whose other bytes come back when a line is taken for a path.

    Raises `MissingFileError` if it is not there.
    """
    with open_to_read(path) as file:
        return file.read().decode("utf-8", "surrogateescape").splitlines()


def make_folder(path: PathLike) -> None:
    """Make a folder, and those that it is in, unless it is there. Raises `FileError` if that is refused."""
    with file_errors(path):
        os.makedirs(path, exist_ok=True)


def write_atomically(path: PathLike, chunks: Iterable[Any]) -> None:
    """Write the bytes of `chunks`, one after another, as the file `path`, as `staged_file` does."""
    with staged_file(path, chunks) as file:
        file.take_place()


def write_together(contents: Iterable[FileContent]) -> None:
    """Write several files as `write_atomically` does: none takes its place before all are complete."""
    with ExitStack() as stack:
        take_places(*[stack.enter_context(staged_file(path, chunks)) for path, chunks in contents])


# ---- files that have their content before their name


class StagedFile:
    """A file that does not have its name yet: it has a temporary one in the same folder, and is locked.

    A process that is killed leaves what had the name before, or the new file. What it leaves under temporary
    names goes when the next file is written in that folder: nobody holds its lock. A link is followed, and a
    file that was there keeps its permissions. A device or a pipe stays what it is, and gets the bytes.
    """

    def __init__(self, path: PathLike) -> None:
        require_name(path)
        self._name, self._process = os.fspath(path), os.getpid()
        self.in_place = False
        with file_errors(path):
            self.target = Path(os.path.realpath(path))
            """Where its name leads."""
            self._is_device = is_device(self.target)
            folder = Path(tempfile.gettempdir()) if self._is_device else self.target.parent
            remove_leftovers(folder)
            mode = 0o600 if self._is_device or self.target.exists() else 0o666
            self.file, name = _claimed(partial(_create, folder, f".{short_name(self.target.name)}.", mode))
        self.path = Path(name)
        """The name that it has until it takes its place."""

    def fill(self, chunks: Iterable[Any]) -> None:
        """Write all of the content."""
        for chunk in chunks:
            self.write(chunk)
        self.complete()

    def write(self, chunk: Any) -> None:
        """Write more of the content."""
        try:
            self.file.write(chunk)
        except OSError as exc:
            raise file_error(exc, self._name) from None

    def complete(self) -> None:
        """Have all of the content in the file, with `HYBRIDONNX_SYNC=1` on the disk.

        A power failure then leaves the old file or the new one, too; 1 GB takes several times as long.
        """
        with file_errors(self._name):
            _complete(self.file)
            with suppress(FileNotFoundError):
                os.chmod(self.path, stat.S_IMODE(self.target.stat().st_mode))

    def take_place(self) -> None:
        """Give the file its name, which takes it from the file that had it; or fill a device or a pipe."""
        with file_errors(self._name):
            if self._is_device:
                with open(self.path, "rb") as source, open(self.target, "wb") as through:
                    shutil.copyfileobj(source, through)
            elif not self.in_place:
                if not fcntl:  # Windows moves no open files
                    self.file.close()
                os.replace(self.path, self.target)
                self.in_place = True

    def wait_at(self, path: Path) -> None:
        """Go to another name, which nobody cleans up, until it takes its place."""
        with file_errors(self._name):
            if not fcntl:  # Windows moves no open files
                self.file.close()
            os.replace(self.path, path)
        self.path = path

    def stay(self) -> None:
        """Keep the name that it has by now."""
        self.in_place = True

    def close(self) -> None:
        """Remove the file, unless it has taken its place."""
        if os.getpid() != self._process:
            _drop_copy(self.file)
            return
        if not self.in_place:
            with suppress(OSError):
                os.unlink(self.path)
        with suppress(OSError):  # what a full disk has no room for
            self.file.close()


def take_places(*files: StagedFile) -> None:
    """Have files take their places one right after another; an interrupt waits for the last of them."""
    try:
        for file in files:
            file.take_place()
    except (KeyboardInterrupt, MemoryError):
        waiting = [file for file in files if os.path.lexists(file.path)]
        if len(waiting) < len(files):
            for file in waiting:
                file.take_place()
        raise


@contextmanager
def staged_file(path: PathLike, chunks: Iterable[Any]) -> Iterator[StagedFile]:
    """A complete file with the bytes of `chunks`, one after another, which becomes `path` by `take_place`.

    Until then it has a temporary name, and is removed if the context is left. Raises `FileError` if the
    system refuses it, `MissingFileError` if its folder is not there.
    """
    staged = StagedFile(path)
    try:
        staged.fill(chunks)
        yield staged
    finally:
        staged.close()


class GrowingFile:
    """A file that grows by whole pieces and takes its place when it is finished; a device gets them at once.

    A piece that a full disk or an interrupt cuts goes before the next one comes.
    """

    def __init__(self, path: PathLike) -> None:
        self._name, self._process = os.fspath(path), os.getpid()
        self.size = 0
        """The bytes of all pieces. Make it less, and what is behind that goes too."""
        require_name(path)
        with file_errors(path):
            self.staged = None if is_device(path) else StagedFile(path)
            self._file = open(path, "wb") if self.staged is None else self.staged.file  # noqa: SIM115

    def append(self, piece: bytes) -> None:
        """Add a piece, or nothing if that fails."""
        with file_errors(self._name):
            self._mend()
            self._file.write(piece)
        self.size += len(piece)

    def _mend(self) -> None:
        if self.staged is not None and self._file.tell() != self.size:
            self._file.seek(self.size)
            self._file.truncate()

    def complete(self) -> None:
        """Have all pieces in the file."""
        with file_errors(self._name):
            self._mend()
            self._file.flush()
        if self.staged is not None:
            self.staged.complete()

    def close(self) -> None:
        """Let go of the file, and remove it unless it has taken its place."""
        if self.staged is not None:
            self.staged.close()
        elif os.getpid() != self._process:
            _drop_copy(self._file)
        else:
            with file_errors(self._name):
                self._file.close()


@contextmanager
def claimed_file(
    folder: Path, prefix: str, suffix: str, chunks: Iterable[Any], needed: Callable[[str], bool]
) -> Iterator[str]:
    """The name of a new file with the bytes of `chunks`, which goes if an exception leaves the context.

    It stays if it is `needed` even so. Until the context ends it is locked: `remove_abandoned` spares it.
    """

    def create() -> tuple[int, str]:
        return _opened(str(folder / f"{prefix}{secrets.token_hex(8)}{suffix}"), 0o666)

    with file_errors(folder / f"{prefix}{suffix.lstrip('.')}"):
        file, name = _claimed(create)
    with file:
        try:
            for chunk in chunks:
                with file_errors(name):
                    file.write(chunk)
            with file_errors(name):
                _complete(file)
            yield os.path.basename(name)
        except BaseException:
            with suppress(OSError):
                if not needed(os.path.basename(name)):
                    os.unlink(name)
            with suppress(OSError):
                file.close()
            raise


CLAIMED = r"[0-9a-f]{16}"
"""What stands between prefix and suffix in the name of a claimed file, as a regular expression."""


def remove_abandoned(folder: Path, pattern: str, needed: Callable[[str], bool]) -> None:
    """Remove the files of a folder whose whole name matches `pattern`, but those locked or `needed`.

    `needed` is asked when the file's writer has done all that it does.
    """
    for name in _names_in(folder):
        if re.fullmatch(pattern, name):
            with suppress(OSError), _locked(folder / name):
                if not needed(name):
                    os.unlink(folder / name)


# ---- what killed processes leave


class ScratchFolder:
    """A folder of this process, until it is closed; one that is killed leaves it to `remove_leftovers`."""

    def __init__(self, parent: PathLike | None = None) -> None:
        where, self._process = Path(parent or tempfile.gettempdir()), os.getpid()
        with file_errors(where):
            remove_leftovers(where)
            self._handle, self.path = self._made(where)

    @staticmethod
    def _made(where: Path) -> tuple[int | None, str]:
        while True:
            path = str(where / _temporary_name(".scratch."))
            os.mkdir(path, 0o700)
            if fcntl is None:
                return None, path
            with suppress(FileNotFoundError):  # taken for an abandoned one before it was locked
                handle = os.open(path, os.O_RDONLY)
                with suppress(OSError):  # a file system without locks
                    fcntl.flock(handle, fcntl.LOCK_EX)
                if os.path.exists(path):
                    return handle, path
                os.close(handle)

    def close(self) -> None:
        """Remove the folder and what is in it, unless it is that of the process that forked this one."""
        if os.getpid() == self._process:
            shutil.rmtree(self.path, ignore_errors=True)
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


@contextmanager
def scratch_folder(parent: PathLike | None = None) -> Iterator[str]:
    """The path of a folder of this process for as long as the context lasts, among those of the system."""
    folder = ScratchFolder(parent)
    try:
        yield folder.path
    finally:
        folder.close()


_TEMPORARY = re.compile(r"\..*\.hybridonnx-([0-9a-f]{8})-[0-9a-f]{16}\.tmp", re.DOTALL)
"""Names that nobody else gives, with the machine that gave them."""
_A_DAY = 86400.0


def remove_leftovers(folder: Path) -> None:
    """Remove what processes of hybridonnx left in a folder under temporary names when they were killed.

    Whoever is alive holds a lock on his. A file system may keep the locks of another machine from this one:
    what was made there is left for a day after its last change.
    """
    if fcntl is None:  # Windows removes no open files, and may have closed one that is about to get its name
        return
    for name in _names_in(folder):
        match = _TEMPORARY.fullmatch(name)
        path = folder / name
        if match is None:
            continue
        with suppress(OSError):
            if match[1] != _machine() and time.time() - path.stat().st_mtime < _A_DAY:
                continue
            with _locked(path):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()


def _temporary_name(prefix: str) -> str:
    return f"{prefix}hybridonnx-{_machine()}-{secrets.token_hex(8)}.tmp"


@cache
def _machine() -> str:
    """What tells this run of this machine's system from others, whose locks may not be seen here."""
    try:
        name = Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        name = platform.node().encode("utf-8", "replace")
    return f"{crc32(name):08x}"


def _names_in(folder: Path) -> list[str]:
    """What is in a folder; nothing if it may be written to and not read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


# ---- making and locking


def short_name(name: str) -> str:
    """The beginning of a name, so that a longer one can be made of it."""
    return name.encode("utf-8", "replace")[:64].decode("utf-8", "ignore")


def _create(folder: Path, prefix: str, mode: int) -> tuple[int, str]:
    return _opened(str(folder / _temporary_name(prefix)), mode)


def _opened(name: str, mode: int) -> tuple[int, str]:
    """A new file. Who may read it is for the system to say, and for the mode of a file that it replaces."""
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), mode), name


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file or folder. Raises `OSError` if somebody else does."""
    if fcntl is None:  # Windows removes no open files
        yield
        return
    own = os.O_NOFOLLOW | os.O_NONBLOCK  # a stranger may have made a link or a pipe of such a name
    try:
        handle = os.open(path, own | (os.O_RDONLY if path.is_dir() else os.O_RDWR))
    except PermissionError:  # it has the mode of a file that nobody may write to, and is to take its place
        handle = os.open(path, own | os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


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


def _drop_copy(file: BinaryIO) -> None:
    """Close the copy of a file that a fork made, without writing what the other process will write."""
    if not file.closed:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, file.fileno())
        os.close(nowhere)
        file.close()


def _complete(file: BinaryIO) -> None:
    file.flush()
    if config.SYNC():
        os.fsync(file.fileno())


def require_name(path: PathLike) -> None:
    """Raise a `FormatError` if no file can have a name."""
    name = os.fspath(path)
    if ("\0" if isinstance(name, str) else b"\0") in name:
        raise FormatError(f"a file's name without a byte of 0 is required, got {name!r}.")


def is_device(path: PathLike) -> bool:
    """Whether there is something at a path that is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
