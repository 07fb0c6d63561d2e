"""Rectangular parts of arrays, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..attrs import Ints, OptInts
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._adjoint import Adjoint
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, axis_index, below, show, sizes
from ._storage import Patterns, Storage, of_cells
from ._symbolic import Known, SymbolicDim, larger, positive_part, smaller


class _Slicing(Operator):
    """`begin`, `end` and `step` along the first axes, as Python's slices mean them.

    Attributes:
        begin: The first index along each of the first axes; None: the axis' beginning, or end if step is
            negative.
        end: The index after the last one along each of them; None: the axis' end, or beginning if step is
            negative.
        step: The step between indices along each of them; 1 if None, and for all if empty or None.
    """

    begin: OptInts
    end: OptInts
    step: OptInts | None = ()

    def check(self) -> None:
        if len(self.begin) != len(self.end) or (self.step and len(self.step) != len(self.begin)):
            raise AttributeValueError(
                f"{self.names[0]}: begin, end and step of one length are required, got {self.begin}, "
                f"{self.end} and {self.step}."
            )
        if 0 in (self.step or ()):
            raise AttributeValueError(f"{self.names[0]}: steps other than 0 are required, got {self.step}.")

    def slices(self, rank: int) -> tuple[slice, ...]:
        """A Python slice for each axis that is cut."""
        if len(self.begin) > rank:
            raise ShapeError(
                f"{self.names[0]}: at most {rank} slices are possible for {rank} axes, "
                f"got begin={self.begin}."
            )
        steps = self.step or (None,) * len(self.begin)
        return tuple(map(slice, self.begin, self.end, steps))

    def region(self, data: Shape) -> Shape:
        """The sizes of the part."""
        slices = self.slices(len(data))
        cut = tuple(extent(d, s) for d, s in zip(data, slices, strict=False))
        return cut + data[len(slices) :]


def extent(size: Dim, cut: slice) -> Dim:
    """How many elements a slice takes of an axis."""
    if cut == slice(None) or cut == slice(None, None, 1):
        return size
    if isinstance(size, int):
        return len(range(*cut.indices(size)))
    return None if size is None else _symbolic_extent(size, cut)


def _symbolic_extent(size: SymbolicDim, cut: slice) -> Known:
    """How many elements a slice takes of an axis whose size is an expression."""
    step = 1 if cut.step is None else cut.step
    lowest, highest = (0, size) if step > 0 else (-1, size - 1)

    def bound(index: int | None, default: Known) -> Known:
        if index is None:
            return default
        return larger(size + index, lowest) if index < 0 else smaller(highest, index)

    first, end = (lowest, highest) if step > 0 else (highest, lowest)
    room = bound(cut.stop, end) - bound(cut.start, first)
    return positive_part(room + step - 1) // step if step > 0 else positive_part(-room - step - 1) // -step


def _of_part(op: Slice, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The stored elements of a part of a matrix without gaps."""
    return None if any(step not in (None, 1) for step in op.step or ()) else of_cells(op, patterns, arrays)


@operator("slice", "_npi_slice", "_npx_slice", "_sparse_slice", "crop")
class Slice(_Slicing):
    """The part `data[begin:end:step]`, along the first axes.

    Inputs:
        data: An array of at least as many axes as begin has numbers.

    Returns:
        The shape of data with the numbers of indices along the first axes.

    ONNX: Slice.
    """

    cheap: ClassVar[bool] = True
    stores = _of_part
    begin: OptInts
    end: OptInts
    step: OptInts | None = ()

    def infer_shape(self, data: Shape) -> Shape:
        return self.region(data)

    def forward(self, data: Array) -> Array:
        return data[self.slices(data.ndim)]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._slice_grad(dy, data, begin=self.begin, end=self.end, step=self.step),)


@operator("_slice_grad")
class SliceGrad(Adjoint, _Slicing):
    """The adjoint of `slice`: zeros like `data` with `dy` where the part was.

    Inputs:
        dy: The gradient of the part.
        data: The array that slice was given, for its shape.

    Returns:
        The shape of data.

    ONNX: Pad, with Gather for steps other than 1.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data")
    begin: OptInts
    end: OptInts
    step: OptInts | None = ()

    def image(self, data: Shape) -> Shape:
        return self.region(data)

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        result = np.zeros(data.shape, dy.dtype)
        result[self.slices(data.ndim)] = dy
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, data: Any) -> Sequence[Any]:
        return F.slice(dy, begin=self.begin, end=self.end, step=self.step), None


@operator("_slice_assign", "_crop_assign", "_npi_slice_assign")
class SliceAssign(_Slicing):
    """`lhs` with `rhs` in place of its part `lhs[begin:end:step]`.

    Inputs:
        lhs: An array of at least as many axes as begin has numbers.
        rhs: An array of the part's shape.

    Returns:
        The shape of lhs.

    ONNX: Gather and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    begin: OptInts
    end: OptInts
    step: OptInts | None = ()

    def infer_inputs(self, lhs: Shape | None, rhs: Shape | None) -> Sequence[Shape | None]:
        return lhs, (rhs if lhs is None else self.region(lhs))

    def forward(self, lhs: Array, rhs: Array) -> Array:
        result = lhs.copy()
        result[self.slices(lhs.ndim)] = rhs
        return result

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        where = {"begin": self.begin, "end": self.end, "step": self.step}
        return F._slice_assign_scalar(dy, scalar=0.0, **where), F.slice(dy, **where)


