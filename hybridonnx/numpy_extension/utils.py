"""Arrays of mx.np in files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..ndarray import files
from ..ndarray.np_array import as_np, ndarray
from ..util import np_shape

__all__ = ["load", "save"]


def save(file: str | os.PathLike[str], arr: ndarray | Sequence[ndarray] | dict[str, ndarray]) -> None:
    """Write arrays, perhaps by name, as a `.params` file."""
    if not isinstance(arr, ndarray | dict | list | tuple):
        raise ValueError(
            "save: an array of mx.np, a list of them, or a dict of names to them is required, got "
            f"{type(arr).__name__}."
        )
    items = arr.values() if isinstance(arr, dict) else [arr] if isinstance(arr, ndarray) else arr
    for item in items:
        if not isinstance(item, ndarray):
            raise TypeError(f"save: arrays of mx.np are required, got {type(item).__name__}.")
    with np_shape(True):
        files.save(file, arr)  # type: ignore[arg-type]


def load(file: str | os.PathLike[str]) -> Any:
    """The arrays of a `.params` file: a dict if it has names, else a list."""
    with np_shape(True):
        loaded = files.load(file)
    if isinstance(loaded, dict):
        return {name: as_np(value) for name, value in loaded.items()}
    return [as_np(value) for value in loaded]
