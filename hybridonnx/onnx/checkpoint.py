"""ONNX models as MXNet's files, which may be proven before they take their names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..checkpoint import StagedCheckpoint, staged_checkpoint
from ..converters.from_onnx import Model, import_model, read
from ..converters.inspection import facts, weight_files
from ..converters.to_onnx import arrays_by_name
from ..formats.files import staged_file, take_places
from ..ndarray.files import load as load_arrays
from ..symbol.symbol import load as load_symbol
from ._proof import Proof, checked_options
from .models import FreeShape, ProofOptions
from .models import verify as _verify

__all__ = ["import_to_checkpoint"]


def import_to_checkpoint(
    model_file: str | os.PathLike[str] | bytes,
    prefix: str | os.PathLike[str],
    epoch: int = 0,
    input_shapes: Mapping[str, FreeShape] | Sequence[FreeShape | None] | None = None,
    *,
    verify: bool | ProofOptions = False,
) -> tuple[str, str]:
    """Write an ONNX model as MXNet's `PREFIX-symbol.json` and `PREFIX-NNNN.params`, and return both names.

    `input_shapes` gives sizes that the file leaves free, as `import_model` takes them. Where MXNet has no
    operator for a node there is one of ONNX's own, which hybridonnx alone reads back.

    With `verify` what is in the two files runs beside the ONNX file before they take their names, as
    `export_model` does it the other way: `ParityError` tells of a fault and leaves the older files, or none.
    The manifest beside the symbol is for `check_manifest`.
    """
    options = checked_options(verify, "import_to_checkpoint") if verify else None
    symbol, arguments, states = import_model(model_file, input_shapes=input_shapes)
    with staged_checkpoint(prefix, epoch, symbol, arguments, states) as staged:
        if options is None:
            return staged.take_place()
        content = _read(model_file)
        export = {"format": "MXNet", "precision": "float32", "input_shapes": input_shapes}
        proof = Proof(
            partial(_verify, options.pop("model", model_file), shapes=_by_name(input_shapes, content)),
            symbol,
            arrays_by_name([arguments, states]),
            {},
            options,
            export,
            [] if isinstance(model_file, bytes) else [model_file, *weight_files(content)],
            "import_to_checkpoint",
        )
        symbol_path, params_path = map(Path, staged.names)
        files = {symbol_path.name: staged.symbol.path, params_path.name: staged.parameters.path}
        name, text = proof.manifest(symbol_path, files, _loaded(staged), facts(content))
        with staged_file(name, [text]) as manifest:
            take_places(staged.parameters, staged.symbol, manifest)
    return staged.names


def _read(model_file: str | os.PathLike[str] | bytes) -> Model:
    return read(model_file if isinstance(model_file, bytes) else os.fspath(model_file))


def _by_name(
    shapes: Mapping[str, FreeShape] | Sequence[FreeShape | None] | None, content: Model
) -> dict[str, FreeShape] | None:
    """The shapes that are given, as `verify` takes them."""
    if shapes is None or isinstance(shapes, Mapping):
        return None if shapes is None else dict(shapes)
    pairs = zip(facts(content).inputs, shapes, strict=False)
    return {item.name: shape for item, shape in pairs if shape is not None} or None


def _loaded(staged: StagedCheckpoint) -> tuple[Any, Any]:
    """What is in the files, as `verify` takes it."""
    return load_symbol(staged.symbol.path), load_arrays(staged.parameters.path)
