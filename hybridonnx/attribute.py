"""Attributes that every symbol made in a scope receives: `AttrScope`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

__all__ = ["AttrScope", "current"]


class _HasCurrent(type):
    """Gives the class `AttrScope` its attribute `current`."""

    @property
    def current(cls) -> AttrScope:
        """The attributes of the innermost `with` block of this thread."""
        return current()


class AttrScope(metaclass=_HasCurrent):
    """A `with` block in which symbols receive these attributes; inner scopes and symbols override them."""

    def __init__(self, **kwargs: str) -> None:
        for name, value in kwargs.items():
            if not isinstance(value, str):
                raise ValueError(
                    f"AttrScope: attributes must be strings, got {value!r} as {name}. Write it as text."
                )
        self._attributes = kwargs

    def get(self, attr: Mapping[str, str] | None) -> dict[str, str]:
        """`attr` with the scope's attributes where it has none of its own."""
        return {**self._attributes, **(attr or {})}

    def __enter__(self) -> AttrScope:
        merged = AttrScope()
        merged._attributes = {**current()._attributes, **self._attributes}
        _scopes.innermost = self, merged, _scopes.innermost  # written as `autograd.scopes` tells
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        inner = _scopes.innermost
        while inner is not None and inner[0] is not self:
            inner = inner[2]
        if inner is not None:
            _scopes.innermost = inner[2]


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.innermost: Any = (None, AttrScope(), None)
        """The innermost scope, what holds in it, and the scopes around it."""


_scopes = _Scopes()


def current() -> AttrScope:
    """The attributes of the innermost `with` block of this thread and of those around it."""
    attributes: AttrScope = _scopes.innermost[1]
    return attributes
