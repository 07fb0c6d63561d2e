"""Images read at the points of a grid, and what makes such grids.

The points are (x, y) from -1, the middle of the first pixel, to 1, the middle of the last one. Between four
pixels a value is bilinear in x and in y; outside of the image all pixels are 0. Its derivatives by x and y
are differences of the same pixels, so that the sampler's gradients are made of the same operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..attrs import Ints
from ..errors import AttributeValueError, ShapeError
from ._convolution import wide
from ._indices import add_rows
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, below, differ, is_zero, show, unify

# ---- grids


def affine_points(height: int, width: int) -> Array:
    """The columns (x, y, 1) of all points of a grid in order, (3, height · width)."""
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    return np.stack([x.ravel(), y.ravel(), np.ones(height * width)])


def _require_target(owner: str, target: Ints) -> None:
    if len(target) != 2 or min(target) < 2:
        raise AttributeValueError(
            f"{owner}: target_shape as (height, width), each at least 2, is required, got {target}."
        )


def _require_axes(owner: str, name: str, shape: Shape, layout: tuple[int | str, ...]) -> None:
    """Raise `ShapeError` unless the shape has as many axes as the layout, and its sizes."""
    sizes = zip(shape, layout, strict=False)
    if len(shape) != len(layout) or any(isinstance(n, int) and differ(d, n) for d, n in sizes):
        wish = ", ".join(map(str, layout))
        raise ShapeError(f"{owner}: {name} of shape ({wish}) is required, got {show(shape)}.")


class _Grid(Operator):
    """What a grid and its adjoint share.

    Attributes:
        transform_type: What `data` is: "affine" matrices, or "warp" for a flow, in pixels.
        target_shape: The height and width of the grid, each at least 2, for "affine"; a flow has the
            grid's own.
    """

    takes_ints = False
    transform_type: Literal["affine", "warp"]
    target_shape: Ints = (0, 0)

    def check(self) -> None:
        if self.transform_type == "affine":
            _require_target(self.names[0], self.target_shape)

    def grid_shape(self, data: Shape) -> Shape:
        """(N, 2, height, width)."""
        name = self.names[0]
        if self.transform_type == "affine":
            _require_axes(name, "data", data, ("N", 6))
            return (data[0], 2, *self.target_shape)
        _require_axes(name, "data", data, ("N", 2, "height", "width"))
        if any(below(d, 2) for d in data[2:]):
            raise ShapeError(f"{name}: a flow of at least 2 by 2 points is required, got {show(data)}.")
        return (data[0], 2, *data[2:])


def steps(height: int, width: int) -> Array:
    """How far a pixel to the right, and one down, is on the scale of a grid: (2, 1, 1)."""
    return np.array([2 / (width - 1), 2 / (height - 1)]).reshape(2, 1, 1)


@operator("GridGenerator")
class GridGenerator(_Grid):
    """The points at which an affine transformation, or a flow, reads an image.

    Inputs:
        data: For "affine" (N, 6), the rows of a matrix (2, 3) that (x, y, 1) are multiplied by; for "warp"
            (N, 2, height, width), how far each point moves to the right and down, in pixels.

    Returns:
        (N, 2, height, width), the points' x and y.

    ONNX: MatMul, or Add and Mul.
    """

    transform_type: Literal["affine", "warp"]
    target_shape: Ints = (0, 0)

    def counted(self) -> int:
        return 2

    def infer_shape(self, data: Shape) -> Shape:
        return self.grid_shape(data)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (grid,) = outputs
        if grid is None or self.transform_type == "warp":
            return outputs
        return ((grid[0], 6),) if len(grid) == 4 else inputs

    def forward(self, data: Array) -> Array:
        x = wide(data)
        if self.transform_type == "affine":
            points = affine_points(*self.target_shape).astype(x.dtype)
            grid = (x.reshape(-1, 3) @ points).reshape(len(data), 2, *self.target_shape)
        else:
            height, width = data.shape[2:]
            pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)))
            grid = (x + pixels.astype(x.dtype)) * steps(height, width).astype(x.dtype) - 1
        return np.asarray(grid, data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._grid_grad(dy, transform_type=self.transform_type, target_shape=self.target_shape),)


@operator("_grid_grad")
class GridGrad(_Grid):
    """The gradient of `GridGenerator` with respect to its data.

    Inputs:
        dy: The gradient of the points, (N, 2, height, width).

    Returns:
        (N, 6) for "affine", for "warp" the shape of dy.

    ONNX: MatMul, or Mul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy",)
    transform_type: Literal["affine", "warp"]
    target_shape: Ints = (0, 0)

    def infer_shape(self, dy: Shape) -> Shape:
        if self.transform_type == "warp":
            return self.grid_shape(dy)
        _require_axes("_grid_grad", "dy", dy, ("N", 2, *self.target_shape))
        return (dy[0], 6)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (grad,) = outputs
        if grad is None or self.transform_type == "warp":
            return outputs
        return ((grad[0], 2, *self.target_shape),)

    def forward(self, dy: Array) -> Array:
        x = wide(dy)
        if self.transform_type == "affine":
            points = affine_points(*self.target_shape).astype(x.dtype)
            grad = (x.reshape(2 * len(dy), points.shape[1]) @ points.T).reshape(len(dy), 6)
        else:
            grad = x * steps(*dy.shape[2:]).astype(x.dtype)
        return np.asarray(grad, dy.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any) -> Sequence[Any]:
        same = {"transform_type": self.transform_type, "target_shape": self.target_shape}
        return ((F.GridGenerator if self.transform_type == "affine" else F._grid_grad)(dy, **same),)


