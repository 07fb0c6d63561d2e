"""Batches of sequences of different lengths: time is the first axis of `data`, or the second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._adjoint import Adjoint
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, show
from .cast import cast


class _Sequences(Operator):
    """What operators on sequences of different lengths share: T steps of N sequences.

    Inputs:
        data: (T, N, *rest), or (N, T, *rest) with axis 1.
        sequence_length: (N,), truncated towards zero; only with use_sequence_length.

    Attributes:
        use_sequence_length: Whether the sequences have lengths of their own, else all have T steps.
        axis: The axis of the steps, 0 or 1.

    Returns:
        The shape of data.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "sequence_length")
    use_sequence_length: bool = False
    axis: int = 0

    def check(self) -> None:
        if self.axis not in (0, 1):
            raise AttributeValueError(f"{self.names[0]}: axis must be 0 or 1, got {self.axis}.")

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.use_sequence_length else self.inputs[:1]

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        data = shapes[0]
        if data is None:
            return shapes
        if len(data) < 2:
            raise ShapeError(f"{self.names[0]}: at least two axes are required, got {show(data)}.")
        return data, *[(data[1 - self.axis],)] * (len(shapes) - 1)

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        """Lengths are of any dtype, and of the data's unless something else tells."""
        return dtypes[:1] + tuple(dtypes[0] if d is None else d for d in dtypes[1:])

    def one_step(self, data: Shape) -> Shape:
        """The shape of one step of each sequence, of which there must be one."""
        if data[self.axis] == 0:
            raise ShapeError(f"SequenceLast: at least one step is required, got data of shape {show(data)}.")
        return (data[1 - self.axis], *data[2:])

    def steps(self, data: Array) -> Array:
        """The number of each step, to broadcast against the lengths."""
        steps = np.arange(data.shape[self.axis])
        return steps[:, None] if self.axis == 0 else steps[None, :]

    def lengths(self, length: Array) -> Array:
        """The lengths, to broadcast against the steps."""
        lengths = np.trunc(length).astype(np.int64)
        return lengths[None, :] if self.axis == 0 else lengths[:, None]


def spread(mask: Array, data: Array) -> Array:
    """A mask of the first two axes, to broadcast against `data`."""
    return mask.reshape(mask.shape + (1,) * (data.ndim - 2))


@operator("SequenceMask", "_npx_sequence_mask")
class SequenceMask(_Sequences):
    """`data` with `value` in place of the steps after each sequence's length.

    Attributes:
        value: What stands after a sequence's end, cast to the dtype of data.

    ONNX: Less and Where.
    """

    use_sequence_length: bool = False
    value: float = 0.0
    axis: int = 0

    def infer_shape(self, data: Shape, *length: Shape) -> Shape:
        return data

    def forward(self, data: Array, length: Array | None = None) -> Array:
        if length is None:
            return data
        inside = spread(self.steps(data) < self.lengths(length), data)
        return np.where(inside, data, cast(np.asarray(self.value), data.dtype))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *length: Any) -> Sequence[Any]:
        if not length:
            return (dy,)
        return F.SequenceMask(dy, *length, use_sequence_length=True, axis=self.axis), None


@operator("SequenceLast")
class SequenceLast(_Sequences):
    """The last step of each sequence.

    A length below 1 counts as 1, and one above T as T.

    Returns:
        (N, *rest).

    ONNX: Gather; GatherND, with Transpose, for lengths.
    """

    use_sequence_length: bool = False
    axis: int = 0

    def infer_shape(self, data: Shape, *length: Shape) -> Shape:
        return self.one_step(data)

    def forward(self, data: Array, length: Array | None = None) -> Array:
        steps = np.moveaxis(data, self.axis, 0)
        if length is None:
            return np.asarray(steps[-1])
        return steps[last(length, len(steps)), np.arange(len(length))]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *length: Any) -> Sequence[Any]:
        options = {"use_sequence_length": self.use_sequence_length, "axis": self.axis}
        return F._sequence_last_grad(dy, data, *length, **options), *(None for _ in length)


def last(length: Array, steps: int) -> Array:
    """The index of the last step; a sequence has one at least, and no more than there are."""
    return np.asarray(np.clip(np.trunc(length).astype(np.int64) - 1, 0, max(steps - 1, 0)))


@operator("_sequence_last_grad")
class SequenceLastGrad(Adjoint, _Sequences):
    """The adjoint of `SequenceLast`: zeros like `data` with `dy` at each sequence's last step.

    Inputs:
        dy: The gradient of SequenceLast's output, (N, *rest).

    ONNX: Equal and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data", "sequence_length")
    use_sequence_length: bool = False
    axis: int = 0

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.use_sequence_length else self.inputs[:2]

    def image(self, data: Shape, *length: Shape) -> Shape:
        return self.one_step(data)

    def infer_arrays(self, *arrays: Shape | None) -> Sequence[Shape | None]:
        return _Sequences.infer_inputs(self, *arrays)

    def infer_shape(self, dy: Shape, data: Shape, *length: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array, length: Array | None = None) -> Array:
        result = np.zeros(data.shape, dy.dtype)
        steps = np.moveaxis(result, self.axis, 0)
        if length is None:
            steps[-1] = dy
        else:
            steps[last(length, len(steps)), np.arange(len(length))] = dy
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, data: Any, *length: Any) -> Sequence[Any]:
        options = {"use_sequence_length": self.use_sequence_length, "axis": self.axis}
        return F.SequenceLast(dy, *length, **options), None, *(None for _ in length)


@operator("SequenceReverse")
class SequenceReverse(_Sequences):
    """`data` with the steps of each sequence in reverse order, and those after it where they are.

    Inputs:
        data: (T, N, *rest).

    Attributes:
        axis: The axis of the steps, which can only be 0.

    ONNX: ReverseSequence, or Slice without lengths.
    """

    saves: ClassVar[float] = 3.0
    use_sequence_length: bool = False
    axis: int = 0

    def check(self) -> None:
        if self.axis != 0:
            raise AttributeValueError(
                f"SequenceReverse: axis must be 0, got {self.axis}. Use swapaxes before and after."
            )

    def infer_shape(self, data: Shape, *length: Shape) -> Shape:
        return data

    def forward(self, data: Array, length: Array | None = None) -> Array:
        if length is None:
            return data[::-1]
        steps, ends = self.steps(data), np.minimum(self.lengths(length), len(data))
        indices = np.where(steps < ends, ends - 1 - steps, steps)
        return np.take_along_axis(data, spread(indices, data), 0)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *length: Any) -> Sequence[Any]:
        options = {"use_sequence_length": self.use_sequence_length, "axis": self.axis}
        return F.SequenceReverse(dy, *length, **options), *(None for _ in length)
