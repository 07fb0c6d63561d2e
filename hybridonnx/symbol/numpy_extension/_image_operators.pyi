# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from ..np_symbol import _Symbol

def adjust_lighting(
    data: _Symbol | None = None,
    alpha: float | Sequence[float] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with multiples of the principal components of ImageNet's colours added."""
    ...
def crop(
    data: _Symbol | None = None,
    x: int = ...,
    y: int = ...,
    width: int = ...,
    height: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The part of images that lies in a rectangle."""
    ...
def flip_left_right(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with left and right exchanged."""
    ...
def flip_top_bottom(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with top and bottom exchanged."""
    ...
def normalize(
    data: _Symbol | None = None,
    mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Images minus a mean and divided by a standard deviation, channel by channel."""
    ...
def random_brightness(
    data: _Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image made brighter or darker: its pixels times a random factor."""
    ...
def random_color_jitter(
    data: _Symbol | None = None,
    brightness: float = ...,
    contrast: float = ...,
    saturation: float = ...,
    hue: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with random brightness, contrast, saturation and hue, changed in random order."""
    ...
def random_contrast(
    data: _Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with its pixels' differences from its mean brightness times a random factor."""
    ...
def random_flip_left_right(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with left and right exchanged, or unchanged, with equal probability."""
    ...
def random_flip_top_bottom(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with top and bottom exchanged, or unchanged, with equal probability."""
    ...
def random_hue(
    data: _Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with its hues turned by a random multiple of a full turn; a factor of 1 changes nothing."""
    ...
def random_lighting(
    data: _Symbol | None = None,
    alpha_std: float = 0.05,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with random amounts of the principal components of ImageNet's colours added."""
    ...
def random_saturation(
    data: _Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """An image with its pixels' differences from grey of the same brightness times a random factor."""
    ...
def resize(
    data: _Symbol | None = None,
    size: int | Sequence[int] = (),
    keep_ratio: bool = False,
    interp: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Images resized with one of OpenCV's interpolations."""
    ...
def to_tensor(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Images of numbers from 0 to 255 as what networks read: float32 from 0 to 1, channels before rows."""
    ...
