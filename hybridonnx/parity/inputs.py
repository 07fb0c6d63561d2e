"""What models are compared on: arrays of the caller's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..converters.to_onnx import by_name
from ..errors import ConversionError
from ..ndarray.ndarray import NDArray
from ..ops import Array
from .models import Arrays, Runnable


def given(first: Runnable, inputs: Any, count: int) -> list[Arrays]:
    """The samples that a caller gives for a model.

    Args:
        first: The model.
        inputs: Arrays by name or in order; the name of an `.npz` file of such; an iterable of several, such
            as a DataLoader, of which `count` are taken.
        count: How many samples.
    """
    names = list(first.inputs)
    return [_named(names, parts(sample, len(names))) for sample in samples_in(inputs, count)]


def samples_in(inputs: Any, count: int) -> list[Any]:
    """The samples that a caller gives, each as arrays by name or in order: `count` at most of an iterable."""
    if isinstance(inputs, str | os.PathLike):
        return [_file(inputs)]
    if not _is_several(inputs):
        return [inputs]
    several = list(islice(inputs, count))
    if not several:
        raise ConversionError("verify: one sample at least is required, got none.")
    return several


def _is_several(inputs: Any) -> bool:
    """Whether it gives samples one after the other: no arrays, no list and no table of them."""
    return isinstance(inputs, Iterable) and not (
        isinstance(inputs, Mapping | Sequence | np.ndarray) or hasattr(inputs, "asnumpy")
    )


def parts(sample: Any, count: int) -> Any:
    """The inputs of a sample; what is beyond them is labels."""
    return sample[:count] if isinstance(sample, list | tuple) else sample


def _file(path: str | os.PathLike[str]) -> dict[str, Array]:
    file = Path(path)
    if file.suffix != ".npz" or not file.is_file():
        raise ConversionError(f"verify: the name of an .npz file of inputs is required, got {file}.")
    with np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _named(names: Sequence[str], inputs: Any) -> Arrays:
    by_input = by_name(names, inputs, is_array)
    arrays = {name: as_array(value) for name, value in by_input.items()}
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ConversionError(f"verify: an array for each input is required, got none for {missing[0]}.")
    return arrays


def is_array(value: Any) -> bool:
    """Whether a value is one input, not several in order."""
    return not isinstance(value, list | tuple)


def as_array(value: Any) -> Array:
    """An input in NumPy's form."""
    return np.asarray(value.asnumpy() if isinstance(value, NDArray) else value)
