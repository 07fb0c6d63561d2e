"""Names of operators as functions on symbols, made from the registry when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UnknownOperatorError, suggest
from ..ops import Operator, load_all
from .compose import Outputs, call
from .symbol import Symbol


class Namespace:
    """The operators whose registered name is one of `prefixes` and the name asked for.

    What they make of no symbols is of class `kind`.
    """

    def __init__(self, name: str, *prefixes: str, kind: type[Outputs] = Symbol) -> None:
        self.__name__ = name
        self._prefixes = prefixes
        self._kind = kind

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        function = make_function(self._find(name), name, self._kind)
        setattr(self, name, function)
        return function

    def _find(self, name: str) -> type[Operator]:
        for prefix in self._prefixes:
            cls = load_all().get(prefix + name)
            if cls is not None:
                return cls
        hint = _ONLY_ARRAYS if name in ("array", "from_numpy", "empty") else suggest(name, dir(self))
        raise UnknownOperatorError(f"{self.__name__}.{name}: no operator has this name.{hint}")

    def __dir__(self) -> list[str]:
        return sorted(
            {
                name.removeprefix(prefix)
                for prefix in self._prefixes
                for name in load_all()
                if name.startswith(prefix) and not name.removeprefix(prefix).startswith("_")
            }
        )


_ONLY_ARRAYS = (
    " Symbols have no values: make a variable with var, a constant parameter with get_constant, "
    "or use full, zeros, ones and arange."
)


def make_function(cls: type[Operator], name: str, kind: type[Outputs]) -> Callable[..., Any]:
    """The operator as a function on symbols; unnamed results are named by `name`."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(cls, name, args, kwargs, kind)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = cls.__doc__
    return function


SPACES = {
    "_internal": ("", "_"),
    "contrib": ("_contrib_",),
    "image": ("_image_",),
    "linalg": ("_linalg_",),
    "op": ("",),
    "sparse": ("_sparse_", ""),
}
"""Groups of operators to the prefixes of their names."""

plain = Namespace("symbol", "")
random = Namespace("symbol.random", "_random_", "_sample_")
