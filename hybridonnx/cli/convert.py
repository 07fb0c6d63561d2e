"""Convert a model: MXNet's files to ONNX, an ONNX file to MXNet's, or to an ONNX file of another kind.

MODEL is MXNet's prefix-symbol.json, whose parameters are those of the latest epoch beside it unless --params
names others, or an ONNX file. What is written is as the name after --output: one that ends with .onnx is an
ONNX file, any other a prefix, for prefix-symbol.json and prefix-0000.params. Without it the other kind is
written beside MODEL. Files that are there are replaced.

With --verify both models are compared, with free sizes of 1, 2 and 7 unless --size says another number, and
the exit code is 1 if they do not agree.

    hybridonnx convert net-symbol.json --shape data=batch,3,224,224 --verify
    hybridonnx convert net.onnx --output imported
    hybridonnx convert net.onnx --output half.onnx --precision float16
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..model import save_checkpoint
from ..onnx import models
from ._command import Answer, command, step
from ._models import (
    Files,
    declared_shapes,
    model_argument,
    opset_option,
    parts,
    shapes_option,
    sizes_option,
    tolerance_option,
    types_option,
)
from ._verify import compared

__all__ = ["convert"]

_PRECISIONS = ("float32", "mixed", "float16")


@command
@model_argument()
@click.option("-o", "--output", type=click.Path(), help="An .onnx file, or a prefix for MXNet's files.")
@shapes_option
@types_option
@sizes_option
@opset_option
@click.option(
    "--precision",
    type=click.Choice(_PRECISIONS),
    default="float32",
    show_default=True,
    help="What an ONNX file computes in; mixed is float16 but for what needs float32.",
)
@click.option("--keep", multiple=True, help="A node or an operator that stays in float32. May be repeated.")
@click.option("--external-data", is_flag=True, help="Put the weights of an ONNX file beside it.")
@click.option("--verify", is_flag=True, help="Compare what was read with what was written.")
@tolerance_option
def convert(
    model: str,
    params: str | None,
    output: str | None,
    shapes: Any,
    sizes: dict[str, int],
    verify: bool,
    tolerance: float | None,
    **options: Any,
) -> Answer:
    """Convert a model."""
    source = parts(model, params)
    target = output or _beside(source)
    _require(source, target, options)
    step(f"converting {model}")
    if target.endswith(".onnx"):
        written, shapes = _to_onnx(source, target, shapes, **options)
    else:
        written = _to_mxnet(source[0], target, shapes)
    line, data = f"written: {', '.join(map(str, written))}", {"files": written}
    if not verify:
        return Answer(line, data)
    step(f"comparing {model} with {target}")
    answer = compared(source, written, shapes=shapes, sizes=sizes, tolerance=tolerance)
    return Answer(f"{line}\n{answer.text}", {**data, "verification": answer.document()}, answer.yes)


def _require(source: Files, target: str, options: Mapping[str, Any]) -> None:
    """Refuse what cannot be meant."""
    if os.path.realpath(target) == os.path.realpath(source[0]):
        raise click.UsageError(f"another file than the model's is required as --output, got {target}")
    if target.endswith(".onnx"):
        return
    if len(source) == 2:
        raise click.UsageError(f"a name that ends with .onnx is required for MXNet's files, got {target}")
    if options["precision"] != "float32" or any(options[name] for name in ("opset", "keep", "external_data")):
        raise click.UsageError("--opset, --precision, --keep and --external-data are for ONNX files")


def _beside(source: Files) -> str:
    """What is written unless the command line says: the other kind, of the same name."""
    path = Path(source[0] or "")
    if len(source) == 1:
        return os.fspath(path.with_suffix(""))
    return os.fspath(path.with_name(f"{path.name.removesuffix('.json').removesuffix('-symbol')}.onnx"))


def _to_onnx(
    source: Files,
    target: str,
    shapes: Any,
    types: Any,
    opset: int | None,
    precision: Any,
    keep: Sequence[str],
    external_data: bool,
) -> tuple[Files, Any]:
    """Write an ONNX file; its name, and the shapes of its inputs."""
    how: dict[str, Any] = {
        "opset_version": opset,
        "precision": precision,
        "keep": keep,
        "external_data": external_data,
    }
    if len(source) == 1:
        block = models.import_to_gluon(str(source[0]), input_shapes=shapes)
        return (models.export_model(block, target, **how),), shapes
    shapes = declared_shapes(source, shapes)
    symbol, params = str(source[0]), source[1]
    file = models.export_model(symbol, params, shapes, types, target, **how)
    return (file,), shapes


def _to_mxnet(source: str | None, prefix: str, shapes: Any) -> tuple[str, str]:
    """Write a symbol and its parameters; the names of both files."""
    symbol, arguments, states = models.import_model(str(source), input_shapes=shapes)
    save_checkpoint(prefix, 0, symbol, arguments, states)
    return f"{prefix}-symbol.json", f"{prefix}-0000.params"
