"""Operators as functions on symbols: `sym.Convolution`, and the groups such as `sym.linalg`."""

from __future__ import annotations

from collections.abc import Sequence

from .._lazy import Access
from ..ops import Namespace
from .frontend import frontend
from .symbol import Symbol

SYMBOLS = frontend(Symbol)
operators = Namespace(SYMBOLS)


def group(name: str, own: Sequence[str] = ()) -> Access:
    """`__getattr__` and `__dir__` of the module of a group, whose `own` functions are no operators."""
    return Namespace(SYMBOLS, name).access(own)
