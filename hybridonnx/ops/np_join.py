"""Joining and splitting as mx.np has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..attrs import Ints
from ..errors import AttributeValueError
from . import join  # what these are composed of
from ._composition import Composed
from ._registry import operator
from ._shapes import axis_index
from .np_reshape import at_least

__all__ = ["join"]


class _Joined(Composed):
    """Arrays joined to one.

    Inputs:
        *data: The arrays, of one dtype.

    Attributes:
        num_args: The number of arrays; counted in a call, so that it need not be given.

    ONNX: Concat.
    """

    variadic: ClassVar[str] = "num_args"
    num_args: Any

    def check(self) -> None:
        if self.num_args < 1:
            raise AttributeValueError(
                f"{self.names[0]}: at least one array is required, got {self.num_args}."
            )

    def joined(self, F: Any, arrays: Any, axis: int, form: Callable[[Any], Any]) -> Any:
        """The arrays in a form that they can be joined in."""
        return F.Concat(*(form(x) for x in arrays), dim=axis)


@operator("_npi_concatenate")
class NumpyConcatenate(_Joined):
    """Arrays one after the other along an axis.

    Attributes:
        axis: The axis, along which sizes may differ; None: the arrays laid out flat.

    Returns:
        The shape of the arrays with the sum of their sizes along the axis.
    """

    num_args: int
    axis: int | None = 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        if self.axis is None:
            return self.joined(F, inputs, 0, lambda x: F._npx_reshape(x, newshape=(-1,)))
        return self.joined(F, inputs, axis_index("_npi_concatenate", self.axis, inputs[0].ndim), lambda x: x)


@operator("_npi_stack")
class NumpyStack(_Joined):
    """Arrays of one shape along a new axis.

    Attributes:
        axis: Where the new axis stands in the output.

    Returns:
        The shape of the arrays with their number at the axis.

    ONNX: Unsqueeze and Concat.
    """

    axis: int = 0
    num_args: int

    def compose(self, F: Any, *inputs: Any) -> Any:
        axis = axis_index("_npi_stack", self.axis, inputs[0].ndim + 1)
        return self.joined(F, inputs, axis, lambda x: F.expand_dims(x, axis=axis))


@operator("_npi_vstack")
class NumpyVStack(_Joined):
    """Arrays one below the other: rows for vectors.

    Returns:
        The shape of the arrays with the sum of their first sizes.
    """

    num_args: int

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.joined(F, inputs, 0, lambda x: at_least(F, x, 2))


@operator("_npi_hstack")
class NumpyHStack(_Joined):
    """Arrays beside each other: along the second axis, or the only one.

    Attributes:
        dim: Without effect.

    Returns:
        The shape of the arrays with the sum of their sizes along that axis.
    """

    num_args: int
    dim: int = 1

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.joined(F, inputs, int(inputs[0].ndim > 1), lambda x: at_least(F, x, 1))


@operator("_npi_dstack")
class NumpyDStack(_Joined):
    """Arrays behind each other, along the third axis.

    Attributes:
        dim: Without effect.

    Returns:
        The shape of the arrays, with three axes at least, and the sum of their sizes along the third.
    """

    num_args: int
    dim: int = 1

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.joined(F, inputs, 2, lambda x: at_least(F, x, 3))


@operator("_npi_column_stack")
class NumpyColumnStack(_Joined):
    """Arrays beside each other, vectors as columns.

    Returns:
        The shape of the arrays, with two axes at least, and the sum of their sizes along the second.
    """

    num_args: int

    def compose(self, F: Any, *inputs: Any) -> Any:
        def column(x: Any) -> Any:
            return x if x.ndim > 1 else F._npx_reshape(x, newshape=(-1, 1))

        return self.joined(F, inputs, 1, column)


class _Parts(Composed):
    """Parts of an array along an axis.

    Inputs:
        data: The array.

    Attributes:
        indices: The indices that parts begin at, 0 among them.
        axis: Without effect.
        squeeze_axis: Whether parts of size 1 lose the axis.
        sections: How many equal parts there are; 0 where indices tell them.

    Returns:
        The parts.

    ONNX: Split.
    """

    indices: Any
    axis: Any
    squeeze_axis: Any
    sections: Any

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.sections or len(self.indices)))

    def parts(self, F: Any, data: Any, axis: int) -> Any:
        """The parts along one axis."""
        same = {"indices": self.indices, "squeeze_axis": self.squeeze_axis, "sections": self.sections}
        return F._split_v2(data, axis=axis, **same)


@operator("_npi_hsplit")
class NumpyHSplit(_Parts):
    """Parts along the second axis, or the only one."""

    indices: Ints
    axis: int = 1
    squeeze_axis: bool = False
    sections: int = 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.parts(F, inputs[0], int(inputs[0].ndim > 1))


@operator("_npi_dsplit")
class NumpyDSplit(_Parts):
    """Parts along the third axis."""

    indices: Ints
    axis: int = 1
    squeeze_axis: bool = False
    sections: int = 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.parts(F, inputs[0], 2)
