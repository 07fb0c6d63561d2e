"""The functions of mx.np that are operators, by their names."""

from ..ndarray import np as operators

__all__ = ["operators"]
