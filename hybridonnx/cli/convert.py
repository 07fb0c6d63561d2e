"""Convert a model: MXNet's files to ONNX, an ONNX file to MXNet's, or to an ONNX file of another kind.

MODEL is MXNet's prefix-symbol.json, whose parameters are those of the latest epoch beside it unless --params
names others, or an ONNX file. What is written is as the name after --output: one that ends with .onnx is an
ONNX file, any other a prefix, for prefix-symbol.json and prefix-0000.params. Without it the other kind is
written beside MODEL. Files that are there are replaced.

With --verify both models are compared; each free size is 1, 2 and 7 unless --size says another number. If
they do not agree the exit code is 1, and no ONNX file is written. A manifest beside the file tells what was
proven, which the command manifest reads.

    hybridonnx convert net-symbol.json --shape data=batch,3,224,224 --verify
    hybridonnx convert net.onnx --output imported
    hybridonnx convert net.onnx --output half.onnx --precision float16
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..model import save_checkpoint
from ..onnx import models
from ..onnx.manifest import check_manifest
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
    if not target.endswith(".onnx"):
        written = _to_mxnet(source[0], target, shapes)
        return _with_comparison(source, written, shapes, sizes, tolerance) if verify else _written(*written)
    if not verify:
        return _written(_to_onnx(source, target, shapes, **options))
    proof: models.ProofOptions = {"sizes": sizes}
    if tolerance is not None:
        proof["tol"] = tolerance
    return _proven(source, target, shapes, proof, options)


def _written(*files: str) -> Answer:
    return Answer(f"written: {', '.join(files)}", {"files": files})


def _with_comparison(
    source: Files, files: tuple[str, str], shapes: Any, sizes: dict[str, int], tolerance: float | None
) -> Answer:
    """What was written, compared with what was read."""
    step(f"comparing {source[0]} with {files[0]}")
    line, answer = _written(*files), compared(source, files, shapes=shapes, sizes=sizes, tolerance=tolerance)
    data = {**line.data, "verification": answer.document()}
    return Answer(f"{line.text}\n{answer.text}", data, answer.yes)


def _proven(
    source: Files, target: str, shapes: Any, proof: models.ProofOptions, options: Mapping[str, Any]
) -> Answer:
    """An ONNX file that is written if it computes what was read."""
    if len(source) == 1:
        proof["model"] = source[0]
    step(f"comparing {source[0]} with {target}")
    try:
        file = _to_onnx(source, target, shapes, proof, **options)
    except models.ParityError as exc:
        report = {} if exc.report is None else json.loads(exc.report.to_json())
        return Answer(f"not written: {target}\n{exc}", {"files": [], "verification": report}, yes=False)
    line, check = _written(file), check_manifest(file)
    data = {**line.data, "manifest": f"{file}.manifest.json", "verification": check.manifest.proof}
    return Answer(f"{line.text}\n{check}", data)


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
    verify: bool | models.ProofOptions = False,
    *,
    types: Any,
    opset: int | None,
    precision: Any,
    keep: Sequence[str],
    external_data: bool,
) -> str:
    """Write an ONNX file; its name."""
    how: dict[str, Any] = {
        "opset_version": opset,
        "precision": precision,
        "keep": keep,
        "external_data": external_data,
        "verify": verify,
    }
    if len(source) == 1:
        block = models.import_to_gluon(str(source[0]), input_shapes=shapes)
        return models.export_model(block, target, **how)
    shapes = declared_shapes(source, shapes)
    return models.export_model(str(source[0]), source[1], shapes, types, target, **how)


def _to_mxnet(source: str | None, prefix: str, shapes: Any) -> tuple[str, str]:
    """Write a symbol and its parameters; the names of both files."""
    symbol, arguments, states = models.import_model(str(source), input_shapes=shapes)
    save_checkpoint(prefix, 0, symbol, arguments, states)
    return f"{prefix}-symbol.json", f"{prefix}-0000.params"
