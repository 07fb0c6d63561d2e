"""Images: read from files, resized, cropped, augmented, and batches of them, for classes and for boxes."""

from . import detection, image
from . import detection as det
from .detection import *  # noqa: F403
from .image import *  # noqa: F403

__all__ = ["det", "detection", "image", *detection.__all__, *image.__all__]
