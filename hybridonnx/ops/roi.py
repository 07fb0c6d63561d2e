"""Regions of images as arrays of one size: ROIPooling, ROIAlign, RROIAlign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..attrs import Ints
from ..errors import ShapeError
from ._operator import Array, record
from ._regions import Adjoint, Pooled, Regions, Samples, inside, numbered, rounded, taps
from ._registry import operator
from ._shapes import Dim, Shape, differ, over, show, sizes, unify

# ---- maxima


@record
class _Max(Regions):
    """The maximum of each bin of a region, and what belongs to its gradient.

    Bins begin and end at integers; those that share a pixel both have it, and one outside of the image is 0.

    Attributes:
        pooled_size: How many bins there are down and across.
    """

    pooled_size: Ints
    spatial_scale: float

    def limits(self, region: Array, axis: int, size: int) -> _Bins:
        """The pixels of each bin of a region along one axis."""
        first, last = rounded(region[[1 - axis, 3 - axis]] * region.dtype.type(self.scale))
        bins = self.bins()[axis]
        step = np.maximum(last - first + 1, 1) / region.dtype.type(bins)
        steps = np.arange(bins + 1, dtype=region.dtype) * step
        starts = np.clip(np.floor(steps[:-1]) + first, 0, size).astype(np.int64)
        ends = np.clip(np.ceil(steps[1:]) + first, 0, size).astype(np.int64)
        return _Bins(starts, np.maximum(ends - starts, 0))

    def tops(self, data: Array, rois: Array) -> Array:
        """For each bin the index of its first maximum among all elements of data; -1 for none."""
        data, rois = self.computed(data, rois)
        _, c, height, width = data.shape
        index = np.full((len(rois), c, *self.bins()), -1, np.int64)
        for r, image, top, pixels, rows, columns in self.placed(data, rois):
            highest, column = columns.tops(pixels.swapaxes(0, 1))
            _, row = rows.tops(highest.swapaxes(0, 1))
            column = np.take_along_axis(column.swapaxes(0, 1), row, axis=0)
            row = row.astype(np.int64) + top
            inner = np.where(_filled(rows, columns), row * width + column, -1)
            start = (image * c + np.arange(c)) * height * width
            index[r] = np.moveaxis(np.where(inner < 0, -1, inner + start), -1, 0)
        return index

    def placed(self, data: Array, rois: Array) -> Iterator[tuple[int, int, int, Array, _Bins, _Bins]]:
        """For each region that has pixels of an image, and no corner that is NaN: its index, the image's, the
        first row, the rows of the region with the channels last, and the pixels of each bin in these."""
        images = np.ascontiguousarray(np.moveaxis(data, 1, -1))
        for r, image, region in numbered(rois, len(data)):
            if np.isnan(region).any():
                continue
            rows, columns = (self.limits(region, axis, s) for axis, s in enumerate(data.shape[2:]))
            if rows.counts.any() and columns.counts.any():
                top, bottom = int(rows.starts[0]), int(rows.starts[-1] + rows.counts[-1])
                yield r, image, top, images[image, top:bottom], _Bins(rows.starts - top, rows.counts), columns


class _Bins(NamedTuple):
    """The pixels of bins along an axis: where they start, and how many there are."""

    starts: Array
    counts: Array

    def offsets(self, size: int) -> Iterator[Array]:
        """One pixel of each bin of at most `size` pixels at a time: those of smaller bins come again."""
        last = np.maximum(self.counts - 1, 0)
        for i in range(int(self.counts.max())):
            yield np.minimum(self.starts + np.minimum(i, last), size - 1)

    def highest(self, x: Array) -> Array:
        """The maxima (bins, *) of x (pixels, *)."""
        first, *others = self.offsets(len(x))
        y = x[first]
        for at in others:
            np.maximum(y, x[at], out=y)
        return y

    def tops(self, x: Array) -> tuple[Array, Array]:
        """The maxima (bins, *) of x (pixels, *), and the index of the first of each; NaN is one."""
        first, *others = self.offsets(len(x))
        y = x[first]
        index = np.empty(y.shape, np.int32)
        index[...] = first.reshape(-1, *[1] * (x.ndim - 1))
        for at in others:
            value = x[at]
            higher = ~(value <= y)
            higher &= y == y
            np.copyto(index, at.astype(np.int32).reshape(-1, *[1] * (x.ndim - 1)), where=higher)
            np.maximum(y, value, out=y)
        return y, index


def _filled(rows: _Bins, columns: _Bins) -> Array:
    """Which bins have pixels (*bins, 1)."""
    return np.asarray((rows.counts[:, None, None] > 0) & (columns.counts[:, None] > 0))


def _picked(values: Array, index: Array) -> Array:
    """The elements with these indices, 0 for -1."""
    flat = np.append(values.ravel(), values.dtype.type(0))
    return np.asarray(flat[index])


@operator("ROIPooling", "_npx_roi_pooling")
class ROIPooling(_Max, Pooled):
    """The maximum of each bin of regions, whose corners are rounded to pixels.

    A region with a corner that is NaN gives NaN; its gradient is zero.

    Returns:
        (R, C, *pooled_size).

    ONNX: MaxRoiPool.
    """

    saves: ClassVar[float] = 10.0

    def counted(self) -> int:
        return 2

    def forward(self, data: Array, rois: Array) -> Array:
        x, regions = self.computed(data, rois)
        y = np.zeros(sizes(self.pooled(data.shape, rois.shape)), data.dtype)
        for r, _, _, pixels, rows, columns in self.placed(x, regions):
            highest = rows.highest(columns.highest(pixels.swapaxes(0, 1)).swapaxes(0, 1))
            y[r] = np.moveaxis(np.where(_filled(rows, columns), highest, 0), -1, 0)
        for r, _, region in numbered(regions, len(x)):
            if np.isnan(region).any():
                y[r] = np.nan
        return y

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, rois: Any) -> Sequence[Any]:
        return F._roi_pool_grad(dy, rois, data, **self.attributes()), None


@operator("_roi_pool_grad")
class ROIPoolGrad(_Max, Adjoint):
    """The gradient of ROIPooling with respect to its data: the first maximum of each bin gets the bin's.

    Returns:
        The shape of data.

    ONNX: Gather and Greater in a Loop over the pixels of the largest bin, and ScatterElements.
    """

    saves: ClassVar[float] = 5.0

    def forward(self, dy: Array, rois: Array, data: Array) -> Array:
        index = self.tops(data, rois).ravel()
        index += 1  # the sum of those without a maximum stands first
        sums = np.bincount(index, dy.ravel(), minlength=data.size + 1)
        return sums[1:].reshape(data.shape).astype(dy.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, rois: Any, data: Any) -> Sequence[Any]:
        return F._roi_pool_pick(dy, rois, data, **self.attributes()), None, None


@operator("_roi_pool_pick")
class ROIPoolPick(_Max):
    """From each bin of regions of `values` the element where `data` has its first maximum.

    Inputs:
        values: An array of data's shape.

    Returns:
        (R, C, *pooled_size).

    ONNX: Gather and Greater in a Loop over the pixels of the largest bin, and Gather.
    """

    saves: ClassVar[float] = 10.0
    inputs: ClassVar[tuple[str, ...]] = ("values", "rois", "data")

    def infer_inputs(
        self, values: Shape | None, rois: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        one = unify(self.names[0], values, data)
        return one, self.region_shape(rois), one

    def infer_shape(self, values: Shape, rois: Shape, data: Shape) -> Shape:
        return self.pooled(data, rois)

    def forward(self, values: Array, rois: Array, data: Array) -> Array:
        return _picked(values, self.tops(data, rois))

    def gradient(self, F: Any, dy: Any, y: Any, values: Any, rois: Any, data: Any) -> Sequence[Any]:
        return F._roi_pool_grad(dy, rois, data, **self.attributes()), None, None


# ---- means of samples between pixels


@record
class _Align(Regions):
    """The mean of samples in each bin of a region, and its adjoint.

    Attributes:
        pooled_size: How many bins there are down and across.
        sample_ratio: How many samples a bin has on each axis; about one for each pixel if it is not positive.
        position_sensitive: Whether each bin has channels of its own: channel c of the output has those from
            c * bins on.
        aligned: Whether coordinates are those of pixels' centres; otherwise they are those of corners, and
            regions are at least 1 pixel high and wide.
    """

    pooled_size: Ints
    spatial_scale: float
    sample_ratio: int = -1
    position_sensitive: bool = False
    aligned: bool = False

    def channels(self, data: Shape) -> Dim:
        if not self.position_sensitive:
            return data[1]
        if data[1] is not None and differ(data[1] % prod(self.bins()), 0):
            raise ShapeError(
                f"{self.names[0]}: a multiple of {prod(self.bins())} channels is required with "
                f"position_sensitive, got data {show(data)}."
            )
        return over(data[1], prod(self.bins()))

    def samples(self, region: Array, size: Sequence[int]) -> list[Samples]:
        """Where a region is sampled on each axis."""
        one = region.dtype.type
        left, top, right, bottom = region * one(self.scale) - one(0.5 if self.aligned else 0)
        axes = []
        for start, end, bins, n in zip((top, left), (bottom, right), self.bins(), size, strict=True):
            length = end - start if self.aligned else np.maximum(end - start, one(1))
            axes.append(Samples.even(start, length, bins, self.sample_ratio, n))
        return axes

    def chosen(self, y: Array) -> Array:
        """Of all channels of each bin (C, *bins) its own ones."""
        if not self.position_sensitive:
            return y
        count = prod(self.bins())
        own: Array = np.einsum("cbb->cb", y.reshape(-1, count, count))
        return own.reshape(-1, *self.bins())

    def spread(self, dy: Array) -> Array:
        """`chosen` backwards."""
        if not self.position_sensitive:
            return dy
        count = prod(self.bins())
        full = np.zeros((len(dy), count, count), dy.dtype)
        full[:, np.arange(count), np.arange(count)] = dy.reshape(len(dy), count)
        return full.reshape(-1, *self.bins())


def _means(image: Array, down: Samples, across: Samples) -> Array:
    """The means of the samples (C, *bins) of an image (C, H, W)."""
    rows, columns = down.reach(), across.reach()
    means: Array = down.matrix()[:, rows] @ image[:, rows, columns] @ across.matrix()[:, columns].T
    if np.isfinite(means).all():
        return means
    # the product reads pixels of share 0 as well
    lines = down.means(image[:, :, columns])
    return across.means(lines.swapaxes(1, 2), columns.start).swapaxes(1, 2)


@operator("_contrib_ROIAlign")
class ROIAlign(_Align, Pooled):
    """The mean of samples, read between pixels, in each bin of regions whose corners lie anywhere.

    A region with a corner that is NaN or infinite gives NaN; ONNX Runtime's RoiAlign refuses it in files.

    Returns:
        (R, C, *pooled_size); with position_sensitive C is divided by the number of bins.

    ONNX: RoiAlign, of images that are there.
    """

    saves: ClassVar[float] = 5.0

    def forward(self, data: Array, rois: Array) -> Array:
        x, regions = self.computed(data, rois)
        y = np.zeros(sizes(self.pooled(data.shape, rois.shape)), data.dtype)
        for r, image, region in numbered(regions, len(x)):
            if not np.isfinite(region).all():
                y[r] = np.nan
                continue
            down, across = self.samples(region, x.shape[2:])
            y[r] = self.chosen(_means(x[image], down, across))
        return y

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, rois: Any) -> Sequence[Any]:
        return F._roi_align_grad(dy, rois, data, **self.attributes()), None


@operator("_roi_align_grad")
class ROIAlignGrad(_Align, Adjoint):
    """The gradient of ROIAlign with respect to its data.

    Returns:
        The shape of data.

    ONNX: MatMul with the shares of rows and of columns, which are computed.
    """

    saves: ClassVar[float] = 2.0

    def forward(self, dy: Array, rois: Array, data: Array) -> Array:
        heads, regions = self.computed(dy, rois)
        dx = np.zeros(data.shape, heads.dtype)
        for r, image, region in numbered(regions, len(data)):
            down, across = self.samples(region, data.shape[2:])
            rows, columns = down.reach(), across.reach()
            shares = down.matrix()[:, rows].T, across.matrix()[:, columns]
            dx[image, :, rows, columns] += shares[0] @ self.spread(heads[r]) @ shares[1]
        return dx.astype(dy.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, rois: Any, data: Any) -> Sequence[Any]:
        return F._contrib_ROIAlign(dy, rois, **self.attributes()), None, None


# ---- rotated regions


@operator("_contrib_RROIAlign")
class RROIAlign(Pooled):
    """The mean of samples, read between pixels, in each bin of regions that are rotated.

    Inputs:
        rois: (R, 6): for each region the index of its image, its centre's x and y, its width and height,
            and the angle in degrees, anticlockwise. A region of an image that is not there gives 0.

    Attributes:
        pooled_size: How many bins there are down and across.
        sampling_ratio: How many samples a bin has on each axis; about one for each pixel if it is not
            positive.

    Returns:
        (R, C, *pooled_size).

    ONNX: Gather with computed indices, and ReduceSum.
    """

    saves: ClassVar[float] = 6.0
    width: ClassVar[int] = 6
    not_differentiable: ClassVar[str] = "MXNet has no gradient of it either"
    refuses_gradient: ClassVar[bool] = True
    pooled_size: Ints
    spatial_scale: float
    sampling_ratio: int = -1

    def points(self, region: Array) -> tuple[Array, Array]:
        """The rows and columns of the samples (bins down, samples down, bins across, samples across)."""
        one = region.dtype.type
        centre_x, centre_y, width, height = region[:4] * one(self.scale)
        theta = one(float(region[4]) * np.pi / 180)
        lines = []
        for length, bins in zip((height, width), self.bins(), strict=True):
            length = np.maximum(length, one(1))
            # the size does not matter here
            line = Samples.even(-length / one(2), length, bins, self.sampling_ratio, 1)
            lines.append(line.where.reshape(bins, line.each))
        down, across = lines[0][:, :, None, None], lines[1]
        x = across * np.cos(theta) + down * np.sin(theta) + centre_x
        y = down * np.cos(theta) - across * np.sin(theta) + centre_y
        return y, x

    def forward(self, data: Array, rois: Array) -> Array:
        images, regions = self.computed(data, rois)
        n, c, *size = images.shape
        pixels = np.moveaxis(images, 1, -1).reshape(n, size[0] * size[1], c)
        y = np.zeros((len(rois), c, *self.bins()), data.dtype)
        for r, image, region in numbered(regions, n):
            rows, columns = self.points(region)
            there = inside(rows, columns, size)
            top, bottom, down = taps(rows, there, size[0])
            left, right, across = taps(columns, there, size[1])
            total = np.zeros((*rows.shape, c), images.dtype)
            for row, by_row in ((top, 1 - down), (bottom, down)):
                for column, by_column in ((left, 1 - across), (right, across)):
                    total += pixels[image, row * size[1] + column] * (by_row * by_column)[..., None]
            total[~there] = 0
            y[r] = np.moveaxis(total.sum(axis=(1, 3)) / max(rows.shape[1] * rows.shape[3], 1), -1, 0)
        return y