@operator("_slice_assign_scalar", "_crop_assign_scalar", "_npi_slice_assign_scalar")
class SliceAssignScalar(_Slicing):
    """`data` with a number in place of the elements of its part `data[begin:end:step]`.

    Inputs:
        data: An array of at least as many axes as begin has numbers.

    Attributes:
        scalar: The number.

    Returns:
        The shape of data.

    ONNX: Where.
    """

    scalar: float = 0.0
    begin: OptInts
    end: OptInts
    step: OptInts | None = ()

    def infer_shape(self, data: Shape) -> Shape:
        self.slices(len(data))
        return data

    def forward(self, data: Array) -> Array:
        result = data.copy()
        result[self.slices(data.ndim)] = np.array(self.scalar).astype(data.dtype)
        return result

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        where = {"begin": self.begin, "end": self.end, "step": self.step}
        return (F._slice_assign_scalar(dy, scalar=0.0, **where),)


# ---- along one axis


class _AxisSlicing(Operator):
    """`begin` and `end` along one axis; the part must not be empty, nor reach out of the axis.

    Attributes:
        axis: The axis that is cut; negative ones count from the last.
        begin: The first index; negative ones count from the end.
        end: The index after the last one; None: the axis' end.
    """

    axis: int
    begin: int
    end: int | None

    def axis_slice(self, data: Shape) -> tuple[int, slice]:
        """The axis and its slice; MXNet refuses empty ones and those that reach out."""
        owner = self.names[0]
        at = axis_index(owner, self.axis, len(data))
        size = data[at]
        if size is not None:
            begin = self.begin + size * (self.begin < 0)
            end = size if self.end is None else self.end + size * (self.end < 0)
            if below(begin, 0) or below(end, begin + 1) or below(size, end):
                raise ShapeError(
                    f"{owner}: begin below end, both inside of the axis, are required, got {self.begin} and "
                    f"{self.end} for axis {at} of {show(data)}."
                )
        return at, slice(self.begin, self.end)

    def slices(self, data: Shape) -> tuple[slice, ...]:
        """A Python slice for each axis up to the one that is cut."""
        at, cut = self.axis_slice(data)
        return (*[slice(None)] * at, cut)

    def region(self, data: Shape) -> Shape:
        """The sizes of the part."""
        at, cut = self.axis_slice(data)
        return (*data[:at], self._length(data[at], cut), *data[at + 1 :])

    def _length(self, size: Dim, cut: slice) -> Dim:
        if isinstance(size, int) or cut == slice(0, None):
            return extent(size, slice(self.begin, self.end))
        if size is not None:  # the slice is inside of the axis, or an error
            begin = self.begin + size * (self.begin < 0)
            return (size if self.end is None else self.end + size * (self.end < 0)) - begin
        if self.end is None:
            return -self.begin if self.begin < 0 else None
        return self.end - self.begin if (self.begin < 0) == (self.end < 0) else None


@operator("slice_axis")
class SliceAxis(_AxisSlicing):
    """The part of `data` from `begin` to `end` along one axis.

    Inputs:
        data: An array of any shape.

    Returns:
        The shape of data with end - begin, both counted from 0, at axis.

    ONNX: Slice.
    """

    cheap: ClassVar[bool] = True
    axis: int
    begin: int
    end: int | None

    def infer_shape(self, data: Shape) -> Shape:
        return self.region(data)

    def forward(self, data: Array) -> Array:
        return data[self.slices(data.shape)]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._slice_axis_grad(dy, data, axis=self.axis, begin=self.begin, end=self.end),)


@operator("_slice_axis_grad")
class SliceAxisGrad(Adjoint, _AxisSlicing):
    """The adjoint of `slice_axis`: zeros like `data` with `dy` where the part was.

    Inputs:
        dy: The gradient of the part.
        data: The array that slice_axis was given, for its shape.

    Returns:
        The shape of data.

    ONNX: Pad.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data")
    axis: int
    begin: int
    end: int | None

    def image(self, data: Shape) -> Shape:
        return self.region(data)

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        result = np.zeros(data.shape, dy.dtype)
        result[self.slices(data.shape)] = dy
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, data: Any) -> Sequence[Any]:
        return F.slice_axis(dy, axis=self.axis, begin=self.begin, end=self.end), None


# ---- as long as another array


@operator("slice_like")
class SliceLike(Operator):
    """The first elements of `data` along some axes, as many as `shape_like` has there.

    Inputs:
        data: An array of any shape.
        shape_like: An array no longer than data along those axes, for its shape.

    Attributes:
        axes: The axes that are cut, negative ones counted from the last; empty: all, and both have as many.

    Returns:
        The shape of data with the sizes of shape_like at those axes.

    ONNX: Slice.
    """

    cheap: ClassVar[bool] = True
    inputs: ClassVar[tuple[str, ...]] = ("data", "shape_like")
    axes: Ints = ()

    def infer_input_dtypes(self, data: DType | None, shape_like: DType | None) -> Sequence[DType | None]:
        return data, shape_like

    def cut(self, data: Shape, like: Shape) -> tuple[int, ...]:
        """The axes that are cut."""
        if not self.axes and len(data) != len(like):
            raise ShapeError(
                f"slice_like: inputs of one rank are required, got {show(data)} and {show(like)}. "
                "Say which axes to cut with axes."
            )
        axes = self.axes or range(len(data))
        indices = tuple(sorted({axis_index("slice_like", axis, len(data)) for axis in axes}))
        for axis in indices:
            if axis >= len(like) or below(data[axis], like[axis]):
                raise ShapeError(
                    f"slice_like: a size of at most data's {show(data)} is required at axis {axis} "
                    f"of shape_like, got {show(like)}."
                )
        return indices

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        cut = self.cut(data, like)
        return tuple(like[i] if i in cut else d for i, d in enumerate(data))

    def forward(self, data: Array, like: Array) -> Array:
        shape = sizes(self.infer_shape(data.shape, like.shape))
        return data[tuple(slice(d) for d in shape)]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F._pad_like(dy, data), None
