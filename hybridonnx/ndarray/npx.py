"""`nd.npx`: operators of neural networks on arrays of mx.np, `F.npx` in a hybrid block that runs eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ..errors import MXNetError
from ..faces import Extension
from ..faces import namespace as _namespace
from . import namespace, npx_random
from .np_array import as_np, ndarray

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


def nonzero(a: ndarray) -> ndarray:
    """The indices of what is not zero, a row for each."""
    return ndarray(numpy.argwhere(a._data).astype(numpy.int64), a.context)


def constraint_check(x: ndarray, msg: str = "Constraint violated.") -> ndarray:
    """True, if all of `x` is; else an error with the message."""
    if not x._data.all():
        raise MXNetError(f"constraint_check: {msg}")
    return ndarray(numpy.asarray(True))


__getattr__, __dir__ = _namespace(__name__, FUNCTIONS, "constraint_check", "nonzero", "random")
