"""How commands are told of models, their parameters, shapes and sizes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click
import numpy as np

from ..errors import FormatError
from ..onnx import inspection

__all__ = [
    "Files",
    "declared_shapes",
    "file_of",
    "html_option",
    "model_argument",
    "opset_option",
    "parts",
    "shapes_option",
    "sizes_option",
    "tolerance_option",
    "trial_sizes_option",
    "types_option",
]

_SYMBOL = "-symbol.json"
Files: TypeAlias = tuple[str] | tuple[str, str | None]
"""A model's: an ONNX file, or a symbol's and its parameters', if there are any."""


def model_argument(name: str = "model", required: bool = True) -> Callable[[Any], Any]:
    """A model that a command takes, and `--params` for its parameters.

    Args:
        name: What the command's function calls it; its parameters are `params`, those of "second" are
            `second_params`.
        required: Whether there has to be one.

    Returns:
        A decorator.
    """
    option = "params" if name == "model" else f"{name}_params"
    text = f"The .params file of {name.upper()}, if that is a -symbol.json."

    def decorate(function: Any) -> Any:
        function = click.option(f"--{option.replace('_', '-')}", option, type=_PATH, help=text)(function)
        return click.argument(name, type=_PATH, required=required)(function)

    return decorate


_PATH = click.Path(path_type=str)


def declared_shapes(source: Files, shapes: Any) -> Any:
    """The shapes of the inputs of MXNet's files: those that the caller gives, else those that the files tell.

    Args:
        source: The files, as `parts` gives them.
        shapes: What the command line says.

    Returns:
        Shapes by name, or as they are given.

    Raises:
        UsageError: If neither tells a shape.
    """
    if shapes is not None:
        return shapes
    inputs = inspection.inspect(*source, count=False).inputs
    unknown = [item.name for item in inputs if item.shape is None or None in item.shape]
    if unknown:
        example = " ".join(f"--shape {name}=batch,3,224,224" for name in unknown[:1])
        raise click.UsageError(
            f"the shapes of the inputs {', '.join(unknown)} are required, as in {example}, got none"
        )
    return {item.name: item.shape for item in inputs}


def parts(model: str, params: str | None = None, alone: bool = False) -> Files:
    """The files of a model: an ONNX file, or a symbol's and its parameters'.

    Args:
        model: The path of an ONNX file or of a symbol.json; or the prefix that a symbol.json and a .params
            have in common; or the .params file, if the symbol.json is beside it.
        params: The path of a .params file. Without it that of the latest epoch beside the symbol is taken,
            which stderr is told.
        alone: Whether a .params file is one of parameters alone.

    Returns:
        One path for ONNX, two for MXNet's files; the second is `None` where there are no parameters.

    Raises:
        FormatError: If there is no such file.
    """
    path = Path(file_of(model))
    if path.suffix == ".params" and params is None and not alone:
        path, params = _symbol_of(path), os.fspath(path)
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


def file_of(model: str) -> str:
    """The file of a model, of which a prefix may be told.

    Args:
        model: The path of an ONNX file or of a symbol.json; or what is before -symbol.json.

    Returns:
        The file's path.

    Raises:
        FormatError: If there is no such file.
    """
    for path in (Path(model), Path(f"{model}{_SYMBOL}")):
        if path.is_file():
            return os.fspath(path)
    there = "a folder" if Path(model).is_dir() else "nothing"
    raise FormatError(f"a model's file is required, got {there} at {model}.")


def _symbol_of(params: Path) -> Path:
    """The graph beside a .params file."""
    prefix = re.sub(r"-\d{4,}$", "", params.stem)
    symbol = params.with_name(f"{prefix}{_SYMBOL}")
    if not symbol.is_file():
        raise FormatError(
            f"a graph is required, got parameters alone: {params}, and no {symbol.name} beside it. "
            "HybridBlock.export writes both; where the code is there, call load_parameters and export."
        )
    return symbol


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


def _sizes(several: bool) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], dict[str, Any]]:
    """What reads free sizes by name: one number for each, or several."""

    def read(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
        sizes: dict[str, Any] = {}
        for text in texts:
            name, _, numbers = text.rpartition("=")
            words = [word.strip() for word in numbers.split(",") if word.strip()]
            right = name and words and all(word.isdigit() for word in words)
            if not right or (len(words) > 1 and not several):
                wanted = "numbers, as in batch=1,8," if several else "a number, as in batch=8,"
                raise click.BadParameter(f"a name and {wanted} are required, got {text!r}.")
            sizes[name] = tuple(map(int, words)) if several else int(words[0])
        return sizes

    return read


def _types(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Any:
    """The dtypes of inputs by name, or one for all."""
    if not texts:
        return np.float32
    pairs = [text.rpartition("=") for text in texts]
    if len(texts) == 1 and not pairs[0][0]:
        return texts[0]
    if not all(name for name, _, _ in pairs):
        raise click.BadParameter("one type, or a name for each, as in data=int32, is required.")
    return {name: dtype for name, _, dtype in pairs}


html_option = click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=str),
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
    "--tolerance", type=float, help="How far models may be apart, relative to the largest value of an output."
)
opset_option = click.option(
    "--opset", type=int, help="The ONNX opset; 18 unless given, or a newer one that the graph needs."
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
