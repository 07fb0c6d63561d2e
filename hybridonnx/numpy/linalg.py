"""`mx.np.linalg`."""

from ..ndarray.numpy import linalg as _linalg
from ..ndarray.numpy.linalg import *  # noqa: F403

__all__ = list(_linalg.__all__)
