"""The functions of sym.npx, by their names."""

from ..np_symbol import EXTENSION

__all__ = ["operators"]

operators = EXTENSION
