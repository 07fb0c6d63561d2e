"""Stochastic gradient descent with less variance, by gradients over all of the data."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, submodules=("svrg_module",))
