"""`mx.np.linalg`."""

from ..ndarray import np_linalg as _linalg
from ..ndarray.np_linalg import *  # noqa: F403

__all__ = list(_linalg.__all__)
