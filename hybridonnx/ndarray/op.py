"""`nd.op`: every operator on arrays whose name does not begin with an underscore."""

from .namespace import group as _group

__getattr__, __dir__ = _group("op")
