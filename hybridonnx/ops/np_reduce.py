"""Reductions as mx.np has them: of all elements to an array without axes, of integers to what they need."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import DTypeName, Ints
from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, ShapeError
from ._composition import Composed
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, axis_index, axis_indices, differ, show
from .reduce import _extreme_rule, _mean, _prod, _prod_rule, _sum, require_elements

_CONSTANT = "it is piecewise constant"
_FLOAT32 = np.dtype("float32")


class NumpyReduction(Operator):
    """A function of the elements along some axes, none of which need be left.

    Inputs:
        a: Of any shape.

    Attributes:
        axis: The axes to reduce, negative ones counted from the last; None: all, (): none.
        dtype: The dtype that is computed in, and of the output; None: as said above.
        keepdims: Whether the reduced axes stay, with size 1.
        initial: Only None, as in MXNet.

    Returns:
        The shape of a without the reduced axes.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a",)
    exclude: ClassVar[bool] = False
    axis: Any
    keepdims: Any

    def check(self) -> None:
        if getattr(self, "initial", None) is not None:
            raise AttributeValueError(f"{self.names[0]}: initial of None is required, got a number.")

    def axes(self, rank: int) -> tuple[int, ...]:
        """The sorted axes that are reduced."""
        return () if self.axis == () else axis_indices(self.names[0], self.axis, rank)

    def infer_shape(self, a: Shape) -> Shape:
        axes = self.axes(len(a))
        return tuple(1 if i in axes else d for i, d in enumerate(a) if self.keepdims or i not in axes)

    def infer_dtype(self, a: DType | None) -> DType | None:
        dtype: str | None = getattr(self, "dtype", None)
        if dtype is not None:
            return as_dtype(dtype)
        return None if a is None else self.natural(a)

    def natural(self, a: DType) -> DType:
        """The dtype unless an attribute tells it: sums and products of bool are int64."""
        return np.dtype("int64") if a.kind == "b" else a

    def forward(self, a: Array) -> Array:
        x = a.astype(self.infer_dtype(a.dtype), copy=False)
        return np.asarray(self.reduced(x, self.axes(a.ndim))).astype(x.dtype, copy=False)

    def reduced(self, x: Array, axes: Ints) -> Array:
        """What the elements along the axes give."""
        raise NotImplementedError

    def gradient(self, F: Any, dy: Any, y: Any, a: Any) -> Sequence[Any]:
        if getattr(a, "dtype", 0) == getattr(dy, "dtype", 1):
            return (dy if self.axis == () else self.share(F, dy, y, a),)
        x = F._cast_like(a, dy)
        return (F._cast_like(dy if self.axis == () else self.share(F, dy, y, x), a),)

    def share(self, F: Any, dy: Any, y: Any, x: Any) -> Any:
        """The gradient of the elements that are reduced."""
        raise NotImplementedError

    def spread(self, F: Any, value: Any, x: Any, mean: bool = False) -> Any:
        """A reduced value at all the elements that went into it."""
        return F._spread_like(value, x, axis=self.axis, keepdims=self.keepdims, mean=mean)


@operator("_np_sum")
class NumpySum(NumpyReduction):
    """The sum of the elements along some axes; of bool in int64.

    ONNX: ReduceSum; of int64 CumSum and Slice.
    """

    axis: Ints | None = None
    dtype: DTypeName | None = None
    keepdims: bool = False
    initial: float | None = None

    def reduced(self, x: Array, axes: Ints) -> Array:
        return _sum(x, axes, self.keepdims)

    def share(self, F: Any, dy: Any, y: Any, x: Any) -> Any:
        return self.spread(F, dy, x)


@operator("_npi_mean")
class NumpyMean(NumpyReduction):
    """The mean of the elements along some axes; of integers and bool in float32.

    ONNX: ReduceMean.
    """

    axis: Ints | None = None
    dtype: DTypeName | None = None
    keepdims: bool = False
    initial: float | None = None

    def natural(self, a: DType) -> DType:
        return a if a.kind == "f" else _FLOAT32

    def reduced(self, x: Array, axes: Ints) -> Array:
        return _mean(x, axes, self.keepdims)

    def share(self, F: Any, dy: Any, y: Any, x: Any) -> Any:
        return self.spread(F, dy, x, mean=True)


@operator("_np_prod", "_np_product")
class NumpyProd(NumpyReduction):
    """The product of the elements along some axes; of bool in int64.

    ONNX: ReduceProd; of integers Slice and Mul.
    """

    axis: Ints | None = None
    dtype: DTypeName | None = None
    keepdims: bool = False
    initial: float | None = None

    def reduced(self, x: Array, axes: Ints) -> Array:
        return _prod(x, axes, self.keepdims)

    def share(self, F: Any, dy: Any, y: Any, x: Any) -> Any:
        return _prod_rule(F, self, dy, y, x)[0]


