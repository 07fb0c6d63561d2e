"""Linear algebra on arrays of mx.np: `norm` and `inv` with gradients, the rest by NumPy on the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..np_array import FUNCTIONS, array_of, as_np, by_numpy, ndarray

__all__ = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "tensorinv",
    "tensorsolve",
]


def norm(x: ndarray, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of all elements, of vectors along an axis, or of matrices along two."""
    plain = ord in (None, "fro") or (
        ord in (1, 2) and (isinstance(axis, int) or (axis is None and x.ndim == 1))
    )
    if not plain:
        return array_of(np.asarray(np.linalg.norm(x._data, ord, axis, keepdims)))
    f: Any = FUNCTIONS
    if ord == 1:
        return f.sum(f.abs(x), axis, keepdims=keepdims)
    return f.sqrt(f.sum(f.square(x), axis, keepdims=keepdims))


def inv(a: ndarray) -> Any:
    """The inverse of matrices."""
    return as_np(a.F._linalg_inverse(a))


def det(a: ndarray) -> Any:
    """The determinant of matrices."""
    determinant = as_np(a.F._linalg_det(a))
    return determinant.reshape(a.shape[:-2])


def slogdet(a: ndarray) -> Any:
    """The sign of the determinant of matrices, and the logarithm of its size."""
    sign, log = a.F._linalg_slogdet(a)
    return as_np(sign).reshape(a.shape[:-2]), as_np(log).reshape(a.shape[:-2])


def cholesky(a: ndarray) -> Any:
    """The lower triangle whose product with its transpose is a matrix."""
    return as_np(a.F._linalg_potrf(a))


def solve(a: ndarray, b: ndarray) -> Any:
    """What a matrix takes to `b`."""
    return FUNCTIONS.matmul(inv(a), b)


def svd(a: ndarray) -> Any:
    """The singular value decomposition of matrices, without the vectors that are left over."""
    return tuple(by_numpy(np.linalg.svd)(a, full_matrices=False))


def qr(a: ndarray, mode: str = "reduced") -> Any:
    """An orthonormal matrix and a triangle whose product is a matrix."""
    return tuple(by_numpy(np.linalg.qr)(a, mode))


def eigh(a: ndarray, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    return tuple(by_numpy(np.linalg.eigh)(a, UPLO))


def eig(a: ndarray) -> Any:
    """Eigenvalues and eigenvectors of matrices that have real ones."""
    return tuple(by_numpy(np.linalg.eig)(a))


cond = by_numpy(np.linalg.cond)
eigvals = by_numpy(np.linalg.eigvals)
eigvalsh = by_numpy(np.linalg.eigvalsh)
lstsq = by_numpy(np.linalg.lstsq)
matrix_power = by_numpy(np.linalg.matrix_power)
matrix_rank = by_numpy(np.linalg.matrix_rank)
multi_dot = by_numpy(np.linalg.multi_dot)
pinv = by_numpy(np.linalg.pinv)
tensorinv = by_numpy(np.linalg.tensorinv)
tensorsolve = by_numpy(np.linalg.tensorsolve)
