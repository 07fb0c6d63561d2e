"""Files that are either wholly written or not touched at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from .. import config
from ..errors import MissingFileError

PathLike: TypeAlias = str | os.PathLike[str]


def open_to_read(path: PathLike) -> BinaryIO:
    """The file `path`, opened. Raises `MissingFileError` if it is not there."""
    try:
        return open(path, "rb")
    except FileNotFoundError as exc:
        raise MissingFileError(exc.errno, exc.strerror, exc.filename) from None


def write_atomically(path: PathLike, chunks: Iterable[Any]) -> None:
    """Write the bytes of `chunks`, one after another, as the file `path`.

    They go to a temporary name in the same folder, which replaces `path` once everything is written: a
    process that is killed leaves the old file or the new one. With `HYBRIDONNX_SYNC=1` the bytes are on the
    disk before that, so that a power failure does so too; 1 GB then takes several times as long. A link is
    followed, and a file that was there keeps its permissions.
    """
    target = Path(path).resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            if config.SYNC():
                os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


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
