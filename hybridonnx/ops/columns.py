"""The windows of an array as columns, and the sums of columns back into the windows that they are."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..attrs import Ints
from ..errors import AttributeValueError, ShapeError
from ._convolution import wide
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, differ, over, show, times
from ._windows import (
    dilated_window,
    extent,
    padded,
    per_axis,
    positions,
    require_positive,
    require_rank,
    scatter,
    total_extent,
    view,
)

_LAYOUTS = ("NCW", "NCHW", "NCDHW")


class _Columns(Operator):
    """Windows of an array (N, C, *spatial), each of which is a column.

    Attributes:
        kernel: The window's length on each of 1 to 3 spatial axes.
        stride: The step between windows on each axis; 1 if empty.
        dilate: The distance between a window's elements on each axis; 1 if empty.
        pad: How many zeros stand before and after the data on each axis; none if empty.
    """

    takes_ints = False
    if TYPE_CHECKING:  # each operator has these in MXNet's order
        kernel: Ints
        stride: Ints = ()
        dilate: Ints = ()
        pad: Ints = ()

    def check(self) -> None:
        name = self.names[0]
        if not 1 <= len(self.kernel) <= 3:
            raise AttributeValueError(f"{name}: kernel must have 1, 2 or 3 axes, got {self.kernel}.")
        stride, dilate, pad = self.window()
        require_positive(name, kernel=self.kernel, stride=stride, dilate=dilate)
        if any(p < 0 for p in pad):
            raise AttributeValueError(f"{name}: pad must not be negative, got {pad}.")

    def window(self) -> tuple[Ints, Ints, Ints]:
        """Stride, dilation and padding of each axis."""
        return dilated_window(self.names[0], self.kernel, self.stride, self.dilate, self.pad)

    def shared(self) -> dict[str, Any]:
        """The attributes that all operators of the family have."""
        return {"kernel": self.kernel, "stride": self.stride, "dilate": self.dilate, "pad": self.pad}

    def counts(self, spatial: Sequence[Dim]) -> tuple[Dim, ...]:
        """How many windows there are along each axis."""
        axes = zip(spatial, self.kernel, *self.window(), strict=True)
        return tuple(positions(self.names[0], n, extent(k, d), s, p) for n, k, s, d, p in axes)

    def columns_shape(self, data: Shape) -> Shape:
        """(N, C · window, windows)."""
        require_rank(self.names[0], data, self.kernel, _LAYOUTS[len(self.kernel) - 1])
        return (data[0], times(data[1], prod(self.kernel)), _number(self.counts(data[2:])))

    def columns(self, data: Array) -> Array:
        """(N, C · window, windows) of (N, C, *spatial)."""
        stride, dilate, pad = self.window()
        out = self.counts(data.shape[2:])
        reach = total_extent(out, self.kernel, stride, dilate)  # type: ignore[arg-type]
        x = padded(
            data, pad, tuple(map(max, reach, (n + p for n, p in zip(data.shape[2:], pad, strict=True))))
        )
        windows = view(x, self.kernel, stride, dilate, out)  # type: ignore[arg-type]
        return windows.reshape(data.shape[0], data.shape[1] * prod(self.kernel), prod(out))  # type: ignore[arg-type]

    def summed(self, columns: Array, channels: int, spatial: Sequence[int]) -> Array:
        """The sums (N, C, *spatial) of the elements of columns that are one element of the data."""
        stride, dilate, pad = self.window()
        out = self.counts(tuple(spatial))
        cells = wide(columns).reshape(len(columns), channels, *self.kernel, *out)
        size = [n + 2 * p for n, p in zip(spatial, pad, strict=True)]
        sums = scatter(cells, size, self.kernel, stride, dilate)
        inner: Any = (..., *(slice(p, p + n) for n, p in zip(spatial, pad, strict=True)))
        return np.ascontiguousarray(sums[inner]).astype(columns.dtype, copy=False)


def _number(counts: Sequence[Dim]) -> Dim:
    """The product, unknown if one is."""
    return None if None in counts else prod(d for d in counts if d is not None)


@operator("im2col")
class Im2Col(_Columns):
    """The windows of `data` as columns, with zeros around the data.

    Inputs:
        data: (N, C, *spatial).

    Returns:
        (N, C · prod(kernel), L), with L windows in the order of their positions.

    ONNX: Gather along each axis.
    """

    kernel: Ints
    stride: Ints = ()
    dilate: Ints = ()
    pad: Ints = ()

    def infer_shape(self, data: Shape) -> Shape:
        return self.columns_shape(data)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (columns,) = outputs
        if columns is None or len(columns) != 3:
            return inputs
        return ((columns[0], over(columns[1], prod(self.kernel)), *(None for _ in self.kernel)),)

    def forward(self, data: Array) -> Array:
        return self.columns(data)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._im2col_grad(dy, data, **self.shared()),)


@operator("_im2col_grad")
class Im2ColGrad(_Columns):
    """The adjoint of `im2col`: the sums of those elements of columns that it took from one element.

    Inputs:
        dy: The gradient of the columns, (N, C · prod(kernel), L).
        data: (N, C, *spatial), for its shape.

    Returns:
        The shape of data.

    ONNX: Col2Im of two axes; below opset 18, in float64 and of other axes Gather and ReduceSum for each.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data")
    kernel: Ints
    stride: Ints = ()
    dilate: Ints = ()
    pad: Ints = ()

    def infer_inputs(self, dy: Shape | None, data: Shape | None) -> Sequence[Shape | None]:
        return (dy if data is None else self.columns_shape(data)), data

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        return self.summed(dy, data.shape[1], data.shape[2:])

    def gradient(self, F: Any, dy: Any, y: Any, columns: Any, data: Any) -> Sequence[Any]:
        return F.im2col(dy, **self.shared()), None


@operator("col2im")
class Col2Im(_Columns):
    """The sums of columns at the windows of an array that they are: the adjoint of `im2col`.

    Inputs:
        data: (N, C · prod(kernel), L), with L windows in the order of their positions.

    Attributes:
        output_size: The sizes of the spatial axes.

    Returns:
        (N, C, *output_size).

    ONNX: Col2Im of two axes; below opset 18, in float64 and of other axes Gather and ReduceSum for each.
    """

    output_size: Ints
    kernel: Ints
    stride: Ints = ()
    dilate: Ints = ()
    pad: Ints = ()

    def check(self) -> None:
        super().check()
        per_axis("col2im", "output_size", self.output_size or (0, 0, 0, 0), self.kernel, 0)
        require_positive("col2im", output_size=self.output_size)

    def infer_inputs(self, data: Shape | None) -> Sequence[Shape | None]:
        if data is not None and len(data) != 3:
            raise ShapeError(f"col2im: data of 3 axes (N, C · window, L) is required, got {show(data)}.")
        return ((None, None, _number(self.counts(self.output_size))),)

    def infer_shape(self, data: Shape) -> Shape:
        window = prod(self.kernel)
        if data[1] is not None and differ(data[1] % window, 0):
            raise ShapeError(
                f"col2im: a multiple of {window} rows, the size of the kernel, is required, got {show(data)}."
            )
        return (data[0], over(data[1], window), *self.output_size)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (image,) = outputs
        if image is None or len(image) != len(self.kernel) + 2:
            return inputs
        return ((image[0], times(image[1], prod(self.kernel)), None),)

    def forward(self, data: Array) -> Array:
        return self.summed(data, data.shape[1] // prod(self.kernel), self.output_size)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.im2col(dy, **self.shared()),)
