"""Run two models on the same inputs, and tell whether they agree.

Each model is an ONNX file, or MXNet's prefix-symbol.json, whose parameters are those of the latest epoch
beside it unless --params or --second-params names others. Without SECOND a model of MXNet's is compared with
its own export, and an ONNX file with what it is imported as. The exit code is 1 if they do not agree.

    hybridonnx verify net-symbol.json net.onnx --shape data=2,3,224,224
    hybridonnx verify old.onnx new.onnx --input data=x.npy --html parity.html
    hybridonnx verify old.onnx new.onnx --size batch=1,2,16
    hybridonnx verify old.onnx new.onnx --inputs validation --metric top1

Inputs are drawn unless they are given, and free sizes are tried at 1, 2 and 7. A folder of --inputs has
images, which are cut to the model's size from the middle, their pixels from 0 to 1 unless --scale says
otherwise, or .npz and .npy files; with --metric a folder of images for each class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from click.core import ParameterSource

from ..onnx import inspection
from ._arrays import Pixels, inputs_option, pixels_options, read_inputs
from ._command import Answer, command, step
from ._isolated import isolation_options
from ._models import Files, input_names, model_argument, parts, require_names, require_parameters
from ._options import html_option, shapes_option, tolerance_option, trial_sizes_option
from ._verify import compared

__all__ = ["verify"]


@command
@isolation_options
@model_argument()
@model_argument("second", required=False)
@shapes_option
@trial_sizes_option
@inputs_option
@click.option(
    "--inputs",
    "source",
    type=click.Path(exists=True, path_type=str),
    help="A folder of images, or of .npz or .npy files; or one such file.",
)
@pixels_options
@click.option("--metric", help="Compare this of both models on labelled inputs: top1, top5, rmse ….")
@click.option("--samples", type=click.IntRange(1), help="How many samples are taken or drawn.")
@click.option(
    "--precision",
    type=click.Choice(("float32", "float16", "bfloat16")),
    help="Whose rounding the second model is granted; that of most of its weights unless given.",
)
@click.option(
    "--layers/--no-layers",
    default=True,
    show_default=True,
    help="Compare what is between inputs and outputs as well, which takes up to twice the time.",
)
@tolerance_option
@html_option
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="What inputs are drawn from."
)
def verify(
    model: str,
    params: str | None,
    second: str | None,
    second_params: str | None,
    shapes: Any,
    sizes: dict[str, tuple[int, ...]],
    inputs: tuple[str, ...],
    source: str | None,
    layers: bool,
    tolerance: float | None,
    html: str | None,
    scale: float,
    mean: tuple[float, ...],
    std: tuple[float, ...],
    bgr: bool,
    **options: Any,
) -> Answer:
    """Compare two models."""
    first = parts(model, params)
    other = None if second is None else parts(second, second_params)
    given: Any = source
    if inputs and source:
        raise click.UsageError("--input or --inputs is required, got both")
    if inputs:
        pixels = Pixels(scale, mean, std, bgr)
        given = read_inputs(inputs, inspection.inspect(*first, count=False).inputs, pixels)
    elif source:
        options |= _colours(scale, mean, std, bgr)
    models = [first] if other is None else [first, other]
    require_names(models, shapes, sizes)
    if not source:
        _require_parameters(models, given, shapes)
    step(f"comparing {model} with {second or 'what it becomes'}")
    return compared(first, other, given, shapes, sizes, layers, tolerance, html, **options)


def _require_parameters(models: Sequence[Files], arrays: Any, shapes: Any) -> None:
    """Refuse a graph whose parameters are neither in a file nor told as inputs are."""
    contents = [inspection.inspect(*files, count=False).inputs for files in models]
    known = {item.name for inputs in contents for item in inputs if item.shape is not None}
    for files, inputs in zip(models, contents, strict=True):
        names = [item.name for item in inputs]
        require_parameters(files, {*names} - known - {*input_names(shapes, names), *(arrays or ())})


def _colours(scale: float, mean: tuple[float, ...], std: tuple[float, ...], bgr: bool) -> dict[str, Any]:
    """What becomes of the images in a folder, whose pixels go from 0 to 1 unless a scale is asked for."""
    if bgr:
        raise click.UsageError("--bgr is for images of --input, got it for --inputs")
    said = click.get_current_context().get_parameter_source("scale")
    part = 1.0 if said is ParameterSource.DEFAULT else scale / 255
    return {"mean": [part * x for x in mean or (0.0,)], "std": [part * x for x in std or (1.0,)]}
