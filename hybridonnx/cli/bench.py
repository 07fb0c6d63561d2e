"""Measure how long models take in ONNX Runtime, beside each other: percentiles by threads and batch sizes.

Models are ONNX files, or MXNet's prefix-symbol.json with the parameters of the latest epoch beside it, which
are exported before and so need --shape. Several run in turns. Free sizes are given by --size, those of rows
by --batch. Where the machine does too much else for the times to be believed, the last lines say so.

    hybridonnx bench model.onnx --batch 1,8,32 --threads 1,4
    hybridonnx bench before.onnx after.onnx --svg times.svg
"""

from __future__ import annotations

from typing import Any

import click

from ..onnx import benchmark
from ._arrays import inputs_option
from ._command import Answer, command, step
from ._isolated import isolation_options
from ._measured import arrays_in, checked_shapes, source
from ._models import parts
from ._options import POSITIVE, OutputFile, html_option, numbers, shapes_option, sizes_option

__all__ = ["bench"]


@command
@isolation_options
@click.argument("models", nargs=-1, required=True, type=click.Path(path_type=str))
@click.option(
    "--params", help="The .params file of the model, if there is one model and it is a symbol.json."
)
@shapes_option
@sizes_option
@inputs_option
@click.option(
    "--threads", default="1,2", show_default=True, callback=numbers(0), help="Numbers of threads; 0: all."
)
@click.option("--batch", "batch_sizes", callback=numbers(1), help="First sizes of the inputs, as in 1,8.")
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Runs of each model at each number of both.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Rounds that these are divided into.",
)
@click.option(
    "--warmup",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many runs come before, and do not count.",
)
@click.option(
    "--seconds", type=POSITIVE, default=10.0, show_default=True, help="No more rounds begin after this time."
)
@click.option("--svg", type=OutputFile(), help="Draw the times into this file.")
@html_option
def bench(
    models: tuple[str, ...],
    params: str | None,
    inputs: tuple[str, ...],
    shapes: Any,
    sizes: dict[str, int],
    svg: str | None,
    html: str | None,
    **options: Any,
) -> Answer:
    """Measure how long models take."""
    if params is not None and len(models) > 1:
        raise click.UsageError(f"one model is required with --params, got {len(models)}")
    files = [parts(model, params) for model in models]
    step(f"reading {', '.join(models)}")
    arrays = arrays_in(inputs, files[0])
    shapes = checked_shapes(files, shapes, sizes, arrays)
    step(f"running {', '.join(models)}")
    result = benchmark.bench([*map(source, files)], arrays, shapes=shapes, sizes=sizes, **options)
    if svg is not None:
        result.to_svg(svg)
    if html is not None:
        result.to_html(html)
    return Answer(str(result), result.to_json())
