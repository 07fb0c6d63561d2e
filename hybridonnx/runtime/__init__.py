"""Graphs compiled by ONNX Runtime; to users, what MXNet's `mx.runtime` has."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, modules=("features", "diagnosis"))
