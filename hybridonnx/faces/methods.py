"""Functions of mx.np as methods of its values."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def method(functions: Any, name: str, owner: str) -> Callable[..., Any]:
    """The function `name` as a method of the class `owner`, with the function's arguments after the first."""

    def call(self: object, *args: Any, **kwargs: Any) -> Any:
        return getattr(functions, name)(self, *args, **kwargs)

    signature = inspect.signature(getattr(functions, name))
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [receiver, *[*signature.parameters.values()][1:]]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__name__ = name
    call.__qualname__ = f"{owner}.{name}"
    call.__doc__ = f"`mx.np.{name}` of this {'symbol' if owner == '_Symbol' else 'array'}."
    return call
