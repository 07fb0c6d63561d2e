"""Linear algebra as mx.np has it: norms, equations, decompositions, inverses of tensors.

The gradient of the singular value decomposition: J. Townsend, "Differentiating the singular value
decomposition" (2016), with the guards of MXNet's operators where singular values are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..errors import AttributeValueError, MXNetError, ShapeError
from . import decomposition  # what these are composed of
from ._composition import Composed
from ._matrices import Matrices, SquareMatrices, finite, matrices, square, transposed
from ._operator import Array
from ._registry import operator
from ._shapes import Shape, below, differ, show
from ._symbolic import same


def swapped(F: Any, x: Any) -> Any:
    """The transposed matrices."""
    return F.SwapAxis(x, dim1=-2, dim2=-1)


# ---- norms


@operator("_npi_norm")
class NumpyNorm(Composed):
    """The norm of all elements, of vectors along an axis, or of matrices along two.

    Inputs:
        data: Of any shape.

    Attributes:
        ord: Which norm: of vectors any number, of matrices 1, -1, 2, -2, inf or -inf.
        axis: The axis of vectors, or the two of matrices; None: all elements, of a vector or a matrix.
        keepdims: Whether the axes stay, with size 1.
        flag: -2 or 1 for the root of the sum of squares, 2 for the sum of singular values; else `ord` tells.

    Returns:
        The shape of data without the axes.

    ONNX: ReduceSum, with Abs, Pow and Sqrt; of singular values a Loop of Jacobi rotations, in float32 alone.
    """

    takes_bool: ClassVar[bool] = False
    outputs: ClassVar[tuple[str, ...]] = ("output0",)
    ord: float = 2.0
    axis: Ints | None = None
    keepdims: bool = False
    flag: int = -1

    def counted(self) -> int:
        return 4

    def compose(self, F: Any, *inputs: Any) -> Any:
        x = inputs[0] if inputs[0].dtype.kind == "f" else F.Cast(inputs[0], dtype="float32")
        over: dict[str, Any] = {"axis": self.axis, "keepdims": self.keepdims}
        if self.flag in (-2, 1):
            return F.sqrt(F._np_sum(F.square(x), **over))
        rank = x.ndim if self.axis is None else len(self.axis)
        if rank == 1:
            return self._of_vectors(F, x, over)
        if rank == 2:
            return self._of_matrices(F, x)
        raise ShapeError(f"_npi_norm: one or two axes are required for ord={self.ord}, got {rank}.")

    def _of_vectors(self, F: Any, x: Any, over: dict[str, Any]) -> Any:
        sizes = F.abs(x)
        if self.ord == inf:
            return F._np_max(sizes, **over)
        if self.ord == -inf:
            return F._np_min(sizes, **over)
        if self.ord == 0:
            return F._np_sum(F._cast_like(F._npi_not_equal_scalar(x, scalar=0.0), x), **over)
        if self.ord == 1:
            return F._np_sum(sizes, **over)
        if self.ord == 2:
            return F.sqrt(F._np_sum(F.square(x), **over))
        powers = F._np_sum(F._power_scalar(sizes, scalar=self.ord), **over)
        return F._power_scalar(powers, scalar=1 / self.ord)

    def _of_matrices(self, F: Any, x: Any) -> Any:
        row, column = range(2) if self.axis is None else (i % x.ndim for i in self.axis)
        if self.flag != 2 and abs(self.ord) in (1, inf):
            along, then = (row, column) if abs(self.ord) == 1 else (column, row)
            sums = F._np_sum(F.abs(x), axis=(along,), keepdims=True)
            extreme = F._np_max if self.ord > 0 else F._np_min
            return self._kept(F, extreme(sums, axis=(then,), keepdims=True), row, column)
        if self.flag != 2 and abs(self.ord) != 2:
            raise AttributeValueError(
                f"_npi_norm: ord 1, -1, 2, -2, inf or -inf is required for matrices, got {self.ord}."
            )
        if (row, column) != (x.ndim - 2, x.ndim - 1):
            rest = [i for i in range(x.ndim) if i not in (row, column)]
            order = [*rest, row, column]
        else:
            order = []
        values = F._singular_values(F._np_transpose(x, axes=tuple(order)) if order else x)
        if self.flag != 2:
            begin, end = (0, 1) if self.ord > 0 else (-1, None)
            values = F.slice_axis(values, axis=-1, begin=begin, end=end)
        norm = F._np_sum(values, axis=(-1,), keepdims=self.keepdims)
        if not self.keepdims:
            return norm
        norm = F.expand_dims(norm, axis=-1)
        places = sorted(range(x.ndim), key=order.__getitem__) if order else []
        return F._np_transpose(norm, axes=tuple(places)) if places else norm

    def _kept(self, F: Any, norm: Any, row: int, column: int) -> Any:
        return norm if self.keepdims else F._np_squeeze(norm, axis=(row, column))


@operator("_singular_values")
class SingularValues(Matrices):
    """The singular values of matrices, the largest first; NaN of one with NaN or infinity.

    Inputs:
        A: (*batch, m, n).

    Returns:
        (*batch, min(m, n)).

    ONNX: of the smaller product of the matrix with its transpose a Loop of Jacobi rotations in float64.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)

    def infer_shape(self, A: Shape) -> Shape:
        matrices("_singular_values", "A", A)
        m, n = A[-2:]
        return (*A[:-2], m if below(m, n) or same(m, n) else n if below(n, m) else None)

    def forward(self, A: Array) -> Array:
        matrix, unknown = finite(A)
        values = np.linalg.svd(matrix, compute_uv=False)
        return np.where(unknown[..., 0], A.dtype.type(np.nan), values)

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        return (F._singular_values_gradient(dy, A),)


