"""`sym.contrib`: the operators whose names begin with `_contrib_`, and functions made of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .control import cond as cond
from .control import foreach as foreach
from .control import while_loop as while_loop
from .namespace import group

if TYPE_CHECKING:
    from ._contrib_operators import *  # noqa: F403  (a stub)

_OWN = ["cond", "foreach", "while_loop"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = group("contrib", _OWN)
