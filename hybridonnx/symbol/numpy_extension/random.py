"""`sym.npx.random`: random draws that mx.npx has beside those of mx.np, as symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...faces import RandomExtension
from ...faces import namespace as _namespace
from ..np_symbol import FUNCTIONS, call

if TYPE_CHECKING:
    from ._random_operators import *  # noqa: F403  (a stub)

DRAWS = RandomExtension(call, FUNCTIONS)

__getattr__, __dir__ = _namespace(__name__, DRAWS)
