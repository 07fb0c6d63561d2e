"""Tell what is different between two models, in inputs, opsets, metadata, nodes and weights.

Models are ONNX files, or MXNet's prefix-symbol.json with the parameters of the latest epoch beside it; or
files of parameters alone, .params or .safetensors. Nodes and weights that are called differently are known by
the structure of the graph and by what they hold, and other names are no difference. The exit code is 1 where
the models differ.

    hybridonnx diff before.onnx after.onnx
    hybridonnx diff net-symbol.json net.onnx
    hybridonnx diff net-0001.params net-0010.params --json
"""

from __future__ import annotations

import click

from ..onnx import model_diff
from ._command import Answer, command, step
from ._measured import source
from ._models import html_option, model_argument, parts

__all__ = ["diff"]


@command
@model_argument("first")
@model_argument("second")
@click.option("--names", is_flag=True, help="List what is the same under another name.")
@html_option
def diff(
    first: str,
    first_params: str | None,
    second: str,
    second_params: str | None,
    names: bool,
    html: str | None,
) -> Answer:
    """Tell what is different between two models."""
    one, other = (
        source(parts(model, params, alone=True))
        for model, params in ((first, first_params), (second, second_params))
    )
    step(f"comparing {first} and {second}")
    result = model_diff.diff(one, other)
    if html is not None:
        result.to_html(html)
    lines = [str(result), *(f"  {change}" for change in result.renames if names)]
    return Answer("\n".join(lines), result.to_json(), yes=result.equal)
