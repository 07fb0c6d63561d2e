"""Arrays that commands are given, as files of NumPy's or of images, and that they write."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ..deploy.pixels import EXTENSIONS, Pixels, decode, picture
from ..errors import FormatError, MXNetError
from ..formats.files import write_atomically
from ..onnx.inspection import Declaration
from ._options import POSITIVE

__all__ = ["Pixels", "inputs_option", "pixels_options", "read_inputs", "write_arrays"]

_COLOURS = 3


def read_inputs(
    texts: Sequence[str], inputs: Sequence[Declaration], pixels: Pixels
) -> dict[str, NDArray[Any]]:
    """Arrays for a model's inputs by name.

    Args:
        texts: Each a file, or the name of an input and a file, with = in between: .npz files have arrays by
            the inputs' names, .npy files and images are for one input. Several images for one are a batch.
        inputs: What the model takes.
        pixels: What becomes of images.

    Returns:
        The arrays.

    Raises:
        FormatError: If there is no such file, or it is no array.
        MXNetError: If a file names no input where there are several.
    """
    arrays: dict[str, NDArray[Any]] = {}
    images: dict[str, list[Path]] = {}
    by_name = {item.name: item for item in inputs}
    for text in texts:
        name, equals, file = text.partition("=")
        path = Path(file if equals and name in by_name else text)
        if not path.is_file():
            raise FormatError(f"a file is required as input, got nothing at {path}.")
        if path.suffix == ".npz":
            arrays |= _npz(path)
            continue
        name = name if equals and name in by_name else _only(path, inputs)
        if path.suffix.lower() in EXTENSIONS:
            images.setdefault(name, []).append(path)
        else:
            arrays[name] = _npy(path)
    for name, paths in images.items():
        arrays[name] = np.stack([_image(path, by_name[name], pixels) for path in paths])
    return arrays


def write_arrays(path: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write an .npz file, which is there as a whole or not at all.

    Args:
        path: The file's path.
        arrays: Arrays by name.
    """
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]  # names of any kind
    write_atomically(path, [content.getbuffer()])


def _only(path: Path, inputs: Sequence[Declaration]) -> str:
    if len(inputs) != 1:
        names = ", ".join(item.name for item in inputs) or "no input"
        raise MXNetError(f"the name of an input is required, as in NAME={path}, got none; there are {names}.")
    return inputs[0].name


def _npy(path: Path) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError):
        raise FormatError(f"{path}: a .npy file of numbers, or an image, is required.") from None
    return array


def _npz(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, EOFError, OSError, AttributeError):
        raise FormatError(f"{path}: an .npz file of numbers is required.") from None


def _image(path: Path, item: Declaration, pixels: Pixels) -> NDArray[Any]:
    try:
        return picture(decode(path.read_bytes(), item, pixels), item, pixels)
    except FormatError as exc:
        raise FormatError(f"{path}: {exc}") from None


def _numbers(ctx: click.Context, option: click.Parameter, text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in text.split(",") if word.strip())
    except ValueError:
        numbers = (nan,)
    if not all(map(isfinite, numbers)):
        raise click.BadParameter(f"numbers with commas between them are required, got {text!r}.")
    if option.name == "std" and min(numbers, default=1) <= 0:
        raise click.BadParameter(f"numbers above 0 are required, got {text!r}.")
    if len(numbers) not in (0, 1, _COLOURS):
        raise click.BadParameter(f"one number, or one for each colour, is required, got {text!r}.")
    return numbers


inputs_option = click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="[NAME=]FILE",
    help="An .npy file or an image for an input, or an .npz file with arrays by name. May be repeated; "
    "several images for one input are a batch.",
)


def pixels_options(function: Any) -> Any:
    """The options that say what becomes of images: `scale`, `mean`, `std` and `bgr`.

    Args:
        function: The function of a command.

    Returns:
        The function.
    """
    for name, text in (
        ("--std", "What they are divided by then"),
        ("--mean", "What is taken from them then"),
    ):
        option = click.option(
            name, default="", callback=_numbers, metavar="NUMBERS", help=f"{text}, for each colour."
        )
        function = option(function)
    function = click.option("--bgr", is_flag=True, help="Take blue for an image's first colour.")(function)
    return click.option(
        "--scale",
        type=POSITIVE,
        default=1.0,
        show_default=True,
        help="What an image's pixels are divided by, such as 255.",
    )(function)
