"""Functions that make a batch of a list of samples, for `DataLoader(batchify_fn=…)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dtypes import DTypeLike
from ...ndarray import creation
from ...ndarray.ndarray import NDArray
from ...ndarray.np_array import shown
from ...ops import Array

__all__ = ["AsList", "Group", "Pad", "Stack"]


def default(data: Sequence[Any]) -> Any:
    """Samples of one shape stacked along a new first axis; tuples give a list, an array for each element."""
    first = data[0]
    if isinstance(first, tuple):
        if len({len(each) for each in data}) > 1:
            raise ValueError(
                "batchify: samples with one number of elements are required, got tuples of "
                f"{', '.join(map(str, sorted({len(each) for each in data})))}."
            )
        return [default(each) for each in zip(*data, strict=True)]
    return stacked(data)


def stacked(data: Sequence[Any]) -> NDArray:
    """Arrays, numbers or lists of numbers stacked along a new first axis, with their dtype."""
    values = [_values(each) for each in data]
    if len({each.shape for each in values}) > 1:
        shapes = sorted({each.shape for each in values})
        raise ValueError(
            f"batchify: samples of one shape are required, got {', '.join(map(str, shapes))}. Crop or "
            "pad them in a transform, or use batchify.Pad."
        )
    if values[0].dtype.kind not in "fiub":
        raise TypeError(
            f"batchify: samples that are arrays or numbers are required, got {type(data[0]).__name__}. "
            "Give DataLoader a batchify_fn that makes arrays of them."
        )
    return shown(creation.array(np.stack(values), dtype=np.result_type(*values)))


def _values(sample: Any) -> Array:
    if isinstance(sample, NDArray):
        return sample._host
    try:
        return np.asarray(sample)
    except ValueError as exc:  # lists of different lengths
        raise TypeError(f"batchify: an array or a number is required as a sample, got {sample!r}.") from exc


class Stack:
    """Stack samples of one shape."""

    def __call__(self, data: Sequence[Any]) -> NDArray:
        return stacked(data)


class Pad:
    """Stack samples that differ in their sizes, with `val` added at the end of every axis.

    With `ret_length` the result is a pair: the batch, and the samples' sizes of axis 0 as int32.
    """

    def __init__(self, val: float = 0, dtype: DTypeLike | None = None, ret_length: bool = False) -> None:
        self._val = val
        self._dtype = dtype
        self._ret_length = ret_length

    def __call__(self, data: Sequence[Any]) -> Any:
        values = [_values(each) for each in data]
        if len({each.ndim for each in values}) > 1 or not values[0].ndim:
            ranks = sorted({each.ndim for each in values})
            raise ValueError(f"Pad: samples with one number of axes, 1 or more, are required, got {ranks}.")
        shape = tuple(map(max, zip(*(each.shape for each in values), strict=True)))
        batch = np.full((len(values), *shape), self._val, np.result_type(*values))
        for row, each in zip(batch, values, strict=True):
            row[tuple(map(slice, each.shape))] = each
        array = shown(creation.array(batch, dtype=self._dtype or batch.dtype))
        if not self._ret_length:
            return array
        return array, shown(creation.array([len(each) for each in values], dtype=np.int32))


class Group:
    """One of these functions for each element of samples that are tuples."""

    def __init__(self, fn: Callable[..., object], *args: Callable[..., object]) -> None:
        self._fns = tuple(fn) if isinstance(fn, list | tuple) else (fn, *args)

    def __call__(self, data: Sequence[Any]) -> tuple[Any, ...]:
        counts = {len(each) for each in data}
        if counts != {len(self._fns)}:
            raise ValueError(
                f"Group: samples with {len(self._fns)} elements are required, got {sorted(counts)}."
            )
        return tuple(fn(each) for fn, each in zip(self._fns, zip(*data, strict=True), strict=True))


class AsList:
    """The samples as they are, in a list."""

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        return list(data)
