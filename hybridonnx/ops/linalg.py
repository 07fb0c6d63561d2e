"""Products of matrices in the last two axes, products and equations with triangular ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from ..errors import AttributeValueError, ShapeError
from ._matrices import Matrices, matrices, one_size, square, transposed
from ._operator import Array, record
from ._registry import operator
from ._shapes import Dim, Shape, differ, show

# ---- general products


class _Product(Matrices):
    """A product of matrices, whose rows may stand on another axis.

    Inputs:
        A: (*batch, m, k), or (*batch, k, m) with `transpose_a`.
        B: (*batch, k, n), or (*batch, n, k) with `transpose_b`.

    Attributes:
        transpose_a: Whether the matrices of A are transposed before.
        transpose_b: Whether the matrices of B are transposed before.
        alpha: The factor of the product.
        axis: The axis of the rows of all matrices; the columns are the last axis.

    Returns:
        (*batch, m, n), with the rows on `axis`.
    """

    transpose_a: bool = False
    transpose_b: bool = False
    alpha: float = 1.0
    axis: int = -2

    def rows(self, rank: int) -> int:
        """The axis of the rows, from 0 up."""
        at = self.axis + rank if self.axis < 0 else self.axis
        if not 0 <= at < rank - 1:
            raise ShapeError(
                f"{self.names[0]}: an axis in [{-rank}, -2] or [0, {rank - 2}] is required for the rows of "
                f"arrays with {rank} axes, got {self.axis}."
            )
        return at

    def product_shape(self, A: Shape, B: Shape) -> Shape:
        """The shape of the product."""
        owner = self.names[0]
        matrices(owner, "A", A)
        at = self.rows(len(A))
        if len(A) == len(B):
            m, a = (A[-1], A[at]) if self.transpose_a else (A[at], A[-1])
            b, n = (B[-1], B[at]) if self.transpose_b else (B[at], B[-1])
            pairs = [(p, q) for i, (p, q) in enumerate(zip(A[:-1], B[:-1], strict=True)) if i != at]
            if not any(differ(p, q) for p, q in (*pairs, (a, b))):
                batch = [one_size(owner, p, q) for p, q in pairs]
                return (*batch[:at], m, *batch[at:], n)
        raise ShapeError(
            f"{owner}: (*batch, m, k) and (*batch, k, n) with equal batch axes are required, got {show(A)} "
            f"and {show(B)} with transpose_a={self.transpose_a}, transpose_b={self.transpose_b}, "
            f"axis={self.axis}."
        )

    def product(self, A: Array, B: Array) -> Array:
        """The product times `alpha`."""
        at = self.rows(A.ndim)
        a, b = (np.moveaxis(x, at, -2) for x in (A, B))
        product = np.matmul(
            transposed(a) if self.transpose_a else a, transposed(b) if self.transpose_b else b
        )
        if self.alpha != 1:
            product *= product.dtype.type(self.alpha)
        return np.moveaxis(product, -2, at)

    def factors_gradient(self, F: Any, dy: Any, A: Any, B: Any) -> tuple[Any, Any]:
        """The gradients of both factors."""
        a, b = self.transpose_a, self.transpose_b
        same = {"alpha": self.alpha, "axis": self.axis}
        if a:
            dA = F._linalg_gemm2(B, dy, transpose_a=b, transpose_b=True, **same)
        else:
            dA = F._linalg_gemm2(dy, B, transpose_b=not b, **same)
        if b:
            dB = F._linalg_gemm2(dy, A, transpose_a=True, transpose_b=a, **same)
        else:
            dB = F._linalg_gemm2(A, dy, transpose_a=not a, **same)
        return dA, dB


@operator("_linalg_gemm", "linalg_gemm")
class Gemm(_Product):
    """The product of matrices, times `alpha`, plus `beta` times another array of matrices.

    Inputs:
        C: The shape of the product; not read if `beta` is 0.

    Attributes:
        beta: The factor of C.

    ONNX: Gemm for single matrices of float32, else MatMul, with Mul and Add; Transpose of what is to be
    transposed.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A", "B", "C")
    transpose_a: bool = False
    transpose_b: bool = False
    alpha: float = 1.0
    beta: float = 1.0
    axis: int = -2

    def infer_inputs(self, A: Shape | None, B: Shape | None, C: Shape | None) -> Sequence[Shape | None]:
        return A, B, C if A is None or B is None else self.product_shape(A, B)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return *inputs[:2], outputs[0]

    def infer_shape(self, A: Shape, B: Shape, C: Shape) -> Shape:
        return C

    def forward(self, A: Array, B: Array, C: Array) -> Array:
        product = self.product(A, B)
        return product if self.beta == 0 else product + C * C.dtype.type(self.beta)

    def gradient(self, F: Any, dy: Any, y: Any, A: Any, B: Any, C: Any) -> Sequence[Any]:
        return *self.factors_gradient(F, dy, A, B), dy * self.beta


