"""Tell what time each node, operator and layer of a model takes in ONNX Runtime.

The model is an ONNX file, or MXNet's prefix-symbol.json, which is exported before and so needs --shape. Nodes
are those that ONNX Runtime runs, by the names of what they were made of. A free size is given by --size; the
first one of an input is 1 without. --trace keeps ONNX Runtime's profile, which chrome://tracing shows.

    hybridonnx profile model.onnx --size batch=8 --threads 1
    hybridonnx profile bert.onnx --input sentence.npz --depth 3
    hybridonnx profile resnet-symbol.json --shape data=1,3,224,224 --json
"""

from __future__ import annotations

from typing import Any

import click

from ..onnx import model_profile
from ._arrays import inputs_option
from ._command import Answer, command, step
from ._isolated import isolation_options
from ._measured import arrays_in, checked_shapes, source
from ._models import model_argument, parts
from ._options import OutputFile, html_option, shapes_option, sizes_option

__all__ = ["profile"]


@command
@isolation_options
@model_argument()
@shapes_option
@sizes_option
@inputs_option
@click.option(
    "--runs", type=click.IntRange(1), default=20, show_default=True, help="How many runs are measured."
)
@click.option(
    "--warmup",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="How many runs come before, and do not count.",
)
@click.option(
    "--threads",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Threads; 0: as many as ONNX Runtime likes.",
)
@click.option("--depth", type=click.IntRange(1), help="Parts of a layer's name that are counted together.")
@click.option(
    "--rows", type=click.IntRange(1), default=15, show_default=True, help="Rows of each table at most."
)
@click.option("--trace", type=OutputFile(), help="Keep the profile in this file.")
@html_option
def profile(
    model: str,
    params: str | None,
    inputs: tuple[str, ...],
    shapes: Any,
    sizes: dict[str, int],
    depth: int | None,
    rows: int,
    html: str | None,
    **options: Any,
) -> Answer:
    """Tell where the time of a model goes."""
    files = parts(model, params)
    step(f"reading {model}")
    arrays = arrays_in(inputs, files)
    shapes = checked_shapes([files], shapes, sizes, arrays)
    step(f"running {model}")
    result = model_profile.profile(source(files), arrays, shapes=shapes, sizes=sizes, **options)
    if html is not None:
        result.to_html(html)
    return Answer(result.text(depth, rows), result.to_json())
