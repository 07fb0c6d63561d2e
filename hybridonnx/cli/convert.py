"""Convert a model: MXNet's files to ONNX, an ONNX file to MXNet's, or to an ONNX file of another kind.

MODEL is MXNet's prefix-symbol.json, whose parameters are those of the latest epoch beside it unless --params
names others, or an ONNX file. What is written is as the name after --output: one that ends with .onnx is an
ONNX file, any other a prefix, for prefix-symbol.json and prefix-0000.params. Without it the other kind is
written beside MODEL. Files that are there are replaced.

With --verify both models are compared; each free size is 1, 2 and 7 unless --size says other numbers. If
they do not agree the exit code is 1, and nothing is written. A manifest beside the file tells what was
proven, which the command manifest reads. With --to triton --output is Triton's model repository, which gets a
version of the model, with its config.

    hybridonnx convert net-symbol.json --shape data=batch,3,224,224 --verify
    hybridonnx convert net.onnx --output imported
    hybridonnx convert net.onnx --output half.onnx --precision float16
    hybridonnx convert net.onnx --to triton --output repository
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..onnx import checkpoint, models
from ..onnx.manifest import check_manifest
from ._command import Answer, command, step
from ._isolated import isolation_options
from ._models import Files, declared_shapes, model_argument, parts, require_names
from ._options import (
    opset_option,
    shapes_option,
    tolerance_option,
    trial_sizes_option,
    types_option,
)
from ._triton import take_triton_options, triton_options, write_repository

__all__ = ["convert"]

_PRECISIONS = ("float32", "mixed", "float16")


@command
@isolation_options
@model_argument()
@click.option("-o", "--output", type=click.Path(), help="An .onnx file, or a prefix for MXNet's files.")
@shapes_option
@types_option
@trial_sizes_option
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
@click.option("--verify", is_flag=True, help="Compare what was read with what is written.")
@tolerance_option
@triton_options
def convert(
    model: str,
    params: str | None,
    output: str | None,
    shapes: Any,
    sizes: dict[str, tuple[int, ...]],
    verify: bool,
    tolerance: float | None,
    **options: Any,
) -> Answer:
    """Convert a model."""
    triton = take_triton_options(options)
    source = parts(model, params)
    proof: models.ProofOptions = {"sizes": sizes}
    if tolerance is not None:
        proof["tol"] = tolerance
    if triton["to"] is not None:
        require_names([source], shapes, sizes, options["types"])
        return write_repository(source, output, shapes, verify and proof, triton, options)
    target = output or _beside(source)
    _require(source, target, options)
    require_names([source], shapes, sizes, options["types"])
    step(f"converting {model}")
    if not verify:
        return _written(*_convert(source, target, shapes, False, options))
    return _proven(source, target, shapes, proof, options)


def _written(*files: str) -> Answer:
    return Answer(f"written: {', '.join(files)}", {"files": files})


def _proven(
    source: Files, target: str, shapes: Any, proof: models.ProofOptions, options: Mapping[str, Any]
) -> Answer:
    """Files that are written if they compute what was read."""
    if len(source) == 1:
        proof["model"] = source[0]
    step(f"comparing {source[0]} with {target}")
    try:
        files = _convert(source, target, shapes, proof, options)
    except models.ParityError as exc:
        report = {} if exc.report is None else json.loads(exc.report.to_json())
        return Answer(f"not written: {target}\n{exc}", {"files": [], "verification": report}, yes=False)
    line, check = _written(*files), check_manifest(files[0])
    data = {**line.data, "manifest": f"{files[0]}.manifest.json", "verification": check.manifest.proof}
    return Answer(f"{line.text}\n{check}", data)


def _convert(
    source: Files, target: str, shapes: Any, verify: bool | models.ProofOptions, options: Mapping[str, Any]
) -> tuple[str, ...]:
    """Write the files; their names."""
    if target.endswith(".onnx"):
        return (_to_onnx(source, target, shapes, verify, **options),)
    return checkpoint.import_to_checkpoint(str(source[0]), target, input_shapes=shapes, verify=verify)


def _require(source: Files, target: str, options: Mapping[str, Any]) -> None:
    """Refuse what cannot be meant."""
    if not os.path.basename(target) or (target.endswith(".onnx") and os.path.isdir(target)):
        raise click.UsageError(
            f"the name of a file, or a prefix, is required as --output, got a folder's, {target}"
        )
    if os.path.realpath(target) == os.path.realpath(source[0]):
        raise click.UsageError(f"another file than the model's is required as --output, got {target}")
    if not Path(target).parent.is_dir():
        raise click.UsageError(f"a folder that is there is required for --output, got {Path(target).parent}")
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
