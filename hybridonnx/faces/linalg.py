"""The functions of mx.np.linalg that are operators."""

from __future__ import annotations

from math import inf
from typing import Any

from ..ops import is_number
from .arguments import Axes, Call, axes_of, or_none
from .functions import Functions


class Linalg:
    """The functions of mx.np.linalg, on the values of one frontend."""

    def __init__(self, call: Call[Any], functions: Functions[Any]) -> None:
        self._call, self._functions = call, functions

    def norm(self, x: Any, ord: float | str | None = None, axis: Axes = None, keepdims: bool = False) -> Any:
        """The norm of all elements, of vectors along an axis, or of matrices along two."""
        if isinstance(axis, list):
            raise TypeError(f"norm: axis of None, an integer or a tuple of them is required, got {axis}.")
        axes = axes_of(axis)
        if isinstance(ord, str) and ord not in ("fro", "nuc"):
            raise ValueError(f"norm: ord of a number, 'fro' or 'nuc' is required, got {ord!r}.")
        if ord == "nuc" and axes is not None and len(axes) != 2:
            raise ValueError(f"norm: two axes are required for ord 'nuc', got {axis}.")
        if axes is not None and len(axes) == 2 and ord in (1, -1):
            return self._of_sums(x, axes, ord == 1, keepdims)
        plain = 2 if ord is None or isinstance(ord, str) else ord
        same = {"ord": _text(plain), "axis": str(axes), "keepdims": keepdims}
        return self._call("_npi_norm", x, flag=_flag(ord, axes), **same)

    def _of_sums(self, x: Any, axes: tuple[int, ...], largest: bool, keepdims: bool) -> Any:
        """The largest or least sum of a column's absolute values."""
        f: Any = self._functions
        row, column = axes
        one_sign = (row < 0) == (column < 0)
        keeps = keepdims or not one_sign
        if not keeps and (column > row if row >= 0 else column < row):
            column += -1 if row >= 0 else 1
        sums = f.sum(f.abs(x), axis=row, keepdims=keeps)
        norm = (f.max if largest else f.min)(sums, axis=column, keepdims=keeps)
        return norm if keeps == keepdims else f.squeeze(norm, axes)

    def svd(self, a: Any) -> Any:
        """The singular value decomposition of matrices with no more rows than columns."""
        return tuple(self._call("_npi_svd", a))

    def cholesky(self, a: Any) -> Any:
        """The lower triangle whose product with its transpose is a matrix."""
        return self._call("_npi_cholesky", a)

    def inv(self, a: Any) -> Any:
        """The inverse of matrices."""
        return self._call("_linalg_inverse", a)

    def det(self, a: Any) -> Any:
        """The determinant of matrices."""
        return self._call("_npi_det", a)

    def slogdet(self, a: Any) -> Any:
        """The sign of the determinant of matrices, and the logarithm of its size."""
        return tuple(self._call("_npi_slogdet", a))

    def solve(self, a: Any, b: Any) -> Any:
        """What matrices take to `b`."""
        return self._call("_npi_solve", a, b)

    def tensorinv(self, a: Any, ind: int = 2) -> Any:
        """The inverse of an array as a matrix whose rows are its first axes."""
        return self._call("_npi_tensorinv", a, ind=ind)

    def tensorsolve(self, a: Any, b: Any, axes: Any = None) -> Any:
        """What an array, as a matrix, takes to `b`."""
        return self._call("_npi_tensorsolve", a, b, a_axes=or_none(axes))

    def eig(self, a: Any) -> Any:
        """Eigenvalues and eigenvectors of matrices that have real ones."""
        return tuple(self._call("_npi_eig", a))

    def eigh(self, a: Any, UPLO: str = "L") -> Any:
        """Eigenvalues and eigenvectors of symmetric matrices."""
        return tuple(self._call("_npi_eigh", a, UPLO=UPLO))

    def eigvals(self, a: Any) -> Any:
        """Eigenvalues of matrices that have real ones."""
        return self._call("_npi_eigvals", a)

    def eigvalsh(self, a: Any, UPLO: str = "L") -> Any:
        """Eigenvalues of symmetric matrices."""
        return self._call("_npi_eigvalsh", a, UPLO=UPLO)

    def pinv(self, a: Any, rcond: Any = 1e-15, hermitian: bool = False) -> Any:
        """The inverse of what matrices do where they can be inverted."""
        if hermitian:
            raise NotImplementedError("pinv: hermitian=False is required, got True.")
        if is_number(rcond):
            return self._call("_npi_pinv_scalar_rcond", a, rcond=rcond, hermitian=hermitian)
        return self._call("_npi_pinv", a, rcond, hermitian=hermitian)


def _flag(ord: float | str | None, axes: tuple[int, ...] | None) -> int:
    """What MXNet tells norms apart by."""
    if ord is None and axes is None:
        return -2
    if ord is None or isinstance(ord, str):
        return 2 if ord == "nuc" else 1
    return 0 if axes is not None and len(axes) == 2 and ord in (2, -2) else -1


def _text(order: float) -> str:
    return "inf" if order == inf else "-inf" if order == -inf else str(order)
