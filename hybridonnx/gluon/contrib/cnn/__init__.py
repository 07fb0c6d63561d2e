"""Convolutions whose windows move with what they see."""

from ...._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, modules=("conv_layers",), submodules=("conv_layers",))
