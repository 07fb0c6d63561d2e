"""Deformable convolution: windows whose elements are read where offsets move them to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._convolution import wide
from ._indices import add_rows
from ._operator import Array, Operator, record
from ._registry import operator
from ._shapes import Dim, Shape, differ, show
from ._windows import dilated_window, extent, positions, require_floats, require_positive, require_rank

_CHUNK = 1 << 22
"""About how many elements of columns are made at a time."""
_Layout = Literal["NCDHW", "NCHW", "NCW"]


@record
class _Deformable(Operator):
    """Windows that slide over images, each element of which has an offset of its own.

    Inputs:
        data: (N, C, H, W).
        offset: (N, 2 num_deformable_group K, *out), where K is the number of elements of a window: for each
            group of channels and element how much further down, then further right, it is read.

    Attributes:
        kernel: The window's height and width.
        stride: The step between windows on each axis; 1 if empty.
        dilate: The distance between a window's elements on each axis; 1 if empty.
        pad: How far the windows reach over the data's edges on each axis; 0 if empty.
        num_deformable_group: Into how many groups the channels are split, each with offsets of its own.
    """

    kernel: Ints
    stride: Ints = ()
    dilate: Ints = ()
    pad: Ints = ()

    if TYPE_CHECKING:  # each operator has these in MXNet's order, after its own
        num_deformable_group: int = 1

    def check(self) -> None:
        name = self.names[0]
        if len(self.kernel) != 2:
            raise AttributeValueError(f"{name}: a kernel of 2 axes is required, got {self.kernel}.")
        stride, dilate, pad = self.window()
        require_positive(name, kernel=self.kernel, stride=stride, dilate=dilate)
        require_positive(name, num_deformable_group=self.num_deformable_group)
        if any(p < 0 for p in pad):
            raise AttributeValueError(f"{name}: pad must not be negative, got {pad}.")

    def window(self) -> tuple[Ints, Ints, Ints]:
        """Stride, dilation and padding of each axis."""
        return dilated_window(self.names[0], self.kernel, self.stride, self.dilate, self.pad)

    def reading(self) -> dict[str, Any]:
        """The attributes that say where elements are read."""
        return {
            "kernel": self.kernel,
            "stride": self.stride,
            "dilate": self.dilate,
            "pad": self.pad,
            "num_deformable_group": self.num_deformable_group,
        }

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        require_floats(self.names[0], *dtypes)
        return super().infer_input_dtypes(*dtypes)

    def out(self, data: Shape) -> tuple[Dim, ...]:
        """How many windows there are on each axis."""
        name = self.names[0]
        require_rank(name, data, self.kernel, "NCHW")
        self.divided(data, "num_deformable_group", self.num_deformable_group)
        axes = zip(data[2:], self.kernel, *self.window(), strict=True)
        return tuple(positions(name, n, extent(k, d), s, p) for n, k, s, d, p in axes)

    def divided(self, data: Shape, attribute: str, groups: int) -> None:
        """Raise `ShapeError` unless the groups can be equally large."""
        count = data[1]
        if count is not None and differ(count % groups, 0):
            raise ShapeError(
                f"{self.names[0]}: a number of channels that {attribute} {groups} divides is required, "
                f"got data {show(data)}."
            )

    def offset_shape(self, data: Shape, each: int = 2) -> Shape:
        """The shape of the offsets, or with `each` 1 of the mask."""
        return (data[0], each * self.num_deformable_group * prod(self.kernel), *self.out(data))

    def unmoved(self, out: Sequence[int]) -> list[Array]:
        """The row (K, H', 1) and the column (K, 1, W') at which each element is read without an offset."""
        steps = np.meshgrid(*map(np.arange, self.kernel), indexing="ij")
        grids = []
        for axis, (n, s, d, p) in enumerate(zip(out, *self.window(), strict=True)):
            line = np.expand_dims(np.arange(n) * s - p, 1 - axis)
            grids.append(steps[axis].reshape(-1, 1, 1) * d + line)
        return grids

    def split(self, offset: Array) -> Array:
        """Offsets as (N, num_deformable_group, K, 2, H', W')."""
        groups, count = self.num_deformable_group, prod(self.kernel)
        return offset.reshape(len(offset), groups, count, 2, *offset.shape[2:])


# ---- columns: the elements of the windows, and their adjoint


def _taps(where: Array, size: int, order: int, clamped: bool) -> tuple[Array, list[tuple[Array, Array]]]:
    """Which coordinates are inside, and the two elements that each lies between, with their shares.

    Of order 1 the shares are the derivatives. An element that is not there has the index -1.
    """
    inside = (where >= 0 if clamped else where > -1) & (where < size)
    where = np.where(inside, where, where.dtype.type(0))
    low = np.floor(where)
    share = where - low
    low = low.astype(np.int64)
    if clamped:
        high = np.minimum(low + 1, size - 1)
        share = np.where(low < size - 1, share, share.dtype.type(0))
    else:
        high = np.where(low + 1 < size, low + 1, -1)
    one = np.ones_like(share)
    shares = ((one - share, share), (-one, one), (0 * one, 0 * one))[order]
    return inside, list(zip((low, high), shares, strict=True))


@record
class _Columns(_Deformable):
    """What reading the windows' elements and its adjoint share.

    Attributes:
        clamped: Whether between the last pixel and the edge the last pixel is read, and before the first
            one nothing; otherwise pixels around the data are 0.
        down: How often the elements are differentiated by the offset down.
        right: How often they are by the offset to the right.
    """

    num_deformable_group: int = 1
    clamped: bool = False
    down: int = 0
    right: int = 0

    def same(self) -> dict[str, Any]:
        """All attributes."""
        return self.attributes()

    def corners(self, offset: Array, size: Sequence[int], first: int = 0) -> Iterator[tuple[Array, Array]]:
        """For offsets (K, 2, H', W') the indices and shares of the four pixels around each element.

        Indices are those of pixels in images of `size`, or that of the one behind the last for none. `first`
        is the number of the windows' first row.
        """
        rows, columns = self.unmoved((first + offset.shape[2], offset.shape[3]))
        y = offset[:, 0] + rows[:, first:].astype(offset.dtype)
        x = offset[:, 1] + columns.astype(offset.dtype)
        inside_y, across = _taps(y, size[0], self.down, self.clamped)
        inside_x, along = _taps(x, size[1], self.right, self.clamped)
        for row, by_row in across:
            for column, by_column in along:
                there = inside_y & inside_x & (row >= 0) & (column >= 0)
                index = np.where(there, row * size[1] + column, size[0] * size[1])
                yield index, np.where(there, by_row * by_column, by_row.dtype.type(0))

    def read(self, image: Array, offset: Array, first: int = 0) -> Array:
        """The elements (C, K, H', W') of an image (C, H, W) at offsets (2 groups K, H', W')."""
        groups, (c, *size) = self.num_deformable_group, image.shape
        result = np.empty((groups, c // groups, prod(self.kernel), *offset.shape[1:]), image.dtype)
        for pixels, moved, target in zip(
            image.reshape(groups, c // groups, prod(size)), self.split(offset[None])[0], result, strict=True
        ):
            rows = np.zeros((size[0] * size[1] + 1, c // groups), image.dtype)
            rows[:-1] = pixels.T
            total = np.zeros((*moved[:, 0].shape, c // groups), image.dtype)
            for index, share in self.corners(moved, size, first):
                total += rows[index] * share[..., None]
            target[...] = np.moveaxis(total, -1, 0)
        return result.reshape(c, *result.shape[2:])

    def put(self, columns: Array, offset: Array, size: Sequence[int]) -> Array:
        """`read` backwards: the elements (C, K, H', W') added up in an image (C, *size)."""
        groups, c = self.num_deformable_group, len(columns)
        result = np.zeros((groups, c // groups, size[0] * size[1]), columns.dtype)
        for values, moved, target in zip(
            columns.reshape(groups, c // groups, *columns.shape[1:]),
            self.split(offset[None])[0],
            result,
            strict=True,
        ):
            elements = np.moveaxis(values, 0, -1)
            for index, share in self.corners(moved, size):
                rows = (elements * share[..., None]).reshape(-1, c // groups)
                target += add_rows(rows, index.ravel(), size[0] * size[1] + 1)[:-1].T
        return result.reshape(c, *size)

    def offset_gradient(self, F: Any, dy: Any, data: Any, offset: Any) -> Any:
        """The gradient in the offsets: dy times the columns' derivatives, summed over channels."""
        parts = []
        for further in ({"down": self.down + 1}, {"right": self.right + 1}):
            slopes = F._deformable_columns(data, offset, **{**self.same(), **further})
            product = F.reshape(dy * slopes, shape=(0, -4, self.num_deformable_group, -1, -2))
            elements = F.reshape(product, shape=(0, 0, -4, -1, prod(self.kernel), -2))
            parts.append(F.sum(elements, axis=(2,)))
        stacked = F.stack(*parts, axis=3, num_args=2)
        return F.reshape(F.reshape(stacked, shape=(0, -3, 0, 0, 0)), shape=(0, -3, 0, 0))


