"""`sym.npx.random`: random draws that mx.npx has beside those of mx.np, as symbols."""

from __future__ import annotations

from ...faces import RandomExtension
from ...faces import namespace as _namespace
from ..np_symbol import FUNCTIONS, call

DRAWS = RandomExtension(call, FUNCTIONS)

__getattr__, __dir__ = _namespace(__name__, DRAWS)
