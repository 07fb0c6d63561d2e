"""The table of operators: each class by each of its names."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from typing import TypeVar, dataclass_transform

from ..errors import MXNetError, UnknownOperatorError, suggest
from ._absent import absence
from ._families import FAMILIES
from ._operator import Operator, record
from .onnx_nodes import find_onnx

_PACKAGE = __name__.rpartition(".")[0]
_table: dict[str, type[Operator]] = {}
_OperatorClass = TypeVar("_OperatorClass", bound=type[Operator])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def operator(name: str, *aliases: str) -> Callable[[_OperatorClass], _OperatorClass]:
    """Make a class an operator known by `name`, which files use, and by `aliases`."""
    frame = sys._getframe(1)

    def decorate(cls: _OperatorClass) -> _OperatorClass:
        record(cls)
        register(cls, (name, *aliases), (frame.f_code.co_filename, frame.f_lineno))
        return cls

    return decorate


def register(cls: type[Operator], names: tuple[str, ...], location: tuple[str, int]) -> None:
    """Enter a class into the table. `location` is the file and line that define it.

    An import that was interrupted, and begins anew, defines its classes again.
    """
    cls.names, cls.location = names, location
    for name in names:
        if name in _table and _table[name].location != location:
            raise MXNetError(f"{name}: is defined at {_table[name].location} and again at {location}.")
        _table[name] = cls


@cache
def load_all() -> dict[str, type[Operator]]:
    """Every operator by each of its names. Families are found by their files."""
    for module in pkgutil.iter_modules(sys.modules[_PACKAGE].__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{_PACKAGE}.{module.name}")
    return _table


def lookup(name: str) -> type[Operator] | None:
    """The operator class called `name`, those that are ONNX's own nodes included; `None` if none is."""
    return from_index(name) or find_onnx(name) or load_all().get(name)  # which the index may not have yet


def from_index(name: str) -> type[Operator] | None:
    """The operator class called `name`, of which no other family is loaded; `None` if the index has none."""
    cls = _table.get(name)
    if cls is None and name in FAMILIES:
        importlib.import_module(f"{_PACKAGE}.{FAMILIES[name]}")
        cls = _table.get(name)
    if cls is not None and cls.__module__.startswith(__package__):
        module = sys.modules.get(cls.__module__)
        # an interrupt has ended its import, or another thread is at it, for which this one waits
        if module is None or getattr(module.__spec__, "_initializing", False):
            importlib.import_module(cls.__module__)
            return _table.get(name, cls)
    return cls


def find(name: str) -> type[Operator]:
    """The operator class called `name`. Raises `UnknownOperatorError` with a reason or near names."""
    cls = lookup(name)
    if cls is None:
        reason = absence(name)
        if reason:
            raise UnknownOperatorError(f"{name}: MXNet's operator is not here: {reason}.")
        raise UnknownOperatorError(f"{name}: no operator has this name.{suggest(name, _table)}")
    return cls
