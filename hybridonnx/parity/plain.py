"""Reports as plain values, for another process or from it."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any

from ..errors import FormatError


def plain(value: Any) -> Any:
    """A value whose dataclasses are tables of their fields.

    Args:
        value: A dataclass, or whatever one has.

    Returns:
        Tables by name, lists, numbers and texts.
    """
    if dataclasses.is_dataclass(value):
        return {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def typed(kind: Any, value: Any, what: str) -> Any:
    """A value of `plain` as an annotation says.

    Args:
        kind: A dataclass, or what one annotates its fields with.
        value: The value, which anybody may have made.
        what: Who requires it, as errors say.

    Returns:
        The value of that kind.

    Raises:
        FormatError: If it is another one.
    """
    if dataclasses.is_dataclass(kind):
        known = typing.get_type_hints(kind)
        if not isinstance(value, dict) or value.keys() != known.keys():
            raise FormatError(f"{what}: the fields of {kind} are required of the model's process.")
        return kind(**{name: typed(known[name], item, what) for name, item in value.items()})  # type: ignore[operator]
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        one = next(p for p in parts if p is not types.NoneType)
        return None if value is None else typed(one, value, what)
    if origin is tuple and isinstance(value, list):
        return tuple(typed(parts[0], item, what) for item in value)
    if origin is not None and isinstance(value, dict):
        return {name: typed(parts[1], item, what) for name, item in value.items()}
    if isinstance(kind, type) and issubclass(kind, Enum) and value in [item.value for item in kind]:
        return kind(value)
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise FormatError(f"{what}: {kind} is required of the model's process, got {type(value).__name__}.")
