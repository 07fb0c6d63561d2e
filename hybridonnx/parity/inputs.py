"""What models are compared on: arrays of the caller's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..converters.to_onnx import by_name
from ..errors import ConversionError, is_file, is_folder
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from .models import Arrays
from .pictures import Pixels, batches, classes_in, images_in, input_of_images

SEVERAL = 8
"""So many files of a folder are taken unless more are asked for."""


def given(specs: Mapping[str, Spec], inputs: Any, count: int | None, pixels: Pixels) -> list[Arrays]:
    """The samples that a caller gives for a model.

    Args:
        specs: What the model takes, by name.
        inputs: Arrays by name or in order; an `.npz` or `.npy` file; a folder of such or of images; an
            iterable of several, such as a DataLoader.
        count: How many samples are taken of several; 1, or of a folder 8, unless given.
        pixels: What becomes of images.
    """
    names = list(specs)
    if isinstance(inputs, str | os.PathLike) and is_folder(Path(inputs)):
        return [_named(names, x) for x in islice(_folder(Path(inputs), specs, pixels), count or SEVERAL)]
    return [_named(names, parts(sample, len(names))) for sample in samples_in(inputs, count or 1)]


def samples_in(inputs: Any, count: int) -> list[Any]:
    """The samples that a caller gives, each as arrays by name or in order: `count` at most of an iterable."""
    if isinstance(inputs, str | os.PathLike):
        return [loaded(Path(inputs))]
    if not _is_several(inputs):
        return [inputs]
    several = list(islice(inputs, count))
    if not several:
        raise ConversionError("verify: one sample at least is required, got none.")
    return several


def loaded(path: Path) -> Any:
    """The arrays of a file of NumPy's, by name if it is an `.npz` file."""
    if path.suffix not in (".npz", ".npy") or not is_file(path):
        raise ConversionError(
            f"verify: an .npz or .npy file, or a folder of such or of images, is required, got {path}."
        )
    try:
        content = np.load(path, allow_pickle=False)
        if isinstance(content, np.ndarray):
            return content
        with content:
            return {name: content[name] for name in content.files}
    except (ValueError, EOFError, OSError) as exc:
        raise ConversionError(f"verify: a file of numbers is required, and {path} is none: {exc}") from None


def _folder(folder: Path, specs: Mapping[str, Spec], pixels: Pixels) -> Iterator[Any]:
    """The samples in a folder: files of arrays, else images, which may be in a folder for each class."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".npz", ".npy"))
    if files:
        yield from map(loaded, files)
        return
    images = images_in(folder) or [path for path, _ in classes_in(folder)]
    if not images:
        raise ConversionError(
            f"verify: images, .npz or .npy files are required in the folder {folder}, got none."
        )
    _, spec = input_of_images(specs)
    yield from batches(images, spec, pixels, 1)


def _is_several(inputs: Any) -> bool:
    """Whether it gives samples one after the other: no arrays, no list and no table of them."""
    return isinstance(inputs, Iterable) and not (
        isinstance(inputs, Mapping | Sequence | np.ndarray) or hasattr(inputs, "asnumpy")
    )


def parts(sample: Any, count: int) -> Any:
    """The inputs of a sample; what is beyond them is labels."""
    return sample[:count] if isinstance(sample, list | tuple) else sample


def _named(names: Sequence[str], inputs: Any) -> Arrays:
    by_input = by_name(names, inputs, is_array)
    arrays = {name: as_array(value) for name, value in by_input.items() if name in names}
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
