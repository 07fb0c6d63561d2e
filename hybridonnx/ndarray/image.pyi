# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from .ndarray import NDArray

def adjust_lighting(
    data: NDArray,
    alpha: float | Sequence[float],
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with multiples of the principal components of ImageNet's colours added."""
    ...
def crop(
    data: NDArray,
    x: int,
    y: int,
    width: int,
    height: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The part of images that lies in a rectangle."""
    ...
def flip_left_right(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with left and right exchanged."""
    ...
def flip_top_bottom(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with top and bottom exchanged."""
    ...
def normalize(
    data: NDArray,
    mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Images minus a mean and divided by a standard deviation, channel by channel."""
    ...
def random_brightness(
    data: NDArray,
    min_factor: float,
    max_factor: float,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image made brighter or darker: its pixels times a random factor."""
    ...
def random_color_jitter(
    data: NDArray,
    brightness: float,
    contrast: float,
    saturation: float,
    hue: float,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with random brightness, contrast, saturation and hue, changed in random order."""
    ...
def random_contrast(
    data: NDArray,
    min_factor: float,
    max_factor: float,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with its pixels' differences from its mean brightness times a random factor."""
    ...
def random_flip_left_right(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with left and right exchanged, or unchanged, with equal probability."""
    ...
def random_flip_top_bottom(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with top and bottom exchanged, or unchanged, with equal probability."""
    ...
def random_hue(
    data: NDArray,
    min_factor: float,
    max_factor: float,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with its hues turned by a random multiple of a full turn; a factor of 1 changes nothing."""
    ...
def random_lighting(
    data: NDArray,
    alpha_std: float = 0.05,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with random amounts of the principal components of ImageNet's colours added."""
    ...
def random_saturation(
    data: NDArray,
    min_factor: float,
    max_factor: float,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """An image with its pixels' differences from grey of the same brightness times a random factor."""
    ...
def resize(
    data: NDArray,
    size: int | Sequence[int] = (),
    keep_ratio: bool = False,
    interp: int = 1,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Images resized with one of OpenCV's interpolations."""
    ...
def to_tensor(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Images of numbers from 0 to 255 as what networks read: float32 from 0 to 1, channels before rows."""
    ...
