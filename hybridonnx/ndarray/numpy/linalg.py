"""`nd.np.linalg`: linear algebra on arrays of mx.np; what has no operator is NumPy's, on the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...faces import Linalg
from ...faces import namespace as _namespace
from ..np_array import FUNCTIONS, by_numpy, call, ndarray

if TYPE_CHECKING:
    from ._linalg_operators import *  # noqa: F403  (a stub)


class _ArrayLinalg(Linalg[ndarray]):
    """The functions of mx.np.linalg on arrays."""

    def svd(self, a: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        """The singular value decomposition of matrices, without the vectors that are left over."""
        if a.ndim < 2 or a.shape[-2] <= a.shape[-1]:
            return super().svd(a)
        v, values, u = super().svd(a.swapaxes(-2, -1))
        return u.swapaxes(-2, -1), values, v.swapaxes(-2, -1)


LINALG = _ArrayLinalg(call, FUNCTIONS)


def qr(a: ndarray, mode: str = "reduced") -> Any:
    """An orthonormal matrix and a triangle whose product is a matrix, outside of autograd."""
    return by_numpy(np.linalg.qr)(a, mode)


cond = by_numpy(np.linalg.cond)
lstsq = by_numpy(np.linalg.lstsq)
matrix_power = by_numpy(np.linalg.matrix_power)
matrix_rank = by_numpy(np.linalg.matrix_rank)
multi_dot = by_numpy(np.linalg.multi_dot)

__getattr__, __dir__ = _namespace(
    __name__, LINALG, "cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr"
)
