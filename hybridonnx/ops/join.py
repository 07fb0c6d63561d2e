"""Arrays joined along an axis, and split."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, axis_index, below, differ, show, unify
from ._storage import Patterns, Storage, of_cells
from ._symbolic import smaller

# ---- joining


def _of_rows(op: Concat, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The stored elements of matrices that are joined along their first axis."""
    return of_cells(op, patterns, arrays) if op.dim == 0 else None


@operator("Concat", "_sparse_concat", "concat")
class Concat(Operator):
    """The inputs one after the other along `dim`.

    Inputs:
        *data: Arrays of one shape, but for their sizes along dim.

    Attributes:
        num_args: The number of inputs; counted if it is left out.
        dim: The axis that they are joined along; negative ones count from the last.

    Returns:
        The inputs' shape with the sum of their sizes along dim.

    ONNX: Concat.
    """

    cheap = True
    variadic = "num_args"
    stores = _of_rows
    num_args: int
    dim: int = 1

    def check(self) -> None:
        if self.num_args < 1:
            raise AttributeValueError(f"Concat: at least one input is required, got {self.num_args}.")

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        known = [s for s in shapes if s is not None]
        if not known:
            return shapes
        at = axis_index("Concat", self.dim, len(known[0]))
        rest = unify("Concat", *(_without(s, at) for s in known)) or ()
        return [rest if s is None else (*rest[:at], s[at], *rest[at + 1 :]) for s in shapes]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The sizes on the other axes, and along `dim` the one that is missing."""
        out = outputs[0]
        if out is None:
            return inputs
        at = axis_index("Concat", self.dim, len(out))
        lengths = [s[at] if s is not None and len(s) == len(out) else None for s in inputs]
        total = out[at]
        if lengths.count(None) == 1 and total is not None:
            left = total - sum(d for d in lengths if d is not None)
            if below(left, 0):
                raise ShapeError(f"Concat: sizes of at most {total} in all are required, got {lengths}.")
            lengths = [left if d is None else d for d in lengths]
        return [(*out[:at], d, *out[at + 1 :]) for d in lengths]

    def infer_shape(self, *shapes: Shape) -> Shape:
        at = axis_index("Concat", self.dim, len(shapes[0]))
        lengths = [s[at] for s in shapes]
        total = None if None in lengths else sum(d for d in lengths if d is not None)
        return (*shapes[0][:at], total, *shapes[0][at + 1 :])

    def forward(self, *data: Array) -> Array:
        return np.concatenate(data, axis=self.dim)

    def gradient(self, F: Any, dy: Any, y: Any, *data: Any) -> Sequence[Any]:
        if len(data) == 1:
            return (dy,)
        parts: Sequence[Any] = F._split_like(dy, *data, num_args=len(data) + 1, axis=self.dim)
        return parts


def _without(shape: Shape, axis: int) -> Shape:
    return tuple(None if i == axis else d for i, d in enumerate(shape))


@operator("_split_like")
class SplitLike(Operator):
    """The adjoint of `Concat`: an array cut along `axis` into parts as long as given arrays.

    Inputs:
        *data: The array to cut, then an array for each part, for its size along axis.

    Attributes:
        num_args: The number of inputs, one more than there are parts.
        axis: The axis that is cut.

    Returns:
        The parts, num_args - 1 of them.

    ONNX: Split.
    """

    variadic = "num_args"
    num_args: int
    axis: int = 1

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.num_args - 1))

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_inputs(self, data: Shape | None, *likes: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return data, *likes
        at = axis_index("_split_like", self.axis, len(data))
        return data, *[_without(data, at)] * len(likes)

    def infer_shape(self, data: Shape, *likes: Shape) -> list[Shape]:
        at = axis_index("_split_like", self.axis, len(data))
        lengths = [like[at] for like in likes]
        if None not in lengths and differ(sum(d for d in lengths if d is not None), data[at]):
            raise ShapeError(
                f"_split_like: parts as long as data {show(data)} in all are required along axis {at}, "
                f"got {show(tuple(lengths))}."
            )
        return [(*data[:at], like[at], *data[at + 1 :]) for like in likes]

    def forward(self, data: Array, *likes: Array) -> tuple[Array, ...]:
        ends = np.cumsum([like.shape[self.axis] for like in likes])
        return tuple(np.split(data, ends[:-1], axis=self.axis))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *likes: Any) -> Sequence[Any]:
        dys = dy if isinstance(dy, tuple | list) else [dy]
        return F.Concat(*dys, dim=self.axis), *(None for _ in likes)


@operator("stack")
class Stack(Operator):
    """The inputs, all of one shape, one after the other along a new axis.

    Inputs:
        *data: Arrays of one shape.

    Attributes:
        axis: The new axis' index in the output; negative ones count from its last.
        num_args: The number of inputs; counted if it is left out.

    Returns:
        The inputs' shape with num_args inserted at axis.

    ONNX: Unsqueeze and Concat.
    """

    cheap = True
    variadic = "num_args"
    axis: int = 0
    num_args: int

    def check(self) -> None:
        if self.num_args < 1:
            raise AttributeValueError(f"stack: at least one input is required, got {self.num_args}.")

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return [unify("stack", *shapes)] * len(shapes)

    def infer_shape(self, *shapes: Shape) -> Shape:
        first = shapes[0]
        at = axis_index("stack", self.axis, len(first) + 1)
        return (*first[:at], len(shapes), *first[at:])

    def forward(self, *data: Array) -> Array:
        return np.stack(data, axis=self.axis)

    def gradient(self, F: Any, dy: Any, y: Any, *data: Any) -> Sequence[Any]:
        if len(data) == 1:
            return (F.reshape_like(dy, data[0]),)
        parts: Sequence[Any] = F.SliceChannel(dy, num_outputs=len(data), axis=self.axis, squeeze_axis=True)
        return parts


# ---- splitting


class _Splitting(Operator):
    """What the operators that split share.

    Inputs:
        data: An array of any shape.

    Attributes:
        axis: The axis that is cut; negative ones count from the last.
        squeeze_axis: Whether the parts lose the axis, along which they must then have size 1.
    """

    cheap = True
    axis: int = 1
    squeeze_axis: bool = False

    def bounds(self, size: Dim) -> Sequence[Dim]:
        """Where the parts begin, and the end of the last, for an axis of this size."""
        raise NotImplementedError

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The parts' sizes on the other axes, and along the axis their sum."""
        parts = [s for s in outputs if s is not None]
        if not parts or (self.squeeze_axis and any(len(s) == 1 and s[0] is None for s in parts)):
            return inputs
        rank = len(parts[0]) + self.squeeze_axis
        at = axis_index(self.names[0], self.axis, rank)
        if self.squeeze_axis:
            whole = unify(self.names[0], *parts) or ()
            return [(*whole[:at], len(outputs), *whole[at:])]
        lengths = [None if s is None else s[at] for s in outputs]
        total = None if None in lengths else sum(d for d in lengths if d is not None)
        rest = unify(self.names[0], *(_without(s, at) for s in parts)) or ()
        return [(*rest[:at], total, *rest[at + 1 :])]

    def at(self, data: Shape) -> int:
        """The axis that is split."""
        if self.squeeze_axis and len(data) < 2:
            raise ShapeError(
                f"{self.names[0]}: at least two axes are required if one is squeezed, got {show(data)}."
            )
        return axis_index(self.names[0], self.axis, len(data))

    def infer_shape(self, data: Shape) -> list[Shape]:
        at = self.at(data)
        lengths = [None if a is None or b is None else b - a for a, b in pairwise(self.bounds(data[at]))]
        if not self.squeeze_axis:
            return [(*data[:at], d, *data[at + 1 :]) for d in lengths]
        if any(differ(d, 1) for d in lengths):
            raise ShapeError(
                f"{self.names[0]}: parts of size 1 are required to squeeze the axis, got "
                f"{lengths} from {show(data)}."
            )
        return [data[:at] + data[at + 1 :] for _ in lengths]

    def forward(self, data: Array) -> Array | tuple[Array, ...]:
        shapes = self.infer_shape(data.shape)
        at = self.at(data.shape)
        inner = [b for b in self.bounds(data.shape[at])[1:-1] if isinstance(b, int)]
        parts = np.split(data, inner, axis=at)
        outputs = tuple(p.squeeze(at) if self.squeeze_axis else p for p in parts)
        return outputs if len(shapes) > 1 else outputs[0]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if not isinstance(dy, tuple | list):
            return (F.reshape_like(dy, data),)
        if self.squeeze_axis:
            return (F.stack(*dy, axis=self.axis),)
        return (F.Concat(*dy, dim=self.axis),)


