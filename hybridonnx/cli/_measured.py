"""What the commands that measure times have in common: lists of numbers, and arrays to run with."""

from __future__ import annotations

import zipfile
from typing import Any

import click
import numpy as np

from ..errors import FormatError

__all__ = ["arrays_in", "inputs_option", "numbers", "source"]


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


inputs_option = click.option(
    "--input",
    "inputs",
    type=click.Path(exists=True, dir_okay=False, path_type=str),
    metavar="FILE.npz",
    help="Arrays to run with, by the inputs' names; without them they are drawn.",
)


def arrays_in(path: str | None) -> dict[str, Any] | None:
    """The arrays of an .npz file.

    Args:
        path: The file, if there is one.

    Returns:
        The arrays by name.

    Raises:
        FormatError: If it is no such file.
    """
    if path is None:
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (AttributeError, EOFError, ValueError, zipfile.BadZipFile):
        raise FormatError(
            f"an .npz file with an array for each input is required, got something else at {path}."
        ) from None