# ---- samples


class Corner(NamedTuple):
    """One of the four pixels around each point of a grid."""

    pixel: Array
    """(N, points): the pixel's index in an image, 0 for those outside."""
    inside: Array
    """(N, points): whether the image has the pixel."""
    weight: Array
    """(N, points): its share of the sample, or of the sample's derivative."""


def _along(position: Array, size: int, slope: bool) -> list[tuple[Array, Array, Array]]:
    """The pixel at or before each position on an axis, and the next one: indices, inside or not, weights."""
    low = np.floor(position)
    share = position - low
    step = np.full_like(share, (size - 1) / 2)
    weights = (-step, step) if slope else (1 - share, share)
    return [(at, (at >= 0) & (at <= size - 1), w) for at, w in zip((low, low + 1), weights, strict=True)]


def corners(grid: Array, height: int, width: int, by_x: bool, by_y: bool) -> Iterator[Corner]:
    """The four pixels around each point; with `by_x` or `by_y` their weights are derivatives."""
    points = grid.reshape(len(grid), 2, grid.shape[2] * grid.shape[3])
    half = np.array([(width - 1) / 2, (height - 1) / 2], grid.dtype).reshape(2, 1)
    x, y = np.moveaxis((points + 1) * half, 1, 0)
    for row, row_inside, row_weight in _along(y, height, by_y):
        for column, column_inside, column_weight in _along(x, width, by_x):
            inside = row_inside & column_inside
            index = np.where(inside, row * width + column, 0).astype(np.int64)
            yield Corner(index, inside, row_weight * column_weight)


def _sampled(data: Array, grid: Array, by_x: bool, by_y: bool) -> Array:
    """(N, C, *points) of data (N, C, height, width)."""
    pixels = wide(data).reshape(*data.shape[:2], data.shape[2] * data.shape[3])
    y = np.zeros((*data.shape[:2], grid.shape[2] * grid.shape[3]), pixels.dtype)
    for corner in corners(wide(grid), data.shape[2], data.shape[3], by_x, by_y):
        values = np.take_along_axis(pixels, corner.pixel[:, None], 2)
        y += np.where(corner.inside[:, None], values, 0) * corner.weight[:, None]
    return y.reshape(*data.shape[:2], *grid.shape[2:]).astype(data.dtype, copy=False)


def _require_images(owner: str, data: Shape, grid: Shape) -> None:
    _require_axes(owner, "data", data, ("N", "C", "height", "width"))
    _require_axes(owner, "grid", grid, ("N", 2, "height", "width"))
    unify(owner, data[:1], grid[:1])
    if any(map(is_zero, data[2:])):
        raise ShapeError(f"{owner}: images with pixels are required, got {show(data)}.")


class _Sampler(Operator):
    """A sum of four pixels for each point of a grid.

    Inputs:
        data: Images (N, C, height, width).
        grid: (N, 2, height', width'), the points' x and y.

    Returns:
        (N, C, height', width').
    """

    takes_ints = False
    inputs: ClassVar[tuple[str, ...]] = ("data", "grid")

    def derivatives(self) -> tuple[bool, bool]:
        """Whether the weights are derivatives by x, and by y."""
        return False, False

    def infer_inputs(self, data: Shape | None, grid: Shape | None) -> Sequence[Shape | None]:
        return data, grid

    def infer_shape(self, data: Shape, grid: Shape) -> Shape:
        _require_images(self.names[0], data, grid)
        return (*data[:2], *grid[2:])

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (samples,) = outputs
        if samples is None or len(samples) != 4:
            return inputs
        return (*samples[:2], None, None), (samples[0], 2, *samples[2:])

    def forward(self, data: Array, grid: Array) -> Array:
        _require_images(self.names[0], data.shape, grid.shape)
        return _sampled(data, grid, *self.derivatives())

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, grid: Any) -> Sequence[Any]:
        by_x, by_y = self.derivatives()
        d_data = F._bilinear_sampler_grad(dy, grid, data, by_x=by_x, by_y=by_y)
        return d_data, _grid_gradient(F, dy, data, grid, by_x, by_y)


def _grid_gradient(F: Any, dy: Any, data: Any, grid: Any, by_x: bool, by_y: bool) -> Any:
    """The sums over the channels of dy times the derivatives by x and by y; a second one by the same is 0."""
    zeros = None
    parts = []
    for again, x, y in ((by_x, True, by_y), (by_y, by_x, True)):
        if again:
            zeros = F.zeros_like(F.slice_axis(grid, axis=1, begin=0, end=1)) if zeros is None else zeros
            parts.append(zeros)
        else:
            slope = F._bilinear_sampler_slope(data, grid, by_x=x, by_y=y)
            parts.append(F.sum(dy * slope, axis=1, keepdims=True))
    return F.concat(*parts, dim=1)


