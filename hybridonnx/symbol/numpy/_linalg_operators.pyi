# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from ...faces import Axes
from ..np_symbol import _Symbol

def cholesky(a: _Symbol) -> _Symbol:
    """The lower triangle whose product with its transpose is a matrix."""
    ...
def det(a: _Symbol) -> _Symbol:
    """The determinant of matrices."""
    ...
def eig(a: _Symbol) -> tuple[_Symbol, _Symbol]:
    """Eigenvalues and eigenvectors of matrices that have real ones."""
    ...
def eigh(a: _Symbol, UPLO: str = 'L') -> tuple[_Symbol, _Symbol]:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    ...
def eigvals(a: _Symbol) -> _Symbol:
    """Eigenvalues of matrices that have real ones."""
    ...
def eigvalsh(a: _Symbol, UPLO: str = 'L') -> _Symbol:
    """Eigenvalues of symmetric matrices."""
    ...
def inv(a: _Symbol) -> _Symbol:
    """The inverse of matrices."""
    ...
def norm(
    x: _Symbol,
    ord: float | str | None = None,
    axis: Axes = None,
    keepdims: bool = False,
) -> _Symbol:
    """The norm of all elements, of vectors along an axis, or of matrices along two."""
    ...
def pinv(a: _Symbol, rcond: _Symbol | float = 1e-15, hermitian: bool = False) -> _Symbol:
    """The inverse of what matrices do where they can be inverted."""
    ...
def slogdet(a: _Symbol) -> tuple[_Symbol, _Symbol]:
    """The sign of the determinant of matrices, and the logarithm of its size."""
    ...
def solve(a: _Symbol, b: _Symbol) -> _Symbol:
    """What matrices take to `b`."""
    ...
def svd(a: _Symbol) -> tuple[_Symbol, _Symbol, _Symbol]:
    """The singular value decomposition of matrices with no more rows than columns."""
    ...
def tensorinv(a: _Symbol, ind: int = 2) -> _Symbol:
    """The inverse of an array as a matrix whose rows are its first axes."""
    ...
def tensorsolve(a: _Symbol, b: _Symbol, axes: Sequence[int] | None = None) -> _Symbol:
    """What an array, as a matrix, takes to `b`."""
    ...
