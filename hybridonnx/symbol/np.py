"""`sym.np`: NumPy's functions on symbols, as `F.np` in a hybrid block that is traced."""

from __future__ import annotations

from ..faces import namespace as _namespace
from . import np_linalg, np_random
from .np_symbol import FUNCTIONS
from .np_symbol import _Symbol as _Symbol

linalg, random = np_linalg, np_random

__getattr__, __dir__ = _namespace(__name__, FUNCTIONS, "linalg", "random")
