# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from ..np_array import ndarray

def adjust_lighting(
    data: ndarray,
    alpha: float | Sequence[float],
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with multiples of the principal components of ImageNet's colours added."""
    ...
def crop(
    data: ndarray,
    x: int,
    y: int,
    width: int,
    height: int,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The part of images that lies in a rectangle."""
    ...
def flip_left_right(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with left and right exchanged."""
    ...
def flip_top_bottom(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with top and bottom exchanged."""
    ...
def normalize(
    data: ndarray,
    mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Images minus a mean and divided by a standard deviation, channel by channel."""
    ...
def random_brightness(
    data: ndarray,
    min_factor: float,
    max_factor: float,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image made brighter or darker: its pixels times a random factor."""
    ...
def random_color_jitter(
    data: ndarray,
    brightness: float,
    contrast: float,
    saturation: float,
    hue: float,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with random brightness, contrast, saturation and hue, changed in random order."""
    ...
def random_contrast(
    data: ndarray,
    min_factor: float,
    max_factor: float,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with its pixels' differences from its mean brightness times a random factor."""
    ...
def random_flip_left_right(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with left and right exchanged, or unchanged, with equal probability."""
    ...
def random_flip_top_bottom(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with top and bottom exchanged, or unchanged, with equal probability."""
    ...
def random_hue(
    data: ndarray,
    min_factor: float,
    max_factor: float,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with its hues turned by a random multiple of a full turn; a factor of 1 changes nothing."""
    ...
def random_lighting(
    data: ndarray,
    alpha_std: float = 0.05,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with random amounts of the principal components of ImageNet's colours added."""
    ...
def random_saturation(
    data: ndarray,
    min_factor: float,
    max_factor: float,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """An image with its pixels' differences from grey of the same brightness times a random factor."""
    ...
def resize(
    data: ndarray,
    size: int | Sequence[int] = (),
    keep_ratio: bool = False,
    interp: int = 1,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Images resized with one of OpenCV's interpolations."""
    ...
def to_tensor(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Images of numbers from 0 to 255 as what networks read: float32 from 0 to 1, channels before rows."""
    ...
