"""Imports of comparisons and logic; ONNX's bool becomes 0 and 1 in the dtype of the inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ._arithmetic import alike, begun_at, two
from ._registry import ML, imports

_COMPARISONS: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "Equal": ("equal", "equal", (7, 11, 13, 19)),
    "Greater": ("greater", "lesser", (7, 9, 13)),
    "GreaterOrEqual": ("greater_equal", "lesser_equal", (12, 16)),
    "Less": ("lesser", "greater", (7, 9, 13)),
    "LessOrEqual": ("lesser_equal", "greater_equal", (12, 16)),
    "And": ("logical_and", "logical_and", (7,)),
    "Or": ("logical_or", "logical_or", (7,)),
    "Xor": ("logical_xor", "logical_xor", (7,)),
}
"""ONNX's name to MXNet's, MXNet's with the operands exchanged, and the versions."""


def _comparison(onnx_type: str, stem: str, reflected: str, versions: tuple[int, ...]) -> None:
    @imports(onnx_type, versions=versions)
    def function(F: Any, a: Any, b: Any) -> Any:
        a, b = alike(F, a, b)
        return two(F, a, b, f"broadcast_{stem}", f"_{stem}_scalar", f"_{reflected}_scalar")

    if 7 in versions:

        @imports(onnx_type, versions=(1,))
        def aligned(F: Any, a: Any, b: Any, *, axis: int | None = None, broadcast: int = 0) -> Any:
            return function(F, a, begun_at(F, a, b, axis) if broadcast else b)


for _type, (_stem, _reflected, _versions) in _COMPARISONS.items():
    _comparison(_type, _stem, _reflected, _versions)


@imports("Binarizer", versions=(1,), domain=ML)
def binarizer(F: Any, x: Any, *, threshold: float = 0.0) -> Any:
    """Whether it is more."""
    if F.dtype(x) != np.float32:
        raise ConversionError(f"Binarizer: an array of float32 is required, got {F.dtype(x)}.")
    return F._greater_scalar(x, scalar=threshold)
