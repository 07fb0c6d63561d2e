"""`sym.linalg`: operators on symbols of matrices, whose names begin with `_linalg_`."""

from .namespace import group as _group

__getattr__, __dir__ = _group("linalg")
