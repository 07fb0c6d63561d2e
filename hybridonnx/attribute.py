"""Attributes that every symbol made in a scope receives: `AttrScope`."""

from __future__ import annotations

from collections.abc import Mapping

from ._scopes import Innermost, Scope

__all__ = ["AttrScope", "current"]


class _HasCurrent(type):
    """Gives the class `AttrScope` its attribute `current`."""

    @property
    def current(cls) -> AttrScope:
        """The attributes of the innermost `with` block of this thread."""
        return current()


class AttrScope(Scope, metaclass=_HasCurrent):
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
        self._scopes.innermost = self, merged, self._scopes.innermost
        return self


class _Scopes(Innermost):
    def __init__(self) -> None:
        self.innermost = None, AttrScope(), None


AttrScope._scopes = _Scopes()


def current() -> AttrScope:
    """The attributes of the innermost `with` block of this thread and of those around it."""
    attributes: AttrScope = AttrScope._scopes.innermost[1]
    return attributes
