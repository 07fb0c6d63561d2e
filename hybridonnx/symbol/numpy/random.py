"""`sym.np.random`: random draws as symbols of mx.np."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ...errors import NotImplementedForSymbol
from ...faces import Random
from ...faces import namespace as _namespace
from ..np_symbol import FUNCTIONS, _Symbol, call

if TYPE_CHECKING:
    from ._random_operators import *  # noqa: F403  (a stub)


class _SymbolRandom(Random[_Symbol]):
    """The functions of mx.np.random on symbols."""

    def shuffle(self, x: _Symbol) -> NoReturn:
        """Refused: symbols hold no memory that could change."""
        raise NotImplementedForSymbol("shuffle: arrays are required, as it changes them in place.")


DRAWS = _SymbolRandom(call, FUNCTIONS)

__getattr__, __dir__ = _namespace(__name__, DRAWS)
