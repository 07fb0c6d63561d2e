"""`nd.npx.image`: operators on images as arrays of mx.np."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ...faces import images as _images
from .functions import operator_on_np as _operator_on_np

if _TYPE_CHECKING:
    from ._image_operators import *  # noqa: F403  (a stub)

__getattr__, __dir__ = _images(__name__, _operator_on_np)
