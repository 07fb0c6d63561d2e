"""Names of symbols that their makers left unnamed: `NameManager` and `Prefix`."""

from __future__ import annotations

from collections import Counter
from typing import Self

from ._scopes import Innermost, Scope

__all__ = ["NameManager", "Prefix", "current"]


class _HasCurrent(type):
    """Gives the class `NameManager` its attribute `current`."""

    @property
    def current(cls) -> NameManager:
        """The manager of the innermost `with` block of this thread."""
        return current()


class NameManager(Scope, metaclass=_HasCurrent):
    """Numbers the names of one kind, `relu0`, `relu1` and so on; as a `with` block it starts anew."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def get(self, name: str | None, hint: str) -> str:
        """`name`, or if there is none the next name made of `hint`."""
        if name:
            return name
        name = f"{hint}{self._counts[hint]}"
        self._counts[hint] += 1
        return name

    def __enter__(self) -> Self:
        scopes.innermost = self, self, scopes.innermost
        return self


class Prefix(NameManager):
    """A `NameManager` that puts `prefix` before every name, given ones included."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The prefix with `name`, or with the next name made of `hint`."""
        return self._prefix + super().get(name, hint)


class _Scopes(Innermost):
    def __init__(self) -> None:
        self.innermost = None, NameManager(), None


scopes = NameManager._scopes = _Scopes()
"""The managers of the `with` blocks that each thread is in."""


def current() -> NameManager:
    """The manager of the innermost `with` block of this thread."""
    manager: NameManager = scopes.innermost[1]
    return manager
