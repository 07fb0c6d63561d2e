"""`sym.contrib`: operators on symbols whose names begin with `_contrib_`."""

from .namespace import group as _group

__getattr__, __dir__ = _group("contrib")
