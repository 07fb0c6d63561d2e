"""`sym.npx.image`: operators on images as symbols of mx.np."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ...faces import images as _images
from ..np_symbol import operators as _operators

if _TYPE_CHECKING:
    from ._image_operators import *  # noqa: F403  (a stub)

__getattr__, __dir__ = _images(__name__, _operators)
