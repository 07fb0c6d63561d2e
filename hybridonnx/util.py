"""NumPy's shape semantics, on or off.

MXNet has no arrays without axes unless they are on. Here arrays are NumPy's in any case; what is different
is the files: `nd.save` writes the encoding V3 while the semantics are on and V2 otherwise, and arrays without
axes are saved and loaded only while they are on. Unlike MXNet, `nd.load` reads all others in both states.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from .context import Context, gpu_memory_info, num_gpus
from .errors import MXNetError
from .ndarray.np_shape import is_np_shape, set_np_shape

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "np_shape",
    "set_module",
    "set_np_shape",
    "setenv",
    "use_np_shape",
]

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


def set_module(module: str | None) -> Callable[[_Function], _Function]:
    """A decorator that says which module a function or class belongs to.

    Args:
        module: The module's name; `None` leaves it.

    Returns:
        The decorator.
    """

    def say(func: _Function) -> _Function:
        if module is not None:
            func.__module__ = module
        return func

    return say


def getenv(name: str) -> str | None:
    """A variable of the process's environment.

    Args:
        name: Its name.

    Returns:
        Its value, `None` if it is not set.
    """
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set a variable of the process's environment.

    Args:
        name: Its name.
        value: Its value; `None` removes it.
    """
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = str(value)


def get_gpu_count() -> int:
    """The number of GPUs that arrays can live on."""
    return num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """Free and total memory of a GPU, in bytes.

    Args:
        gpu_dev_id: The GPU's number.

    Returns:
        Both.

    Raises:
        MXNetError: If there is no such GPU.
    """
    return gpu_memory_info(gpu_dev_id)


def get_cuda_compute_capability(ctx: Context) -> int:
    """What a GPU can compute, as CUDA numbers it: 70 for 7.0.

    Args:
        ctx: The GPU.

    Returns:
        The number.

    Raises:
        ValueError: If the context is no GPU.
        MXNetError: If there is no such GPU.
    """
    if ctx.device_type != "gpu":
        raise ValueError(f"get_cuda_compute_capability: a gpu context is required, got {ctx}.")
    gpu_memory_info(ctx.device_id)
    raise MXNetError(f"get_cuda_compute_capability: it is not known of {ctx}.")
