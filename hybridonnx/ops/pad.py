"""Arrays set into larger ones: padding, diagonals, cropping, and their adjoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError, ShapeError
from ._adjoint import Adjoint
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, axis_index, below, decided, is_zero, show, sizes
from ._symbolic import smaller

# ---- padding


class _Padding(Operator):
    """What `Pad` and its adjoint share: the widths before and after each axis.

    Attributes:
        mode: What fills the padding: "constant" a number, "edge" the nearest element, "reflect" the elements
            mirrored at the first or last one, which is not repeated.
        pad_width: Two widths for each axis, before and after it, 0 for the first two axes.
    """

    mode: Literal["constant", "edge", "reflect"]
    pad_width: Ints

    def widths(self, data: Shape) -> list[tuple[int, int]]:
        """The widths before and after each axis, for an unpadded array of this shape."""
        owner = self.names[0]
        if len(data) not in (4, 5) or len(self.pad_width) != 2 * len(data):
            raise ShapeError(
                f"{owner}: data of 4 or 5 axes and two widths for each are required, got {show(data)} and "
                f"pad_width={self.pad_width}. Add axes with expand_dims."
            )
        for size, width in zip(data, self.pairs(), strict=True):
            if self.mode != "constant" and max(width) and is_zero(size):
                raise ShapeError(
                    f"{owner}: an element to repeat is required along padded axes, got {show(data)}."
                )
            if self.mode == "reflect" and isinstance(size, int) and max(width) >= size:
                raise ShapeError(
                    f"{owner}: widths below the sizes {show(data)} are required to reflect, "
                    f"got {self.pad_width}."
                )
        return self.pairs()

    def pairs(self) -> list[tuple[int, int]]:
        """The widths before and after each axis."""
        return list(zip(self.pad_width[::2], self.pad_width[1::2], strict=True))

    def check(self) -> None:
        if any(self.pad_width[:4]) or min(self.pad_width, default=0) < 0 or len(self.pad_width) % 2:
            raise AttributeValueError(
                f"{self.names[0]}: pad_width of two numbers from 0 up for each axis is required, 0 for "
                f"the first two, got {self.pad_width}. Crop with slice; transpose to pad the first axes."
            )

    def infer_dtype(self, data: DType | None) -> DType | None:
        if data is not None and data.kind != "f":
            raise DTypeError(
                f"{self.names[0]}: a floating-point dtype is required, got {data}. Cast with astype."
            )
        return data


@operator("Pad", "pad")
class Pad(_Padding):
    """`data` with padding before and after its spatial axes.

    Inputs:
        data: (N, C, *spatial) of 4 or 5 axes.

    Attributes:
        constant_value: The number that mode "constant" fills with.

    Returns:
        The shape of data with both widths added to each size.

    ONNX: Pad.
    """

    cheap = True
    mode: Literal["constant", "edge", "reflect"]
    pad_width: Ints
    constant_value: float = 0.0

    def infer_shape(self, data: Shape) -> Shape:
        widths = self.widths(data)
        return tuple(None if d is None else d + a + b for d, (a, b) in zip(data, widths, strict=True))

    def forward(self, data: Array) -> Array:
        if self.mode == "constant":
            return np.pad(data, self.pairs(), constant_values=self.constant_value)
        return np.pad(data, self.pairs(), self.mode)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._pad_grad(dy, mode=self.mode, pad_width=self.pad_width),)


@operator("_pad_grad")
class PadGrad(_Padding):
    """The adjoint of `Pad`: `dy` without its padding, which is added to the elements that it copies.

    Inputs:
        dy: The gradient of Pad's output.

    Returns:
        The shape of dy without both widths of each axis.

    ONNX: Slice for mode "constant", else Gather and ReduceSum.
    """

    mode: Literal["constant", "edge", "reflect"]
    pad_width: Ints
    inputs = ("dy",)

    def infer_shape(self, dy: Shape) -> Shape:
        pairs = zip(dy, self.pairs(), strict=True)
        data = tuple(None if d is None else d - a - b for d, (a, b) in pairs)
        if any(below(d, 0) for d in data):
            raise ShapeError(
                f"{self.names[0]}: sizes of at least both widths {self.pad_width} are required, "
                f"got {show(dy)}."
            )
        self.widths(data)
        return data

    def origins(self, axis: int, size: int) -> Array:
        """For each index of `dy` along an axis the index that it was copied from."""
        return np.pad(np.arange(size), self.pairs()[axis], self.mode if size else "constant")

    def forward(self, dy: Array) -> Array:
        for axis, (before, after) in enumerate(self.pairs()):
            if before or after:
                dy = self._folded(np.moveaxis(dy, axis, 0), axis, before, after)
        return dy

    def _folded(self, dy: Array, axis: int, before: int, after: int) -> Array:
        size = len(dy) - before - after
        inner = dy[before : before + size]
        if self.mode != "constant":
            inner = inner.copy()
            origins = self.origins(axis, size)
            for i in (*range(before), *range(before + size, len(dy))):
                inner[origins[i]] += dy[i]
        return np.moveaxis(inner, 0, axis)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.Pad(dy, mode=self.mode, pad_width=self.pad_width),)


@operator("_pad_like")
class PadLike(Operator):
    """The adjoint of `slice_like`: `data` with zeros after it up to the sizes of `like`.

    Inputs:
        data: An array no larger than like.
        like: An array of as many axes, for its shape.

    Returns:
        The shape of like.

    ONNX: Pad.
    """

    inputs = ("data", "like")

    def infer_input_dtypes(self, data: DType | None, like: DType | None) -> Sequence[DType | None]:
        return data, like

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        if len(data) != len(like):
            raise ShapeError(f"_pad_like: equal ranks are required, got {show(data)} and {show(like)}.")
        if any(map(below, like, data)):
            raise ShapeError(f"_pad_like: data no larger than {show(like)} is required, got {show(data)}.")
        return like

    def forward(self, data: Array, like: Array) -> Array:
        result = np.zeros(like.shape, data.dtype)
        result[tuple(map(slice, data.shape))] = data
        return result

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F.slice_like(dy, data), None


# ---- diagonals


class _Diagonal(Operator):
    """What `diag` and its adjoint share: which diagonal is meant.

    Attributes:
        k: The diagonal: 0 the main one, 1 the next above it, -1 the next below.
        axis1: The axis of the matrices' rows; without effect on a vector.
        axis2: The axis of the matrices' columns; without effect on a vector.
    """

    k: int = 0
    axis1: int = 0
    axis2: int = 1

    def axes(self, rank: int) -> tuple[int, int]:
        """The axes of the matrices."""
        a, b = axis_index("diag", self.axis1, rank), axis_index("diag", self.axis2, rank)
        if a == b:
            raise ShapeError(f"diag: axis1 and axis2 must differ, got {self.axis1} and {self.axis2}.")
        return a, b

    def diagonals(self, data: Shape) -> Shape:
        """The shape of the diagonals, or for a vector that of the matrix around it."""
        if len(data) == 1:
            side = None if data[0] is None else data[0] + abs(self.k)
            return side, side
        a, b = self.axes(len(data))
        rest = tuple(d for i, d in enumerate(data) if i not in (a, b))
        return (*rest, self.length(data[a], data[b]))

    def length(self, rows: Dim, columns: Dim) -> Dim:
        """The number of elements on the diagonal of a matrix."""
        if rows is None or columns is None:
            return None
        length = smaller(rows, columns - self.k) if self.k >= 0 else smaller(rows + self.k, columns)
        if below(length, 0):
            raise ShapeError(
                f"diag: a diagonal that exists is required, got k={self.k} for {rows} × {columns}."
            )
        return length


@operator("diag")
class Diag(_Diagonal):
    """The `k`-th diagonals of matrices, or a matrix with the vector `data` on that diagonal.

    Inputs:
        data: An array of matrices along axis1 and axis2, or a vector (N,).

    Returns:
        The shape of data without axis1 and axis2, then the diagonal's length; for a vector a square matrix of
        N + abs(k) rows, with zeros off the diagonal.

    ONNX: Gather.
    """

    k: int = 0
    axis1: int = 0
    axis2: int = 1

    def infer_shape(self, data: Shape) -> Shape:
        return self.diagonals(data)

    def forward(self, data: Array) -> Array:
        if data.ndim == 1:
            return np.diag(data, self.k)
        return np.diagonal(data, self.k, *self.axes(data.ndim))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._diag_grad(dy, data, k=self.k, axis1=self.axis1, axis2=self.axis2),)


@operator("_diag_grad")
class DiagGrad(Adjoint, _Diagonal):
    """The adjoint of `diag`: zeros like `data` with `dy` on the diagonals, or for a vector that of `dy`.

    Inputs:
        dy: The gradient of diag's output.
        data: The array that diag was given, for its shape.

    Returns:
        The shape of data.

    ONNX: Gather.
    """

    inputs = ("dy", "data")
    k: int = 0
    axis1: int = 0
    axis2: int = 1

    def image(self, data: Shape) -> Shape:
        return self.diagonals(data)

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        if data.ndim == 1:
            return np.diagonal(dy, self.k)
        result = np.zeros(data.shape, dy.dtype)
        matrices = np.moveaxis(result, self.axes(data.ndim), (-2, -1))
        rows = np.arange(dy.shape[-1]) + max(-self.k, 0)
        matrices[..., rows, rows + self.k] = dy
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, data: Any) -> Sequence[Any]:
        return F.diag(dy, k=self.k, axis1=self.axis1, axis2=self.axis2), None


# ---- cropping


class _Cropping(Operator):
    """What `Crop` and its adjoint share: where the crop begins.

    Attributes:
        offset: The first row and the first column of the crop.
        center_crop: Whether the crop lies in the middle, whatever offset says.
    """

    offset: Ints = (0, 0)
    center_crop: bool = False

    def begin(self, data: Shape, height: Dim, width: Dim) -> tuple[Dim, Dim]:
        """The first row and column of the crop; `None` if that depends on unknown sizes."""
        if not self.center_crop:
            y, x = self.offset
            return y, x
        known = [(d, s) for d, s in zip(data[2:], (height, width), strict=True)]
        y_, x_ = (None if d is None or s is None else (d - s) // 2 for d, s in known)
        return y_, x_

    def cropped(self, data: Shape, height: Dim, width: Dim) -> Shape:
        """The shape of a crop of this height and width, which must lie inside of `data`."""
        begin = self.begin(data, height, width)
        for whole, first, part in zip(data[2:], begin, (height, width), strict=True):
            if part is None or whole is None:
                continue
            outside = below(whole, part) if first is None else below(first, 0) or below(whole, part + first)
            if below(part, 1) or outside:
                raise ShapeError(
                    f"Crop: a crop inside of {show(data)} is required, got {part} from {first} on."
                )
        return data[0], data[1], height, width

    def window(self, data: Array, height: int, width: int) -> tuple[slice, ...]:
        """The crop as slices."""
        y, x = self.begin(data.shape, height, width)
        assert y is not None
        assert x is not None
        return slice(None), slice(None), slice(y, y + height), slice(x, x + width)


@operator("Crop")
class Crop(_Cropping):
    """A rectangle of the first input, of the height and width of the second or of `h_w`.

    Inputs:
        *data: Images (N, C, H, W), then one whose height and width the crop gets; without it h_w are they.

    Attributes:
        num_args: The number of inputs, 1 or 2; counted if it is left out.
        h_w: The height and width of the crop, if there is one input.

    Returns:
        (N, C, height, width).

    ONNX: Slice.
    """

    variadic = "num_args"
    num_args: int
    offset: Ints = (0, 0)
    h_w: Ints = (0, 0)
    center_crop: bool = False

    def check(self) -> None:
        if self.num_args not in (1, 2):
            raise AttributeValueError(f"Crop: one or two inputs are required, got num_args={self.num_args}.")
        if len(self.offset) != 2 or len(self.h_w) != 2:
            raise AttributeValueError(
                f"Crop: two numbers are required as offset and h_w, got {self.offset} and {self.h_w}."
            )

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_shape(self, data: Shape, like: Shape | None = None) -> Shape:
        if len(data) != 4 or (like is not None and len(like) != 4):
            raise ShapeError(f"Crop: inputs (N, C, H, W) are required, got {show(data)}.")
        height, width = self.h_w if like is None else like[2:]
        return self.cropped(data, height, width)

    def forward(self, data: Array, like: Array | None = None) -> Array:
        shape = sizes(self.infer_shape(data.shape, None if like is None else like.shape))
        return data[self.window(data, *shape[2:])]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *like: Any) -> Sequence[Any]:
        d_data = F._crop_grad(dy, data, offset=self.offset, center_crop=self.center_crop)
        return (d_data, *(None for _ in like))


@operator("_crop_grad")
class CropGrad(_Cropping):
    """The adjoint of `Crop`: zeros like `data` with `dy` where the crop was.

    Inputs:
        dy: The gradient of Crop's output.
        data: The images that Crop was given, for their shape.

    Returns:
        The shape of data.

    ONNX: Pad.
    """

    inputs = ("dy", "data")
    offset: Ints = (0, 0)
    center_crop: bool = False

    def infer_inputs(self, dy: Shape | None, data: Shape | None) -> Sequence[Shape | None]:
        if dy is None or data is None:
            return dy, data
        if len(dy) != 4 or len(data) != 4:
            raise ShapeError(
                f"{self.names[0]}: inputs (N, C, H, W) are required, got {show(dy)} and {show(data)}."
            )
        return decided(lambda: self.cropped(data, *dy[2:])), data

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        result = np.zeros(data.shape, dy.dtype)
        result[self.window(data, *dy.shape[2:])] = dy
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, data: Any) -> Sequence[Any]:
        options = {"offset": self.offset, "center_crop": self.center_crop}
        return F.Crop(dy, grad, num_args=2, **options), None
