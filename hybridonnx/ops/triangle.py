"""Diagonals and triangles of matrices as vectors, and back."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from ..errors import ShapeError
from ._matrices import Matrices, SquareMatrices, matrices, one_for_each
from ._operator import Array, Operator, record
from ._registry import operator
from ._shapes import Dim, Shape, below


@operator("_triangle")
class Triangle(Operator):
    """Matrices with zeros in place of what is above a diagonal, or below it.

    Inputs:
        A: (*batch, m, n).

    Attributes:
        lower: Whether what is below the diagonal stays, not what is above it; the diagonal itself stays.
        k: The diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        The shape of A.

    ONNX: Trilu; below opset 14 a comparison of indices.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    lower: bool = True
    k: int = 0

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs

    def infer_shape(self, A: Shape) -> Shape:
        matrices("_triangle", "A", A)
        return A

    def forward(self, A: Array) -> Array:
        return np.tril(A, self.k) if self.lower else np.triu(A, self.k)

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (F._triangle(dy, lower=self.lower, k=self.k),)


@record
class _Extraction(SquareMatrices):
    """A part of square matrices as vectors.

    Attributes:
        offset: The diagonal: 0 for the main one, positive above it, negative below.
    """

    offset: int = 0

    def length(self, n: Dim) -> Dim:
        """The length of the diagonal in a matrix of `n` rows."""
        if self.offset and below(n, abs(self.offset) + 1):
            raise ShapeError(
                f"{self.names[0]}: a diagonal of the matrix, of {n} rows, is required, got offset "
                f"{self.offset}."
            )
        return None if n is None else n - abs(self.offset)


@record
class _Insertion(Matrices):
    """Square matrices of zeros with vectors as a part of them.

    Attributes:
        offset: The diagonal: 0 for the main one, positive above it, negative below.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    offset: int = 0

    def vectors(self, A: Shape) -> tuple[Shape, Dim]:
        """The batch axes and the length of the vectors."""
        if not A:
            raise ShapeError(f"{self.names[0]}: A with 1 or more axes is required, got (). Reshape it.")
        return A[:-1], A[-1]


@operator("_linalg_extractdiag", "linalg_extractdiag")
class ExtractDiag(_Extraction):
    """A diagonal of square matrices.

    Returns:
        (*batch, n - |offset|).

    ONNX: Slice for another diagonal than the main one, Where and ReduceSum.
    """

    def infer_shape(self, A: Shape) -> Shape:
        return (*A[:-2], self.length(A[-1]))

    def forward(self, A: Array) -> Array:
        return np.diagonal(A, self.offset, -2, -1).copy()

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (F._linalg_makediag(dy, offset=self.offset),)


@operator("_linalg_makediag", "linalg_makediag")
class MakeDiag(_Insertion):
    """Square matrices of zeros with vectors as a diagonal.

    Inputs:
        A: (*batch, n).

    Returns:
        (*batch, n + |offset|, n + |offset|).

    ONNX: Where, and Pad for another diagonal than the main one.
    """

    def infer_shape(self, A: Shape) -> Shape:
        batch, length = self.vectors(A)
        n = None if length is None else length + abs(self.offset)
        return (*batch, n, n)

    def forward(self, A: Array) -> Array:
        n = A.shape[-1] + abs(self.offset)
        result = np.zeros((*A.shape[:-1], n, n), A.dtype)
        index = np.arange(A.shape[-1])
        result[..., index + max(-self.offset, 0), index + max(self.offset, 0)] = A
        return result

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (F._linalg_extractdiag(dy, offset=self.offset),)


def triangle_indices(length: int, offset: int, lower: bool) -> tuple[Array, Array]:
    """The rows and columns of the elements of a triangle in the order of MXNet's vectors.

    `length` is that of the diagonal that bounds it. A lower triangle is in the order of its rows, an
    upper one in that of its columns.
    """
    first, second = np.tril_indices(length)
    if offset < 0 or (offset == 0 and lower):
        return first - offset, second
    return second, first + offset


@operator("_linalg_extracttrian", "linalg_extracttrian")
class ExtractTrian(_Extraction):
    """A triangle of square matrices, with the diagonal, as a vector.

    Attributes:
        offset: The diagonal that bounds the triangle: of a positive one the triangle above, of a negative one
            the triangle below is meant.
        lower: Whether it is the lower triangle, if `offset` is 0.

    Returns: (*batch, m (m + 1) / 2) with m = n - |offset|; a lower triangle row by row, an upper one column
    by column.

    ONNX: Reshape and Gather.
    """

    offset: int = 0
    lower: bool = True

    def infer_shape(self, A: Shape) -> Shape:
        m = self.length(A[-1])
        return (*A[:-2], m * (m + 1) // 2 if isinstance(m, int) else None)

    def forward(self, A: Array) -> Array:
        rows, columns = triangle_indices(A.shape[-1] - abs(self.offset), self.offset, self.lower)
        return A[..., rows, columns]

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (F._linalg_maketrian(dy, offset=self.offset, lower=self.lower),)


@operator("_linalg_maketrian", "linalg_maketrian")
class MakeTrian(_Insertion):
    """Square matrices of zeros with vectors as a triangle.

    Inputs:
        A: (*batch, m (m + 1) / 2); a lower triangle row by row, an upper one column by column.

    Attributes:
        offset: The diagonal that bounds the triangle: of a positive one the triangle above, of a negative one
            the triangle below is meant.
        lower: Whether it is the lower triangle, if `offset` is 0.

    Returns:
        (*batch, n, n) with n = m + |offset|.

    ONNX: Gather, Where and Reshape.
    """

    offset: int = 0
    lower: bool = True

    def side(self, count: int) -> int:
        """The length m of the diagonal that bounds a triangle of `count` elements."""
        m = (isqrt(8 * count + 1) - 1) // 2
        if m * (m + 1) // 2 != count:
            raise ShapeError(
                f"{self.names[0]}: a last axis of 1, 3, 6, 10, … elements, as a triangle has, is required, "
                f"got {count}."
            )
        return m

    def infer_shape(self, A: Shape) -> Shape:
        batch, count = self.vectors(A)
        n = self.side(count) + abs(self.offset) if isinstance(count, int) else None
        return (*batch, n, n)

    def forward(self, A: Array) -> Array:
        m = self.side(A.shape[-1])
        n = m + abs(self.offset)
        result = np.zeros((*A.shape[:-1], n, n), A.dtype)
        result[(..., *triangle_indices(m, self.offset, self.lower))] = A
        return result

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (F._linalg_extracttrian(dy, offset=self.offset, lower=self.lower),)


@operator("_linalg_sumlogdiag", "linalg_sumlogdiag")
class SumLogDiag(SquareMatrices):
    """The sum of the logarithms of the main diagonal of square matrices.

    Returns:
        (*batch,); (1,) for a single matrix.

    ONNX: Where, Log and ReduceSum.
    """

    def infer_shape(self, A: Shape) -> Shape:
        return one_for_each(A[:-2])

    def forward(self, A: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithms = np.log(np.diagonal(A, 0, -2, -1))
        total: Array = logarithms.sum(-1, dtype=A.dtype)
        return total.reshape(total.shape or (1,))

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        rows = F.reshape(F._linalg_extractdiag(A), shape=(-1, 0), reverse=True)
        quotients = F.broadcast_div(F.reshape(dy, shape=(-1, 1)), rows)
        return (F.reshape_like(F._linalg_makediag(quotients), A),)
