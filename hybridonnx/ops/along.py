"""Vectors along an axis of data: what norms and their gradients scale and shift by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..dtypes import DType
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, axis_index


def along(vector: Array, rank: int, axis: int) -> Array:
    """The vector (C,) with axes of size 1 around it, C at `axis` of `rank` axes."""
    return vector.reshape([-1 if i == axis else 1 for i in range(rank)])


@operator("_along_axis")
class AlongAxis(Operator):
    """A vector with axes of size 1 around it, so that it broadcasts against `like` along `axis`.

    Inputs:
        data: (C,).
        like: An array, for the number of its axes.

    Attributes:
        axis: The axis of like that data is along; negative ones count from the last.

    Returns:
        As many sizes as like has, C at axis and 1 elsewhere.

    ONNX: Reshape.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")
    axis: int = 1

    def infer_input_dtypes(self, data: Any, like: Any) -> Sequence[DType | None]:
        return data, like

    def infer_inputs(self, data: Shape | None, like: Shape | None) -> Sequence[Shape | None]:
        return (None,), like

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        axis = axis_index(self.names[0], self.axis, len(like))
        return tuple(data[0] if i == axis else 1 for i in range(len(like)))

    def forward(self, data: Array, like: Array) -> Array:
        return along(data, like.ndim, axis_index(self.names[0], self.axis, like.ndim))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F.reshape_like(dy, data), None


@operator("_scale_shift")
class ScaleShift(Operator):
    """data * scale + shift, with one number of each for each place along an axis.

    Inputs:
        data: An array with C at axis.
        scale: (C,); absent with `no_scale`.
        shift: (C,); absent with `no_shift`.

    Attributes:
        axis: The axis of data that scale and shift are along; negative ones count from the last.
        no_scale: Whether data is not scaled.
        no_shift: Whether data is not shifted.

    Returns:
        An array of data's shape.

    ONNX: Mul, Add.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "scale", "shift")
    axis: int = 1
    no_scale: bool = False
    no_shift: bool = False

    def input_names(self) -> tuple[str, ...]:
        absent = {"scale": self.no_scale, "shift": self.no_shift}
        return tuple(name for name in self.inputs if not absent.get(name))

    def infer_inputs(self, data: Shape | None, *vectors: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return data, *vectors
        return data, *[(data[axis_index(self.names[0], self.axis, len(data))],) for _ in vectors]

    def infer_shape(self, data: Shape, *vectors: Shape) -> Shape:
        axis_index(self.names[0], self.axis, len(data))
        return data

    def scale_and_shift(self, vectors: Sequence[Any]) -> tuple[Any, Any]:
        """Scale and shift, `None` for what is absent."""
        by_name = dict(zip(self.input_names()[1:], vectors, strict=True))
        return by_name.get("scale"), by_name.get("shift")

    def forward(self, data: Array, *vectors: Array) -> Array:
        axis = axis_index(self.names[0], self.axis, data.ndim)
        scale, shift = (
            None if v is None else along(v, data.ndim, axis) for v in self.scale_and_shift(vectors)
        )
        if scale is None:
            return data.copy() if shift is None else data + shift
        return data * scale if shift is None else data * scale + shift

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *vectors: Any) -> Sequence[Any]:
        scale, _ = self.scale_and_shift(vectors)
        over = {"axis": (self.axis,), "exclude": True}
        dx = dy if scale is None else F._scale_shift(dy, scale, axis=self.axis, no_shift=True)
        d_scale = None if scale is None else F.sum(dy * data, **over)
        d_shift = None if self.no_shift else F.sum(dy, **over)
        return dx, *(d for d, absent in ((d_scale, self.no_scale), (d_shift, self.no_shift)) if not absent)
