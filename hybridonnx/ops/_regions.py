"""What operators on regions of images share: their schema, and how they lie on each axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError, MXNetError, ShapeError
from ._operator import Array, Operator, record
from ._shapes import Dim, Shape, below, is_zero, show
from ._windows import require_floats, require_positive


@record
class Regions(Operator):
    """Regions of images, each divided into bins.

    Inputs:
        data: Images (N, C, H, W).
        rois: (R, 5): for each region the index of its image, then left, top, right and bottom. A region of
            an image that is not there gives 0.
        dy: The gradient of the output.

    Attributes:
        spatial_scale: How much of a pixel of data a pixel of the regions is.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "rois")
    width: ClassVar[int] = 5
    """How many numbers describe a region."""

    if TYPE_CHECKING:  # each operator has these in MXNet's order, with its own
        pooled_size: Any
        spatial_scale: float

    @property
    def scale(self) -> float:
        """The attribute spatial_scale, in float32 as MXNet has it."""
        return float(np.float32(self.spatial_scale))

    def bins(self) -> tuple[int, int]:
        """How many bins a region has on each axis."""
        size = self.pooled_size
        return (size, size) if isinstance(size, int) else size

    def check(self) -> None:
        name = self.names[0]
        if len(self.bins()) != 2:
            raise AttributeValueError(
                f"{name}: a pooled_size of 2 numbers is required, got {self.pooled_size}."
            )
        require_positive(name, pooled_size=self.bins())
        if not 0 <= self.spatial_scale <= 1:
            raise AttributeValueError(f"{name}: spatial_scale must lie in [0, 1], got {self.spatial_scale}.")

    def infer_input_dtypes(self, *dtypes: DType | None, **_: Any) -> Sequence[DType | None]:
        """Regions may have another floating-point type than the images."""
        require_floats(self.names[0], *dtypes)
        known = next((d for d in dtypes if d is not None), None)
        others = {d for n, d in zip(self.input_names(), dtypes, strict=False) if n != "rois"} - {None}
        if len(others) > 1:
            raise DTypeError(
                f"{self.names[0]}: inputs of one dtype are required, got {', '.join(map(str, others))}. "
                "Cast with astype."
            )
        return [known if d is None else d for d in dtypes]

    def require(self, data: Shape, rois: Shape) -> None:
        """Raise `ShapeError` for what are no images and regions."""
        name = self.names[0]
        if len(data) != 4:
            raise ShapeError(f"{name}: images (N, C, H, W) are required, got {show(data)}.")
        if any(map(is_zero, data[2:])):
            raise ShapeError(f"{name}: images with pixels are required, got {show(data)}.")
        if len(rois) != 2:
            raise ShapeError(f"{name}: rois (R, {self.width}) are required, got {show(rois)}.")
        if is_zero(data[0]) and below(0, rois[0]):
            raise ShapeError(f"{name}: images for {show(rois)} regions are required, got {show(data)}.")

    def region_shape(self, rois: Shape | None) -> Shape:
        """The regions' shape."""
        return (None if rois is None or len(rois) != 2 else rois[0], self.width)

    def channels(self, data: Shape) -> Dim:
        """How many channels the output has."""
        return data[1]

    def pooled(self, data: Shape, rois: Shape) -> Shape:
        """The shape of all bins."""
        self.require(data, rois)
        return (rois[0], self.channels(data), *self.bins())

    def computed(self, data: Array, rois: Array) -> tuple[Array, Array]:
        """Images and regions in the dtype to compute in."""
        dtype = np.result_type(data.dtype, rois.dtype, np.float32)
        return data.astype(dtype, copy=False), rois.astype(dtype, copy=False)


class Pooled(Regions):
    """An operator from images and regions to bins."""

    def infer_inputs(self, data: Shape | None, rois: Shape | None) -> Sequence[Shape | None]:
        return data, self.region_shape(rois)

    def infer_shape(self, data: Shape, rois: Shape) -> Shape:
        return self.pooled(data, rois)


