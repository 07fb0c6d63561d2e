"""Results as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any


def json_text(value: Any, **more: Any) -> str:
    """A data class as a JSON text, with `more` beside its fields; numbers that JSON lacks are texts."""
    return json.dumps({**more, **_plain(value)}, indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value) if item.repr}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value
