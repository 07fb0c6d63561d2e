"""The functions of nd.np that are operators, by their names."""

from ..np_array import FUNCTIONS

__all__ = ["operators"]

operators = FUNCTIONS
