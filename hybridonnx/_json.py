"""Results as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any


def json_text(value: Any, indent: int | None = 2, ascii: bool = True) -> str:
    """What `plain` makes of a value, as a JSON text."""
    return json.dumps(plain(value), indent=indent, allow_nan=False, ensure_ascii=ascii)


def plain(value: Any) -> Any:
    """A value as JSON has it: data classes and named tuples by their fields, numbers it lacks as texts."""
    if is_dataclass(value):
        return plain(fields_of(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a data class that its printed form has."""
    return {item.name: getattr(value, item.name) for item in fields(value) if item.repr}
