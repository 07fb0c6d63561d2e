"""`nd.npx.image`: operators on images as arrays of mx.np."""

from ...faces import images as _images
from .functions import operator_on_np as _operator_on_np

__getattr__, __dir__ = _images(__name__, _operator_on_np)
