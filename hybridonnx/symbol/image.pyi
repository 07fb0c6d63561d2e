# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from .symbol import Symbol

def adjust_lighting(
    data: Symbol | None = None,
    alpha: float | Sequence[float] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image (H, W, 3) with `alpha` times the principal components of ImageNet's colours added."""
    ...
def crop(
    data: Symbol | None = None,
    x: int = ...,
    y: int = ...,
    width: int = ...,
    height: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The part of an image, or of several, that begins `x` from the left and `y` from the top."""
    ...
def flip_left_right(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image (H, W, C) with left and right exchanged."""
    ...
def flip_top_bottom(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image (H, W, C) with top and bottom exchanged."""
    ...
def normalize(
    data: Symbol | None = None,
    mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """(data - mean) / std, by channels, of an image (C, H, W) or several, with 1 or 3 channels."""
    ...
def random_brightness(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image times a random factor."""
    ...
def random_color_jitter(
    data: Symbol | None = None,
    brightness: float = ...,
    contrast: float = ...,
    saturation: float = ...,
    hue: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image changed in all four ways, in random order, each by a factor at most so far from 1."""
    ...
def random_contrast(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image with its differences from the mean brightness times a random factor."""
    ...
def random_flip_left_right(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image (H, W, C), half of the time with left and right exchanged."""
    ...
def random_flip_top_bottom(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image (H, W, C), half of the time with top and bottom exchanged."""
    ...
def random_hue(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image with its hues turned by a random part of a full turn; 1, the whole one, changes nothing."""
    ...
def random_lighting(
    data: Symbol | None = None,
    alpha_std: float = 0.05,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image (H, W, 3) with random amounts of the principal components of ImageNet's colours added."""
    ...
def random_saturation(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image with its differences from grey times a random factor."""
    ...
def resize(
    data: Symbol | None = None,
    size: int | Sequence[int] = (),
    keep_ratio: bool = False,
    interp: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image, or several, of uint8 or real numbers in another size."""
    ...
def to_tensor(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """An image (H, W, C) of 0 to 255 as float32 (C, H, W) of 0 to 1; several likewise."""
    ...
