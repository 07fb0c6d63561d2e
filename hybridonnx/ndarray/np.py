"""`nd.np`: NumPy's functions on arrays, as `F.np` in a hybrid block that runs eagerly."""

from __future__ import annotations

from ..faces import namespace as _namespace
from . import np_linalg, np_random
from .np_array import FUNCTIONS

linalg, random = np_linalg, np_random

__getattr__, __dir__ = _namespace(__name__, FUNCTIONS, "linalg", "random")
