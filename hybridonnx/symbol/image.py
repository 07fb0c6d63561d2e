"""`sym.image`: operators on images as symbols, whose names begin with `_image_`."""

from .namespace import group as _group

__getattr__, __dir__ = _group("image")
