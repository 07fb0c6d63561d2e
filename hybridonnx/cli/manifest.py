"""Tell what a file's manifest says, and whether its files are still those that were proven.

MODEL is an ONNX file that `convert --verify`, or `export_model` with `verify=True`, wrote; its manifest is
beside it. SOURCE is MXNet's prefix-symbol.json, with the parameters of the latest epoch beside it unless
--source-params names others: whether the file was made of these. The exit code is 1 if anything has changed.

    hybridonnx manifest net.onnx
    hybridonnx manifest net.onnx net-symbol.json
"""

from __future__ import annotations

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
    files = None if source is None else parts(source, source_params)
    if files is not None and len(files) == 1:
        raise click.UsageError(f"a symbol.json is required as SOURCE, got {source}")
    step(f"reading the files of {model}")
    check = check_manifest(model, files)
    return Answer(str(check), check.to_json(), check.ok())