@operator("_linalg_gemm2", "linalg_gemm2")
class Gemm2(_Product):
    """The product of matrices, times `alpha`.

    ONNX: Gemm for single matrices of float32, else MatMul, with Mul; Transpose of what is to be transposed.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A", "B")
    transpose_a: bool = False
    transpose_b: bool = False
    alpha: float = 1.0
    axis: int = -2

    def infer_shape(self, A: Shape, B: Shape) -> Shape:
        return self.product_shape(A, B)

    def forward(self, A: Array, B: Array) -> Array:
        return self.product(A, B)

    def gradient(self, F: Any, dy: Any, y: Any, A: Any, B: Any) -> Sequence[Any]:
        return self.factors_gradient(F, dy, A, B)


@operator("_linalg_syrk", "linalg_syrk")
class Syrk(Matrices):
    """The product of matrices with their own transposed ones, times `alpha`.

    Inputs:
        A: (*batch, m, n).

    Attributes:
        transpose: Whether the transposed matrix comes first.
        alpha: The factor of the product.

    Returns:
        (*batch, m, m), or (*batch, n, n) with `transpose`.

    ONNX: Transpose and MatMul, with Mul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A",)
    transpose: bool = False
    alpha: float = 1.0

    def infer_shape(self, A: Shape) -> Shape:
        matrices(self.names[0], "A", A)
        n = A[-1] if self.transpose else A[-2]
        return (*A[:-2], n, n)

    def forward(self, A: Array) -> Array:
        a, b = (transposed(A), A) if self.transpose else (A, transposed(A))
        product: Array = np.matmul(a, b) * A.dtype.type(self.alpha)
        return product

    def gradient(self, F: Any, dy: Any, y: Any, A: Any) -> Sequence[Any]:
        operands = (A, dy) if self.transpose else (dy, A)
        flag = {"transpose_b" if self.transpose else "transpose_a": True}
        straight = F._linalg_gemm2(*operands, alpha=self.alpha)
        return (straight + F._linalg_gemm2(*operands, alpha=self.alpha, **flag),)


# ---- triangular matrices


@record
class _Triangular(Matrices):
    """A product or an equation with a triangular matrix.

    Inputs:
        A: (*batch, n, n), of which one triangle is read.
        B: (*batch, n, m), or (*batch, m, n) with `rightside`.

    Attributes:
        transpose: Whether the triangular matrix is transposed.
        rightside: Whether the triangular matrix stands on the right.
        lower: Whether the lower triangle of A is read, not the upper one.
        alpha: The factor of B.

    Returns:
        The shape of B.
    """

    inputs: ClassVar[tuple[str, ...]] = ("A", "B")
    transpose: bool = False
    rightside: bool = False
    lower: bool = True
    alpha: float = 1.0

    def infer_inputs(self, A: Shape | None, B: Shape | None) -> Sequence[Shape | None]:
        owner = self.names[0]
        A = square(owner, "A", A)
        if A is None or B is None:
            return A, B
        own = () if len(B) < 2 else (*B[:-2], B[-1] if self.rightside else B[-2])
        if len(A) != len(B) or any(map(differ, A[:-1], own)):
            form = "(*batch, m, n)" if self.rightside else "(*batch, n, m)"
            raise ShapeError(
                f"{owner}: A (*batch, n, n) and B {form} with rightside={self.rightside} are required, "
                f"got {show(A)} and {show(B)}."
            )
        n = one_size(owner, A[-1], own[-1])
        batch = tuple(one_size(owner, *sizes) for sizes in zip(A[:-2], B[:-2], strict=True))
        return (*batch, n, n), (*batch, *((B[-2], n) if self.rightside else (n, B[-1])))

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return inputs[0], outputs[0]

    def infer_shape(self, A: Shape, B: Shape) -> Shape:
        return B

    def triangle(self, A: Array) -> tuple[Array, bool]:
        """The triangular matrix that stands there, transposed if asked, and whether it is lower."""
        triangle = np.tril(A) if self.lower else np.triu(A)
        return (transposed(triangle), not self.lower) if self.transpose else (triangle, self.lower)

    def flags(self) -> dict[str, Any]:
        """The attributes that the gradient's operator has as well."""
        return {"rightside": self.rightside, "lower": self.lower}

    def outer(self, F: Any, dy: Any, B: Any, alpha: float) -> Any:
        """The gradient of the triangular matrix, of `dy` and the matrix beside it."""
        factors = (B, dy) if self.transpose != self.rightside else (dy, B)
        flag = {"transpose_a" if self.rightside else "transpose_b": True}
        return F._triangle(F._linalg_gemm2(*factors, alpha=alpha, **flag), lower=self.lower)


