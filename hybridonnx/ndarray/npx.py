"""`nd.npx`: operators of neural networks on arrays of mx.np, `F.npx` in a hybrid block that runs eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..faces import Extension
from ..faces import namespace as _namespace
from . import namespace, npx_random
from .np_array import as_np

random = npx_random


def _operators(name: str) -> Callable[..., Any]:
    operator = getattr(namespace.operators, name) if name[0] != "_" else getattr(namespace.F, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        result = operator(*args, **kwargs)
        return [as_np(y) for y in result] if isinstance(result, list) else as_np(result)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = operator.__doc__
    return function


FUNCTIONS = Extension(_operators)

__getattr__, __dir__ = _namespace(__name__, FUNCTIONS, "random")
