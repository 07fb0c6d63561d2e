"""The attributes of variables as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import attribute
from ..attrs import text
from ..dtypes import as_dtype, container_of, flag_of
from ..errors import MXNetError
from .compose import HIDDEN_KEYS

_STORAGE = {"default": "0", "row_sparse": "1", "csr": "2"}
_KINDS = {code: kind for kind, code in _STORAGE.items()}


def variable_attributes(
    attr: Mapping[str, str] | None, options: Mapping[str, Any], own: Mapping[str, Any]
) -> dict[str, str]:
    """What a file says of a variable: `attr` with the scope's, the options of `var`, the user's own keys."""
    attrs = {
        f"__{key}__" if key in HIDDEN_KEYS else key: text(value)
        for key, value in attribute.current().get(attr).items()
    }
    for key, value in options.items():
        if value is not None:
            name, written = _written(key, value)
            attrs[f"__{name}__"] = written
    for key, value in own.items():
        if not (key.startswith("__") and key.endswith("__")):
            raise ValueError(
                f"var: attributes of your own begin and end with two underscores, got {key}. "
                f"Write __{key.strip('_')}__."
            )
        attrs[key] = text(value)
    return attrs


def _written(key: str, value: Any) -> tuple[str, str]:
    if key == "dtype":
        dtype = as_dtype(value)
        return key, container_of(dtype) or str(flag_of(dtype))
    if key == "init":
        return key, value if isinstance(value, str) else value.dumps()
    if key == "stype":
        if value not in _STORAGE:
            raise MXNetError(f"var: stype must be one of {', '.join(_STORAGE)}, got {value!r}.")
        return "storage_type", _STORAGE[value]
    return key, text(value)


def storage_of_variable(attrs: Mapping[str, str]) -> str:
    """The storage type that the attributes of a variable say."""
    return _KINDS.get(attrs.get("__storage_type__", "0"), "default")


def check_storage(owner: str, name: str, kind: Any) -> None:
    """Raise `MXNetError` unless this is a storage type."""
    if kind not in _STORAGE:
        raise MXNetError(f"{owner}: one of {', '.join(_STORAGE)} is required for {name}, got {kind!r}.")
