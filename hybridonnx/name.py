"""Names of symbols that their makers left unnamed: `NameManager` and `Prefix`."""

from __future__ import annotations

import threading
from collections import Counter
from types import TracebackType
from typing import Any, Self

__all__ = ["NameManager", "Prefix", "current"]


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.innermost: Any = (NameManager(), None)
        """The innermost manager, and those around it."""


class _HasCurrent(type):
    """Gives the class `NameManager` its attribute `current`."""

    @property
    def current(cls) -> NameManager:
        """The manager of the innermost `with` block of this thread."""
        return current()


class NameManager(metaclass=_HasCurrent):
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
        scopes.innermost = self, scopes.innermost
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        inner = scopes.innermost
        while inner is not None and inner[0] is not self:
            inner = inner[1]
        if inner is not None and inner[1] is not None:
            scopes.innermost = inner[1]


class Prefix(NameManager):
    """A `NameManager` that puts `prefix` before every name, given ones included."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The prefix with `name`, or with the next name made of `hint`."""
        return self._prefix + super().get(name, hint)


scopes = _Scopes()
"""The `with` blocks that each thread is in; `autograd.scopes` tells why they are written as they are."""


def current() -> NameManager:
    """The manager of the innermost `with` block of this thread."""
    manager: NameManager = scopes.innermost[0]
    return manager
