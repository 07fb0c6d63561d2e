"""All of `sym` in one object: `F` for rules written for arrays and symbols alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..ops import load_all
from . import _creation, random
from .compose import Outputs
from .namespace import SPACES, Namespace
from .symbol import Broadcasting


class _Converted:
    """The functions of `sym.random`, each as `convert` makes it."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self._convert = convert

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._convert(getattr(random, name))


class Everything(Namespace):
    """All of `sym` in one object, private operators included; the results are of class `kind`."""

    def __getattr__(self, name: str) -> Any:
        if name in SPACES:
            value: Any = Namespace(f"symbol.{name}", *SPACES[name], kind=self._kind)
        elif name == "random":
            value = _Converted(self._converted)
        elif name in load_all() or name.startswith("_") or name not in _creation.__all__:
            return super().__getattr__(name)
        else:
            value = self._converted(getattr(_creation, name))
        setattr(self, name, value)
        return value

    def _converted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def converted(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            return self._kind(result.outputs) if isinstance(result, Outputs) else result

        return converted


F = Everything("symbol", "", kind=Broadcasting)
"""`sym` for rules written for arrays and symbols alike: arithmetic on its results broadcasts."""
