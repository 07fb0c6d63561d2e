"""Every exception of the framework. `MXNetError` is the root of the tree."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = [
    "AttributeValueError",
    "BoundsError",
    "ConversionError",
    "DTypeError",
    "DeferredInitializationError",
    "FileError",
    "FormatError",
    "MXNetError",
    "MissingFileError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "RequirementError",
    "ShapeError",
    "UnknownNameError",
    "UnknownOperatorError",
]


class MXNetError(RuntimeError):
    """Anything that the framework refuses or cannot do."""

    node: Any = None
    """The node of a graph that it is about, if it is about one."""
    _places: tuple[str, ...] = ()
    """Sentences of the message that tell where it was, as of a node and of those around it."""


class AttributeValueError(MXNetError, ValueError):
    """An operator attribute that is unknown, missing, or has a value that does not fit its type."""


class ShapeError(MXNetError, ValueError):
    """Shapes that do not fit an operator or each other."""


class BoundsError(MXNetError, IndexError):
    """Indices outside of an array, where MXNet raises IndexError."""


class DTypeError(MXNetError, TypeError):
    """Element types that do not fit an operator or each other."""


class ArgumentError(MXNetError, TypeError):
    """Arguments that a call has no place for, where MXNet raises TypeError."""


class RequirementError(MXNetError, AssertionError):
    """Blocks or parameters used against what they require, where MXNet asserts."""


class UnknownOperatorError(MXNetError, AttributeError):
    """A name that no operator has."""


class UnknownNameError(MXNetError, KeyError):
    """A name that nothing has, where MXNet raises KeyError."""

    __str__ = MXNetError.__str__  # KeyError's shows the message in quotation marks


class FormatError(MXNetError, ValueError):
    """A file that is damaged, truncated, or not of the format it was read as."""


class FileError(OSError, MXNetError):
    """A file that the system refuses to read or to write, as on a full disk, or that is not there."""


class MissingFileError(FileNotFoundError, FileError):
    """A file that is not there."""


class ForbiddenFileError(PermissionError, FileError):
    """A file that this user may not read or write."""


class FolderError(IsADirectoryError, FileError):
    """A folder where a file is required."""


class NoFolderError(NotADirectoryError, FileError):
    """A file where a folder is required, in the middle of a path."""


class ConversionError(MXNetError):
    """A graph that cannot be converted exactly to or from ONNX."""


class DeferredInitializationError(MXNetError):
    """A parameter was used before its shape was known and its values were drawn."""


class NotImplementedForSymbol(MXNetError, NotImplementedError):  # noqa: N818  (MXNet's name)
    """A method of arrays that symbols, which have no values, do not have."""


class NotSupportedForSparseNDArray(MXNetError):  # noqa: N818  (MXNet's name)
    """A method of dense arrays that sparse ones do not have."""


_FILE_ERRORS: dict[type[OSError], type[FileError]] = {
    OSError: FileError,
    FileNotFoundError: MissingFileError,
    PermissionError: ForbiddenFileError,
    IsADirectoryError: FolderError,
    NotADirectoryError: NoFolderError,
}


def file_error(exc: OSError, path: str | os.PathLike[str]) -> OSError:
    """What the system says of a file as an error of ours that names `path`; itself, if that says less."""
    kind = _FILE_ERRORS.get(type(exc))
    return exc if kind is None or exc.errno is None else kind(exc.errno, exc.strerror, os.fspath(path))


@contextmanager
def file_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """A scope whose errors of the system are `FileError`s that name `path`, where these say as much."""
    try:
        yield
    except OSError as exc:
        raise file_error(exc, path) from None


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file at a path. Raises `FileError` if the system does not tell."""
    with file_errors(path):
        return Path(path).is_file()


def content_of(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file. Raises `FileError` if the system does not give them."""
    with file_errors(path):
        return Path(path).read_bytes()


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder at a path. Raises `FileError` if the system does not tell."""
    with file_errors(path):
        return Path(path).is_dir()


def suggest(name: str, known: Iterable[str]) -> str:
    """A sentence with the names nearest to `name`, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""


def add_place(exc: MXNetError, place: str) -> None:
    """Add a sentence that tells where it was to an error's message."""
    if len(exc.args) != 1 or not isinstance(exc.args[0], str):
        exc.add_note(place)
        return
    text = exc.args[0].rstrip()
    exc.args = (f"{text}{'' if text.endswith(('.', '?', '!')) else '.'} {place}",)
    exc._places += (place,)


def without_places(exc: MXNetError) -> str:
    """An error's message without the sentences that tell where it was."""
    text = str(exc)
    for place in reversed(exc._places):
        text = text.removesuffix(f" {place}")
    return text


def has_place(exc: MXNetError) -> bool:
    """Whether an error tells where it was, in its message or in notes."""
    return bool(exc._places or getattr(exc, "__notes__", None))