@operator("_linalg_trmm", "linalg_trmm")
class Trmm(_Triangular):
    """The product of a triangular matrix and another one, times `alpha`.

    ONNX: Trilu (below opset 14 a comparison of indices) and MatMul, with Transpose and Mul.
    """

    def forward(self, A: Array, B: Array) -> Array:
        triangle, _ = self.triangle(A)
        a, b = (B, triangle) if self.rightside else (triangle, B)
        product: Array = np.matmul(a, b) * B.dtype.type(self.alpha)
        return product

    def gradient(self, F: Any, dy: Any, y: Any, A: Any, B: Any) -> Sequence[Any]:
        dB = F._linalg_trmm(A, dy, transpose=not self.transpose, alpha=self.alpha, **self.flags())
        return self.outer(F, dy, B, self.alpha), dB


def substituted(lower: Array, B: Array) -> Array:
    """The solution X of `lower` X = `B` by forward substitution, by halves so that most of it is products.

    A zero on the diagonal gives infinities and NaN, as division does.
    """
    n = lower.shape[-1]
    if n <= 1:
        return B / lower
    half = n // 2
    top = substituted(lower[..., :half, :half], B[..., :half, :])
    rest = B[..., half:, :] - np.matmul(lower[..., half:, :half], top)
    return np.concatenate([top, substituted(lower[..., half:, half:], rest)], axis=-2)


def solved(triangle: Array, lower: bool, B: Array) -> Array:
    """The solution X of `triangle` X = `B`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if triangle.shape[-1] == 0:
            return B.copy()
        if lower:
            return substituted(triangle, B)
        return np.flip(substituted(np.flip(triangle, (-1, -2)), np.flip(B, -2)), -2)


@operator("_linalg_trsm", "linalg_trsm")
class Trsm(_Triangular):
    """The solution of a system of linear equations with a triangular matrix.

    It is X of `A X = alpha B`, or of `X A = alpha B` with `rightside`. A zero on the diagonal is no error; it
    gives infinities and NaN. The gradient is that of M. Giles, "Collected matrix derivative results" (2008).

    ONNX: Scan, a step for each row, after Trilu (below opset 14 a comparison of indices), with Transpose and
    Mul.
    """

    def forward(self, A: Array, B: Array) -> Array:
        triangle, lower = self.triangle(A)
        B = B * B.dtype.type(self.alpha)
        if self.rightside:
            return transposed(solved(transposed(triangle), not lower, transposed(B)))
        return solved(triangle, lower, B)

    def gradient(self, F: Any, dy: Any, y: Any, A: Any, B: Any) -> Sequence[Any]:
        back = F._linalg_trsm(A, dy, transpose=not self.transpose, **self.flags())
        return self.outer(F, back, y, -1.0), back * self.alpha


# ---- columns


@operator("khatri_rao")
class KhatriRao(Matrices):
    """The Khatri-Rao product: of each column the Kronecker product.

    Inputs:
        *args: Matrices (m_i, n) with one number of columns.

    Attributes:
        num_args: The number of inputs; counted if it is left out.

    Returns:
        (the product of all m_i, n).

    ONNX: Unsqueeze, Mul and Reshape; Identity for a single matrix.
    """

    variadic: ClassVar[str] = "num_args"
    not_differentiable: ClassVar[str] = "MXNet has no gradient of it"
    refuses_gradient: ClassVar[bool] = True
    num_args: int

    def check(self) -> None:
        if self.num_args < 1:
            raise AttributeValueError(f"khatri_rao: at least one input is required, got {self.num_args}.")

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        ranks = [2 if s is None else len(s) for s in shapes]
        columns = [None if s is None else s[-1] for s in shapes if s]
        if set(ranks) != {2} or any(differ(columns[0], n) for n in columns):
            raise ShapeError(
                "khatri_rao: matrices with one number of columns are required, got "
                f"{', '.join(map(show, shapes))}."
            )
        n = one_size("khatri_rao", *columns)
        return [None if s is None else (s[0], n) for s in shapes]

    def infer_shape(self, *shapes: Shape) -> Shape:
        rows: Dim = 1
        for m, _ in shapes:
            rows = None if rows is None or m is None else rows * m
        return rows, shapes[0][1]

    def forward(self, *args: Array) -> Array:
        return reduce(_columnwise, args).copy()


def _columnwise(a: Array, b: Array) -> Array:
    product: Array = a[:, None, :] * b[None, :, :]
    return product.reshape(len(a) * len(b), a.shape[1])
