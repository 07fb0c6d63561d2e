"""Containers that run blocks side by side, and further layers."""

from ...._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, modules=("basic_layers",), submodules=("basic_layers",))
