"""`sym.npx`: operators of neural networks on symbols of mx.np, `F.npx` in a hybrid block that is traced."""

from __future__ import annotations

from ..faces import namespace as _namespace
from . import npx_random
from .np_symbol import EXTENSION

random = npx_random

__getattr__, __dir__ = _namespace(__name__, EXTENSION, "random")
