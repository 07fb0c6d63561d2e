"""How commands are told of models, their parameters, shapes and sizes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..checkpoint import epochs
from ..errors import FormatError

__all__ = [
    "Files",
    "declared_shapes",
    "file_of",
    "input_names",
    "loaded",
    "model_argument",
    "parts",
    "require_names",
    "require_parameters",
    "require_weights",
]

if TYPE_CHECKING:
    from ..onnx.inspection import Inspection

_SYMBOL = "-symbol.json"
_NAMED = 6
"""How many inputs a sentence names."""
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
        FormatError: If there are no parameters, and so no shapes of these.
        UsageError: If neither tells a shape.
    """
    from ..onnx import inspection

    inputs = inspection.inspect(*source, count=False).inputs
    known = input_names(shapes, [item.name for item in inputs])
    unknown = [i.name for i in inputs if i.name not in known and (i.shape is None or None in i.shape)]
    if shapes is None or unknown:
        require_parameters(source, unknown)
    if unknown:
        example = f"--shape {unknown[0]}=batch,3,224,224"
        raise click.UsageError(
            f"the shapes of the inputs {_listed(unknown)} are required, as in {example}, got none"
        )
    return {item.name: item.shape for item in inputs} if shapes is None else shapes


def require_parameters(source: Files, unknown: Collection[str] = ("parameters",)) -> None:
    """Refuse a graph without parameters.

    Args:
        source: The files, as `parts` gives them.
        unknown: The inputs of which the command line says nothing; without any the graph is complete.

    Raises:
        FormatError: If there are no parameters.
    """
    if len(source) == 2 and source[1] is None and unknown:
        raise FormatError(f"no .params beside {source[0]}; --params names one.")


def require_weights(model: str, content: Inspection) -> None:
    """Refuse a model whose weights lie in a file that is not there.

    Args:
        model: What the user calls it.
        content: What is in it.

    Raises:
        FormatError: If there is no such file.
    """
    for name, count in content.missing.items():
        raise FormatError(f"{model}: {name} is required beside it, which has {count} of its arrays.")


def require_names(models: Sequence[Files], shapes: Any = None, sizes: Any = None, types: Any = None) -> None:
    """Refuse shapes, sizes and types of what none of some models has.

    Args:
        models: The models' files, as `parts` gives them.
        shapes: What `--shape` says.
        sizes: What `--size` says.
        types: What `--type` says.

    Raises:
        UsageError: If a name is no input's, or no free size's, or there are more shapes than inputs.
    """
    if not shapes and not sizes and not isinstance(types, dict):
        return
    from ..onnx import inspection

    contents = [inspection.inspect(*files, count=False) for files in models]
    inputs = list(dict.fromkeys(item.name for content in contents for item in content.inputs))
    known = {*inputs, *(name for files in models for name in _variables(files))}
    for option, named in (("--shape", shapes), ("--type", types)):
        strange = [name for name in input_names(named, inputs) if name not in known]
        if strange:
            raise click.UsageError(f"{option} of the inputs {_listed(inputs)} is required, got {strange[0]}")
    if isinstance(shapes, list) and len(shapes) > len(inputs):
        raise click.UsageError(
            f"a --shape for each of the inputs {_listed(inputs)} is required, got {len(shapes)}"
        )
    free = list(dict.fromkeys(size for files in models for size in _free_sizes(files, shapes) if sizes))
    strange = [name for name in sizes or () if name not in free]
    if strange:
        raise click.UsageError(
            f"--size of the free sizes {_listed(free) or '(there are none)'} is required, got {strange[0]}"
        )


def loaded(source: Files) -> Any:
    """A model as what runs it takes it.

    Args:
        source: The files, as `parts` gives them.

    Returns:
        The name of an ONNX file, or a symbol and its parameters.
    """
    from ..ndarray.files import load as load_arrays
    from ..symbol.symbol import load

    if len(source) == 1:
        return source[0]
    return load(source[0]), {} if source[1] is None else load_arrays(source[1])


def _variables(files: Files) -> list[str]:
    """The labels and parameters of a graph of MXNet's, and its inputs."""
    from ..symbol.symbol import load

    return [] if len(files) == 1 else load(files[0]).list_inputs()


def _free_sizes(files: Files, shapes: Any) -> list[str]:
    """The free sizes of a model whose inputs have these shapes, as far as they are its own."""
    from ..onnx import inspection

    if isinstance(shapes, dict):
        inputs = {item.name for item in inspection.inspect(*files, count=False).inputs}
        shapes = {name: shape for name, shape in shapes.items() if name in inputs}
    return inspection.inspect(*files, shapes=shapes or None, count=False).free_sizes


def input_names(values: Any, inputs: list[str]) -> list[str]:
    """The inputs that shapes or types are of.

    Args:
        values: What the command line says: by name, in order, or one for all.
        inputs: The names of all inputs, in order.

    Returns:
        The names; none where one type is for all.
    """
    if isinstance(values, dict):
        return list(values)
    return inputs[: len(values)] if isinstance(values, list) else []


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def parts(model: str, params: str | None = None) -> Files:
    """The files of a model: an ONNX file, or a symbol's and its parameters'.

    Args:
        model: The path of an ONNX file or of a symbol.json; or the prefix that a symbol.json and a .params
            have in common; or the .params file, if the symbol.json is beside it.
        params: The path of a .params file. Without it that of the latest epoch beside the symbol is taken,
            which stderr is told.

    Returns:
        One path for ONNX, two for MXNet's files; the second is `None` where there are no parameters.

    Raises:
        FormatError: If there is no such file.
    """
    path = Path(file_of(model))
    if path.suffix == ".params" and params is None:
        path, params = _symbol_of(path), os.fspath(path)
    if path.suffix != ".json":
        if params is not None:
            raise click.UsageError(f"parameters are for a symbol.json, got them for {model}")
        return (os.fspath(path),)
    if params is None:
        params = _latest(path)
        print(f"parameters: {params or 'none'}", file=sys.stderr)
    elif not Path(params).is_file():
        raise FormatError(
            f"a file of parameters is required, got nothing at {params}{_epochs_there(params)}."
        )
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
    raise FormatError(f"a model's file is required, got {there} at {model}{_epochs_there(model)}.")


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


def _prefix(symbol: Path) -> str:
    """What the files of a checkpoint have in common."""
    return os.fspath(symbol.with_name(symbol.name.removesuffix(".json").removesuffix("-symbol")))


def _latest(symbol: Path) -> str | None:
    """The parameters of the last epoch beside a symbol, if there are any."""
    known = epochs(_prefix(symbol))
    plain = f"{_prefix(symbol)}.params"
    return known[max(known)] if known else plain if os.path.isfile(plain) else None


def _epochs_there(params: str) -> str:
    """What a sentence adds about parameters that are not there: those of other epochs."""
    known = epochs(re.sub(r"(-\d+)?\.params$", "", params))
    return f"; there are {_listed([os.path.basename(path) for path in known.values()])}" if known else ""