class NumpyExtreme(NumpyReduction):
    """A reduction to one of the elements, of which there must be one."""

    subgradient: ClassVar[bool] = False

    def infer_shape(self, a: Shape) -> Shape:
        require_elements(self.names[0], a, self.axes(len(a)))
        return super().infer_shape(a)

    def natural(self, a: DType) -> DType:
        return a

    def share(self, F: Any, dy: Any, y: Any, x: Any) -> Any:
        return _extreme_rule(F, self, dy, y, x)[0]


@operator("_np_max", "_np_amax")
class NumpyMax(NumpyExtreme):
    """The largest element along some axes, NaN if there is one; all that equal it receive its gradient.

    ONNX: ReduceMax, with IsNaN and Where.
    """

    axis: Ints | None = None
    keepdims: bool = False
    initial: float | None = None

    def reduced(self, x: Array, axes: Ints) -> Array:
        return np.asarray(np.amax(x, axis=axes, keepdims=self.keepdims))


@operator("_np_min", "_np_amin")
class NumpyMin(NumpyExtreme):
    """The smallest element along some axes, NaN if there is one; all that equal it receive its gradient.

    ONNX: ReduceMin, with IsNaN, ReduceMax and Where.
    """

    axis: Ints | None = None
    keepdims: bool = False
    initial: float | None = None

    def reduced(self, x: Array, axes: Ints) -> Array:
        return np.asarray(np.amin(x, axis=axes, keepdims=self.keepdims))


class _Truth(NumpyReduction):
    """Whether elements along some axes are not zero.

    Inputs:
        data: Of any shape.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data",)
    not_differentiable: ClassVar[str] = _CONSTANT

    def infer_dtype(self, a: DType | None) -> DType:
        return np.dtype(np.bool_)

    def forward(self, a: Array) -> Array:
        return np.asarray(self.reduced(a != 0, self.axes(a.ndim)))


@operator("_np_any", "_np_sometrue")
class NumpyAny(_Truth):
    """Whether any element along some axes is not zero.

    ONNX: Cast, ReduceSum.
    """

    axis: Ints | None = None
    keepdims: bool = False

    def reduced(self, x: Array, axes: Ints) -> Array:
        return np.asarray(np.any(x, axis=axes, keepdims=self.keepdims))


@operator("_np_all")
class NumpyAll(_Truth):
    """Whether all elements along some axes are not zero.

    ONNX: Cast, Not, ReduceSum.
    """

    axis: Ints | None = None
    keepdims: bool = False

    def reduced(self, x: Array, axes: Ints) -> Array:
        return np.asarray(np.all(x, axis=axes, keepdims=self.keepdims))


class NumpyArg(Operator):
    """The first index of an extreme.

    Inputs:
        data: Of any shape.

    Attributes:
        axis: The axis to go along; None: the array laid out flat.
        keepdims: Whether that axis stays, with size 1; without axis all of them.

    Returns:
        int64, the shape of data without the axis; () without axis.
    """

    not_differentiable: ClassVar[str] = _CONSTANT
    takes_bool: ClassVar[bool] = False
    axis: Any
    keepdims: Any

    def infer_shape(self, data: Shape) -> Shape:
        every = tuple(range(len(data)))
        axes = every if self.axis is None else (axis_index(self.names[0], self.axis, len(data)),)
        require_elements(self.names[0], data, axes)
        return tuple(1 if i in axes else d for i, d in enumerate(data) if self.keepdims or i not in axes)

    def infer_dtype(self, data: DType | None) -> DType:
        return np.dtype("int64")


@operator("_npi_argmax")
class NumpyArgMax(NumpyArg):
    """The first index of the largest element, or of a NaN, along an axis.

    ONNX: ArgMax.
    """

    axis: int | None = None
    keepdims: bool = False

    def forward(self, data: Array) -> Array:
        return np.asarray(np.argmax(data, axis=self.axis, keepdims=self.keepdims))


@operator("_npi_argmin")
class NumpyArgMin(NumpyArg):
    """The first index of the smallest element, or of a NaN, along an axis.

    ONNX: ArgMin, ArgMax.
    """

    axis: int | None = None
    keepdims: bool = False

    def forward(self, data: Array) -> Array:
        return np.asarray(np.argmin(data, axis=self.axis, keepdims=self.keepdims))


# ---- composed of these

_Float = Literal["float16", "float32", "float64", "int32", "int64", "int8"]


class _Spread(Composed):
    """A measure of how far elements along some axes lie from their mean.

    Inputs:
        a: Of any shape.

    Attributes:
        axis: The axes to go along; None: all.
        dtype: The dtype that is computed in, and of the output; None: that of a, float32 for integers.
            What is float16 is computed in float32 at least.
        ddof: What is taken from the number of elements before it divides the sum of squares.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        The shape of a without the axes.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a",)
    takes_bool: ClassVar[bool] = False
    axis: Any
    dtype: Any
    ddof: Any
    keepdims: Any

    def compose(self, F: Any, *inputs: Any) -> Any:
        (a,) = inputs
        dtype = self.dtype or (a.dtype if a.dtype.kind == "f" else _FLOAT32).name
        if dtype != "float16":
            return self.measure(F, self.variance(F, a, dtype))
        wide = "float64" if a.dtype == np.float64 else "float32"
        return F.Cast(self.measure(F, self.variance(F, a, wide)), dtype=dtype)

    def measure(self, F: Any, variance: Any) -> Any:
        """The measure, of the variance."""
        return variance

    def variance(self, F: Any, a: Any, dtype: str) -> Any:
        """The sum of squared distances over the number of elements."""
        x = F.Cast(a, dtype=dtype) if a.dtype.name != dtype else a
        over: dict[str, Any] = {"axis": self.axis, "keepdims": self.keepdims}
        distance = F._npi_subtract(x, F._npi_mean(x, axis=self.axis, keepdims=True))
        square = F._npi_mean(F.square(distance), **over)
        if not self.ddof:
            return square
        axes = axis_indices(self.names[0], self.axis, a.ndim)
        if all(isinstance(a.shape[i], int) for i in axes):
            count = prod(a.size_of(i) for i in axes)
            return F._npi_multiply_scalar(
                square, scalar=count / (count - self.ddof) if count > self.ddof else np.inf
            )
        counts = F._np_sum(F.ones_like(x), **over)
        left = F._maximum_scalar(F._npi_subtract_scalar(counts, scalar=self.ddof), scalar=0.0)
        return F._npi_multiply(square, F._npi_true_divide(counts, left))


