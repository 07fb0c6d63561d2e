"""Decompositions of matrices in the last two axes, determinants and inverses.

Gradients, where nothing else is said: M. Giles, "Collected matrix derivative results" (2008); of
decompositions: M. Seeger, A. Hetzel, Z. Dai, E. Meissner, N. Lawrence, "Auto-differentiating linear algebra"
(2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import MXNetError, ShapeError
from ._matrices import Matrices, MatrixFunction, SquareMatrices, finite, matrices, one_for_each, transposed
from ._operator import Array, record
from ._registry import operator
from ._shapes import Shape, below, show
from .linalg import solved

CLOSEST = 1e-30
"""The least difference of eigenvalues that the gradient of eigenvectors divides by."""


def tie(dtype: DType) -> float:
    """The relative difference up to which absolute values count as equal, so that no rounding decides."""
    return 64 * float(np.finfo(dtype).eps)


def _swapped(F: Any, x: Any) -> Any:
    return F.SwapAxis(x, dim1=-2, dim2=-1)


@record
class _OfTriangle(MatrixFunction):
    """A function of one triangle of matrices, computed for the lower one.

    Attributes:
        lower: Whether the lower triangle of A is read, not the upper one.
    """

    lower: bool = True

    def turned(self, A: Array) -> Array:
        """Matrices whose lower triangle is the one that is read."""
        return A if self.lower else transposed(A)

    def swapped(self, F: Any, *arrays: Any) -> list[Any]:
        """The same of arrays or symbols."""
        return [x if self.lower else _swapped(F, x) for x in arrays]


# ---- Cholesky


@operator("_linalg_potrf", "linalg_potrf")
class Potrf(_OfTriangle):
    """The Cholesky factor of symmetric positive definite matrices: lower triangular L with `A = L Lᵀ`.

    It is upper triangular, with `A = Lᵀ L`, if not `lower`. Another matrix than a positive definite one
    raises `MXNetError`, and gives NaN in ONNX. The gradient is the symmetric one, by I. Murray,
    "Differentiation of the Cholesky decomposition" (2016).

    ONNX: Scan, a step for each column.
    """

    def forward(self, A: Array) -> Array:
        try:
            return self.turned(np.linalg.cholesky(self.turned(A)))
        except np.linalg.LinAlgError:
            raise MXNetError(
                "_linalg_potrf: symmetric positive definite matrices are required, got another one. "
                "Add a small multiple of the identity if rounding made it so."
            ) from None

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        y, dy = self.swapped(F, y, dy)
        product = F._linalg_trmm(y, dy, transpose=True)
        half = F._linalg_makediag(F._linalg_extractdiag(product)) * 0.5
        inner = F._linalg_trsm(y, F._triangle(product) - half, transpose=True)
        outer = F._linalg_trsm(y, inner, rightside=True)
        return ((outer + _swapped(F, outer)) * 0.5,)


@operator("_linalg_potri", "linalg_potri")
class Potri(_OfTriangle):
    """The inverse of `A Aᵀ` for lower triangular matrices `A`, such as Cholesky factors.

    It is that of `Aᵀ A` for upper triangular ones, if not `lower`. A zero on the diagonal raises
    `MXNetError`, and gives infinities or NaN in ONNX.

    ONNX: Scan, a step for each row, and MatMul.
    """

    def forward(self, A: Array) -> Array:
        if (np.diagonal(A, 0, -2, -1) == 0).any():
            raise MXNetError(
                "_linalg_potri: lower triangular matrices without a zero on the diagonal are required, as "
                "_linalg_potrf gives them, got one with a zero."
            )
        identity = np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape)
        inverse = solved(np.tril(self.turned(A)), True, identity)
        product: Array = np.matmul(transposed(inverse), inverse)
        return product

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        (factor,) = self.swapped(F, A)
        product = F._linalg_gemm2(y, dy + _swapped(F, dy))
        inner = F._triangle(F._linalg_trsm(factor, product, transpose=True, rightside=True))
        return (-self.swapped(F, inner)[0],)


# ---- orthogonal matrices


@operator("_linalg_gelqf", "linalg_gelqf")
class Gelqf(Matrices):
    """The decomposition of matrices into lower triangular ones and ones of orthonormal rows, `A = L Q`.

    The signs are those of LAPACK's Householder reflections: an element of L's diagonal has the sign opposite
    to what it is computed from, unless all right of that is zero.

    Inputs:
        A: (*batch, m, n) with m at most n.

    Returns:
        output0: Q, (*batch, m, n).
        output1: L, (*batch, m, m).

    ONNX: Scan, a step for each row, and another back over them.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[:1]

    def infer_shape(self, A: Shape) -> list[Shape]:
        matrices("_linalg_gelqf", "A", A)
        *batch, m, n = A
        if below(n, m):
            raise ShapeError(
                f"_linalg_gelqf: matrices with as many columns as rows, or more, are required, got {show(A)}."
            )
        return [A, (*batch, m, m)]

    def forward(self, A: Array) -> tuple[Array, Array]:
        if A.size == 0:
            return np.zeros_like(A), np.zeros((*A.shape[:-1], A.shape[-2]), A.dtype)
        q, r = np.linalg.qr(transposed(A))
        return transposed(q), transposed(r)

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        dq, dl = dy
        q, lower = y
        product = F._linalg_trmm(lower, dl, transpose=True) - F._linalg_gemm2(dq, q, transpose_b=True)
        triangle = F._triangle(product)
        diagonal = F._linalg_makediag(F._linalg_extractdiag(product))
        mirrored = triangle + _swapped(F, triangle) - diagonal
        return (F._linalg_trsm(lower, dq + F._linalg_gemm2(mirrored, q), transpose=True),)


