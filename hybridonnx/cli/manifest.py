"""Tell what a file's manifest says, and whether its files are still those that were proven.

MODEL is a file that `convert --verify`, or `verify=True` in Python, wrote: an ONNX file, or a symbol.json.
Its manifest is beside it. SOURCE is what it was made of, if that shall be checked too: an ONNX file, or
MXNet's prefix-symbol.json, with the parameters of the latest epoch beside it unless --source-params names
others. The exit code is 1 if anything has changed.

    hybridonnx manifest net.onnx
    hybridonnx manifest net.onnx net-symbol.json
    hybridonnx manifest imported-symbol.json net.onnx
"""

from __future__ import annotations

from typing import Any

import click

from ..onnx.manifest import check_manifest
from ._command import Answer, command, step
from ._models import model_argument, parts

__all__ = ["manifest"]


@command
@click.argument("model", type=click.Path())
@model_argument("source", required=False)
def manifest(model: str, source: str | None, source_params: str | None) -> Answer:
    """Tell whether files are those that were proven."""
    files: Any = None if source is None else parts(source, source_params)
    step(f"reading the files of {model}")
    check = check_manifest(model, files[0] if files is not None and len(files) == 1 else files)
    return Answer(str(check), check.to_json(), check.ok())
