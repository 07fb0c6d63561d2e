"""The table of lowerings: from an operator's class to the function that writes it as ONNX nodes."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, TypeVar

from hybridonnx._lazy import is_reloaded
from hybridonnx.ops import Operator
from hybridonnx.ops import find as find_operator
from hybridonnx.ops.custom import Custom

Lowering: TypeAlias = Callable[..., Any]
"""`(g, op, *inputs)` to a `Value`, or a tuple with one for each output (last hidden ones may be absent)."""

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPERATORS = Operator.__module__.rpartition(".")[0]
_table: dict[type[Operator], Lowering] = {}
_custom: dict[str, Lowering] = {}


def lowers(*operators: type[Operator] | str) -> Callable[[_Function], _Function]:
    """Make a function the lowering of these operators, given as classes or names."""

    def register(function: _Function) -> _Function:
        for item in operators:
            cls = find_operator(item) if isinstance(item, str) else item
            if not is_reloaded(_table.setdefault(cls, function), function):
                raise ValueError(f"{cls.names[0]} has two lowerings")
            _table[cls] = function
        return function

    return register


def lowers_custom(op_type: str, function: Lowering) -> None:
    """Make a function the lowering of the operator that a user has registered as `op_type`."""
    _custom[op_type] = function


@cache
def load_all() -> dict[type[Operator], Lowering]:
    """Every lowering by operator class."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(sys.modules[package].__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")
    return _table


def find(cls: type[Operator]) -> Lowering | None:
    """The lowering of an operator class or that of a base that it is a variant of, `None` if it has none."""
    bases = (cls,) if cls.not_in_onnx else cls.__mro__
    for base in bases:
        _load(base.__module__)
        if base in _table:
            return _table[base]
    return None


@cache
def _load(module: str) -> None:
    """Load the lowerings of a family of operators, which have its file's name."""
    owner, _, name = module.rpartition(".")
    if owner == _OPERATORS:
        package, family = __name__.rpartition(".")[0], name.removeprefix("_")
        if importlib.util.find_spec(f"{package}.{family}") is not None:
            importlib.import_module(f"{package}.{family}")


def find_custom(op: Operator) -> Lowering | None:
    """The lowering of a user's operator, `None` if it is no such operator or has none."""
    return _custom.get(op.op_type) if isinstance(op, Custom) else None


def supported() -> list[str]:
    """The names of all operators that have a lowering, aliases included."""
    return sorted({name for cls in load_all() if not cls.not_in_onnx for name in cls.names})