@operator("_singular_values_gradient")
class SingularValuesGradient(Composed):
    """The gradient of singular values: a sum of the products of their vectors.

    Inputs:
        dy: The gradient of the values, (*batch, min(m, n)).
        A: (*batch, m, n).

    Returns:
        (*batch, m, n).

    ONNX: none; it has no singular value decomposition.
    """

    not_in_onnx: ClassVar[str] = "ONNX has no singular value decomposition"
    inputs: ClassVar[tuple[str, ...]] = ("dy", "A")

    def compose(self, F: Any, *inputs: Any) -> Any:
        dy, A = inputs
        turned = A.size_of(-2) > A.size_of(-1)
        u, _, v = F._npi_svd(swapped(F, A) if turned else A)
        product = F._linalg_gemm2(F._npi_multiply(u, F.expand_dims(dy, axis=-2)), v)
        return swapped(F, product) if turned else product


# ---- equations


@operator("_solution")
class Solution(Matrices):
    """The solution X of `A X = B`.

    A singular matrix raises `MXNetError`, and gives NaN in ONNX.

    Inputs:
        A: (*batch, n, n).
        B: (*batch, n, k).

    Attributes:
        transpose: Whether it is the transposed of A that X is multiplied by.

    Returns:
        (*batch, n, k).

    ONNX: Scan, a step for each column, of the Gauss-Jordan elimination with row exchanges; MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A", "B")
    transpose: bool = False

    def infer_inputs(self, A: Shape | None, B: Shape | None) -> Sequence[Shape | None]:
        A = square("_npi_solve", "A", A)
        if A is not None and B is not None and (len(A) != len(B) or any(map(differ, A[:-1], B[:-1]))):
            raise ShapeError(
                f"_npi_solve: (*batch, n, n) and (*batch, n, k) are required, got {show(A)} and {show(B)}."
            )
        return A, B

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return inputs[0], outputs[0]

    def infer_shape(self, A: Shape, B: Shape) -> Shape:
        return B

    def forward(self, A: Array, B: Array) -> Array:
        try:
            return np.asarray(np.linalg.solve(transposed(A) if self.transpose else A, B), A.dtype)
        except np.linalg.LinAlgError:
            raise MXNetError(
                "_npi_solve: matrices with an inverse are required, got a singular one."
            ) from None

    def gradient(self, F: Any, dy: Any, y: Any, A: Any, B: Any) -> Sequence[Any]:
        dB = F._solution(A, dy, transpose=not self.transpose)
        left, right = (y, dB) if self.transpose else (dB, y)
        return F._linalg_gemm2(left, right, transpose_b=True, alpha=-1.0), dB


@operator("_npi_solve")
class NumpySolve(Composed):
    """What matrices take to `B`: the solution X of `A X = B`.

    Inputs:
        A: (*batch, n, n).
        B: (*batch, n, k), or vectors (*batch, n).

    Returns:
        The shape of B.

    ONNX: Scan, a step for each column, of the Gauss-Jordan elimination with row exchanges; MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A", "B")
    takes_ints: ClassVar[bool] = False

    def compose(self, F: Any, *inputs: Any) -> Any:
        A, B = inputs
        if B.ndim != A.ndim - 1:
            return F._solution(A, B)
        return F._np_squeeze(F._solution(A, F.expand_dims(B, axis=-1)), axis=(-1,))


