"""`sym.op`: every operator on symbols whose name does not begin with an underscore."""

from .namespace import group as _group

__getattr__, __dir__ = _group("op")
