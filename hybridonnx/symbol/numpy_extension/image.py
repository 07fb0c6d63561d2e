"""`sym.npx.image`: operators on images as symbols of mx.np."""

from ...faces import images as _images
from ..np_symbol import operators as _operators

__getattr__, __dir__ = _images(__name__, _operators)
