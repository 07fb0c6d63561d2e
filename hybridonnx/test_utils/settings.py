"""The context, dtype and environment that tests run in, and what to do about tests that sometimes fail."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from ..context import Context, current_context, num_gpus, set_default
from ..errors import RequirementError

__all__ = [
    "assert_exception",
    "default_context",
    "default_dtype",
    "discard_stderr",
    "environment",
    "has_tvm_ops",
    "is_aarch64_run",
    "is_cd_run",
    "is_op_runnable",
    "list_gpus",
    "retry",
    "set_default_context",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def default_context() -> Context:
    """The context of arrays that are made without one."""
    return current_context()


def set_default_context(ctx: Context) -> None:
    """Set the context of arrays that are made without one, outside of `with` blocks."""
    set_default(ctx)


def default_dtype() -> type:
    """The element type of tests: `numpy.float32`."""
    return np.float32


def list_gpus() -> range:
    """The numbers of the GPUs that arrays can live on."""
    return range(num_gpus())


def is_cd_run() -> bool:
    """Whether this is a run of MXNet's release tests."""
    return os.environ.get("CD_JOB", "0") == "1"


def is_aarch64_run() -> bool:
    """Whether MXNet's build for ARM is tested, as its environment variable says."""
    return os.environ.get("IS_AARCH64", "0") == "1"


def is_op_runnable() -> bool:
    """Whether operators that TVM compiles run: MXNet says yes on the CPU."""
    return True


def has_tvm_ops() -> bool:
    """Whether there are operators that TVM compiles: there are none."""
    return False


@contextmanager
def environment(*args: Any) -> Iterator[None]:
    """Inside a `with` block, environment variables have other values.

    Args:
        args: A name and its value, or a dict of them; `None` is for a variable that is not set.

    Raises:
        AssertionError: The arguments are something else.
    """
    if len(args) == 1 and isinstance(args[0], Mapping):
        wanted = dict(args[0])
    elif len(args) == 2:
        wanted = {args[0]: args[1]}
    else:
        raise AssertionError(f"environment: a name and a value, or one dict, is required, got {args!r}.")
    before = {name: os.environ.get(name) for name in wanted}
    _set_variables(wanted)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)


@contextmanager
def discard_stderr() -> Iterator[None]:
    """Inside a `with` block, nothing reaches the process's standard error, from libraries either."""
    sys.stderr.flush()
    number = 2
    kept = os.dup(number)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), number)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, number)
        os.close(kept)


def retry(n: int) -> Callable[[_Function], _Function]:
    """A decorator of tests that may fail `n - 1` times by assertions, as tests of random numbers do.

    Raises:
        AssertionError: `n` is not positive.
    """
    if n <= 0:
        raise RequirementError(f"retry: a positive number of times is required, got {n}.")

    def decorate(test: _Function) -> _Function:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> Any:
            for _ in range(n - 1):
                try:
                    return test(*args, **kwargs)
                except AssertionError:
                    continue
            return test(*args, **kwargs)

        return run  # type: ignore[return-value]

    return decorate


def assert_exception(
    f: Callable[..., Any], exception_type: type[Exception], *args: Any, **kwargs: Any
) -> None:
    """Raise `AssertionError` unless `f(*args, **kwargs)` raises that exception."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{exception_type.__name__} is required of {f!r}, and it raised nothing.")
