"""Names of operators as functions on arrays, made from the registry when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UnknownOperatorError
from ..ops import Operator, find, load_all
from .invoke import call


class Namespace:
    """Operators whose registered name is one of `prefixes` and the name asked for."""

    def __init__(self, name: str, *prefixes: str) -> None:
        self.__name__ = name
        self._prefixes = prefixes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        function = make_function(self._find(name), name)
        setattr(self, name, function)
        return function

    def _find(self, name: str) -> type[Operator]:
        for prefix in self._prefixes[:-1]:
            found = load_all().get(prefix + name)
            if found is not None:
                return found
        try:
            return find(self._prefixes[-1] + name)
        except UnknownOperatorError as exc:
            raise UnknownOperatorError(f"{self.__name__}.{exc}") from None

    def __dir__(self) -> list[str]:
        return sorted(
            {
                name.removeprefix(prefix)
                for prefix in self._prefixes
                for name in load_all()
                if name.startswith(prefix) and not name.removeprefix(prefix).startswith("_")
            }
        )


def make_function(cls: type[Operator], name: str) -> Callable[..., Any]:
    """The operator as a function on arrays."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(cls, args, kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = cls.__doc__
    return function


F = Namespace("nd", "")
"""Every operator, those for gradients included."""
