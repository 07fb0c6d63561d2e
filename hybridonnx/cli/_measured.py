"""What the commands that compare and measure models have in common: their files, arrays, lists of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..onnx import inspection
from ._arrays import Pixels, read_inputs

__all__ = ["arrays_in", "numbers", "source"]


def source(files: tuple[str] | tuple[str, str | None]) -> Any:
    """The files of a model as `mx.onnx` takes them.

    Args:
        files: What `parts` gives.

    Returns:
        The one file, or both.
    """
    return files[0] if len(files) == 1 else files


def numbers(ctx: click.Context, option: click.Parameter, text: str | None) -> list[int] | None:
    """The numbers of an option such as `1,2,4`.

    Args:
        ctx: The command's context.
        option: The option.
        text: What the user gave.

    Returns:
        The numbers; `None` without a text.
    """
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdigit() for word in words):
        raise click.BadParameter(
            f"numbers with commas between them, as in 1,2,4, are required, got {text!r}."
        )
    return [int(word) for word in words]


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
