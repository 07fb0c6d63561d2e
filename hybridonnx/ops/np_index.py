"""Choices and indices as mx.np has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, broadcast, show, unify


class Choice(Operator):
    """One of two where a condition holds, else the other; all broadcast.

    Inputs:
        condition: What is not zero holds.

    Returns:
        The shape that the inputs broadcast to.

    ONNX: Where.
    """

    broadcasts: ClassVar[bool] = True

    def infer_shape(self, *shapes: Shape) -> Shape:
        return broadcast(self.names[0], *shapes)

    def infer_input_dtypes(self, condition: Any, *values: Any) -> Sequence[DType | None]:
        dtype = self.one_dtype(self.input_names()[1:], values)
        return [condition, *(dtype for _ in values)]

    def infer_dtype(self, condition: DType | None, *values: DType | None) -> DType | None:
        return values[0] if values else np.dtype("float32")

    def sides(self, values: Sequence[Any], dtype: DType) -> tuple[Any, Any]:
        """What is chosen, and what else: arrays, or numbers of the dtype."""
        x, y = values
        return x, y

    def forward(self, condition: Array, *values: Array) -> Array:
        dtype = values[0].dtype if values else np.dtype("float32")
        return np.asarray(np.where(condition != 0, *self.sides(values, dtype)), dtype)


def _number(value: float, dtype: DType) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(value).astype(dtype)


@operator("_npi_where")
class NumpyWhere(Choice):
    """`x` where `condition` holds, else `y`.

    Inputs:
        x: What is chosen.
        y: What is chosen else, of x's dtype.
    """

    inputs: ClassVar[tuple[str, ...]] = ("condition", "x", "y")

    def gradient(self, F: Any, dy: Any, y: Any, condition: Any, a: Any, b: Any) -> Sequence[Any]:
        taken = F._npi_where_rscalar(condition, dy, scalar=0.0)
        return None, taken, F._npi_where_lscalar(condition, dy, scalar=0.0)


@operator("_npi_where_lscalar")
class NumpyWhereL(Choice):
    """A number where `condition` holds, else `x`.

    Inputs:
        x: What is chosen else.

    Attributes:
        scalar: The number.
    """

    inputs: ClassVar[tuple[str, ...]] = ("condition", "x")
    scalar: float = 0.0

    def sides(self, values: Sequence[Any], dtype: DType) -> tuple[Any, Any]:
        return _number(self.scalar, dtype), values[0]

    def gradient(self, F: Any, dy: Any, y: Any, condition: Any, x: Any) -> Sequence[Any]:
        return None, F._npi_where_lscalar(condition, dy, scalar=0.0)


@operator("_npi_where_rscalar")
class NumpyWhereR(Choice):
    """`y` where `condition` holds, else a number.

    Inputs:
        y: What is chosen.

    Attributes:
        scalar: The number.
    """

    inputs: ClassVar[tuple[str, ...]] = ("condition", "y")
    scalar: float = 0.0

    def sides(self, values: Sequence[Any], dtype: DType) -> tuple[Any, Any]:
        return values[0], _number(self.scalar, dtype)

    def gradient(self, F: Any, dy: Any, y: Any, condition: Any, x: Any) -> Sequence[Any]:
        return None, F._npi_where_rscalar(condition, dy, scalar=0.0)


@operator("_npi_where_scalar2")
class NumpyWhereScalars(Choice):
    """One number where `condition` holds, else another, in float32.

    Attributes:
        x: The number that is chosen.
        y: The number that is chosen else.
    """

    inputs: ClassVar[tuple[str, ...]] = ("condition",)
    not_differentiable = "it is piecewise constant"
    x: float = 0.0
    y: float = 0.0

    def sides(self, values: Sequence[Any], dtype: DType) -> tuple[Any, Any]:
        return _number(self.x, dtype), _number(self.y, dtype)


@operator("_npi_diag_indices_from")
class NumpyDiagIndices(Operator):
    """The indices of the main diagonal of an array whose axes have one size.

    Inputs:
        data: (n, n) or with more axes of size n.

    Returns:
        (the number of axes, n), int64: the indices along each axis.

    ONNX: Expand.
    """

    not_differentiable = "it depends on the shape alone"

    def infer_shape(self, data: Shape) -> Shape:
        if len(data) < 2:
            raise ShapeError(f"_npi_diag_indices_from: two axes or more are required, got {show(data)}.")
        lengths = unify("_npi_diag_indices_from", *((length,) for length in data))
        return (len(data), *(lengths or ()))

    def infer_dtype(self, data: DType | None) -> DType:
        return np.dtype(np.int64)

    def forward(self, data: Array) -> Array:
        return np.stack([np.arange(len(data))] * data.ndim)
