"""Vocabularies, and vectors for their words."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, submodules=("embedding", "utils", "vocab"))
