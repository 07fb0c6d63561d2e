"""How commands are told of models, their parameters, shapes and sizes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import FormatError

__all__ = ["model_argument", "parts", "shapes_option", "sizes_option"]

_SYMBOL = "-symbol.json"


def model_argument(name: str = "model") -> Callable[[Any], Any]:
    """A model that a command takes, and `--params` for its parameters.

    Args:
        name: What the command's function calls it; its parameters are `params`, those of "second" are
            `second_params`.

    Returns:
        A decorator.
    """
    option = "params" if name == "model" else f"{name}_params"
    text = f"The .params file of {name.upper()}, if that is a -symbol.json."

    def decorate(function: Any) -> Any:
        function = click.option(f"--{option.replace('_', '-')}", option, type=_PATH, help=text)(function)
        return click.argument(name, type=_PATH)(function)

    return decorate


_PATH = click.Path(path_type=str)


def parts(model: str, params: str | None = None) -> tuple[str] | tuple[str, str | None]:
    """The files of a model: an ONNX file, or a symbol's and its parameters'.

    Args:
        model: The path of an ONNX file or of a symbol.json; or the prefix that a symbol.json and a .params
            have in common.
        params: The path of a .params file. Without it that of the latest epoch beside the symbol is taken,
            which stderr is told.

    Returns:
        One path for ONNX, two for MXNet's files; the second is `None` where there are no parameters.

    Raises:
        FormatError: If there is no such file.
    """
    path = Path(model)
    if not path.exists() and Path(f"{model}{_SYMBOL}").is_file():
        path = Path(f"{model}{_SYMBOL}")
    if not path.is_file():
        there = "a folder" if path.is_dir() else "nothing"
        raise FormatError(f"a model's file is required, got {there} at {model}.")
    if path.suffix != ".json":
        if params is not None:
            raise click.UsageError(f"parameters are for a symbol.json, got them for {model}")
        return (os.fspath(path),)
    if params is None:
        params = _latest(path)
        print(f"parameters: {params or 'none'}", file=sys.stderr)
    elif not Path(params).is_file():
        raise FormatError(f"a file of parameters is required, got nothing at {params}.")
    return os.fspath(path), params


def _latest(symbol: Path) -> str | None:
    """The parameters of the last epoch beside a symbol, if there are any."""
    prefix = symbol.name.removesuffix(_SYMBOL) if symbol.name.endswith(_SYMBOL) else symbol.stem
    epochs = {}
    for path in symbol.parent.glob(f"{_escaped(prefix)}-*.params"):
        match = re.fullmatch(r"-(\d{4,})\.params", path.name.removeprefix(prefix))
        if match:
            epochs[int(match[1])] = path
    plain = symbol.with_name(f"{prefix}.params")
    if epochs:
        return os.fspath(epochs[max(epochs)])
    return os.fspath(plain) if plain.is_file() else None


def _escaped(text: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", text)


# ---- shapes and sizes


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
    wrong = [word for word in words if not re.fullmatch(r"\d+|\?|[^\W\d][\w.]*", word)]
    if wrong:
        raise click.BadParameter(f"a number, a name, or ? is required for each size, got {wrong[0]!r}.")
    return tuple(int(word) if word.isdigit() else None if word == "?" else word for word in words)


def _sizes(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, int]:
    """Free sizes by name."""
    pairs = [text.rpartition("=") for text in texts]
    wrong = [
        text for text, (name, _, size) in zip(texts, pairs, strict=True) if not (name and size.isdigit())
    ]
    if wrong:
        raise click.BadParameter(f"a name and a number, as in batch=8, are required, got {wrong[0]!r}.")
    return {name: int(size) for name, _, size in pairs}


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
    callback=_sizes,
    metavar="NAME=NUMBER",
    help="What a free size is taken for; 1 unless given. May be repeated.",
)
