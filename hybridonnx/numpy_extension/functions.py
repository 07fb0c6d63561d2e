"""The functions of mx.npx that are operators, by their names."""

from ..ndarray import npx as operators

__all__ = ["operators"]
