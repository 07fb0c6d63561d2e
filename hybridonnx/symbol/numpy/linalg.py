"""`sym.np.linalg`: linear algebra on symbols of mx.np."""

from __future__ import annotations

from ...faces import Linalg
from ...faces import namespace as _namespace
from ..np_symbol import FUNCTIONS, call

LINALG = Linalg(call, FUNCTIONS)

__getattr__, __dir__ = _namespace(__name__, LINALG)