def as_matrix(F: Any, a: Any, rows: Sequence[int], columns: Sequence[int], what: str) -> Any:
    """An array as a square matrix."""
    m, n = prod(rows), prod(columns)
    if m != n:
        raise ShapeError(f"{what}: a square matrix is required, got {m} rows and {n} columns.")
    return F._np_reshape(a, newshape=(m, n))


@operator("_npi_tensorinv")
class NumpyTensorInv(Composed):
    """The inverse of an array as a matrix whose rows are its first axes.

    Inputs:
        a: (*rows, *columns), of as many rows as columns.

    Attributes:
        ind: How many axes are the rows'.

    Returns:
        (*columns, *rows).

    ONNX: Scan, a step for each column, of the Gauss-Jordan elimination; Reshape.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a",)
    takes_ints: ClassVar[bool] = False
    ind: int = 2

    def check(self) -> None:
        if self.ind < 1:
            raise AttributeValueError(f"_npi_tensorinv: ind of at least 1 is required, got {self.ind}.")

    def compose(self, F: Any, *inputs: Any) -> Any:
        (a,) = inputs
        sizes = [a.size_of(i) for i in range(a.ndim)]
        rows, columns = sizes[: self.ind], sizes[self.ind :]
        inverse = F._linalg_inverse(as_matrix(F, a, rows, columns, "_npi_tensorinv"))
        return F._np_reshape(inverse, newshape=(*columns, *rows))


@operator("_npi_tensorsolve")
class NumpyTensorSolve(Composed):
    """What an array, as a matrix whose rows are the axes of `b`, takes to `b`.

    Inputs:
        a: (*rows, *columns), of as many rows as columns.
        b: As many elements as rows.

    Attributes:
        a_axes: Axes of a that are moved to the end before; None: none.

    Returns:
        (*columns,).

    ONNX: Scan, a step for each column, of the Gauss-Jordan elimination; MatMul and Reshape.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "b")
    takes_ints: ClassVar[bool] = False
    a_axes: Ints | None = ()

    def compose(self, F: Any, *inputs: Any) -> Any:
        a, b = inputs
        last = [i % a.ndim for i in self.a_axes or ()]
        if last:
            a = F._np_transpose(a, axes=(*(i for i in range(a.ndim) if i not in last), *last))
        sizes = [a.size_of(i) for i in range(a.ndim)]
        rows, columns = sizes[: b.ndim], sizes[b.ndim :]
        matrix = as_matrix(F, a, rows, columns, "_npi_tensorsolve")
        count = prod(b.size_of(i) for i in range(b.ndim))
        if count != prod(rows):
            raise ShapeError(
                f"_npi_tensorsolve: b of {prod(rows)} elements is required, got {show(b.shape)}."
            )
        solution = F._solution(matrix, F._np_reshape(b, newshape=(count, 1)))
        return F._np_reshape(solution, newshape=tuple(columns))


# ---- decompositions


