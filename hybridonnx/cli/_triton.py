"""`--to triton` of the command convert, and what it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from ._command import Answer
from ._models import Files, declared_shapes

__all__ = ["TRITON", "take_triton_options", "triton_options", "write_repository"]

TRITON = "triton"
_NAMES = (
    "name",
    "backend",
    "max_batch",
    "max_delay",
    "instances",
    "threads",
    "labels",
    "versions",
    "replace",
)
_FOR_MXNET = ("shapes", "types", "opset", "verify")
_DEFAULT = click.core.ParameterSource.DEFAULT


def _versions(ctx: click.Context, option: click.Parameter, text: str | None) -> Any:
    if text is None or text == "all":
        return text
    numbers = text.split(",")
    if not all(number.isascii() and number.isdecimal() and int(number) for number in numbers):
        raise click.BadParameter(f"a number, numbers such as 1,3, or all is required, got {text!r}.")
    return int(text) if len(numbers) == 1 else [int(number) for number in numbers]


_OPTIONS = (
    click.option("--to", type=click.Choice([TRITON]), help="Write into Triton's model repository, --output."),
    click.option("--name", help="What Triton's clients call the model; the file's name unless given."),
    click.option("--backend", type=click.Choice(["onnxruntime", "python"]), help="What runs it in Triton."),
    click.option("--max-batch", type=click.IntRange(min=0), help="The most rows of Triton's batches."),
    click.option("--max-delay", type=click.FloatRange(min=0), help="Seconds a request of Triton's waits."),
    click.option("--instances", type=click.IntRange(min=1), help="How many copies Triton runs."),
    click.option("--threads", type=click.IntRange(min=0), help="Threads of each of them."),
    click.option("--labels", type=click.Path(exists=True, dir_okay=False), help="A line for each class."),
    click.option(
        "--versions", callback=_versions, metavar="N|N,N|all", help="Latest, or those, that it serves."
    ),
    click.option("--replace", is_flag=True, default=None, help="Let another config of the model go."),
)


def triton_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that writes repositories.

    Args:
        function: The command's.

    Returns:
        It, with the options.
    """
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def take_triton_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take what was said for Triton out of a command's options.

    Args:
        options: All of them, which lose these.

    Returns:
        Those that were given.

    Raises:
        UsageError: If there are some without `--to triton`.
    """
    to = options.pop("to")
    told = {name: value for name in _NAMES if (value := options.pop(name)) is not None}
    if to is None and told:
        name = next(iter(told)).replace("_", "-")
        raise click.UsageError(f"--{name} is for --to triton")
    return {"to": to, **told}


def write_repository(
    source: Files,
    output: str | None,
    shapes: Any,
    verify: Any,
    told: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Answer:
    """Write a model into a repository.

    Args:
        source: The model's files.
        output: The repository.
        shapes: What `--shape` says.
        verify: Whether, or how, it is proven.
        told: What is said for Triton.
        options: The command's other options.

    Returns:
        The folder of the version.
    """
    from ..deploy.triton_repository import triton

    if output is None:
        raise click.UsageError("the folder of a repository is required as --output of --to triton, got none")
    if options["precision"] != "float32" or any(options[name] for name in ("keep", "external_data")):
        raise click.UsageError(
            "--precision, --keep and --external-data are not for --to triton; convert first"
        )
    export = {"opset_version": options["opset"], "verify": verify}
    given = {name: value for name, value in told.items() if name != "to"}
    if len(source) == 1:
        context = click.get_current_context()
        said = [name for name in _FOR_MXNET if context.get_parameter_source(name) is not _DEFAULT]
        if said:
            raise click.UsageError(
                "--shape, --type, --opset and --verify of --to triton are for MXNet's files"
            )
    else:
        given |= {"params": source[1], "input_shapes": declared_shapes(source, shapes)}
        given |= {"in_types": options["types"], "export": {k: v for k, v in export.items() if v}}
    folder = triton(source[0], output, given.pop("name", None), **given)
    return Answer(f"written: {folder}", {"files": [folder]})
