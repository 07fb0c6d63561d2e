# Written by scripts/stubs; do not edit.
from collections.abc import Mapping
from .symbol import Symbol

def det(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The determinant of square matrices, NaN of one with NaN."""
    ...
def extractdiag(
    A: Symbol | None = None,
    offset: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A diagonal of square matrices."""
    ...
def extracttrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A triangle of square matrices, with the diagonal, as a vector."""
    ...
def gelqf(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The decomposition of matrices into lower triangular ones and ones of orthonormal rows, `A = L Q`."""
    ...
def gemm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    C: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The product of matrices, times `alpha`, plus `beta` times another array of matrices."""
    ...
def gemm2(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The product of matrices, times `alpha`."""
    ...
def inverse(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inverse of square matrices."""
    ...
def makediag(
    A: Symbol | None = None,
    offset: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Square matrices of zeros with vectors as a diagonal."""
    ...
def maketrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Square matrices of zeros with vectors as a triangle."""
    ...
def potrf(
    A: Symbol | None = None,
    lower: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The Cholesky factor of symmetric positive definite matrices: lower triangular L with `A = L Lᵀ`."""
    ...
def potri(
    A: Symbol | None = None,
    lower: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inverse of `A Aᵀ` for lower triangular matrices `A`, such as Cholesky factors."""
    ...
def slogdet(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sign of the determinant of square matrices, and the logarithm of its absolute value."""
    ...
def sumlogdiag(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum of the logarithms of the main diagonal of square matrices."""
    ...
def syevd(
    A: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The eigenvectors and eigenvalues of symmetric matrices, `A = Uᵀ diag(L) U`."""
    ...
def syrk(
    A: Symbol | None = None,
    transpose: bool = False,
    alpha: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The product of matrices with their own transposed ones, times `alpha`."""
    ...
def trmm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The product of a triangular matrix and another one, times `alpha`."""
    ...
def trsm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The solution of a system of linear equations with a triangular matrix."""
    ...
