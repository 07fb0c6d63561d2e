"""The functions of sym.np, by their names."""

from ..np_symbol import FUNCTIONS

__all__ = ["operators"]

operators = FUNCTIONS
