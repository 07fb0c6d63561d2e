"""Operators that give the same elements another shape or order, and what depends on shapes alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._extents import Codes, Extent, complete, source_of
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Dim, Shape, axis_index, axis_indices, differ, is_zero, over, show, size, sizes, times
from ._symbolic import same

# ---- reshape


class _Rearrangement(Operator):
    """The elements of one array in another shape or order.

    Inputs:
        data: An array of any shape.
    """

    cheap = True


@operator("Reshape", "reshape")
class Reshape(_Rearrangement):
    """The elements of `data`, in their order, in another shape.

    Attributes:
        shape: The new sizes, in which numbers up to 0 refer to those of data: 0 keeps the next size, -1
            stands for what is left over, -2 keeps all further sizes, -3 merges the next two, -4 splits the
            next one into the two numbers that follow.
        reverse: Whether sizes and codes are matched from the last axis on.
        target_shape: The shape as old files say it, where 0 stands for what is left over; only without shape.
        keep_highest: Whether the first size of target_shape gives way to data's.

    Returns:
        The new shape, with as many elements as data.

    ONNX: Reshape.
    """

    shape: Ints = ()
    reverse: bool = False
    target_shape: Ints = ()
    keep_highest: bool = False

    def check(self) -> None:
        codes = list(self.codes())
        if self.reverse:
            codes.reverse()
        inferred = 0
        while codes:
            code = codes.pop(0)
            pair = [codes.pop(0) for _ in range(2) if codes] if code == -4 else [1, 1]
            if code < -4 or len(pair) < 2 or any(d < -1 or d == 0 for d in pair) or pair == [-1, -1]:
                self._refuse("0, -1, -2, -3, -4 followed by two sizes, or sizes", "")
            inferred += code == -1
        if inferred > 1:
            self._refuse("at most one -1 that does not follow -4", "")

    def _refuse(self, required: str, end: str) -> None:
        raise AttributeValueError(f"Reshape: {required} are required in shape, got {self.shape}{end}.")

    def codes(self) -> Ints:
        """The codes; those of the old attribute `target_shape` are said in today's."""
        if self.shape or not self.target_shape:
            return self.shape
        codes = tuple(d or -1 for d in self.target_shape)
        return (0, *codes[1:]) if self.keep_highest else codes

    def extents(self, data: Shape) -> list[Extent]:
        """Each size of the result."""
        codes, source = self.codes(), source_of(data)
        if not codes:
            raise ShapeError("Reshape: a shape is required, got none. Give shape=(…), (-1,) for one axis.")
        try:
            if self.reverse:
                extents = Codes(codes[::-1], source[::-1]).read()[::-1]
            else:
                extents = Codes(codes, source).read()
            return complete(extents, data)
        except ShapeError as exc:
            raise ShapeError(
                f"Reshape: {exc}, for data {show(data)} to shape {codes}{' reversed' * self.reverse}."
            ) from None

    def infer_shape(self, data: Shape) -> Shape:
        result = tuple(extent.value(data) for extent in self.extents(data))
        if differ(size(data), size(result)):
            raise ShapeError(
                f"Reshape: a shape of as many elements as data {show(data)} is required, got {show(result)}."
            )
        return result

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The one size of the data that is not known yet, from the number of elements."""
        (data,), total = inputs, None if outputs[0] is None else size(outputs[0])
        if data is None or total is None or data.count(None) != 1:
            return inputs
        known = prod(d for d in data if d is not None)
        left = None if is_zero(known) or is_zero(total) else total // known
        if left is None or not same(left * known, total):
            return inputs
        return [tuple(left if d is None else d for d in data)]

    def forward(self, data: Array) -> Array:
        return data.reshape(sizes(self.infer_shape(data.shape)))

    def kernel_for(self, data: Spec) -> Callable[..., Any]:  # type: ignore[override]
        shape = sizes(self.infer_shape(data.shape or ()))
        return lambda data: data.reshape(shape).copy()

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.reshape_like(dy, data),)


@operator("Flatten", "_npx_batch_flatten", "flatten")
class Flatten(Operator):
    """`data` as a matrix, with all axes but the first made one.

    Inputs:
        data: (N, *rest).

    Returns:
        (N, the size of rest).

    ONNX: Flatten.
    """

    cheap = True

    def infer_shape(self, data: Shape) -> Shape:
        if not data:
            raise ShapeError("Flatten: at least one axis is required, got ().")
        return data[0], size(data[1:])

    def forward(self, data: Array) -> Array:
        return data.reshape(data.shape[0], prod(data.shape[1:]))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.reshape_like(dy, data),)


@operator("reshape_like", "_npx_reshape_like")
class ReshapeLike(Operator):
    """The elements of `lhs`, in their order, in the shape of `rhs` or with some of its axes.

    Inputs:
        lhs: An array of any shape.
        rhs: An array, for its shape.

    Attributes:
        lhs_begin: The first axis of lhs that is replaced; None: 0.
        lhs_end: The axis after the last one that is replaced; None: the number of axes.
        rhs_begin: The first axis of rhs that takes their place; None: 0.
        rhs_end: The axis after the last one that does; None: the number of axes.

    Returns:
        The shape of lhs with the axes of rhs in place of its own.

    ONNX: Reshape.
    """

    cheap = True
    inputs = ("lhs", "rhs")
    lhs_begin: int | None = None
    lhs_end: int | None = None
    rhs_begin: int | None = None
    rhs_end: int | None = None

    def infer_input_dtypes(self, lhs: DType | None, rhs: DType | None) -> Sequence[DType | None]:
        return lhs, rhs

    def whole(self) -> bool:
        """Whether all axes are replaced by all of rhs's."""
        return self.lhs_begin is None and self.lhs_end is None and not self.rhs_begin and self.rhs_end is None

    def ranges(self, lhs: int, rhs: int) -> tuple[slice, slice]:
        """The axes that are replaced and those that replace them, given the ranks."""
        if self.whole():
            return slice(0, lhs), slice(0, rhs)
        return (
            _axes("lhs", self.lhs_begin, self.lhs_end, lhs),
            _axes("rhs", self.rhs_begin, self.rhs_end, rhs),
        )

    def passes_on(self, inputs: Sequence[Spec]) -> bool:
        return self.whole() and inputs[0].shape == inputs[1].shape

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        old, new = self.ranges(len(lhs), len(rhs))
        if differ(size(lhs[old]), size(rhs[new])):
            raise ShapeError(
                f"reshape_like: equal numbers of elements are required, got {show(lhs[old])} of lhs for "
                f"{show(rhs[new])} of rhs."
            )
        return lhs[: old.start] + rhs[new] + lhs[old.stop :]

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return lhs.reshape(sizes(self.infer_shape(lhs.shape, rhs.shape)))

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        return F.reshape_like(dy, lhs), None


