"""Where mixed precision changes the arguments of operators, as they are called on arrays or symbols."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ._operator import Operator

Arguments: TypeAlias = tuple[Sequence[Any], dict[str, Any]]
Rule: TypeAlias = Callable[[type[Operator], Sequence[Any], dict[str, Any]], Arguments]
"""From an operator and the arguments of a call to those that it gets."""


class Mixing:
    """The rule of mixed precision, one for all threads."""

    rule: Rule | None = None

    def __init__(self) -> None:
        self._local = threading.local()

    def arguments(self, cls: type[Operator], args: Sequence[Any], kwargs: dict[str, Any]) -> Arguments:
        """The arguments that an operator gets in place of those that it is called with."""
        if self.rule is None or getattr(self._local, "paused", False):
            return args, kwargs
        return self.rule(cls, args, kwargs)

    def paused(self) -> Pause:
        """A scope in which this thread's calls get their own arguments, as gradients do."""
        return Pause(self._local)


class Pause:
    """Such a scope."""

    def __init__(self, local: threading.local) -> None:
        self._local, self._before = local, False

    def __enter__(self) -> None:
        self._before = getattr(self._local, "paused", False)
        self._local.paused = True

    def __exit__(self, *_: object) -> None:
        self._local.paused = self._before


mixing = Mixing()
