"""`mx.npx.random`."""

from ..ndarray import npx_random as _random
from ..ndarray.npx_random import *  # noqa: F403

__all__ = list(_random.__all__)