@operator("_deformable_columns")
class DeformableColumns(_Columns):
    """The elements of all windows, each read between four pixels.

    Returns:
        (N, C K, *out).

    ONNX: Gather with computed indices, Mul and Add.
    """

    saves: ClassVar[float] = 30.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "offset")

    def infer_inputs(self, data: Shape | None, offset: Shape | None) -> Sequence[Shape | None]:
        return data, offset if data is None else self.offset_shape(data)

    def infer_shape(self, data: Shape, offset: Shape) -> Shape:
        count = None if data[1] is None else data[1] * prod(self.kernel)
        return (data[0], count, *self.out(data))

    def forward(self, data: Array, offset: Array) -> Array:
        n, c = data.shape[:2]
        y = np.empty((n, c, prod(self.kernel), *offset.shape[2:]), data.dtype)
        for image, moved, target in zip(wide(data), wide(offset), y, strict=True):
            target[...] = self.read(image, moved)
        return y.reshape(n, c * prod(self.kernel), *offset.shape[2:])

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, offset: Any) -> Sequence[Any]:
        pixels = F._deformable_columns_grad(dy, offset, data, **self.same())
        return pixels, self.offset_gradient(F, dy, data, offset)


@operator("_deformable_columns_grad")
class DeformableColumnsGrad(_Columns):
    """The gradient of `_deformable_columns` with respect to its data.

    Inputs:
        columns: The gradient of the columns, (N, C K, *out).
        data: The images, of which only the shape matters.

    Returns:
        The shape of data.

    ONNX: ScatterElements with computed indices and Mul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("columns", "offset", "data")

    def infer_inputs(
        self, columns: Shape | None, offset: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return columns, offset, data
        count = None if data[1] is None else data[1] * prod(self.kernel)
        return (data[0], count, *self.out(data)), self.offset_shape(data), data

    def infer_shape(self, columns: Shape, offset: Shape, data: Shape) -> Shape:
        return data

    def forward(self, columns: Array, offset: Array, data: Array) -> Array:
        n, c, *size = data.shape
        dx = np.empty(data.shape, columns.dtype)
        split = wide(columns).reshape(n, c, prod(self.kernel), *offset.shape[2:])
        for values, moved, target in zip(split, wide(offset), dx, strict=True):
            target[...] = self.put(values, moved, size)
        return dx

    def gradient(self, F: Any, dy: Any, y: Any, columns: Any, offset: Any, data: Any) -> Sequence[Any]:
        elements = F._deformable_columns(dy, offset, **self.same())
        return elements, self.offset_gradient(F, columns, dy, offset), None


# ---- convolution


@record
class _Convolution(_Deformable):
    """Columns, and the product of each group's filters with them.

    Inputs:
        weight: (num_filter, C / num_group, *kernel).
        bias: (num_filter,); absent with `no_bias`.

    Attributes:
        num_filter: The number of the output's channels.
        num_group: Into how many groups the channels are split, each with filters of its own.
        workspace: Accepted for MXNet's sake; without effect.
        no_bias: Whether there is no `bias`.
        layout: The axes' order: NCHW.

    Returns:
        (N, num_filter, *out), where out = floor((n + 2 pad - dilate (kernel - 1) - 1) / stride) + 1.

    ONNX: Gather with computed indices, Mul and Add, then Conv.
    """

    clamped: ClassVar[bool] = False

    if TYPE_CHECKING:  # each operator has these in MXNet's order, after its own
        num_filter: int
        num_group: int = 1
        no_bias: bool = False
        layout: _Layout | None = None

    def check(self) -> None:
        super().check()
        name = self.names[0]
        require_positive(name, num_filter=self.num_filter, num_group=self.num_group)
        if self.num_filter % self.num_group:
            raise AttributeValueError(
                f"{name}: num_filter must be a multiple of num_group {self.num_group}, got {self.num_filter}."
            )
        if self.layout not in (None, "NCHW"):
            raise AttributeValueError(f"{name}: layout NCHW is required, got {self.layout}.")

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[:-1] if self.no_bias else self.inputs

    def columns(self) -> DeformableColumns:
        """The operator that reads the windows' elements."""
        return DeformableColumns(**self.reading(), clamped=self.clamped)

    def weight_shape(self, data: Shape) -> Shape:
        """The weight's shape."""
        self.divided(data, "num_group", self.num_group)
        per_group = None if data[1] is None else data[1] // self.num_group
        return (self.num_filter, per_group, *self.kernel)

    def pointwise(self) -> dict[str, Any]:
        """The attributes of the convolution of the columns."""
        return {"kernel": (1, 1), "num_filter": self.num_filter, "num_group": self.num_group}

    def infer_shape(self, data: Shape, *_: Shape) -> Shape:
        return (data[0], self.num_filter, *self.out(data))

    def convolved(
        self, data: Array, offset: Array, mask: Array | None, weight: Array, bias: Array | None
    ) -> Array:
        """The convolution, computed for some rows of windows at a time."""
        x, moved, filters = wide(data), wide(offset), wide(weight)
        columns, (height, width) = self.columns(), offset.shape[2:]
        matrices = filters.reshape(self.num_group, self.num_filter // self.num_group, prod(filters.shape[1:]))
        each = x.shape[1] // self.num_deformable_group
        y = np.empty((len(x), self.num_filter, height, width), x.dtype)
        step = max(1, _CHUNK // max(1, x.shape[1] * prod(self.kernel) * width))
        for i, a in ((i, a) for i in range(len(x)) for a in range(0, height, step)):
            elements = columns.read(x[i], moved[i, :, a : a + step], a)
            if mask is not None:
                factors = wide(mask)[i, :, a : a + step]
                split = elements.reshape(self.num_deformable_group, each, *elements.shape[1:])
                split *= factors.reshape(self.num_deformable_group, 1, *elements.shape[1:])
            product = np.matmul(matrices, elements.reshape(*matrices.shape[::2], prod(elements.shape[2:])))
            y[i, :, a : a + step] = product.reshape(self.num_filter, -1, width)
        if bias is not None:
            y += wide(bias).reshape(-1, 1, 1)
        return y.astype(data.dtype, copy=False)

    def product_gradients(
        self, F: Any, dy: Any, columns: Any, weight: Any, biased: bool
    ) -> tuple[Any, list[Any]]:
        """The gradients of the columns, and of weight and bias."""
        matrix = F.reshape(weight, shape=(0, -1, 1, 1))
        of_matrix = F._conv_weight_grad(dy, columns, matrix, **self.pointwise())
        rest = [F.reshape_like(of_matrix, weight)]
        if biased:
            rest.append(F.sum(dy, axis=(1,), exclude=True))
        return F._conv_data_grad(dy, matrix, columns, **self.pointwise()), rest


@operator("_contrib_DeformableConvolution")
class DeformableConvolution(_Convolution):
    """2-D convolution whose windows' elements are moved by `offset` and read between pixels.

    An element before the first pixel, or behind the last one by 1 or more, is 0; one less far behind it is
    the last pixel.
    """

    saves: ClassVar[float] = 300.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "offset", "weight", "bias")
    clamped: ClassVar[bool] = True
    num_filter: int
    num_group: int = 1
    num_deformable_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    layout: _Layout | None = None

    def infer_inputs(self, data: Shape | None, *others: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return (None, *others)
        shapes = (data, self.offset_shape(data), self.weight_shape(data), (self.num_filter,))
        return shapes[: 1 + len(others)]

    def forward(self, data: Array, offset: Array, weight: Array, bias: Array | None = None) -> Array:
        return self.convolved(data, offset, None, weight, bias)

    def gradient(
        self, F: Any, dy: Any, y: Any, data: Any, offset: Any, weight: Any, bias: Any = None
    ) -> Sequence[Any]:
        reader = self.columns()
        columns = F._deformable_columns(data, offset, **reader.same())
        of_columns, rest = self.product_gradients(F, dy, columns, weight, bias is not None)
        return (*reader.gradient(F, of_columns, columns, data, offset), *rest)


@operator("_contrib_ModulatedDeformableConvolution")
class ModulatedDeformableConvolution(_Convolution):
    """Deformable 2-D convolution whose windows' elements are multiplied by `mask`; around the data are zeros.

    Inputs:
        mask: (N, num_deformable_group K, *out): the factor of each element.

    Attributes:
        im2col_step: Accepted for MXNet's sake; without effect.
    """

    saves: ClassVar[float] = 300.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "offset", "mask", "weight", "bias")
    num_filter: int
    num_group: int = 1
    num_deformable_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    im2col_step: int = 64
    layout: _Layout | None = None

    def check(self) -> None:
        super().check()
        if self.num_filter % self.num_deformable_group:
            raise AttributeValueError(
                "_contrib_ModulatedDeformableConvolution: a num_filter that is a multiple of "
                f"num_deformable_group {self.num_deformable_group} is required, got {self.num_filter}."
            )

    def infer_inputs(self, data: Shape | None, *others: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return (None, *others)
        moved, factors = self.offset_shape(data), self.offset_shape(data, 1)
        return (data, moved, factors, self.weight_shape(data), (self.num_filter,))[: 1 + len(others)]

    def forward(
        self, data: Array, offset: Array, mask: Array, weight: Array, bias: Array | None = None
    ) -> Array:
        return self.convolved(data, offset, mask, weight, bias)

    def gradient(
        self, F: Any, dy: Any, y: Any, data: Any, offset: Any, mask: Any, weight: Any, bias: Any = None
    ) -> Sequence[Any]:
        reader, groups = self.columns(), self.num_deformable_group
        columns = F._deformable_columns(data, offset, **reader.same())
        # (N, groups, channels, K, *out), and the factors with one channel
        split = F.reshape(F.reshape(columns, shape=(0, -4, groups, -1, -2)), shape=self._elements())
        factors = F.expand_dims(F.reshape(mask, shape=(0, -4, groups, -1, -2)), axis=2)
        product = F.reshape_like(F.broadcast_mul(split, factors), columns)
        of_product, rest = self.product_gradients(F, dy, product, weight, bias is not None)
        heads = F.reshape(F.reshape(of_product, shape=(0, -4, groups, -1, -2)), shape=self._elements())
        of_columns = F.reshape_like(F.broadcast_mul(heads, factors), columns)
        of_mask = F.reshape_like(F.sum(heads * split, axis=(2,)), mask)
        pixels, offsets = reader.gradient(F, of_columns, columns, data, offset)
        return (pixels, offsets, of_mask, *rest)

    def _elements(self) -> tuple[int, ...]:
        """What Reshape takes to split (N, groups, channels K, *out)."""
        return (0, 0, -4, -1, prod(self.kernel), -2)