def _axes(name: str, begin: int | None, end: int | None, rank: int) -> slice:
    start, stop = slice(begin, end).indices(rank)[:2]
    if start >= stop:
        raise ShapeError(
            f"reshape_like: {name}_begin below {name}_end is required, got {begin} and {end} for {rank} axes."
        )
    return slice(start, stop)


@operator("expand_dims", "_npi_expand_dims")
class ExpandDims(_Rearrangement):
    """`data` with a new axis of size 1.

    Attributes:
        axis: The new axis' index in the output; negative ones count from its last.

    Returns:
        The shape of data with 1 inserted at axis.

    ONNX: Unsqueeze.
    """

    axis: int

    def infer_shape(self, data: Shape) -> Shape:
        at = axis_index("expand_dims", self.axis, len(data) + 1)
        return (*data[:at], 1, *data[at:])

    def infer_back(self, outputs: Sequence[Shape | None], inputs: Sequence[Any]) -> Sequence[Shape | None]:
        out = outputs[0]
        return inputs if out is None else [tuple(np.delete(np.array(out, object), self.axis))]

    def forward(self, data: Array) -> Array:
        return np.expand_dims(data, self.axis)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.reshape_like(dy, data),)


@operator("squeeze")
class Squeeze(_Rearrangement):
    """`data` without axes of size 1.

    Attributes:
        axis: The axes that go, whose size must be 1; None: all of size 1.

    Returns:
        The shape of data without those axes; (1,) if none is left.

    ONNX: Squeeze.
    """

    axis: Ints | None = None

    def removed(self, data: Shape) -> tuple[int, ...] | None:
        """The axes that go; `None` if that depends on unknown sizes."""
        if self.axis is None:
            return None if None in data else tuple(i for i, d in enumerate(data) if d == 1)
        axes = axis_indices("squeeze", self.axis, len(data)) if self.axis else ()
        for axis in axes:
            if differ(data[axis], 1):
                raise ShapeError(f"squeeze: size 1 is required at axis {axis}, got data {show(data)}.")
        return axes

    def infer_shape(self, data: Shape) -> Shape:
        axes = self.removed(data)
        if axes is None:
            return None  # type: ignore[return-value]  # not even the rank is known
        return tuple(d for i, d in enumerate(data) if i not in axes) or (1,)

    def forward(self, data: Array) -> Array:
        return data.reshape(sizes(self.infer_shape(data.shape)))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.reshape_like(dy, data),)


