# Written by scripts/stubs; do not edit.
from collections.abc import Callable
from .ndarray import NDArray

def __getattr__(name: str) -> Callable[..., NDArray | list[NDArray]]: ...
