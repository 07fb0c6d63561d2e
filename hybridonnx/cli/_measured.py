"""What the commands that compare and measure models have in common: their files, shapes and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..onnx import inspection
from ._arrays import Pixels, read_inputs
from ._models import Files, declared_shapes, require_names, require_weights

__all__ = ["arrays_in", "checked_shapes", "source"]


def source(files: tuple[str] | tuple[str, str | None]) -> Any:
    """The files of a model as `mx.onnx` takes them.

    Args:
        files: What `parts` gives.

    Returns:
        The one file, or both.
    """
    return files[0] if len(files) == 1 else files


def arrays_in(texts: Sequence[str], files: Sequence[str | None]) -> Any:
    """The arrays that a model is to run with.

    Args:
        texts: What `--input` says; images are taken with pixels from 0 to 255.
        files: The model's files, as `parts` gives them.

    Returns:
        The arrays in the order of the model's inputs, or by name if some are missing; `None` without texts.
    """
    if not texts:
        return None
    inputs = inspection.inspect(str(files[0]), *files[1:], count=False).inputs
    arrays = read_inputs(texts, inputs, Pixels())
    complete = arrays.keys() == {item.name for item in inputs}
    return [arrays[item.name] for item in inputs] if complete else arrays


def checked_shapes(models: Sequence[Files], shapes: Any, sizes: Any, arrays: Any) -> Any:
    """The shapes of inputs that models are measured with, which must have what the command line names.

    Args:
        models: The models' files, as `parts` gives them.
        shapes: What `--shape` says.
        sizes: What `--size` says.
        arrays: The arrays of `--input`, if there are any, which tell the shapes.

    Returns:
        The shapes; those that the files of MXNet's tell if there is one model.
    """
    for files in models:
        require_weights(str(files[0]), inspection.inspect(*files, count=False))
        require_names([files], shapes, sizes)
        if len(files) == 2 and arrays is None:
            known = _without_labels(files, declared_shapes(files, shapes))
            shapes = known if len(models) == 1 else shapes
        if arrays is None:
            _require_sizes(files, shapes, sizes)
    return shapes


def _without_labels(files: Files, shapes: Any) -> Any:
    """The shapes of what an export has as inputs; labels, which only training reads, are none."""
    inputs = {item.name for item in inspection.inspect(*files, count=False).inputs}
    if not isinstance(shapes, dict):
        return shapes
    return {name: shape for name, shape in shapes.items() if name in inputs}


def _require_sizes(files: Files, shapes: Any, sizes: Any) -> None:
    """Refuse free sizes without a number; the first ones of inputs are rows, of which there is one."""
    inputs = inspection.inspect(*files, shapes=shapes, count=False).inputs
    free = [
        size or f"{item.name}_{axis}"
        for item in inputs
        for axis, size in enumerate(item.shape or ())
        if not isinstance(size, int)
    ]
    rows = {item.shape[0] or f"{item.name}_0" for item in inputs if item.shape}
    missing = [size for size in dict.fromkeys(free) if size not in rows and size not in (sizes or ())]
    if missing:
        example = " ".join(f"--size {name}=16" for name in missing)
        raise click.UsageError(
            f"numbers for the free sizes {', '.join(missing)} are required, as in {example}, got none"
        )