# ---- order


@operator("transpose")
class Transpose(_Rearrangement):
    """`data` with its axes in another order.

    Attributes:
        axes: The axis of data that each of the output's is; empty: all in reverse order.

    Returns:
        The sizes of data in that order.

    ONNX: Transpose.
    """

    axes: Ints = ()

    def order(self, rank: int) -> tuple[int, ...]:
        """The input's axis that each of the output's is."""
        if not self.axes:
            return tuple(reversed(range(rank)))
        if sorted(self.axes) != list(range(rank)):
            raise ShapeError(
                f"transpose: each of the axes 0 to {rank - 1} is required once, got {self.axes}."
            )
        return self.axes

    def infer_shape(self, data: Shape) -> Shape:
        return tuple(data[i] for i in self.order(len(data)))

    def infer_back(self, outputs: Sequence[Shape | None], inputs: Sequence[Any]) -> Sequence[Shape | None]:
        out = outputs[0]
        return inputs if out is None else [tuple(out[i] for i in np.argsort(self.order(len(out))))]

    def forward(self, data: Array) -> Array:
        return data.transpose(self.order(data.ndim))

    def kernel_for(self, data: Spec) -> Callable[..., Any]:  # type: ignore[override]
        order = self.order(len(data.shape or ()))
        return lambda data: data.transpose(order).copy()

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        back = sorted(range(len(self.axes)), key=lambda i: self.axes[i])
        return (F.transpose(dy, axes=tuple(back)),)


@operator("SwapAxis", "_npi_swapaxes", "swapaxes")
class SwapAxis(_Rearrangement):
    """`data` with two axes exchanged.

    Attributes:
        dim1: The one axis; negative ones count from the last.
        dim2: The other axis.

    Returns:
        The shape of data with the sizes of both axes exchanged.

    ONNX: Transpose.
    """

    dim1: int = 0
    dim2: int = 0

    def order(self, rank: int) -> tuple[int, ...]:
        """The input's axis that each of the output's is."""
        a, b = (axis_index("SwapAxis", axis, rank) for axis in (self.dim1, self.dim2))
        return tuple({a: b, b: a}.get(i, i) for i in range(rank))

    def infer_shape(self, data: Shape) -> Shape:
        return tuple(data[i] for i in self.order(len(data)))

    def forward(self, data: Array) -> Array:
        return data.transpose(self.order(data.ndim))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.SwapAxis(dy, dim1=self.dim1, dim2=self.dim2),)


@operator("reverse", "flip")
class Reverse(_Rearrangement):
    """`data` with the order of its elements reversed along some axes.

    Attributes:
        axis: The axes that are reversed, from 0 up.

    Returns:
        The shape of data.

    ONNX: Slice, with steps of -1.
    """

    keeps_shape = True
    axis: Ints

    def axes(self, rank: int) -> tuple[int, ...]:
        """The axes that are reversed; twice is as good as never."""
        for axis in self.axis:
            if not 0 <= axis < rank:
                raise ShapeError(
                    f"reverse: axis must lie in [0, {rank - 1}] for {rank} axes, got {self.axis}."
                )
        return tuple(i for i in range(rank) if self.axis.count(i) % 2)

    def infer_shape(self, data: Shape) -> Shape:
        self.axes(len(data))
        return data

    def forward(self, data: Array) -> Array:
        return np.flip(data, self.axes(data.ndim))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.reverse(dy, axis=self.axis),)


class _Blocks(Operator):
    """What moves blocks of pixels between channels and space.

    Attributes:
        block_size: The height and width b of a block.
    """

    cheap = True
    block_size: int

    def check(self) -> None:
        if self.block_size < 1:
            raise AttributeValueError(
                f"{self.names[0]}: a block_size of at least 1 is required, got {self.block_size}."
            )

    def four(self, data: Shape, divisors: tuple[int, int, int]) -> tuple[Dim, Dim, Dim, Dim]:
        """The four sizes, if channels, height and width divide by `divisors`."""
        if len(data) != 4 or any(
            is_zero(d) or (d is not None and differ(d % b, 0))
            for d, b in zip(data, (1, *divisors), strict=True)
        ):
            c, h, w = divisors
            raise ShapeError(
                f"{self.names[0]}: data (N, C, H, W) is required, no size 0, C divisible by {c}, H by {h}, "
                f"W by {w}, got {show(data)}."
            )
        n, c_, h_, w_ = data
        return n, c_, h_, w_