@operator("_npi_cholesky")
class NumpyCholesky(Composed):
    """The lower triangular Cholesky factor of symmetric positive definite matrices.

    Another matrix than a positive definite one raises `MXNetError`, and gives NaN in ONNX.

    Inputs:
        A: (*batch, n, n).

    Returns:
        (*batch, n, n).

    ONNX: Scan, a step for each column.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    takes_ints: ClassVar[bool] = False

    def compose(self, F: Any, *inputs: Any) -> Any:
        return F._linalg_potrf(inputs[0])


@operator("_npi_svd")
class NumpySVD(Matrices):
    """The singular value decomposition of matrices with no more rows than columns, `A = U diag(L) V`.

    Of each row of V the element of the largest absolute value is positive.

    Inputs:
        A: (*batch, m, n) with m at most n.

    Returns:
        output0: U, (*batch, m, m), orthogonal.
        output1: L, (*batch, m), the singular values, the largest first.
        output2: V, (*batch, m, n), whose rows are orthonormal.

    ONNX: none; it has no singular value decomposition.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1", "output2")
    not_in_onnx: ClassVar[str] = "ONNX has no singular value decomposition"

    def infer_shape(self, A: Shape) -> list[Shape]:
        matrices("_npi_svd", "A", A)
        *batch, m, n = A
        if below(n, m):
            raise ShapeError(
                f"_npi_svd: matrices with as many columns as rows, or more, are required, got {show(A)}. "
                "Transpose them."
            )
        return [(*batch, m, m), (*batch, m), A]

    def forward(self, A: Array) -> tuple[Array, Array, Array]:
        matrix, unknown = finite(A)
        u, values, v = np.linalg.svd(matrix, full_matrices=False)
        if not A.size:
            return u, values, v
        nan = A.dtype.type(np.nan)
        u, v = np.where(unknown, nan, u), np.where(unknown, nan, v)
        values = np.where(unknown[..., 0], nan, values)
        sizes = np.abs(v)
        first = (sizes >= sizes.max(-1, keepdims=True) * (1 - decomposition.tie(A.dtype))).argmax(-1)
        sign = np.where(np.take_along_axis(v, first[..., None], -1) < 0, -1, 1).astype(A.dtype)
        return u * transposed(sign), values, v * sign

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        du, dl, dv = dy
        u, values, v = y
        rows, columns = F.expand_dims(values, axis=-1), F.expand_dims(values, axis=-2)
        squares = F.broadcast_sub(F.square(columns), F.square(rows))
        distances = F._maximum_scalar(squares, scalar=decomposition.CLOSEST)

        def turned(product: Any) -> Any:
            lower = F._triangle(product - swapped(F, product)) / distances
            return lower + swapped(F, lower)

        left = turned(F._linalg_gemm2(u, du, transpose_a=True))
        right = turned(F._linalg_gemm2(v, dv, transpose_b=True))
        inner = F.broadcast_mul(left, columns) + F.broadcast_mul(right, rows) + F._linalg_makediag(dl)
        scaled = F.broadcast_div(dv, rows)
        rest = scaled - F._linalg_gemm2(F._linalg_gemm2(scaled, v, transpose_b=True), v)
        return (F._linalg_gemm2(u, F._linalg_gemm2(inner, v) + rest),)


class _Symmetric(Composed):
    """What symmetric matrices have.

    Inputs:
        A: (*batch, n, n), of which one triangle is read.

    Attributes:
        UPLO: L for the lower triangle, U for the upper one.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    takes_ints: ClassVar[bool] = False
    UPLO: Any

    def decomposed(self, F: Any, A: Any) -> Any:
        """The eigenvectors as rows, and the eigenvalues."""
        return F._linalg_syevd(A if self.UPLO == "L" else swapped(F, A))


@operator("_npi_eigh")
class NumpyEigh(_Symmetric):
    """The eigenvalues and eigenvectors of symmetric matrices.

    Of each eigenvector the element of the largest absolute value is positive. The gradient is the symmetric
    one.

    Returns:
        output0: The eigenvalues, (*batch, n), the least first.
        output1: The eigenvectors as columns, (*batch, n, n).

    ONNX: Loop of Jacobi rotations in float64, with TopK and GatherElements; Transpose.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    UPLO: Literal["L", "U"] = "L"

    def compose(self, F: Any, *inputs: Any) -> Any:
        vectors, values = self.decomposed(F, inputs[0])
        return [values, swapped(F, vectors)]


@operator("_npi_eigvalsh")
class NumpyEigvalsh(_Symmetric):
    """The eigenvalues of symmetric matrices, the least first. The gradient is the symmetric one.

    Returns:
        (*batch, n).

    ONNX: Loop of Jacobi rotations in float64, with TopK.
    """

    UPLO: Literal["L", "U"] = "L"

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.decomposed(F, inputs[0])[1]


def _known(owner: str, A: Array) -> Array:
    if not np.isfinite(A).all():
        raise MXNetError(f"{owner}: finite matrices are required, got one with NaN or infinity.")
    return A


def _real(owner: str, values: Array) -> Array:
    if np.iscomplexobj(values) and values.imag.any():
        raise MXNetError(f"{owner}: matrices with real eigenvalues are required, got one with complex ones.")
    return values.real


_NO_EIGENVALUES = "ONNX has no eigenvalues of matrices that are not symmetric"
_NO_GRADIENT = "MXNet has no gradient of it. Use eigh for symmetric matrices"


