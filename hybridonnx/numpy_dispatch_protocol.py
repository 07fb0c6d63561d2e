"""NumPy's functions on arrays of mx.np, which take them at any time.

In MXNet some of NumPy's functions do so only within functions that these decorators make.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["with_array_function_protocol", "with_array_ufunc_protocol"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_array_function_protocol(func: _Function) -> _Function:
    """The function itself: NumPy's functions call mx.np's for arrays of mx.np.

    Args:
        func: A function that calls NumPy's functions.

    Returns:
        The same.
    """
    return func


def with_array_ufunc_protocol(func: _Function) -> _Function:
    """The function itself: NumPy's functions of each element call mx.np's for arrays of mx.np.

    Args:
        func: A function that calls NumPy's functions.

    Returns:
        The same.
    """
    return func
