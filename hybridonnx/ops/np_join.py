"""Joining and splitting as mx.np has them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from ..attrs import Ints
from ..errors import AttributeValueError, ShapeError
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

    output_count = "sections"

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


def _padded(F: Any, data: Any, axis: int, widths: tuple[int, int], mode: str, value: float) -> Any:
    """The array with so many more elements before and after along one axis."""

    def side(width: int, last: bool) -> list[Any]:
        if not width:
            return []
        edge = {"begin": -1, "end": None} if last else {"begin": 0, "end": 1}
        if mode == "edge":
            block = F.slice_axis(data, axis=axis, **edge)
        elif mode in ("maximum", "minimum"):
            reduction = F._np_max if mode == "maximum" else F._np_min
            block = reduction(data, axis=(axis,), keepdims=True)
        elif mode == "constant":
            block = F._npi_full_like(F.slice_axis(data, axis=axis, **edge), fill_value=value)
        else:
            skip = int(mode == "reflect")
            begin, end = (-width - skip, -1 if skip else None) if last else (skip, width + skip)
            return [F.reverse(F.slice_axis(data, axis=axis, begin=begin, end=end), axis=(axis,))]
        return [F.repeat(block, repeats=width, axis=axis)]

    return F.Concat(*side(widths[0], False), data, *side(widths[1], True), dim=axis)


@operator("_npi_pad")
class NumpyPad(Composed):
    """`data` with more elements before and after along its axes.

    Inputs:
        data: Of at least one axis, with an element along each that is padded.

    Attributes:
        pad_width: Two widths for each axis, as text such as ((1, 1), (0, 2)).
        mode: What the elements are: a number, the nearest one, the largest or smallest along the axis, or the
            array mirrored without its edge (reflect) or with it.
        constant_value: The number.
        reflect_type: Only even.

    Returns:
        The shape of data with both widths added to each size.

    ONNX: Concat, with Slice; Identity.
    """

    pad_width: str
    mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant"
    constant_value: float = 0.0
    reflect_type: str = "even"

    def widths(self) -> list[tuple[int, int]]:
        """The widths before and after each axis."""
        try:
            return [(int(a), int(b)) for a, b in ast.literal_eval(self.pad_width)]
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise AttributeValueError(
                f"_npi_pad: two widths for each axis are required in pad_width, got {self.pad_width[:99]!r}."
            ) from None

    def check(self) -> None:
        if any(min(pair) < 0 for pair in self.widths()) or self.reflect_type != "even":
            raise AttributeValueError(
                f"_npi_pad: widths from 0 up and reflect_type 'even' are required, got {self.pad_width} and "
                f"{self.reflect_type!r}."
            )

    def compose(self, F: Any, *inputs: Any) -> Any:
        (data,) = inputs
        widths = self.widths()
        if len(widths) != data.ndim:
            raise ShapeError(f"_npi_pad: widths for {data.ndim} axes are required, got {self.pad_width}.")
        for axis, pair in enumerate(widths):
            if any(pair):
                size = data.shape[axis]
                most = size if self.mode == "symmetric" else size - 1 if isinstance(size, int) else None
                if self.mode in ("reflect", "symmetric") and isinstance(most, int) and max(pair) > most:
                    raise ShapeError(f"_npi_pad: widths up to {most} are required to mirror, got {pair}.")
                data = _padded(F, data, axis, pair, self.mode, self.constant_value)
        return data if data is not inputs[0] else F._copy(data)


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
