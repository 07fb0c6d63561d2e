"""What operators on matrices share, which stand in the last two axes of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError, ShapeError
from ._operator import Array, Operator, record
from ._shapes import Dim, Shape, differ, show, unify

_WIDE = (np.dtype(np.float32), np.dtype(np.float64))


@record
class Matrices(Operator):
    """An operator on arrays of matrices, of float32 or float64."""

    takes_ints: ClassVar[bool] = False

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        one = super().infer_input_dtypes(*dtypes)
        if one[0] is not None and one[0] not in _WIDE:
            raise DTypeError(
                f"{self.names[0]}: float32 or float64 is required, got {one[0]}. Cast with astype('float32')."
            )
        return one


@record
class SquareMatrices(Matrices):
    """An operator on square matrices.

    Inputs:
        A: (*batch, n, n).
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)

    def infer_inputs(self, A: Shape | None) -> Sequence[Shape | None]:
        return (square(self.names[0], "A", A),)


@record
class MatrixFunction(SquareMatrices):
    """A square matrix for each square matrix.

    Returns:
        (*batch, n, n).
    """

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs


def matrices(owner: str, name: str, shape: Shape) -> None:
    """Raise `ShapeError` unless there are the two axes of matrices."""
    if len(shape) < 2:
        raise ShapeError(
            f"{owner}: {name} with 2 or more axes is required, the last two those of matrices, "
            f"got {show(shape)}. Reshape it."
        )


def square(owner: str, name: str, shape: Shape | None) -> Shape | None:
    """The shape, with the one of its last two sizes for the other if that is unknown."""
    if shape is None:
        return None
    matrices(owner, name, shape)
    if differ(*shape[-2:]):
        raise ShapeError(
            f"{owner}: square matrices in the last two axes of {name} are required, got {show(shape)}."
        )
    n = one_size(owner, *shape[-2:])
    return (*shape[:-2], n, n)


def one_size(owner: str, *sizes: Dim) -> Dim:
    """The one size that all of these are."""
    merged = unify(owner, *((size,) for size in sizes))
    return None if merged is None else merged[0]


def transposed(a: Array) -> Array:
    """The transposed matrices."""
    return a.swapaxes(-1, -2)


def one_for_each(batch: Shape) -> Shape:
    """The shape of a number for each matrix; that of a single one is (1,)."""
    return batch or (1,)


def finite(A: Array) -> tuple[Array, Array]:
    """The matrices, zeros for those with NaN or infinity, and which these are: (*batch, 1, 1)."""
    unknown = np.asarray(~np.isfinite(A).all((-2, -1), keepdims=True))
    return np.where(unknown, A.dtype.type(0), A), unknown
