"""`mx.np.random`."""

from ..ndarray import np_random as _random
from ..ndarray.np_random import *  # noqa: F403

__all__ = list(_random.__all__)
