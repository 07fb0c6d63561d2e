"""The functions of nd.npx that are operators, by their names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...faces import Extension
from .. import namespace
from ..np_array import as_np, ndarray

__all__ = ["operators"]


def operator_on_np(name: str) -> Callable[..., Any]:
    """An operator as a function on arrays of mx.np, called as users write it."""
    operator = getattr(namespace.operators, name)

    @functools.wraps(operator)
    def function(*args: Any, **kwargs: Any) -> Any:
        result = operator(*args, **kwargs)
        return [as_np(y) for y in result] if isinstance(result, list) else as_np(result)

    return function


operators: Extension[ndarray] = Extension(operator_on_np)
