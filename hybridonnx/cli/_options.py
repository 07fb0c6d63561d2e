"""Options that several commands have, whose texts are read here: shapes, sizes, types, numbers, files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..dtypes import as_dtype
from ..errors import MXNetError

__all__ = [
    "NUMBER",
    "POSITIVE",
    "Amount",
    "OutputFile",
    "html_option",
    "numbers",
    "opset_option",
    "shapes_option",
    "sizes_option",
    "tolerance_option",
    "trial_sizes_option",
    "types_option",
]


class Amount(click.FloatRange):
    """A finite number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of a text.

        Args:
            value: The text.
            param: The option.
            ctx: The command's context.

        Returns:
            The number.
        """
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"a finite number is required, got {value}.", param, ctx)
        return number


NUMBER, POSITIVE = Amount(), Amount(0, min_open=True)


class OutputFile(click.Path):
    """A file to write, in a folder that is there; said before work that may take minutes."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=str)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The path of a text.

        Args:
            value: The text.
            param: The option.
            ctx: The command's context.

        Returns:
            The path.
        """
        path = str(super().convert(value, param, ctx))
        if not os.path.basename(path):
            self.fail(f"the name of a file is required, got that of a folder, {path}.", param, ctx)
        if not Path(path).parent.is_dir():
            self.fail(f"a folder that is there is required, got {Path(path).parent}.", param, ctx)
        return path


def numbers(least: int) -> Callable[[click.Context, click.Parameter, str | None], list[int] | None]:
    """What reads the numbers of an option such as `1,2,4`.

    Args:
        least: The smallest that may be among them.

    Returns:
        A callback of click's; it gives `None` without a text.
    """

    def read(ctx: click.Context, option: click.Parameter, text: str | None) -> list[int] | None:
        if text is None:
            return None
        words = [word.strip() for word in text.split(",")]
        if not all(_is_number(word, least) for word in words):
            raise click.BadParameter(
                f"numbers from {least} on with commas between them, as in 1,2,4, are required, got {text!r}."
            )
        return [int(word) for word in words]

    return read


def _is_number(word: str, least: int) -> bool:
    return re.fullmatch("[0-9]+", word) is not None and int(word) >= least


def _shapes(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Any:
    """The shapes of inputs by name; in order where no text has a name."""
    named, ordered = {}, []
    for text in texts:
        name, equals, sizes = text.rpartition("=")
        if equals:
            named[name] = _shape(sizes)
        else:
            ordered.append(_shape(sizes))
    if named and ordered:
        raise click.BadParameter("names for all shapes, or for none, are required.")
    return named or ordered or None


def _shape(text: str) -> tuple[int | str | None, ...]:
    words = [word.strip() for word in text.strip("()").split(",") if word.strip()]
    wrong = [w for w in words if not (_is_number(w, 1) or re.fullmatch(r"\?|[^\W\d][\w.]*", w))]
    if wrong:
        raise click.BadParameter(
            f"a number from 1 on, a name, or ? is required for each size, got {wrong[0]!r}."
        )
    return tuple(int(word) if word.isdecimal() else None if word == "?" else word for word in words)


def _sizes(several: bool) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], dict[str, Any]]:
    """What reads free sizes by name: one number for each, or several."""

    def read(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
        sizes: dict[str, Any] = {}
        for text in texts:
            name, _, numbers = text.rpartition("=")
            words = [word.strip() for word in numbers.split(",") if word.strip()]
            right = name and words and all(_is_number(word, 1) for word in words)
            if not right or (len(words) > 1 and not several):
                wanted = (
                    "numbers from 1 on, as in batch=1,8," if several else "a number from 1 on, as in batch=8,"
                )
                raise click.BadParameter(f"a name and {wanted} are required, got {text!r}.")
            sizes[name] = tuple(map(int, words)) if several else int(words[0])
        return sizes

    return read


def _types(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Any:
    """The dtypes of inputs by name, or one for all."""
    if not texts:
        return np.float32
    pairs = [text.rpartition("=") for text in texts]
    try:
        for _, _, dtype in pairs:
            as_dtype(dtype)
    except MXNetError as exc:
        raise click.BadParameter(str(exc)) from None
    if len(texts) == 1 and not pairs[0][0]:
        return texts[0]
    if not all(name for name, _, _ in pairs):
        raise click.BadParameter("one type, or a name for each, as in data=int32, is required.")
    return {name: dtype for name, _, dtype in pairs}


def _opset(ctx: click.Context, option: click.Parameter, opset: int | None) -> int | None:
    """A version that can be written."""
    from ..converters.opsets import check_opset

    try:
        return None if opset is None else check_opset(opset)
    except MXNetError as exc:
        raise click.BadParameter(str(exc)) from None


html_option = click.option(
    "--html",
    type=OutputFile(),
    help="Write a page for a browser into this file.",
)
types_option = click.option(
    "--type",
    "types",
    multiple=True,
    callback=_types,
    metavar="[NAME=]TYPE",
    help="The type of all inputs, or of one, such as data=int32; float32 unless given. May be repeated.",
)
tolerance_option = click.option(
    "--tolerance",
    type=Amount(0),
    help="How far models may be apart, relative to the largest value of an output.",
)
opset_option = click.option(
    "--opset",
    type=int,
    callback=_opset,
    help="The ONNX opset; 18 unless given, or a newer one that the graph needs.",
)
shapes_option = click.option(
    "--shape",
    "shapes",
    multiple=True,
    callback=_shapes,
    metavar="[NAME=]SIZE,…",
    help="An input's shape, as in data=batch,3,224,224; a name or ? leaves a size free. May be repeated.",
)
sizes_option = click.option(
    "--size",
    "sizes",
    multiple=True,
    callback=_sizes(several=False),
    metavar="NAME=NUMBER",
    help="What a free size is taken for. May be repeated.",
)
trial_sizes_option = click.option(
    "--size",
    "sizes",
    multiple=True,
    callback=_sizes(several=True),
    metavar="NAME=NUMBER,…",
    help="What a free size is tried at, as in batch=1,2,16. May be repeated.",
)
