"""`mx.np.random`."""

from ..ndarray.numpy import random as _random
from ..ndarray.numpy.random import *  # noqa: F403

__all__ = list(_random.__all__)
