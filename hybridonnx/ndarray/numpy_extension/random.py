"""`mx.npx.random`: random draws that mx.npx has beside those of mx.np."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...context import Context
from ...faces import RandomExtension
from ...faces import namespace as _namespace
from ...ops import seed as _seed
from ..np_array import FUNCTIONS, call

if TYPE_CHECKING:
    from ._random_operators import *  # noqa: F403  (a stub)

DRAWS = RandomExtension(call, FUNCTIONS)


def seed(seed: int, ctx: str | Context = "all") -> None:
    """Begin all draws anew from a seed."""
    _seed(int(seed))


__getattr__, __dir__ = _namespace(__name__, DRAWS, "seed")
