"""Tell whether a model can be converted, and all that stands in the way, without writing anything.

MODEL is MXNet's prefix-symbol.json, of which is told what each operator becomes in ONNX; or an ONNX file, of
which is told whether it can be imported. The exit code is 1 if it cannot.

    hybridonnx check net-symbol.json --shape data=batch,3,224,224 --opset 13
    hybridonnx check model.onnx
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..errors import FormatError, MissingFileError, MXNetError
from ..onnx import models
from ._command import Answer, command, step
from ._models import declared_shapes, model_argument, parts, require_names
from ._options import opset_option, shapes_option, types_option

__all__ = ["check"]


@command
@model_argument()
@shapes_option
@types_option
@opset_option
def check(model: str, params: str | None, shapes: Any, types: Any, opset: int | None) -> Answer:
    """Tell whether a model can be converted."""
    source = parts(model, params)
    step(f"checking {model}")
    require_names([source], shapes, types=types)
    if len(source) == 1:
        return _importable(source[0], shapes)
    support = models.check(*source, declared_shapes(source, shapes), types, opset_version=opset)
    nodes = [node._asdict() for node in support.nodes]
    return Answer(str(support), {"ok": support.ok(), "opset": support.opset, "nodes": nodes}, support.ok())


def _importable(path: str, shapes: Any) -> Answer:
    """Whether an ONNX file can be imported."""
    try:
        symbol, arguments, states = models.import_model(path, input_shapes=shapes)
    except (FormatError, MissingFileError):
        raise
    except MXNetError as exc:
        return Answer(str(exc), {"ok": False, "problem": str(exc)}, yes=False)
    counts = Counter(node.op_name for node in symbol.nodes() if not node.is_variable)
    lines = [f"{'operator':<32} {'nodes':>5}"]
    lines += [f"{name:<32} {count:>5}" for name, count in sorted(counts.items())]
    lines.append(f"all of it can be imported, with {len(arguments) + len(states)} parameters")
    return Answer("\n".join(lines), {"ok": True, "operators": dict(counts)})