@operator("BilinearSampler")
class BilinearSampler(_Sampler):
    """Images read at the points of a grid, bilinear between pixels and 0 outside of the image.

    Attributes:
        cudnn_off: Accepted for MXNet's sake; without effect.

    ONNX: GridSample; below opset 16 and in float64 GatherND.
    """

    cudnn_off: bool | None = None

    def counted(self) -> int:
        return 2


@operator("_bilinear_sampler_slope")
class BilinearSamplerSlope(_Sampler):
    """The derivatives of `BilinearSampler` by x, by y or by both of each point.

    Attributes:
        by_x: Whether it is the derivative by x.
        by_y: Whether it is the derivative by y.

    ONNX: GatherND.
    """

    by_x: bool = False
    by_y: bool = False

    def derivatives(self) -> tuple[bool, bool]:
        return self.by_x, self.by_y


@operator("_bilinear_sampler_grad")
class BilinearSamplerGrad(Operator):
    """The adjoint of `BilinearSampler`, or of its derivatives: `dy` added to four pixels around each point.

    Inputs:
        dy: The gradient of the samples, (N, C, height', width').
        grid: (N, 2, height', width').
        data: (N, C, height, width), for its shape.

    Attributes:
        by_x: Whether the weights are derivatives by x.
        by_y: Whether the weights are derivatives by y.

    Returns:
        The shape of data.

    ONNX: ScatterElements.
    """

    takes_ints = False
    inputs: ClassVar[tuple[str, ...]] = ("dy", "grid", "data")
    by_x: bool = False
    by_y: bool = False

    def infer_inputs(
        self, dy: Shape | None, grid: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None or grid is None:
            return dy, grid, data
        _require_images(self.names[0], data, grid)
        return (*data[:2], *grid[2:]), grid, data

    def infer_shape(self, dy: Shape, grid: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, grid: Array, data: Array) -> Array:
        batch, channels, height, width = data.shape
        rows = np.moveaxis(wide(dy).reshape(batch, channels, dy.shape[2] * dy.shape[3]), 1, 2)
        around = list(corners(wide(grid), height, width, self.by_x, self.by_y))
        parts = [np.where(c.inside[..., None], rows * c.weight[..., None], 0) for c in around]
        indices = np.stack([c.pixel for c in around]) + np.arange(batch)[:, None] * height * width
        values = np.stack(parts).reshape(indices.size, channels)
        sums = add_rows(values, indices.ravel(), batch * height * width)
        images = np.moveaxis(sums.reshape(batch, height, width, channels), 3, 1)
        return images.astype(dy.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, grid: Any, data: Any) -> Sequence[Any]:
        samples = F._bilinear_sampler_slope(dy, grid, by_x=self.by_x, by_y=self.by_y)
        return samples, _grid_gradient(F, head, dy, grid, self.by_x, self.by_y), None


@operator("SpatialTransformer")
class SpatialTransformer(Operator):
    """Images read at the points of a grid that an affine transformation moves: a grid and its sampler in one.

    Inputs:
        data: Images (N, C, height, width).
        loc: (N, 6), the rows of a matrix (2, 3) that each point (x, y, 1) is multiplied by.

    Attributes:
        target_shape: The height and width of the result, each at least 2.
        transform_type: How the points move: "affine".
        sampler_type: What is between pixels: "bilinear".
        cudnn_off: Accepted for MXNet's sake; without effect.

    Returns:
        (N, C, *target_shape).

    ONNX: MatMul and GridSample; below opset 16 and in float64 MatMul and GatherND.
    """

    takes_ints = False
    inputs: ClassVar[tuple[str, ...]] = ("data", "loc")
    target_shape: Ints = (0, 0)
    transform_type: Literal["affine"]
    sampler_type: Literal["bilinear"]
    cudnn_off: bool | None = None

    def check(self) -> None:
        _require_target(self.names[0], self.target_shape)

    def counted(self) -> int:
        return 3

    def generator(self) -> GridGenerator:
        """What makes the grid."""
        return GridGenerator(transform_type="affine", target_shape=self.target_shape)

    def infer_inputs(self, data: Shape | None, loc: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return data, loc
        _require_axes("SpatialTransformer", "data", data, ("N", "C", "height", "width"))
        return data, (data[0], 6)

    def infer_shape(self, data: Shape, loc: Shape) -> Shape:
        _require_images("SpatialTransformer", data, (data[0], 2, *self.target_shape))
        channels: tuple[Dim, ...] = data[:2]
        return (*channels, *self.target_shape)

    def forward(self, data: Array, loc: Array) -> Array:
        grid = self.generator().forward(wide(loc))
        return BilinearSampler().forward(data, grid)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, loc: Any) -> Sequence[Any]:
        same = {"transform_type": "affine", "target_shape": self.target_shape}
        grid = F.GridGenerator(loc, **same)
        d_data = F._bilinear_sampler_grad(dy, grid, data)
        return d_data, F._grid_grad(_grid_gradient(F, dy, data, grid, False, False), **same)
