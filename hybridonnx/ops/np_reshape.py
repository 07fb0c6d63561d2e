"""Rearrangements as NumPy has them, where no axis need be left."""

from __future__ import annotations

from ._registry import operator
from ._shapes import Shape
from .reshape import Squeeze


@operator("_np_squeeze")
class NumpySqueeze(Squeeze):
    """`a` without axes of size 1, as NumPy has it: no axis need be left.

    Inputs:
        a: Of any shape.

    Attributes:
        axis: The axes that go, whose size must be 1; None: all of size 1.

    Returns:
        The shape of a without those axes.

    ONNX: Squeeze.
    """

    inputs = ("a",)

    def infer_shape(self, a: Shape) -> Shape:
        axes = self.removed(a)
        if axes is None:
            return None  # type: ignore[return-value]  # not even the rank is known
        return tuple(d for i, d in enumerate(a) if i not in axes)
