"""What NVIDIA's driver tells of its GPUs."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..errors import MXNetError


@cache
def _driver() -> Any:
    """The driver's library, `None` where there is none that starts."""
    for name in ("libcuda.so.1", "nvcuda.dll"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if library.cuInit(0) == 0 else None
    return None


def count() -> int:
    """The number of GPUs that this process may use."""
    number = ctypes.c_int()
    driver = _driver()
    return number.value if driver is not None and driver.cuDeviceGetCount(ctypes.byref(number)) == 0 else 0


def names() -> list[str]:
    """What the GPUs are called."""
    listing = []
    for number in range(count()):
        text = ctypes.create_string_buffer(256)
        _driver().cuDeviceGetName(text, len(text), ctypes.c_int(number))
        listing.append(text.value.decode(errors="replace"))
    return listing


def version() -> str:
    """The newest CUDA that the driver serves; empty if there is no driver."""
    number, driver = ctypes.c_int(), _driver()
    if driver is None or driver.cuDriverGetVersion(ctypes.byref(number)) != 0:
        return ""
    return f"{number.value // 1000}.{number.value % 1000 // 10}"


_MAJOR, _MINOR = 75, 76
"""CUDA's numbers of what a device tells of its compute capability."""


def capability(device: int) -> int:
    """What a GPU can compute: 70 for 7.0."""
    digits = [ctypes.c_int(), ctypes.c_int()]
    for digit, attribute in zip(digits, (_MAJOR, _MINOR), strict=True):
        _driver().cuDeviceGetAttribute(ctypes.byref(digit), ctypes.c_int(attribute), ctypes.c_int(device))
    return 10 * digits[0].value + digits[1].value


@contextmanager
def _current(device: int) -> Iterator[None]:
    """A block in which this thread has the context of a GPU that CUDA's own library has as well."""
    context = _context(device)
    _ask(device, "cuCtxPushCurrent_v2", context)
    try:
        yield
    finally:
        _ask(device, "cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


@cache
def _context(device: int) -> ctypes.c_void_p:
    context = ctypes.c_void_p()
    _ask(device, "cuDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(device))
    return context


def _ask(device: int, name: str, *arguments: Any) -> None:
    status = getattr(_driver(), name)(*arguments)
    if status:
        raise MXNetError(
            f"gpu({device}): an answer of the driver is required, got error {status} of {name}. With "
            "MXNET_ENGINE_TYPE=NaiveEngine the call that is at fault tells it."
        )


def memory(device: int) -> tuple[int, int]:
    """Free and total bytes of a GPU's memory."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    with _current(device):
        _ask(device, "cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


@cache
def stream(device: int) -> int:
    """The stream of all work on a GPU: what is begun later waits for what was begun before.

    Copies that CUDA makes on its own wait for it, and it for them, as it is no stream that does not block.
    """
    made = ctypes.c_void_p()
    with _current(device):
        _ask(device, "cuStreamCreate", ctypes.byref(made), ctypes.c_uint(0))
    return made.value or 0


def wait(device: int) -> None:
    """Return when all work of the stream is done."""
    with _current(device):
        _ask(device, "cuStreamSynchronize", ctypes.c_void_p(stream(device)))
