"""Tell what hybridonnx runs on, and what goes wrong there; with a model, what is odd in its weights.

The exit code is 1 if there is a problem: several packages of ONNX Runtime or of OpenCV at once, packages that
are too old or cannot be imported, a first graph that does not run, or weights that are denormal, infinite or
NaN.

    hybridonnx doctor
    hybridonnx doctor model.onnx
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..runtime import diagnosis
from ._command import Answer, command, step
from ._models import Files, model_argument, parts, require_parameters

if TYPE_CHECKING:
    from ..onnx.weights import OddWeights

__all__ = ["doctor"]


@command
@model_argument(required=False)
def doctor(model: str | None, params: str | None) -> Answer:
    """Look for what is wrong."""
    step("looking at packages")
    found = diagnosis.diagnose()
    odd: list[OddWeights] = []
    if model is not None and not found.broken:
        step(f"reading the weights of {model}")
        odd = _odd_weights(parts(model, params))
    lines = [str(found), *(f"PROBLEM         {model}: {row}" for row in odd)]
    if odd:
        lines.append("Set denormal weights to 0, and take others from before training diverged.")
    answer = Answer("", found.to_json()).document()
    data = {**answer, "weights": [row._asdict() for row in odd], "ok": found.ok() and not odd}
    return Answer("\n".join(lines), data, data["ok"])


def _odd_weights(files: Files) -> list[OddWeights]:
    from ..onnx.weights import odd_weights  # which needs packages that may be broken

    require_parameters(files)
    return odd_weights(*files)
