"""Attribute types of operators and their symbol.json text.

A field of an operator class is annotated with one of these types; the annotation is the schema:
`bool`, `int`, `float`, `str`, `Ints` (a tuple of integers), `OptInts` (one in which None may stand),
`Floats`, `DTypeName`, a `Literal` of strings, and any of them `| None`.
"""

from __future__ import annotations

import ast
import numbers
import re
import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, NewType, TypeAlias, Union, get_args, get_origin

import numpy as np

from .dtypes import BY_NAME, as_dtype, native_dtype
from .errors import AttributeValueError, DTypeError

Ints: TypeAlias = tuple[int, ...]
OptInts: TypeAlias = tuple[int | None, ...]
Floats: TypeAlias = tuple[float, ...]
DTypeName = NewType("DTypeName", str)
ShapeLike: TypeAlias = int | Sequence[int]
"""What users may say for a shape: its sizes, or one size."""

_MAX_TEXT = 1 << 16
_INTEGERS = re.compile(r"\( *(?:0|-?[1-9][0-9]{,9}) *(?:, *(?:0|-?[1-9][0-9]{,9}) *)*\)")
_BFLOAT16 = "bfloat16"
_NUMBERS = frozenset({bool, int, float, types.NoneType})
"""What prints as MXNet writes it, also inside of tuples."""


def text(value: Any) -> str:
    """The text that MXNet writes into symbol.json for a Python attribute value."""
    if isinstance(value, str):
        return value
    kind = type(value)
    if kind in _NUMBERS or (kind is tuple and _NUMBERS.issuperset(map(type, value))):
        return str(value)
    if isinstance(value, np.dtype) or (
        isinstance(value, type) and issubclass(value, np.generic | bool | int | float)
    ):
        return np.dtype(value).name
    return str(_plain(value))


def _plain(value: Any) -> Any:
    """`value` with Python's numbers in place of NumPy's, which print otherwise inside sequences."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.floating):
        return float(str(value))  # the digits that the narrower type needs
    return value.item() if isinstance(value, np.integer | np.bool_) else value


def coerce(kind: Any, value: Any) -> Any:
    """`value`, a Python value or text of symbol.json, as the attribute type `kind`.

    Raises `ValueError` with a description of what is required.
    """
    if get_origin(kind) in (Union, types.UnionType):
        return _optional(get_args(kind), value)
    if get_origin(kind) is Literal:
        return _choice(get_args(kind), value)
    reader = _READERS.get(kind)
    if reader is None:
        raise TypeError(f"no attribute type {kind!r}")
    return reader(value)


def _optional(kinds: tuple[Any, ...], value: Any) -> Any:
    if value is None or (isinstance(value, str) and value in ("None", "null")):
        return None
    (kind,) = (k for k in kinds if k is not type(None))
    return coerce(kind, value)


def _choice(choices: tuple[Any, ...], value: Any) -> Any:
    if value is None and "None" in choices:
        return "None"
    if value in choices:
        return value
    if not isinstance(value, str) and text(value) in choices:
        return text(value)
    raise ValueError(f"one of {', '.join(map(repr, choices))}")


def _bool(value: Any) -> bool:
    if isinstance(value, str):
        lowered = value.strip().lower()
        if lowered in ("true", "1"):
            return True
        if lowered in ("false", "0"):
            return False
    elif isinstance(value, bool | np.bool_) or (isinstance(value, numbers.Integral) and value in (0, 1)):
        return bool(value)
    raise ValueError("True or False")


def _int(value: Any) -> int:
    if isinstance(value, str):
        try:
            return int(value.strip().removesuffix("L"))
        except ValueError:
            lowered = value.strip().lower()
            if lowered in ("true", "false"):
                return int(lowered == "true")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, numbers.Integral | np.bool_):
        return int(value)
    raise ValueError("an integer")


def _float(value: Any) -> float:
    if isinstance(value, str | numbers.Real | np.bool_) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    ):
        try:
            return float(value)
        except ValueError:
            pass
    raise ValueError("a number")


def _str(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("a string")


def _dtype_name(value: Any) -> str:
    if isinstance(value, str) and value == _BFLOAT16:
        return _BFLOAT16
    try:
        return native_dtype(value).name
    except DTypeError:
        pass
    try:
        name = as_dtype(value).name
    except DTypeError:
        name = ""
    if name != _BFLOAT16:
        raise ValueError(f"a dtype, one of {', '.join((*BY_NAME, _BFLOAT16))}")
    return name


def _items(value: Any) -> tuple[Any, ...]:
    """The items of a sequence, of its text (also Python 2's `(2L, 2L)`), or of a single number."""
    if isinstance(value, str):
        value = _literal(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(value)
    if isinstance(value, numbers.Real):
        return (value,)
    raise ValueError


def _literal(value: str) -> Any:
    if len(value) > _MAX_TEXT:
        raise ValueError
    source = value.strip()
    if _INTEGERS.fullmatch(source):  # a fifth of the time of Python's parser
        return [int(number) for number in source[1:-1].split(",")]
    if source and source[0] in "([" and "L" in source:
        source = source.replace("L", "")
    if not source.isascii() or any(c not in "0123456789+-.,()[] eENonetinfa" for c in source):
        raise ValueError
    try:
        return ast.literal_eval(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError from None


def _sequence(item: Callable[[Any], Any], described: str) -> Callable[[Any], tuple[Any, ...]]:
    def read(value: Any) -> tuple[Any, ...]:
        try:
            return tuple(item(i) for i in _items(value))
        except ValueError:
            raise ValueError(described) from None

    return read


def _opt_int(value: Any) -> int | None:
    return None if value is None else _int(value)


_READERS: dict[Any, Callable[[Any], Any]] = {
    bool: _bool,
    int: _int,
    float: _float,
    str: _str,
    DTypeName: _dtype_name,
    Ints: _sequence(_int, "a tuple of integers such as (3, 3)"),
    OptInts: _sequence(_opt_int, "a tuple of integers or None such as (0, None)"),
    Floats: _sequence(_float, "a tuple of numbers such as (1.0, 0.5)"),
}


def read(owner: str, name: str, kind: Any, value: Any) -> Any:
    """`coerce`, with an error that names the operator `owner` and its attribute `name`."""
    try:
        return coerce(kind, value)
    except ValueError as exc:
        text = repr(value) if len(repr(value)) < 200 else repr(value)[:200] + "…"
        raise AttributeValueError(f"{owner}: attribute {name} must be {exc}, got {text}.") from None
