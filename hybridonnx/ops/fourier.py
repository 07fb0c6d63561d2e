"""Discrete Fourier transforms, and sketches, which stand in for products that would take many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import ShapeError
from ._convolution import wide
from ._indices import add_rows, within
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, differ, is_zero, over, show, times, unify
from ._windows import require_floats, require_positive


class _Transform(Operator):
    """A transform along the last axis.

    A complex number is two numbers beside each other, its real and its imaginary part.

    Attributes:
        compute_size: Accepted for MXNet's sake; without effect.
    """

    takes_ints = False
    compute_size: int = 128

    def length(self, data: Shape) -> Dim:
        """The last axis of data that has 2 or 4 axes."""
        if len(data) not in (2, 4) or is_zero(data[-1]):
            raise ShapeError(
                f"{self.names[0]}: data of 2 or 4 axes, the last not empty, is required, got {show(data)}."
            )
        return data[-1]


def _precise(data: Array) -> Array:
    return data.astype(np.float64)


@operator("_contrib_fft")
class FFT(_Transform):
    """The discrete Fourier transform of real numbers along the last axis.

    Inputs:
        data: (N, d) or (N, C, H, d).

    Returns:
        The shape of data with 2 d numbers last: of each of d frequencies the real and the imaginary part.

    ONNX: MatMul with cosines and sines; from 129 numbers on DFT, which is there from opset 17 on.
    """

    compute_size: int = 128

    def infer_shape(self, data: Shape) -> Shape:
        return (*data[:-1], times(self.length(data), 2))

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (y,) = outputs
        return inputs if not y else ((*y[:-1], over(y[-1], 2)),)

    def forward(self, data: Array) -> Array:
        spectrum = np.fft.fft(_precise(data))
        pairs = np.stack([spectrum.real, spectrum.imag], -1)
        return pairs.reshape(*data.shape[:-1], 2 * data.shape[-1]).astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._contrib_ifft(dy),)


@operator("_contrib_ifft")
class IFFT(_Transform):
    """The real part of the inverse discrete Fourier transform along the last axis, times its length.

    Inputs:
        data: (N, 2 d) or (N, C, H, 2 d): of each of d frequencies the real and the imaginary part.

    Returns:
        The shape of data with d numbers last. MXNet does not divide them by d.

    ONNX: MatMul with cosines and sines; from 129 numbers on DFT, which is there from opset 17 on.
    """

    compute_size: int = 128

    def infer_shape(self, data: Shape) -> Shape:
        length = self.length(data)
        if length is not None and differ(length % 2, 0):
            raise ShapeError(f"_contrib_ifft: an even number of columns is required, got {show(data)}.")
        return (*data[:-1], over(length, 2))

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        (y,) = outputs
        return inputs if not y else ((*y[:-1], times(y[-1], 2)),)

    def forward(self, data: Array) -> Array:
        x = _precise(data)
        signal = np.fft.ifft(x[..., ::2] + 1j * x[..., 1::2], norm="forward")
        return np.ascontiguousarray(signal.real).astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._contrib_fft(dy),)


class _Sketch(Operator):
    """What a sketch and its adjoint share.

    Inputs:
        h: (1, d), for each column of the data the index of one of the sketch, in any dtype.
        s: (1, d), for each column 1 or -1, in any dtype; like `h` it has no gradient.

    Attributes:
        out_dim: How many columns the sketch has.
        processing_batch_size: Accepted for MXNet's sake; without effect.
    """

    out_dim: int
    processing_batch_size: int = 32

    def check(self) -> None:
        require_positive(self.names[0], out_dim=self.out_dim)

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        require_floats(self.names[0], dtypes[0])
        return [d or dtypes[0] for d in dtypes]

    def matrix_like(self, data: Shape, last: Dim) -> Shape:
        """The shape of data of 2 or 4 axes with another last axis."""
        if len(data) not in (2, 4):
            raise ShapeError(f"{self.names[0]}: data of 2 or 4 axes is required, got {show(data)}.")
        return (*data[:-1], last)


@operator("_contrib_count_sketch")
class CountSketch(_Sketch):
    """The columns of data, each with its sign, added up in those columns that a hash says.

    Inputs:
        data: (N, d) or (N, C, H, d).

    Returns:
        The shape of data with out_dim columns.

    ONNX: Mul and ScatterElements.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "h", "s")
    out_dim: int
    processing_batch_size: int = 32

    def infer_inputs(self, data: Shape | None, h: Shape | None, s: Shape | None) -> Sequence[Shape | None]:
        row = (1, data[-1] if data else None)
        return data, row, row

    def infer_shape(self, data: Shape, h: Shape, s: Shape) -> Shape:
        return self.matrix_like(data, self.out_dim)

    def forward(self, data: Array, h: Array, s: Array) -> Array:
        indices = within(self.names[0], h[0], self.out_dim, "raise")
        columns = np.moveaxis(wide(data) * s[0].astype(data.dtype), -1, 0)
        sums = add_rows(columns, indices, self.out_dim)
        return np.ascontiguousarray(np.moveaxis(sums, 0, -1)).astype(data.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, h: Any, s: Any) -> Sequence[Any]:
        return F._count_sketch_grad(dy, h, s, out_dim=self.out_dim), None, None


@operator("_count_sketch_grad")
class CountSketchGrad(_Sketch):
    """The adjoint of `_contrib_count_sketch`: for each column of the data, with its sign, that of the sketch.

    Inputs:
        dy: The gradient of the sketch, (N, out_dim) or (N, C, H, out_dim).

    Returns:
        The shape of dy with d columns.

    ONNX: Gather and Mul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "h", "s")
    out_dim: int
    processing_batch_size: int = 32

    def infer_inputs(self, dy: Shape | None, h: Shape | None, s: Shape | None) -> Sequence[Shape | None]:
        row = unify(self.names[0], h, s, (1, None))
        return (dy and self.matrix_like(dy, self.out_dim)), row, row

    def infer_shape(self, dy: Shape, h: Shape, s: Shape) -> Shape:
        return self.matrix_like(dy, h[1])

    def forward(self, dy: Array, h: Array, s: Array) -> Array:
        indices = within(self.names[0], h[0], self.out_dim, "raise")
        return np.asarray(dy[..., indices] * s[0].astype(dy.dtype))

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, h: Any, s: Any) -> Sequence[Any]:
        return F._contrib_count_sketch(dy, h, s, out_dim=self.out_dim), None, None
