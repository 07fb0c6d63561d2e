"""`sym.np.linalg`: linear algebra on symbols of mx.np."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...faces import Linalg
from ...faces import namespace as _namespace
from ..np_symbol import FUNCTIONS, call

if TYPE_CHECKING:
    from ._linalg_operators import *  # noqa: F403  (a stub)

LINALG = Linalg(call, FUNCTIONS)

__getattr__, __dir__ = _namespace(__name__, LINALG)
