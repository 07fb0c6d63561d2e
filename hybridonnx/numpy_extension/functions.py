"""The functions of mx.npx that are operators, by their names."""

from ..ndarray import numpy_extension as operators

__all__ = ["operators"]
