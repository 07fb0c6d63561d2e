"""All of `sym` in one object: `F` for rules written for arrays and symbols alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..ops import GROUPS, Namespace, from_index
from . import _creation, random
from .compose import Outputs
from .frontend import frontend
from .symbol import Broadcasting

_BROADCASTING = frontend(Broadcasting)


class Everything(Namespace):
    """All of `sym` in one object, private operators included; the results broadcast."""

    def __getattr__(self, name: str) -> Any:
        value: Any
        if name == "random":
            value = _Random()
        elif name in GROUPS:
            value = Namespace(_BROADCASTING, name, for_users=False)
        elif name not in _creation.__all__ or from_index(name) is not None:
            return super().__getattr__(name)
        else:
            value = _broadcasting(getattr(_creation, name))
        setattr(self, name, value)
        return value


class _Random:
    """The functions of `sym.random`, whose results broadcast."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _broadcasting(getattr(random, name))


def _broadcasting(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with results that broadcast."""

    @wraps(function)
    def converted(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return Broadcasting(result.outputs) if isinstance(result, Outputs) else result

    return converted


F = Everything(_BROADCASTING, for_users=False)
"""`sym` for rules written for arrays and symbols alike: arithmetic on its results broadcasts."""
