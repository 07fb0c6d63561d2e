"""The functions of mx.np.linalg that are operators."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Generic

from ..ops import is_number
from .arguments import Axes, Call, V, axes_of, or_none
from .functions import Functions


class Linalg(Generic[V]):
    """The functions of mx.np.linalg, on the values of one frontend."""

    def __init__(self, call: Call[V], functions: Functions[V]) -> None:
        self._call, self._functions = call, functions

    def norm(self, x: V, ord: float | str | None = None, axis: Axes = None, keepdims: bool = False) -> V:
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

    def _of_sums(self, x: V, axes: tuple[int, ...], largest: bool, keepdims: bool) -> V:
        """The largest or least sum of a column's absolute values."""
        f: Any = self._functions
        row, column = axes
        one_sign = (row < 0) == (column < 0)
        keeps = keepdims or not one_sign
        if not keeps and (column > row if row >= 0 else column < row):
            column += -1 if row >= 0 else 1
        sums = f.sum(f.abs(x), axis=row, keepdims=keeps)
        norm: V = (f.max if largest else f.min)(sums, axis=column, keepdims=keeps)
        return norm if keeps == keepdims else self._functions.squeeze(norm, axes)

    def svd(self, a: V) -> tuple[V, V, V]:
        """The singular value decomposition of matrices with no more rows than columns."""
        ut, values, v = self._several("_npi_svd", a)
        return ut, values, v

    def _several(self, name: str, *arrays: V, **attributes: object) -> list[V]:
        outputs: Any = self._call(name, *arrays, **attributes)
        return [*outputs]

    def cholesky(self, a: V) -> V:
        """The lower triangle whose product with its transpose is a matrix."""
        return self._call("_npi_cholesky", a)

    def inv(self, a: V) -> V:
        """The inverse of matrices."""
        return self._call("_linalg_inverse", a)

    def det(self, a: V) -> V:
        """The determinant of matrices."""
        return self._call("_npi_det", a)

    def slogdet(self, a: V) -> tuple[V, V]:
        """The sign of the determinant of matrices, and the logarithm of its size."""
        sign, logarithm = self._several("_npi_slogdet", a)
        return sign, logarithm

    def solve(self, a: V, b: V) -> V:
        """What matrices take to `b`."""
        return self._call("_npi_solve", a, b)

    def tensorinv(self, a: V, ind: int = 2) -> V:
        """The inverse of an array as a matrix whose rows are its first axes."""
        return self._call("_npi_tensorinv", a, ind=ind)

    def tensorsolve(self, a: V, b: V, axes: Sequence[int] | None = None) -> V:
        """What an array, as a matrix, takes to `b`."""
        return self._call("_npi_tensorsolve", a, b, a_axes=or_none(axes))

    def eig(self, a: V) -> tuple[V, V]:
        """Eigenvalues and eigenvectors of matrices that have real ones."""
        values, vectors = self._several("_npi_eig", a)
        return values, vectors

    def eigh(self, a: V, UPLO: str = "L") -> tuple[V, V]:
        """Eigenvalues and eigenvectors of symmetric matrices."""
        values, vectors = self._several("_npi_eigh", a, UPLO=UPLO)
        return values, vectors

    def eigvals(self, a: V) -> V:
        """Eigenvalues of matrices that have real ones."""
        return self._call("_npi_eigvals", a)

    def eigvalsh(self, a: V, UPLO: str = "L") -> V:
        """Eigenvalues of symmetric matrices."""
        return self._call("_npi_eigvalsh", a, UPLO=UPLO)

    def pinv(self, a: V, rcond: V | float = 1e-15, hermitian: bool = False) -> V:
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