class Adjoint(Regions):
    """An operator from bins to images."""

    inputs: ClassVar[tuple[str, ...]] = ("dy", "rois", "data")

    def infer_inputs(
        self, dy: Shape | None, rois: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        regions = self.region_shape(rois)
        return (dy if data is None else self.pooled(data, regions)), regions, data

    def infer_shape(self, dy: Shape, rois: Shape, data: Shape) -> Shape:
        return data


def numbered(rois: Array, count: int) -> Iterator[tuple[int, int, Array]]:
    """For each region of one of `count` images: its index, the image's index, and the other numbers."""
    images = np.nan_to_num(rois[:, 0], nan=-1.0, posinf=-1.0, neginf=-1.0).astype(np.int64)
    for r in np.flatnonzero((images >= 0) & (images < count)):
        yield int(r), int(images[r]), rois[r, 1:]


MOST_SAMPLES = 1 << 20
"""More samples in a bin on an axis are a mistake, for which there is no memory either."""


class Samples(NamedTuple):
    """Where the bins of a region are sampled along one axis: `each` times in every bin."""

    where: Array
    inside: Array
    bins: int
    each: int
    size: int

    @classmethod
    def even(cls, start: Any, length: Any, bins: int, ratio: int, size: int) -> Samples:
        """Samples at equal distances, `ratio` in a bin, or if it is not positive about one for each pixel."""
        each = ratio
        if ratio <= 0:
            each = max(int(np.ceil(length / bins)), 0) if np.isfinite(length) else 0
        if each > MOST_SAMPLES:
            raise MXNetError(
                f"Regions of images: at most {MOST_SAMPLES} samples in a bin on each axis are required, got "
                f"{each}. Check the regions' corners and spatial_scale."
            )
        step = length / length.dtype.type(bins)
        within = (np.arange(each, dtype=length.dtype) + length.dtype.type(0.5)) * step
        where = start + np.arange(bins, dtype=length.dtype)[:, None] * step + within / max(each, 1)
        return cls(where.ravel(), _inside(where, size).ravel(), bins, each, size)

    def taps(self) -> tuple[Array, Array, Array]:
        """The two pixels around each sample, and the share of the second."""
        return taps(self.where, self.inside, self.size)

    def reach(self) -> slice:
        """The pixels that are read."""
        low, high, _ = self.taps()
        return slice(low.min(), high.max() + 1) if len(low) else slice(0, 0)

    def means(self, x: Array, first: int = 0) -> Array:
        """The mean of the samples of each bin along axis 1 of x (C, pixels, *), which begins at `first`."""
        low, high, share = self.taps()
        share = share[:, None]
        read = x[:, low - first] * (1 - share) + x[:, high - first] * share
        read[:, ~self.inside] = 0
        split = read.reshape(len(x), self.bins, self.each, *x.shape[2:])
        return np.asarray(split.sum(axis=2) / max(self.each, 1))

    def matrix(self) -> Array:
        """The matrix (bins, size) of `means`."""
        where = np.where(self.inside, np.clip(self.where, 0, self.size - 1), -1)
        tents = np.maximum(1 - np.abs(where[:, None] - np.arange(self.size, dtype=where.dtype)), 0)
        tents *= self.inside[:, None]
        return np.asarray(tents.reshape(self.bins, self.each, self.size).sum(axis=1) / max(self.each, 1))


def _inside(where: Array, size: int) -> Array:
    return np.asarray((where >= -1) & (where <= size))


def taps(where: Array, inside: Array, size: int) -> tuple[Array, Array, Array]:
    """The two pixels around each coordinate, those at the edge beyond it, and the share of the second."""
    where = np.clip(np.where(inside, where, where.dtype.type(0)), 0, size - 1)
    low = np.floor(where).astype(np.int64)
    return low, np.minimum(low + 1, size - 1), where - low


def inside(y: Array, x: Array, size: Sequence[int]) -> Array:
    """Which points are read at all."""
    return _inside(y, size[0]) & _inside(x, size[1])


def rounded(x: Array) -> Array:
    """The nearest integers, halves away from 0."""
    exact = x.astype(np.float64)
    return np.asarray((np.sign(exact) * np.floor(np.abs(exact) + 0.5)).astype(x.dtype))
