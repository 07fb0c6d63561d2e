# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from .ndarray import NDArray

def det(
    A: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The determinant of square matrices, NaN of one with NaN."""
    ...
def extractdiag(
    A: NDArray,
    offset: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A diagonal of square matrices."""
    ...
def extracttrian(
    A: NDArray,
    offset: int = 0,
    lower: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A triangle of square matrices, with the diagonal, as a vector."""
    ...
def gelqf(
    A: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The decomposition of matrices into lower triangular ones and ones of orthonormal rows, `A = L Q`."""
    ...
def gemm(
    A: NDArray,
    B: NDArray,
    C: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product of matrices, times `alpha`, plus `beta` times another array of matrices."""
    ...
def gemm2(
    A: NDArray,
    B: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product of matrices, times `alpha`."""
    ...
def inverse(
    A: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inverse of square matrices."""
    ...
def makediag(
    A: NDArray,
    offset: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Square matrices of zeros with vectors as a diagonal."""
    ...
def maketrian(
    A: NDArray,
    offset: int = 0,
    lower: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Square matrices of zeros with vectors as a triangle."""
    ...
def potrf(
    A: NDArray,
    lower: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The Cholesky factor of symmetric positive definite matrices: lower triangular L with `A = L Lᵀ`."""
    ...
def potri(
    A: NDArray,
    lower: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inverse of `A Aᵀ` for lower triangular matrices `A`, such as Cholesky factors."""
    ...
def slogdet(
    A: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The sign of the determinant of square matrices, and the logarithm of its absolute value."""
    ...
def sumlogdiag(
    A: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of the logarithms of the main diagonal of square matrices."""
    ...
def syevd(
    A: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The eigenvectors and eigenvalues of symmetric matrices, `A = Uᵀ diag(L) U`."""
    ...
def syrk(
    A: NDArray,
    transpose: bool = False,
    alpha: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product of matrices with their own transposed ones, times `alpha`."""
    ...
def trmm(
    A: NDArray,
    B: NDArray,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product of a triangular matrix and another one, times `alpha`."""
    ...
def trsm(
    A: NDArray,
    B: NDArray,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The solution of a system of linear equations with a triangular matrix."""
    ...
