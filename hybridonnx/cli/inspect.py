"""Tell what is in a model: inputs, outputs, parameters, operators, multiply-adds, sizes and versions.

The model is an ONNX file, or MXNet's prefix-symbol.json, whose parameters are those of the latest epoch
beside it unless --params names others. Multiply-adds are counted for free sizes of 1, unless --size says
another number.

    hybridonnx inspect model.onnx --size batch=8
    hybridonnx inspect resnet-symbol.json --shape data=batch,3,224,224
"""

from __future__ import annotations

from typing import Any

import click

from ..onnx import inspection
from ._command import Answer, command, step
from ._models import model_argument, parts, require_names
from ._options import shapes_option, sizes_option

__all__ = ["inspect"]


@command
@model_argument()
@shapes_option
@sizes_option
@click.option("--parameters", is_flag=True, help="List every parameter.")
def inspect(model: str, params: str | None, shapes: Any, sizes: dict[str, int], parameters: bool) -> Answer:
    """Tell what is in a model."""
    source = parts(model, params)
    step(f"reading {model}")
    require_names([source], shapes, sizes)
    content = inspection.inspect(*source, shapes=shapes, sizes=sizes)
    lines = [str(content)]
    if parameters:
        lines += [f"{item.name} {item.shape} {item.dtype}, {item.bytes} bytes" for item in content.parameters]
    return Answer("\n".join(lines), content.to_json())
