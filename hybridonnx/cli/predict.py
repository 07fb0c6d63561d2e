"""Predict all rows of files, each once, and write the outputs to Parquet files.

MODEL is an ONNX file, or MXNet's prefix-symbol.json with the parameters beside it. --input is a file, a
folder or a pattern: Parquet, .npz, .npy, .rec, or images.

    hybridonnx predict model.onnx --input pictures --output scores --scale 255
    hybridonnx predict model.onnx --input 'rows/*.parquet' --column data=pixels --keep id --output scores

The folder of --output has a file for each thousand rows or so, with a column for each output, and `source`
and `row`, which say where each row comes from. A command that was ended, by a kill too, is given again as it
was: it goes on with what is not done, and gives the same files. Needs the extra `predict`; --engine ray and
spark need theirs.
"""

from __future__ import annotations

from typing import Any

import click

from ..deploy.batch import predict as predicted
from ..deploy.pixels import Pixels
from ..deploy.prediction import Predictor
from ._arrays import pixels_options
from ._command import Answer, command, step
from ._models import model_argument

__all__ = ["predict"]


def _pairs(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Columns by the names of inputs."""
    pairs = [text.partition("=") for text in texts]
    wrong = [text for text, (name, equals, column) in zip(texts, pairs, strict=True) if not (name and column)]
    if wrong:
        raise click.BadParameter(f"an input and a column, as in data=pixels, are required, got {wrong[0]!r}.")
    return {name: column for name, _, column in pairs}


_AT_LEAST_ONE = click.IntRange(min=1)


@command
@model_argument()
@click.option(
    "--input",
    "inputs",
    multiple=True,
    required=True,
    metavar="PATH",
    help="A file, folder or pattern. May be repeated.",
)
@click.option(
    "-o", "--output", required=True, type=click.Path(file_okay=False), help="The folder of the results."
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray", "spark"]),
    default="local",
    show_default=True,
    help="Who works.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    default=0,
    help="How many; as many as there are processors unless given.",
)
@click.option(
    "--column", "columns", multiple=True, callback=_pairs, metavar="NAME=COLUMN", help="An input's column."
)
@click.option(
    "--keep", multiple=True, metavar="COLUMN", help="A column that is written, too. May be repeated."
)
@click.option("--outputs", multiple=True, metavar="NAME", help="An output that is wanted; all unless given.")
@click.option(
    "--batch", type=_AT_LEAST_ONE, default=32, show_default=True, help="Rows that the model gets at once."
)
@click.option(
    "--shard-rows", type=_AT_LEAST_ONE, default=1024, show_default=True, help="Rows of a file of results."
)
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="What to do at a row that cannot be predicted; skipped ones are told of in _bad.",
)
@click.option("--overwrite", is_flag=True, help="Let the results of another job in the folder go.")
@click.option(
    "--crop", is_flag=True, help="Keep an image's ratio and take its middle, instead of stretching it."
)
@pixels_options
def predict(
    model: str,
    params: str | None,
    inputs: tuple[str, ...],
    output: str,
    keep: tuple[str, ...],
    outputs: tuple[str, ...],
    scale: float,
    mean: tuple[float, ...],
    std: tuple[float, ...],
    bgr: bool,
    crop: bool,
    **options: Any,
) -> Answer:
    """Predict all rows of files."""
    step(f"reading {model}")
    predictor = Predictor(model, params, keep=keep, outputs=outputs, threads=1)
    report = predicted(predictor, list(inputs), output, pixels=Pixels(scale, mean, std, bgr, crop), **options)
    return Answer(str(report), report.to_json())