@operator("depth_to_space")
class DepthToSpace(_Blocks):
    """Channels of `data` that are C apart, moved into blocks of b by b pixels.

    Inputs:
        data: (N, b * b * C, H, W).

    Returns:
        (N, C, b * H, b * W).

    ONNX: DepthToSpace.
    """

    block_size: int

    def infer_shape(self, data: Shape) -> Shape:
        b = self.block_size
        n, c, h, w = self.four(data, (b * b, 1, 1))
        return n, over(c, b * b), times(h, b), times(w, b)

    def forward(self, data: Array) -> Array:
        b = self.block_size
        n, c, h, w = sizes(self.infer_shape(data.shape))
        blocks = data.reshape(n, b, b, c, h // b, w // b)
        return blocks.transpose(0, 3, 4, 1, 5, 2).reshape(n, c, h, w)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.space_to_depth(dy, block_size=self.block_size),)


@operator("space_to_depth")
class SpaceToDepth(_Blocks):
    """Blocks of b by b pixels of `data`, moved into channels that are C apart.

    Inputs:
        data: (N, C, b * H, b * W).

    Returns:
        (N, b * b * C, H, W).

    ONNX: SpaceToDepth.
    """

    block_size: int

    def infer_shape(self, data: Shape) -> Shape:
        b = self.block_size
        n, c, h, w = self.four(data, (1, b, b))
        return n, times(c, b * b), over(h, b), over(w, b)

    def forward(self, data: Array) -> Array:
        b = self.block_size
        n, c, h, w = sizes(self.infer_shape(data.shape))
        blocks = data.reshape(n, c // (b * b), h, b, w, b)
        return blocks.transpose(0, 3, 5, 1, 2, 4).reshape(n, c, h, w)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.depth_to_space(dy, block_size=self.block_size),)


# ---- repetition


@operator("tile", "_npi_tile")
class Tile(_Rearrangement):
    """Copies of `data` beside each other along each axis.

    Attributes:
        reps: The number of copies along each axis, the last number for the last axis; 1 where there is none.

    Returns:
        The sizes of data times reps, with as many axes as the longer of both.

    ONNX: Tile.
    """

    reps: Ints

    def check(self) -> None:
        if any(r < 0 for r in self.reps):
            raise AttributeValueError(f"tile: reps of at least 0 are required, got {self.reps}.")

    def infer_shape(self, data: Shape) -> Shape:
        rank = max(len(data), len(self.reps))
        reps = (1,) * (rank - len(self.reps)) + self.reps
        padded = (1,) * (rank - len(data)) + data
        return tuple(times(d, r) for d, r in zip(padded, reps, strict=True))

    def forward(self, data: Array) -> Array:
        return np.tile(data, self.reps)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if 0 in self.reps:
            return (F.zeros_like(data),)
        if all(r == 1 for r in self.reps):
            return (F.reshape_like(dy, data),)
        parts = tuple(code for r in self.reps for code in (r, -1, -4))
        split = F.Reshape(dy, shape=(-2, *parts), reverse=True)
        copies = tuple(range(-2 * len(self.reps), 0, 2))
        return (F.reshape_like(F.sum(split, axis=copies), data),)


@operator("repeat", "_np_repeat")
class Repeat(_Rearrangement):
    """`data` with each element repeated, its copies beside each other.

    Attributes:
        repeats: How often each element stands in the output.
        axis: The axis that it is repeated along; None: data as one vector.

    Returns:
        The shape of data with its size at axis times repeats; without axis a vector.

    ONNX: Unsqueeze, Tile and Reshape.
    """

    repeats: int
    axis: int | None = None

    def check(self) -> None:
        if self.repeats < 0:
            raise AttributeValueError(f"repeat: repeats of at least 0 are required, got {self.repeats}.")

    def infer_shape(self, data: Shape) -> Shape:
        if self.axis is None:
            return (times(size(data), self.repeats),)
        at = axis_index("repeat", self.axis, len(data))
        return (*data[:at], times(data[at], self.repeats), *data[at + 1 :])

    def forward(self, data: Array) -> Array:
        return np.repeat(data, self.repeats, self.axis)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        axis = self.axis
        if self.repeats == 0:
            return (F.zeros_like(data),)
        if axis is None:
            rows = F.Reshape(dy, shape=(-1, self.repeats))
            return (F.reshape_like(F.sum(rows, axis=(1,)), data),)
        if axis >= 0:
            split = F.Reshape(dy, shape=(0,) * axis + (-4, -1, self.repeats, -2))
            return (F.sum(split, axis=(axis + 1,)),)
        rest = (0,) * (-1 - axis)
        split = F.Reshape(dy, shape=(-2, -1, self.repeats, -4, *rest), reverse=True)
        return (F.sum(split, axis=(axis,)),)


