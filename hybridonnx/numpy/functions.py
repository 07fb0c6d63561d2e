"""The functions of mx.np that nd.np has, too."""

from ..ndarray import numpy as operators

__all__ = ["operators"]
