"""`sym.npx`: operators of neural networks on symbols of mx.np, `F.npx` in a hybrid block that is traced."""

from __future__ import annotations

from ..faces import namespace as _namespace
from .np_symbol import EXTENSION

__getattr__, __dir__ = _namespace(__name__, EXTENSION)