@operator("_npi_eig")
class NumpyEig(SquareMatrices):
    """The eigenvalues and eigenvectors of matrices whose eigenvalues are real.

    Returns:
        output0: The eigenvalues, (*batch, n).
        output1: The eigenvectors as columns, (*batch, n, n).

    ONNX: none; it has no eigenvalues of matrices that are not symmetric.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    not_differentiable: ClassVar[str] = _NO_GRADIENT
    not_in_onnx: ClassVar[str] = _NO_EIGENVALUES

    def infer_shape(self, A: Shape) -> list[Shape]:
        return [A[:-1], A]

    def forward(self, A: Array) -> tuple[Array, Array]:
        values, vectors = np.linalg.eig(_known("_npi_eig", A))
        return _real("_npi_eig", values).astype(A.dtype), vectors.real.astype(A.dtype)


@operator("_npi_eigvals")
class NumpyEigvals(SquareMatrices):
    """The eigenvalues of matrices whose eigenvalues are real.

    Returns:
        (*batch, n).

    ONNX: none; it has no eigenvalues of matrices that are not symmetric.
    """

    not_differentiable: ClassVar[str] = _NO_GRADIENT
    not_in_onnx: ClassVar[str] = _NO_EIGENVALUES

    def infer_shape(self, A: Shape) -> Shape:
        return A[:-1]

    def forward(self, A: Array) -> Array:
        return _real("_npi_eigvals", np.linalg.eigvals(_known("_npi_eigvals", A))).astype(A.dtype)


# ---- determinants and pseudoinverses


@operator("_npi_det")
class NumpyDet(Composed):
    """The determinant of square matrices, without an axis for a single one.

    Inputs:
        A: (*batch, n, n).

    Returns:
        (*batch,).

    ONNX: Det for float32.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    outputs: ClassVar[tuple[str, ...]] = ("output0",)
    takes_ints: ClassVar[bool] = False

    def counted(self) -> int:
        return 3

    def compose(self, F: Any, *inputs: Any) -> Any:
        A = inputs[0]
        result = F._linalg_det(A)
        return F._np_reshape(result, newshape=()) if A.ndim == 2 else result


@operator("_npi_slogdet")
class NumpySlogdet(Composed):
    """The determinant of square matrices as its sign and the logarithm of its absolute value.

    Inputs:
        A: (*batch, n, n).

    Returns:
        output0: The signs, (*batch,).
        output1: The logarithms, (*batch,).

    ONNX: Scan, a step for each column, of the elimination with row exchanges; Sign, Log and ReduceSum.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    takes_ints: ClassVar[bool] = False

    def counted(self) -> int:
        return 4

    def compose(self, F: Any, *inputs: Any) -> Any:
        A = inputs[0]
        results = F._linalg_slogdet(A)
        return [F._np_reshape(y, newshape=()) for y in results] if A.ndim == 2 else results


class _Pseudoinverse(Composed):
    """The inverse of what matrices do where they can be inverted.

    Attributes:
        hermitian: Only False, as in MXNet.

    Returns:
        (*batch, n, m).

    ONNX: none; it has no singular value decomposition.
    """

    not_in_onnx: ClassVar[str] = "ONNX has no singular value decomposition"
    takes_ints: ClassVar[bool] = False
    hermitian: Any

    def check(self) -> None:
        if self.hermitian:
            raise AttributeValueError(f"{self.names[0]}: hermitian=False is required, got True.")

    def inverted(self, F: Any, A: Any, least: Any) -> Any:
        """The pseudoinverse, of the singular values above the share `least(largest)`."""
        turned = A.size_of(-2) > A.size_of(-1)
        u, values, v = F._npi_svd(swapped(F, A) if turned else A)
        counts = F.broadcast_greater(values, least(F._np_max(values, axis=(-1,), keepdims=True)))
        one, zero = F.ones_like(values), F.zeros_like(values)
        inverse = F.where(counts, one / F.where(counts, values, one), zero)
        product = F._linalg_gemm2(F._npi_multiply(u, F.expand_dims(inverse, axis=-2)), v)
        return product if turned else swapped(F, product)


@operator("_npi_pinv_scalar_rcond")
class NumpyPinvScalar(_Pseudoinverse):
    """The pseudoinverse of matrices, with a number for what counts as no singular value.

    Inputs:
        A: (*batch, m, n).

    Attributes:
        rcond: The share of the largest singular value up to which another one counts as 0.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    rcond: float = 1e-15
    hermitian: bool = False

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.inverted(F, inputs[0], lambda largest: largest * self.rcond)


@operator("_npi_pinv")
class NumpyPinv(_Pseudoinverse):
    """The pseudoinverse of matrices, with an array for what counts as no singular value.

    Inputs:
        A: (*batch, m, n).
        rcond: Of a shape that broadcasts to (*batch,).
    """

    inputs: ClassVar[tuple[str, ...]] = ("A", "rcond")
    hermitian: bool = False

    def compose(self, F: Any, *inputs: Any) -> Any:
        A, rcond = inputs
        share = F.expand_dims(rcond, axis=-1)
        return self.inverted(F, A, lambda largest: F._npi_multiply(largest, share))
