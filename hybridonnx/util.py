"""NumPy's semantics, on or off: of shapes, and of the arrays that blocks and the like make.

MXNet has no arrays without axes unless its shape semantics are on. Here arrays are NumPy's in any case; what
is different is the files: `nd.save` writes the encoding V3 while the semantics are on and V2 otherwise, and
arrays without axes are saved and loaded only while they are on. Unlike MXNet, `nd.load` reads all others in
both states.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar

from .context import Context, device_of, gpu_memory_info, num_gpus
from .faces import is_option, only_defaults
from .ndarray.np_shape import (
    ArrayScope,
    ShapeScope,
    is_np_array,
    is_np_shape,
    set_everywhere,
    set_np_shape,
)

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "np_array",
    "np_shape",
    "np_ufunc_legal_option",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
    "use_np",
    "use_np_array",
    "use_np_shape",
    "wrap_np_binary_func",
    "wrap_np_unary_func",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


class np_shape(ShapeScope):  # noqa: N801  (MXNet's name)
    """NumPy's shape semantics, on (or off) inside a `with` block."""


class np_array(ArrayScope):  # noqa: N801  (MXNet's name)
    """NumPy's array semantics, on (or off) inside a `with` block: blocks make and take `mx.np.ndarray`."""


def _using(function: Any, *switches: type[ShapeScope | ArrayScope]) -> Any:
    """A function that runs inside of the switches, or a class all of whose functions do."""
    if isinstance(function, type):
        for name, member in list(vars(function).items()):
            if callable(member) and not isinstance(member, type):
                setattr(function, name, _using(member, *switches))
        return function

    @functools.wraps(function)
    def within(*args: Any, **kwargs: Any) -> Any:
        def run(rest: tuple[type[ShapeScope | ArrayScope], ...]) -> Any:
            if not rest:
                return function(*args, **kwargs)
            with rest[0](True):
                return run(rest[1:])

        return run(switches)

    return within


def use_np_shape(func: _Function) -> _Function:
    """A function that runs under NumPy's shape semantics, or a class all of whose functions do."""
    return _using(func, np_shape)  # type: ignore[no-any-return]


def use_np_array(func: _Function) -> _Function:
    """A function that runs under NumPy's array semantics, or a class all of whose functions do."""
    return _using(func, np_array)  # type: ignore[no-any-return]


def use_np(func: _Function) -> _Function:
    """A function that runs under both of NumPy's semantics, or a class all of whose functions do."""
    return _using(func, np_shape, np_array)  # type: ignore[no-any-return]


def set_np(shape: bool = True, array: bool = True) -> None:
    """Turn NumPy's semantics on in every thread: arrays without axes in files, `mx.np.ndarray` in blocks."""
    if not shape and array:
        raise ValueError(
            "set_np: NumPy's shape semantics are required for its array semantics, got shape=False."
        )
    set_everywhere(shape, array)


def reset_np() -> None:
    """Turn NumPy's semantics off, in every thread."""
    set_everywhere(False, False)


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


def np_ufunc_legal_option(key: str, value: object) -> bool:
    """Whether NumPy's functions of each element take a keyword beside arrays, and that value for it.

    Args:
        key: The keyword, such as `casting`.
        value: Its value.

    Returns:
        Whether they do.
    """
    return is_option(key, value)


def wrap_np_unary_func(func: _Function) -> _Function:
    """A function of one array that takes NumPy's keywords too, but only their defaults.

    Args:
        func: A function of `x` and `out`.

    Returns:
        The function that refuses other keywords and values with TypeError and NotImplementedError.
    """

    @functools.wraps(func)
    def checked(x: Any, out: Any = None, **kwargs: Any) -> Any:
        only_defaults(func.__name__, kwargs)
        return func(x, out=out)

    return checked  # type: ignore[return-value]


def wrap_np_binary_func(func: _Function) -> _Function:
    """A function of two arrays that takes NumPy's keywords too, but only their defaults.

    Args:
        func: A function of `x1`, `x2` and `out`.

    Returns:
        The function that refuses other keywords and values with TypeError and NotImplementedError.
    """

    @functools.wraps(func)
    def checked(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        only_defaults(func.__name__, kwargs)
        return func(x1, x2, out=out)

    return checked  # type: ignore[return-value]


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
    capability: int = device_of(ctx).capability()
    return capability
