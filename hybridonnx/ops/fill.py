"""Operators on arrays that they are given to fill: old names, which MXNet keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType, float32
from ..errors import ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, show, unify


def _at(indices: Array, columns: int) -> Array:
    """Where each row's index is among the columns, (rows, columns); nowhere if it is not one of them."""
    return np.asarray(np.trunc(indices)[:, None] == np.arange(columns))


@operator("_set_value")
class SetValue(Operator):
    """Fills the array given as `out` with a number; without `out` it cannot be called.

    Attributes:
        src: The number.

    Returns:
        out, filled.

    ONNX: none; it fills an array that is there.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    requires_out: ClassVar[bool] = True
    passes_over: ClassVar[bool] = True
    not_differentiable: ClassVar[str] = "it has no inputs"
    not_in_onnx: ClassVar[str] = "it fills an array that is there, and ONNX has no such arrays"
    src: float = 0.0

    def infer_shape(self) -> Shape:
        return (1,)

    def infer_dtype(self) -> DType:
        return float32

    def forward(self) -> Array:
        return np.array([self.src], np.float32)

    def into(self, before: Array, value: Array) -> Array:
        return np.full(before.shape, value[0].astype(before.dtype))


@operator("fill_element_0index")
class FillElement0Index(Operator):
    """A matrix in whose rows one element each is replaced.

    Inputs:
        lhs: (N, C), the matrix.
        mhs: (N,), the new elements.
        rhs: (N,), their columns, truncated to integers; a row whose number is no column's stays.

    Returns:
        The shape of lhs.

    ONNX: Equal and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "mhs", "rhs")
    not_differentiable: ClassVar[str] = "MXNet has no derivative of it"
    refuses_gradient: ClassVar[bool] = True

    def infer_inputs(self, lhs: Any, mhs: Any, rhs: Any) -> Sequence[Shape | None]:
        if lhs is not None and len(lhs) != 2:
            raise ShapeError(f"{self.names[0]}: lhs of two axes is required, got {show(lhs)}.")
        rows = unify(self.names[0], None if lhs is None else lhs[:1], mhs, rhs)
        return lhs if rows is None or lhs is None else (rows[0], lhs[1]), rows, rows

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], *inputs[1:]

    def forward(self, lhs: Array, mhs: Array, rhs: Array) -> Array:
        return np.where(_at(rhs, lhs.shape[1]), mhs[:, None], lhs)


@operator("_onehot_encode")
class OnehotEncode(Operator):
    """Rows of zeros with a one each, in the shape of an array that is given for it.

    Inputs:
        lhs: (N,), the columns of the ones, truncated to integers; a row whose number is no column's has none.
        rhs: (N, C), for its shape.

    Returns:
        The shape of rhs.

    ONNX: Equal and Cast.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    not_differentiable: ClassVar[str] = "it is piecewise constant"

    def infer_inputs(self, lhs: Any, rhs: Any) -> Sequence[Shape | None]:
        if rhs is not None and len(rhs) != 2:
            raise ShapeError(f"{self.names[0]}: rhs of two axes is required, got {show(rhs)}.")
        rows = unify(self.names[0], lhs, None if rhs is None else rhs[:1])
        return rows, rhs if rows is None or rhs is None else (rows[0], rhs[1])

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return inputs[0], outputs[0]

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        return rhs

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return _at(lhs, rhs.shape[1]).astype(rhs.dtype)
