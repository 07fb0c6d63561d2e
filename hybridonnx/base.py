"""Names that MXNet keeps in `mx.base`: its error, groups of types, and small functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .config import HOME
from .errors import MXNetError, NotImplementedForSymbol, NotSupportedForSparseNDArray

__all__ = [
    "MXNetError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "basestring",
    "classproperty",
    "data_dir",
    "data_dir_default",
    "error_types",
    "integer_types",
    "long",
    "mx_real_t",
    "numeric_types",
    "py_str",
    "register_error",
    "string_types",
    "with_metaclass",
]

_Error = TypeVar("_Error", bound=type[Exception])

basestring = str
long = int
mx_real_t = np.float32
"""The type of the elements of arrays that say none."""
string_types = (str,)
integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)

error_types: dict[str, type[Exception]] = {
    error.__name__: error
    for error in (
        NotImplementedForSymbol,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        NotImplementedError,
    )
}
"""Errors by the name that text of an error begins with."""


class _NullType:
    """What stands for an argument that is not given."""

    def __repr__(self) -> str:
        return "_Null"


_Null = _NullType()


class classproperty:  # noqa: N801  (MXNet's name)
    """A property of the class itself, made of a function of the class."""

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self.func = func

    def __get__(self, instance: object, owner: type) -> Any:
        return self.func(owner)


def with_metaclass(meta: type, *bases: type) -> type:
    """A class that has a metaclass and these bases, to inherit from.

    Args:
        meta: The metaclass.
        *bases: The bases.

    Returns:
        A new class.
    """
    made: type = meta("temporary_class", bases, {})
    return made


def py_str(x: bytes) -> str:
    """The text of UTF-8 bytes."""
    return x.decode("utf-8")


def data_dir_default() -> str:
    """The folder for data and parameters where MXNET_HOME is not set: `~/.mxnet`."""
    return os.path.expanduser(HOME.default)


def data_dir() -> str:
    """The folder for data and parameters: MXNET_HOME, or `~/.mxnet`."""
    return os.environ.get(HOME.name, data_dir_default())


def register_error(func_name: str | _Error | None = None, cls: _Error | None = None) -> Any:
    """Make an exception known by a name, or by its own as a decorator: `@register_error`.

    Args:
        func_name: The name, or the class.
        cls: The class.

    Returns:
        The class, or a decorator if none is given.
    """

    def register(klass: _Error) -> _Error:
        error_types[func_name if isinstance(func_name, str) else klass.__name__] = klass
        return klass

    if isinstance(func_name, type):
        return register(func_name)
    return register if cls is None else register(cls)


def _as_list(obj: Any) -> Any:
    """A list or tuple as it is, anything else as a list of one."""
    return obj if isinstance(obj, list | tuple) else [obj]
