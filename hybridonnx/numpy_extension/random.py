"""`mx.npx.random`."""

from ..ndarray.numpy_extension import random as _random
from ..ndarray.numpy_extension.random import *  # noqa: F403

__all__ = list(_random.__all__)
