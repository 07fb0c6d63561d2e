"""NumPy's shape semantics, on or off.

MXNet has no arrays without axes unless they are on. Here arrays are NumPy's in any case; what is different
is the files: `nd.save` writes the encoding V3 while the semantics are on and V2 otherwise, and arrays without
axes are saved and loaded only while they are on. Unlike MXNet, `nd.load` reads all others in both states.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from .ndarray.np_shape import is_np_shape, set_np_shape

__all__ = ["is_np_array", "is_np_shape", "np_shape", "set_np_shape", "use_np_shape"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


class np_shape:  # noqa: N801  (MXNet's name)
    """NumPy's shape semantics, on (or off) inside a `with` block."""

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._before: list[bool] = []

    def __enter__(self) -> np_shape:
        self._before.append(set_np_shape(self._active))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_np_shape(self._before.pop())


def use_np_shape(func: _Function) -> _Function:
    """A function that runs under NumPy's shape semantics, or a class all of whose functions do."""
    if isinstance(func, type):
        for name, member in vars(func).items():
            if callable(member) and not isinstance(member, type):
                setattr(func, name, use_np_shape(member))
        return func

    @functools.wraps(func)
    def within(*args: Any, **kwargs: Any) -> Any:
        with np_shape(True):
            return func(*args, **kwargs)

    return within  # type: ignore[return-value]


def is_np_array() -> bool:
    """Never: there is no `mx.np`, operators take and give `nd.NDArray`."""
    return False
