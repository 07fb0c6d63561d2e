"""The gradient of operators that are composed of others."""

from ._composition import CompositionGrad

__all__ = ["CompositionGrad"]
