"""Run two models on the same inputs, and tell whether they agree.

Each model is an ONNX file, or MXNet's prefix-symbol.json, whose parameters are those of the latest epoch
beside it unless --params or --second-params names others. Without SECOND a model of MXNet's is compared with
its own export, and an ONNX file with what it is imported as. The exit code is 1 if they do not agree.

    hybridonnx verify net-symbol.json net.onnx --shape data=2,3,224,224
    hybridonnx verify old.onnx new.onnx --input data=x.npy --layers --html parity.html
"""

from __future__ import annotations

from typing import Any

import click

from ..onnx import inspection
from ._arrays import Pixels, inputs_option, pixels_options, read_inputs
from ._command import Answer, command, step
from ._models import html_option, model_argument, parts, shapes_option, sizes_option, tolerance_option
from ._verify import compared

__all__ = ["verify"]


@command
@model_argument()
@model_argument("second", required=False)
@shapes_option
@sizes_option
@inputs_option
@pixels_options
@click.option("--layers", is_flag=True, help="Compare what is between inputs and outputs as well.")
@tolerance_option
@html_option
@click.option("--seed", default=0, show_default=True, help="What inputs are drawn from.")
def verify(
    model: str,
    params: str | None,
    second: str | None,
    second_params: str | None,
    shapes: Any,
    sizes: dict[str, int],
    inputs: tuple[str, ...],
    layers: bool,
    tolerance: float | None,
    seed: int,
    html: str | None,
    **options: Any,
) -> Answer:
    """Compare two models."""
    first = parts(model, params)
    other = None if second is None else parts(second, second_params)
    arrays = {}
    if inputs:
        arrays = read_inputs(inputs, inspection.inspect(*first, count=False).inputs, Pixels(**options))
    step(f"comparing {model} with {second or 'what it becomes'}")
    return compared(first, other, arrays, shapes, sizes, layers, tolerance, seed, html)
