# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from ...faces import Axes
from ..np_array import ndarray

def cholesky(a: ndarray) -> ndarray:
    """The lower triangle whose product with its transpose is a matrix."""
    ...
def det(a: ndarray) -> ndarray:
    """The determinant of matrices."""
    ...
def eig(a: ndarray) -> tuple[ndarray, ndarray]:
    """Eigenvalues and eigenvectors of matrices that have real ones."""
    ...
def eigh(a: ndarray, UPLO: str = 'L') -> tuple[ndarray, ndarray]:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    ...
def eigvals(a: ndarray) -> ndarray:
    """Eigenvalues of matrices that have real ones."""
    ...
def eigvalsh(a: ndarray, UPLO: str = 'L') -> ndarray:
    """Eigenvalues of symmetric matrices."""
    ...
def inv(a: ndarray) -> ndarray:
    """The inverse of matrices."""
    ...
def norm(
    x: ndarray,
    ord: float | str | None = None,
    axis: Axes = None,
    keepdims: bool = False,
) -> ndarray:
    """The norm of all elements, of vectors along an axis, or of matrices along two."""
    ...
def pinv(a: ndarray, rcond: ndarray | float = 1e-15, hermitian: bool = False) -> ndarray:
    """The inverse of what matrices do where they can be inverted."""
    ...
def slogdet(a: ndarray) -> tuple[ndarray, ndarray]:
    """The sign of the determinant of matrices, and the logarithm of its size."""
    ...
def solve(a: ndarray, b: ndarray) -> ndarray:
    """What matrices take to `b`."""
    ...
def svd(a: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """The singular value decomposition of matrices, without the vectors that are left over."""
    ...
def tensorinv(a: ndarray, ind: int = 2) -> ndarray:
    """The inverse of an array as a matrix whose rows are its first axes."""
    ...
def tensorsolve(a: ndarray, b: ndarray, axes: Sequence[int] | None = None) -> ndarray:
    """What an array, as a matrix, takes to `b`."""
    ...
