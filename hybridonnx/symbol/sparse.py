"""`sym.sparse`: operators on symbols that MXNet also has for sparse storage types."""

from .namespace import group as _group

__getattr__, __dir__ = _group("sparse")