@operator("_linalg_syevd")
class Syevd(SquareMatrices):
    """The eigenvectors and eigenvalues of symmetric matrices, `A = Uᵀ diag(L) U`.

    Only the lower triangle of A is read; where it has NaN or infinity, all results of that matrix are NaN. Of
    each eigenvector the element of the largest absolute value is positive. The gradient is the symmetric one.

    Returns:
        output0: U, (*batch, n, n), whose rows are the eigenvectors.
        output1: L, (*batch, n), the eigenvalues, the least first.

    ONNX: Loop of Jacobi rotations in float64, a step for n / 2 of them, with TopK and GatherElements; of
    equal eigenvalues it may give other eigenvectors.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[:1]

    def infer_shape(self, A: Shape) -> list[Shape]:
        return [A, A[:-1]]

    def forward(self, A: Array) -> tuple[Array, Array]:
        if A.size == 0:
            return np.zeros_like(A), np.zeros(A.shape[:-1], A.dtype)
        matrix, unknown = finite(np.tril(A))
        values, vectors = np.linalg.eigh(matrix)
        values = np.where(unknown[..., 0], A.dtype.type(np.nan), values)
        rows = transposed(np.where(unknown, A.dtype.type(np.nan), vectors))
        sizes = np.abs(rows)
        first = (sizes >= sizes.max(-1, keepdims=True) * (1 - tie(A.dtype))).argmax(-1)
        largest = np.take_along_axis(rows, first[..., None], -1)
        return np.where(largest < 0, -rows, rows), values

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        du, dl = dy
        u, values = y
        product = F._linalg_gemm2(du, u, transpose_b=True)
        distances = F.broadcast_sub(F.expand_dims(values, axis=-1), F.expand_dims(values, axis=-2))
        lower = F._triangle(product - _swapped(F, product)) / F._maximum_scalar(distances, scalar=CLOSEST)
        inner = (lower + _swapped(F, lower)) * 0.5 + F._linalg_makediag(dl)
        return (F._linalg_gemm2(F._linalg_gemm2(u, inner, transpose_a=True), u),)


# ---- determinants and inverses


def _with_nan(A: Array) -> Array:
    """Which matrices have NaN, over which a search for pivots may pass."""
    return np.asarray(np.isnan(A).any((-2, -1)))


@operator("_linalg_inverse", "_npi_inv", "linalg_inverse")
class Inverse(MatrixFunction):
    """The inverse of square matrices.

    A singular matrix raises `MXNetError`, and gives NaN in ONNX; one with NaN gives NaN.

    ONNX: Scan, a step for each column, of the Gauss-Jordan elimination with row exchanges.
    """

    def forward(self, A: Array) -> Array:
        unknown = _with_nan(A)[..., None, None]
        try:
            inverses = np.linalg.inv(np.where(unknown, np.eye(A.shape[-1], dtype=A.dtype), A))
            return np.where(unknown, A.dtype.type(np.nan), inverses)
        except np.linalg.LinAlgError:
            raise MXNetError(
                "_linalg_inverse: matrices with an inverse are required, got a singular one."
            ) from None

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (_inverse_gradient(F, dy, y),)


@operator("_inverse_or_zeros")
class InverseOrZeros(MatrixFunction):
    """The inverse of square matrices, and zeros for singular ones.

    ONNX: Scan, as for the inverse, and Where.
    """

    def forward(self, A: Array) -> Array:
        with np.errstate(invalid="ignore"):
            singular = np.asarray(np.linalg.slogdet(A)[0] == 0)[..., None, None]
        identity = np.eye(A.shape[-1], dtype=A.dtype)
        return np.where(singular, A.dtype.type(0), np.linalg.inv(np.where(singular, identity, A)))

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (_inverse_gradient(F, dy, y),)


def _inverse_gradient(F: Any, dy: Any, y: Any) -> Any:
    inner = F._linalg_gemm2(y, dy, transpose_a=True)
    return F._linalg_gemm2(inner, y, transpose_b=True, alpha=-1.0)


def _times_inverse(F: Any, factors: Any, A: Any) -> Any:
    """A factor for each matrix, times its transposed inverse; nothing for a singular one, as in MXNet."""
    inverse = F.reshape(_swapped(F, F._inverse_or_zeros(A)), shape=(-1, 0, 0), reverse=True)
    return F.reshape_like(F.broadcast_mul(F.reshape(factors, shape=(-1, 1, 1)), inverse), A)


@operator("_linalg_det", "linalg_det")
class Det(SquareMatrices):
    """The determinant of square matrices, NaN of one with NaN.

    As in MXNet, the gradient of a singular matrix is zero.

    Returns:
        (*batch,); (1,) for a single matrix, () under `np_shape`.

    ONNX: Det for float32, Scan for float64, of which ONNX Runtime has no Det.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0",)
    under_np_shape: ClassVar[str] = "_npi_det"

    def counted(self) -> int:
        return 3

    def infer_shape(self, A: Shape) -> Shape:
        return one_for_each(A[:-2])

    def forward(self, A: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            result: Array = np.asarray(np.where(_with_nan(A), A.dtype.type(np.nan), np.linalg.det(A)))
        return result.reshape(result.shape or (1,))

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (_times_inverse(F, dy * y, A),)


@operator("_linalg_slogdet", "linalg_slogdet")
class Slogdet(SquareMatrices):
    """The sign of the determinant of square matrices, and the logarithm of its absolute value.

    Of a singular matrix they are 0 and -infinity, of one with NaN 0 and NaN. As in MXNet, the gradient of a
    singular matrix is zero.

    Returns:
        output0: The signs, (*batch,); (1,) for a single matrix, () under `np_shape`.
        output1: The logarithms, in the same shape.

    ONNX: Scan, a step for each column, of the elimination with row exchanges; Sign, Log and ReduceSum.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    under_np_shape: ClassVar[str] = "_npi_slogdet"

    def counted(self) -> int:
        return 4

    def infer_shape(self, A: Shape) -> list[Shape]:
        return [one_for_each(A[:-2])] * 2

    def forward(self, A: Array) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore", divide="ignore"):
            sign, logarithm = (np.asarray(part) for part in np.linalg.slogdet(A))
        shape = A.shape[:-2] or (1,)
        logarithm = np.where(_with_nan(A), A.dtype.type(np.nan), logarithm)
        sign = np.where(np.isnan(logarithm), A.dtype.type(0), sign)
        return sign.reshape(shape), logarithm.reshape(shape)

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (_times_inverse(F, dy[1], A),)
