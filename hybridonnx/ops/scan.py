"""Running sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..attrs import DTypeName
from ..dtypes import DType, as_dtype
from ..errors import ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, size


@operator("_np_cumsum", "cumsum")
class CumSum(Operator):
    """The sum of all elements of `a` up to each one, that one included, along an axis.

    Inputs:
        a: An array of any shape.

    Attributes:
        axis: The axis of the sums, from the last one on if negative; None: a as one vector.
        dtype: The dtype that the sums are computed and given in; None: that of a, int64 for bool.

    Returns:
        The shape of a, or (its size,) without axis.

    ONNX: CumSum.
    """

    saves: ClassVar[float] = 3.0
    inputs: ClassVar[tuple[str, ...]] = ("a",)
    axis: int | None = None
    dtype: DTypeName | None = None

    def infer_back(self, outputs: Sequence[Shape | None], inputs: Sequence[Any]) -> Sequence[Shape | None]:
        return inputs if self.axis is None else outputs

    def infer_shape(self, a: Shape) -> Shape:
        if self.axis is None:
            return (size(a),)
        if not -len(a) <= self.axis < len(a):
            raise ShapeError(f"_np_cumsum: an axis of {len(a)} is required, got {self.axis}.")
        return a

    def infer_dtype(self, a: DType | None) -> DType | None:
        if self.dtype is not None:
            return as_dtype(self.dtype)
        return np.dtype(np.int64) if a is not None and a.kind == "b" else a

    def forward(self, a: Array) -> Array:
        return np.cumsum(a, self.axis, dtype=self.infer_dtype(a.dtype))

    def gradient(self, F: Any, dy: Any, y: Any, a: Any) -> Sequence[Any]:
        axis = 0 if self.axis is None else self.axis
        flip = F.flip if axis >= 0 else F._npi_flip
        terms = flip(F._cast_like(dy, a), axis=(axis,))  # summed in the dtype of a, as in MXNet
        sums = flip(F.cumsum(terms, axis=axis), axis=(axis,))
        return (F._cast_like(F.reshape_like(sums, a), a),)