# ---- shapes as numbers


class _OfShape(Operator):
    """An operator of the shape of `data` alone.

    Inputs:
        data: An array of any shape, for its shape.
    """

    not_differentiable = "it depends on the shape alone"


@operator("shape_array", "_npx_shape_array")
class ShapeArray(_OfShape):
    """The sizes of `data`, as int64.

    Returns:
        (the number of axes,).

    ONNX: Identity of a constant, where the sizes are known.
    """

    def infer_shape(self, data: Shape) -> Shape:
        return (len(data),)

    def infer_dtype(self, data: DType | None) -> DType:
        return np.dtype(np.int64)

    def forward(self, data: Array) -> Array:
        return np.array(data.shape, np.int64)


@operator("size_array")
class SizeArray(_OfShape):
    """The number of elements of `data`, as int64.

    Returns:
        (1,).

    ONNX: Identity of a constant, where the sizes are known.
    """

    def infer_shape(self, data: Shape) -> Shape:
        return (1,)

    def infer_dtype(self, data: DType | None) -> DType:
        return np.dtype(np.int64)

    def forward(self, data: Array) -> Array:
        return np.array([data.size], np.int64)


@operator("_contrib_arange_like", "_npx_arange_like")
class ArangeLike(_OfShape):
    """Numbers in steps from `start`, as many as `data` has elements or an axis of it is long.

    For data of integers `start` and `step` are truncated before.

    Attributes:
        start: The first number.
        step: The difference between neighbours.
        repeat: How often each number stands in the output, whose size stays what it is.
        ctx: Accepted for MXNet's sake; the output is where data is.
        axis: The axis whose size counts; None: all elements, in data's shape.

    Returns:
        The shape of data, or (its size along axis,); in the dtype of data.

    ONNX: Identity of a constant, where the sizes are known.
    """

    start: float = 0.0
    step: float = 1.0
    repeat: int = 1
    ctx: str = ""
    axis: int | None = None

    def check(self) -> None:
        if self.repeat < 1:
            raise AttributeValueError(
                f"_contrib_arange_like: a repeat of at least 1 is required, got {self.repeat}."
            )

    def bounds(self, dtype: DType) -> tuple[float, float]:
        """The first number and the step for data of a dtype."""
        return (self.start, self.step) if dtype.kind == "f" else (int(self.start), int(self.step))

    def infer_shape(self, data: Shape) -> Shape:
        if self.axis is None:
            return data
        return (data[axis_index("_contrib_arange_like", self.axis, len(data))],)

    def forward(self, data: Array) -> Array:
        shape = sizes(self.infer_shape(data.shape))
        counts = np.arange(prod(shape)) // self.repeat
        start, step = self.bounds(data.dtype)
        return (start + step * counts).astype(data.dtype).reshape(shape)


@operator("_contrib_index_array")
class IndexArray(_OfShape):
    """The index of each element of `data`, or some axes' part of it, as int64.

    Attributes:
        axes: The axes whose indices are given, in their order; None: all.

    Returns:
        (*data's shape, the number of axes that are given).

    ONNX: Identity of a constant.
    """

    axes: Ints | None = None

    def which(self, rank: int) -> tuple[int, ...]:
        """The axes whose indices are given, in their order."""
        axes = range(rank) if self.axes is None else self.axes
        return tuple(axis_index("_contrib_index_array", axis, rank) for axis in axes)

    def infer_shape(self, data: Shape) -> Shape:
        return (*data, len(self.which(len(data))))

    def infer_dtype(self, data: DType | None) -> DType:
        return np.dtype(np.int64)

    def forward(self, data: Array) -> Array:
        axes = np.array(self.which(data.ndim), np.int64)
        return np.moveaxis(np.indices(data.shape)[axes], 0, -1)