@operator("_npi_var")
class NumpyVar(_Spread):
    """The variance of the elements along some axes.

    ONNX: ReduceMean, Sub and Mul.
    """

    axis: Ints | None = None
    dtype: _Float | None = None
    ddof: int = 0
    keepdims: bool = False


@operator("_npi_std")
class NumpyStd(_Spread):
    """The standard deviation of the elements along some axes.

    ONNX: ReduceMean, Sub, Mul and Sqrt.
    """

    axis: Ints | None = None
    dtype: _Float | None = None
    ddof: int = 0
    keepdims: bool = False

    def measure(self, F: Any, variance: Any) -> Any:
        return F.sqrt(variance)


@operator("_npi_average")
class NumpyAverage(Composed):
    """The mean of the elements along some axes, each with a weight.

    Inputs:
        a: Of any shape.
        weights: Of the shape of a, or a vector as long as the one axis; only with `weighted`.

    Attributes:
        axis: The axes to go along; None: all.
        returned: Whether the sum of the weights is a second output.
        weighted: Whether there are weights.

    Returns:
        output0: The shape of a without the axes.
        output1: The sum of the weights for each, of the same shape.

    ONNX: ReduceMean; with weights ReduceSum, Mul and Div.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "weights")
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    takes_bool: ClassVar[bool] = False
    axis: Ints | None = None
    returned: bool = False
    weighted: bool = True

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.weighted else self.inputs[:1]

    def output_names(self) -> tuple[str, ...]:
        return self.outputs if self.returned else self.outputs[:1]

    def compose(self, F: Any, *inputs: Any) -> Any:
        a = inputs[0]
        if self.weighted:
            weights = inputs[1]
            self._require_fit(a.shape, weights.shape)
            if weights.ndim < a.ndim and self.axis:
                at = axis_index(self.names[0], self.axis[0], a.ndim)
                for _ in range(a.ndim - at - 1):
                    weights = F.expand_dims(weights, axis=1)
            weights = F._npi_add(F.zeros_like(a), weights)
            scale = F._np_sum(weights, axis=self.axis)
            mean = F._npi_true_divide(F._np_sum(F._npi_multiply(a, weights), axis=self.axis), scale)
        else:
            mean = F._npi_mean(a, axis=self.axis)
            scale = F._np_sum(F.ones_like(a), axis=self.axis)
        return [mean, scale] if self.returned else mean

    def _require_fit(self, shape: Shape, weights: Shape) -> None:
        fits = len(weights) == len(shape) and not any(map(differ, weights, shape))
        if not fits and len(weights) == 1 and self.axis is not None and len(self.axis) == 1:
            fits = not differ(weights[0], shape[axis_index(self.names[0], self.axis[0], len(shape))])
        if not fits:
            raise ShapeError(
                f"_npi_average: weights of shape {show(shape)}, or a vector as long as the one axis, are "
                f"required, got {show(weights)} for axis {self.axis}."
            )