@operator("SliceChannel", "split")
class SliceChannel(_Splitting):
    """`data` cut into equal parts along `axis`.

    Attributes:
        num_outputs: The number of parts, which must divide the axis' size.

    Returns:
        num_outputs arrays of data's shape, with its size along axis divided by num_outputs.

    ONNX: Split, with Squeeze if squeeze_axis is set.
    """

    output_count = "num_outputs"

    num_outputs: int
    axis: int = 1
    squeeze_axis: bool = False

    def check(self) -> None:
        if self.num_outputs < 1:
            raise AttributeValueError(
                f"SliceChannel: num_outputs of at least 1 is required, got {self.num_outputs}."
            )

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.num_outputs))

    def bounds(self, size: Dim) -> Sequence[Dim]:
        if size is None:
            return [None] * (self.num_outputs + 1)
        if differ(size % self.num_outputs, 0):
            raise ShapeError(
                f"SliceChannel: a size that num_outputs={self.num_outputs} divides is required, got {size}."
            )
        return [i * (size // self.num_outputs) for i in range(self.num_outputs + 1)]


@operator("_split_v2", "_npi_split")
class SplitV2(_Splitting):
    """`data` cut along `axis` into parts that begin at `indices`, or into `sections` parts.

    Attributes:
        indices: Where the parts begin, rising, 0 first; without effect if there are sections.
        sections: The number of about equal parts, the first of them longer by 1 where it does not divide the
            size.

    Returns:
        An array for each part, of data's shape but for the size along axis.

    ONNX: Split, with Squeeze if squeeze_axis is set.
    """

    output_count = "sections"

    indices: Ints
    axis: int = 1
    squeeze_axis: bool = False
    sections: int = 0

    def check(self) -> None:
        if self.sections < 0 or (not self.sections and not self.indices):
            raise AttributeValueError(
                f"_split_v2: sections or indices are required, got {self.sections} and {self.indices}."
            )
        if not self.sections and (self.indices[0] != 0 or list(self.indices) != sorted(self.indices)):
            raise AttributeValueError(
                f"_split_v2: rising indices that begin with 0 are required, got {self.indices}."
            )

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.sections or len(self.indices)))

    def bounds(self, size: Dim) -> Sequence[Dim]:
        if self.sections:
            if size is None:
                return [None] * (self.sections + 1)
            # the first parts are one longer if the size does not divide
            each, longer = divmod(size, self.sections)
            return [i * each + smaller(i, longer) for i in range(self.sections + 1)]
        if below(size, self.indices[-1]):
            raise ShapeError(f"_split_v2: indices up to {size} are required, got {self.indices}.")
        return [*self.indices, size]
