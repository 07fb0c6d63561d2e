"""`nd._internal`: every operator on arrays, those with an underscore before their names included."""

from .namespace import group as _group

__getattr__, __dir__ = _group("_internal")
