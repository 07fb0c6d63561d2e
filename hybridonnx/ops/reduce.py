"""Reductions over axes, and their opposite, broadcasting to a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, ShapeError
from ._arithmetic import divide
from ._operator import Array, Operator, Spec, record
from ._registry import operator
from ._rows import Reduction, Rule, reduced_shape, row, rule_facets, with_axis
from ._shapes import Dim, Shape, axis_index, axis_indices, differ, require_repeats, show, sizes
from ._slopes import narrowed, widened
from ._storage import of_reduced_rows, of_spread_rows

# ---- sums, products and extremes


def _sum(data: Array, axis: Ints, keepdims: bool) -> Array:
    if data.dtype.kind == "b":
        return np.asarray(np.any(data, axis=axis, keepdims=keepdims))
    return np.asarray(np.sum(data, axis=axis, keepdims=keepdims, dtype=_accumulator(data)))


def _prod(data: Array, axis: Ints, keepdims: bool) -> Array:
    return np.asarray(np.prod(data, axis=axis, keepdims=keepdims, dtype=_accumulator(data)))


def _accumulator(data: Array) -> DType:
    """float16 is summed in float32; integers wrap in their own dtype, as MXNet's do."""
    return np.dtype(np.float32) if data.dtype == np.float16 else data.dtype


def _mean(data: Array, axis: Ints, keepdims: bool) -> Array:
    total = _sum(data, axis, keepdims)
    count = prod(data.shape[i] for i in axis)
    return _over(total, count)


def _over(value: Array, count: int) -> Array:
    """`value` divided by a number of elements, which a dtype of integers may not have."""
    if value.dtype.kind == "f":
        return np.asarray(value / _accumulator(value).type(count))
    if value.dtype.kind == "b":  # what is left of true stays true, in MXNet
        return value
    return divide(value.astype(np.int64), np.asarray(count)).astype(value.dtype)


def _nan_as(value: int, reduced: Callable[..., Array]) -> Callable[..., Array]:
    def kernel(data: Array, axis: Ints, keepdims: bool) -> Array:
        if data.dtype.kind == "f":
            data = np.where(np.isnan(data), data.dtype.type(value), data)
        return reduced(data, axis, keepdims)

    return kernel


def _extreme(function: Callable[..., Any]) -> Callable[..., Array]:
    def kernel(data: Array, axis: Ints, keepdims: bool) -> Array:
        return np.asarray(function(data, axis=axis, keepdims=keepdims))

    return kernel


def _spread(F: Any, op: Any, value: Any, data: Any) -> Any:
    """A reduced value at all the elements of `data` that went into it."""
    return F._spread_like(value, data, axis=op.axis, keepdims=op.keepdims, exclude=op.exclude)


def _mean_rule(F: Any, op: Any, dy: Any, y: Any, x: Any) -> Sequence[Any]:
    return (F._spread_like(dy, x, axis=op.axis, keepdims=op.keepdims, exclude=op.exclude, mean=True),)


def _prod_rule(F: Any, op: Any, dy: Any, y: Any, x: Any) -> Sequence[Any]:
    """The product of the other factors; those that are 0, of which two matter, are multiplied apart."""
    zero = x == 0
    safe = x * (1 - zero) + zero
    over = {"axis": op.axis, "keepdims": op.keepdims, "exclude": op.exclude}
    count = _spread(F, op, F.sum(zero, **over), x)
    zeros = _spread(F, op, F.sum(zero * x, **over), x)
    rest = _spread(F, op, F.prod(safe, **over) * dy, x) / safe
    others = (count == 0) + (count == 1) * (zero + (1 - zero) * zeros) + (count == 2) * zero * (zeros - x)
    return (rest * others,)


def _nanprod_rule(F: Any, op: Any, dy: Any, y: Any, x: Any) -> Sequence[Any]:
    valid = x == x
    (gradient,) = _prod_rule(F, op, dy, y, F.where(valid, x, F.ones_like(x)))
    return (gradient * valid,)


def require_elements(owner: str, data: Shape, axes: Sequence[int]) -> None:
    """Raise `ShapeError` if nothing lies along `axes`, so that no element is the largest."""
    if any(isinstance(data[i], int) and not data[i] for i in axes):
        raise ShapeError(
            f"{owner}: axes of size 1 or more are required to reduce, got shape {show(data)}. "
            "Leave out what is empty."
        )


@record
class Extreme(Reduction):
    """A reduction to one of the elements, of which there must be one."""

    hints = ("subgradient",)
    subgradient: bool = field(default=False, metadata={"internal": True})
    """Whether equal elements share the gradient; each receives all of it in MXNet."""

    def infer_shape(self, data: Shape) -> Shape:
        require_elements(self.names[0], data, self.axes(len(data)))
        return super().infer_shape(data)


def reduced(
    name: str,
    fn: Callable[..., Array],
    rule: Rule,
    *aliases: str,
    doc: str = "",
    base: type[Operator] = Reduction,
    **facets: Any,
) -> type[Operator]:
    """A reduction with MXNet's attributes axis, keepdims and exclude."""
    return row(base, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)


def _extreme_rule(F: Any, op: Any, dy: Any, y: Any, x: Any) -> Sequence[Any]:
    chosen = x == _spread(F, op, y, x)
    if op.subgradient:
        count = F.sum(chosen, axis=op.axis, keepdims=op.keepdims, exclude=op.exclude)
        dy = dy / F._maximum_scalar(count, scalar=1)  # nothing equals NaN
    return (_spread(F, op, dy, x) * chosen,)


reduced(
    "sum",
    _sum,
    lambda F, op, dy, y, x: (_spread(F, op, dy, x),),
    "_sparse_sum",
    "sum_axis",
    ufunc=np.add,
    doc="""The sum of the elements along the axes; of bool whether any is true.

    ONNX: ReduceSum; of int64 CumSum and Slice.
    """,
)
reduced(
    "mean",
    _mean,
    _mean_rule,
    "_sparse_mean",
    doc="""The mean of the elements along the axes; of integers truncated towards zero.

    ONNX: ReduceMean; of integers ReduceSum and Div.
    """,
)
reduced(
    "prod",
    _prod,
    _prod_rule,
    ufunc=np.multiply,
    doc="""The product of the elements along the axes; of bool whether all are true.

    ONNX: ReduceProd; of integers Slice and Mul.
    """,
)
reduced(
    "nansum",
    _nan_as(0, _sum),
    lambda F, op, dy, y, x: (_spread(F, op, dy, x) * (x == x),),
    doc="""The sum of the elements along the axes that are not NaN.

    ONNX: IsNaN, Where and ReduceSum.
    """,
)
reduced(
    "nanprod",
    _nan_as(1, _prod),
    _nanprod_rule,
    doc="""The product of the elements along the axes that are not NaN.

    ONNX: IsNaN, Where and ReduceProd.
    """,
)
reduced(
    "max",
    _extreme(np.amax),
    _extreme_rule,
    "max_axis",
    base=Extreme,
    ufunc=np.maximum,
    doc="""The largest element along the axes, NaN if there is one; all that equal it receive its gradient.

    ONNX: ReduceMax, with IsNaN and Where.
    """,
)
reduced(
    "min",
    _extreme(np.amin),
    _extreme_rule,
    "min_axis",
    base=Extreme,
    ufunc=np.minimum,
    doc="""The smallest element along the axes, NaN if there is one; all that equal it receive its gradient.

    ONNX: ReduceMin, with IsNaN, ReduceMax and Where.
    """,
)
reduced(
    "_square_sum",
    lambda x, axis, keepdims: _sum(np.square(x), axis, keepdims),
    lambda F, op, dy, y, x: (
        F._square_sum_grad(dy, x, axis=op.axis, keepdims=op.keepdims, exclude=op.exclude),
    ),
    stores=of_reduced_rows,
    doc="""The sum of the squares of the elements along the axes.

    ONNX: ReduceSumSquare.
    """,
)


@operator("norm", "_sparse_norm")
class Norm(Operator):
    """The L1 or L2 norm of the elements along some axes.

    Inputs:
        data: An array of any shape.

    Attributes:
        ord: 1 for the sum of absolute values, 2 for the root of the sum of squares.
        axis: The axes to reduce, negative ones counted from the last; all axes if None.
        out_dtype: The dtype of the output; None: that of data.
        keepdims: Whether the reduced axes stay, with size 1.

    Returns:
        The shape of data without the reduced axes; (1,) if none is left.

    ONNX: ReduceL2 or ReduceL1.
    """

    ord: int = 2
    axis: Ints | None = None
    out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None
    keepdims: bool = False
    exclude: ClassVar[bool] = False
    hints = ("subgradient",)
    subgradient: bool = field(default=False, metadata={"internal": True})
    """Whether the gradient where all is 0 is 0; it is NaN in MXNet."""

    def check(self) -> None:
        if self.ord not in (1, 2):
            raise AttributeValueError(f"norm: ord must be 1 or 2, got {self.ord}.")

    def infer_shape(self, data: Shape) -> Shape:
        return reduced_shape(data, axis_indices("norm", self.axis, len(data)), self.keepdims)

    def infer_dtype(self, data: DType | None) -> DType | None:
        return data if self.out_dtype is None else as_dtype(self.out_dtype)

    def forward(self, data: Array) -> Array:
        axes = axis_indices("norm", self.axis, data.ndim)
        wide = data.astype(np.float64 if data.dtype.itemsize > 4 else np.float32, copy=False)
        if self.ord == 1:
            norm = np.sum(abs(wide), axis=axes, keepdims=self.keepdims)
        else:
            norm = np.sqrt(np.sum(np.square(wide), axis=axes, keepdims=self.keepdims))
        result = np.asarray(norm)
        return with_axis(result.astype(self.infer_dtype(data.dtype)), self.keepdims)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if self.ord == 1:
            return (_spread(F, self, dy, data) * F.sign(data),)
        length = y + (y == 0) if self.subgradient else y
        return (data * _spread(F, self, dy / length, data),)


@operator("moments")
class Moments(Operator):
    """The mean and the variance of the elements along some axes, the variance without Bessel's correction.

    Inputs:
        data: An array of any shape.

    Attributes:
        axes: The axes to reduce, at least one; negative ones count from the last.
        keepdims: Whether the reduced axes stay, with size 1.

    Returns:
        output0: The mean, in the shape of data without the axes; (1,) if none is left.
        output1: The variance, in the same shape.

    ONNX: ReduceMean, Sub and Mul.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    takes_bool: ClassVar[bool] = False
    axes: Ints | None = None
    keepdims: bool = False

    def check(self) -> None:
        if not self.axes:
            raise AttributeValueError("moments: axes are required, got none.")

    def over(self, rank: int) -> tuple[int, ...]:
        """The sorted axes that are reduced."""
        return axis_indices("moments", self.axes, rank)

    def infer_shape(self, data: Shape) -> list[Shape]:
        return [reduced_shape(data, self.over(len(data)), self.keepdims)] * 2

    def forward(self, data: Array) -> tuple[Array, Array]:
        axes = self.over(data.ndim)
        mean = _mean(data, axes, True)  # of integers as such: their squares wrap, as in MXNet
        variance = _mean(np.square(data - mean), axes, True)
        shape = sizes(self.infer_shape(data.shape)[0])
        first, second = (np.reshape(v, shape).astype(data.dtype) for v in (mean, variance))
        return first, second

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        def spread(value: Any, mean: bool) -> Any:
            return F._spread_like(value, data, axis=self.axes, keepdims=self.keepdims, mean=mean)

        wide = widened(F, data)
        count = F.sum(F.ones_like(wide), axis=self.axes, keepdims=True)
        deviation = wide - widened(F, spread(y[0], False))
        of_variance = widened(F, spread(dy[1], False)) * deviation * 2 / count  # integers: divided last
        return (spread(dy[0], True) + narrowed(F, of_variance, data),)


# ---- indices of extremes


class _ExtremeIndex(Operator):
    """What the indices of extremes share. Of equal elements the first counts.

    Inputs:
        data: An array of any shape.

    Attributes:
        axis: The axis that the index is along, negative ones counted from the last; None: data as one vector.
        keepdims: Whether the axis stays, or without one all axes do, with size 1.

    Returns:
        The shape of data without axis, in the dtype of data; (1,) if none is left.
    """

    not_differentiable = "it is piecewise constant"
    takes_bool = False
    fn: ClassVar[staticmethod[..., Any]]

    def along(self) -> tuple[int | None, bool]:
        """The axis, and whether it is kept."""
        return getattr(self, "axis", None), getattr(self, "keepdims", False)

    def infer_shape(self, data: Shape) -> Shape:
        axis, keepdims = self.along()
        axes = range(len(data)) if axis is None else [axis_index(self.names[0], axis, len(data))]
        require_elements(self.names[0], data, axes)
        return reduced_shape(data, axes, keepdims)

    def forward(self, data: Array) -> Array:
        axis, keepdims = self.along()
        indices = np.asarray(self.fn(data, axis=axis, keepdims=keepdims))
        return with_axis(indices.astype(data.dtype), keepdims)

    @classmethod
    def upgraded(cls, attributes: dict[str, str], version: int) -> dict[str, str]:
        if version < 905 and attributes.get("axis") == "-1":  # it stood for no axis
            return {key: text for key, text in attributes.items() if key != "axis"}
        return attributes


@operator("argmax")
class ArgMax(_ExtremeIndex):
    """The index of the first maximum, or of the first NaN, along `axis`.

    ONNX: ArgMax, with IsNaN, ReduceMax, Where and Cast.
    """

    fn = staticmethod(np.argmax)
    axis: int | None = None
    keepdims: bool = False


@operator("argmin")
class ArgMin(_ExtremeIndex):
    """The index of the first minimum, or of the first NaN, along `axis`.

    ONNX: ArgMin, with IsNaN, ReduceMax, ArgMax, Where and Cast.
    """

    fn = staticmethod(np.argmin)
    axis: int | None = None
    keepdims: bool = False


@operator("argmax_channel")
class ArgMaxChannel(_ExtremeIndex):
    """The index of the first maximum along axis 1.

    Inputs:
        data: (N, C, *rest).

    Returns:
        (N, *rest), in the dtype of data.

    ONNX: ArgMax, with Cast.
    """

    fn = staticmethod(np.argmax)

    def along(self) -> tuple[int | None, bool]:
        return 1, False


# ---- broadcasting


@operator("broadcast_to")
class BroadcastTo(Operator):
    """`data` with its axes of size 1 repeated to the sizes of `shape`.

    Inputs:
        data: An array whose sizes are 1 or those of shape.

    Attributes:
        shape: A size for each axis; 0 keeps data's.

    Returns:
        An array of the given shape.

    ONNX: Expand.
    """

    shape: Ints = ()

    def infer_shape(self, data: Shape) -> Shape:
        if len(data) != len(self.shape):
            raise ShapeError(
                f"broadcast_to: as many sizes as data has axes are required, got {self.shape} for "
                f"{show(data)}. Add axes to data with reshape or expand_dims."
            )
        pairs = zip(data, self.shape, strict=True)
        return tuple(_repeated("broadcast_to", d, s, data) if s else d for d, s in pairs)

    def forward(self, data: Array) -> Array:
        return np.broadcast_to(data, sizes(self.infer_shape(data.shape)))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._sum_like(dy, data),)


def _repeated(owner: str, size: Dim, target: Dim, data: Shape) -> Dim:
    """The size of an axis that is to be repeated to `target`."""
    if differ(size, 1) and differ(size, target):
        raise ShapeError(
            f"{owner}: sizes of 1 are required where data is to be repeated, got {size} (to be {target}) in "
            f"{show(data)}."
        )
    return size if target is None and differ(size, 1) else target


@operator("broadcast_axis", "broadcast_axes")
class BroadcastAxis(Operator):
    """`data` with some axes of size 1 repeated.

    Inputs:
        data: An array of any shape.

    Attributes:
        axis: The axes that are repeated; negative ones count from the last.
        size: How often each of them is.

    Returns:
        The shape of data with the sizes of size at axis.

    ONNX: Expand.
    """

    axis: Ints = ()
    size: Ints = ()

    def check(self) -> None:
        if len(self.axis) != len(self.size):
            raise AttributeValueError(
                f"broadcast_axis: a size for each axis is required, got axis={self.axis}, size={self.size}."
            )

    def infer_shape(self, data: Shape) -> Shape:
        result = list(data)
        for axis, size in zip(self.axis, self.size, strict=True):
            index = axis_index("broadcast_axis", axis, len(data))
            result[index] = _repeated("broadcast_axis", data[index], size, data)
        return tuple(result)

    def forward(self, data: Array) -> Array:
        return np.broadcast_to(data, sizes(self.infer_shape(data.shape)))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._sum_like(dy, data),)


class _Like(Operator):
    """An operator that needs the shape alone of its second input.

    Inputs:
        like: An array, for its shape.
    """

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes


@operator("broadcast_like")
class BroadcastLike(_Like):
    """`lhs` with axes of size 1 repeated as long as those of `rhs`.

    Inputs:
        lhs: An array of any shape.
        rhs: An array, for its shape.

    Attributes:
        lhs_axes: The axes of lhs that are repeated; all, of as many as rhs has, if this or rhs_axes is None.
        rhs_axes: The axis of rhs that each of them becomes as long as.

    Returns:
        The shape of lhs with the sizes of rhs at those axes.

    ONNX: Expand.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    lhs_axes: Ints | None = None
    rhs_axes: Ints | None = None

    def check(self) -> None:
        if self.lhs_axes is None or self.rhs_axes is None:
            return
        if len(self.lhs_axes) != len(self.rhs_axes) or not self.lhs_axes:
            raise AttributeValueError(
                "broadcast_like: lhs_axes and rhs_axes of one length, 1 or more, are required, "
                f"got {self.lhs_axes} and {self.rhs_axes}."
            )

    def axes(self, lhs: int, rhs: int) -> list[tuple[int, int]]:
        """The pairs of axes, given the ranks."""
        if self.lhs_axes is None or self.rhs_axes is None:
            if lhs != rhs:
                raise ShapeError(
                    f"broadcast_like: as many axes in lhs as in rhs are required, got {lhs} and {rhs}. "
                    "Say which belong together with lhs_axes and rhs_axes."
                )
            return [(i, i) for i in range(lhs)]
        pairs = zip(self.lhs_axes, self.rhs_axes, strict=True)
        return [
            (axis_index("broadcast_like", a, lhs), axis_index("broadcast_like", b, rhs)) for a, b in pairs
        ]

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        result = list(lhs)
        for a, b in self.axes(len(lhs), len(rhs)):
            result[a] = _repeated("broadcast_like", lhs[a], rhs[b], lhs)
        return tuple(result)

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return np.broadcast_to(lhs, sizes(self.infer_shape(lhs.shape, rhs.shape)))

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        return F._sum_like(dy, lhs), None


# ---- adjoints


@operator("_sum_like")
class SumLike(_Like):
    """The adjoint of broadcasting: `data` summed over the axes that `like` lacks or has with size 1.

    Inputs:
        data: An array that like broadcasts to.

    Returns:
        The shape of like.

    ONNX: ReduceSum, with Squeeze.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        require_repeats("_sum_like", "like", like, data)
        return like

    def passes_on(self, inputs: Sequence[Spec]) -> bool:
        return inputs[0].shape == inputs[1].shape

    def forward(self, data: Array, like: Array) -> Array:
        if data.shape == like.shape:
            return data
        lead = data.ndim - like.ndim
        axes = tuple(range(lead)) + tuple(
            i + lead for i, d in enumerate(like.shape) if d == 1 and data.shape[i + lead] != 1
        )
        return _sum(data, axes, True).reshape(like.shape)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F._broadcast_as(dy, data), None


@operator("_broadcast_as")
class BroadcastAs(_Like):
    """`data` broadcast to the shape of `like`, which may have more axes.

    Inputs:
        data: An array that broadcasts to like.

    Returns:
        The shape of like.

    ONNX: Expand.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        require_repeats("_broadcast_as", "data", data, like)
        return like

    def passes_on(self, inputs: Sequence[Spec]) -> bool:
        return inputs[0].shape == inputs[1].shape

    def forward(self, data: Array, like: Array) -> Array:
        return np.broadcast_to(data, like.shape)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F._sum_like(dy, data), None


@operator("_spread_like")
class SpreadLike(_Like):
    """The adjoint of a sum or a mean: `data`, a reduction of an array like `like`, repeated to its shape.

    Inputs:
        data: An array of the reduction's shape.

    Attributes:
        axis: The axes that were reduced; all if None or empty.
        keepdims: Whether they stayed, with size 1.
        exclude: Whether the axes that `axis` does not name were reduced.
        mean: Whether data is divided by the number of repetitions.

    Returns:
        The shape of like.

    ONNX: Expand, with Unsqueeze.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")
    stores = of_spread_rows
    axis: Ints | None = None
    keepdims: bool = False
    exclude: bool = False
    mean: bool = False

    def axes(self, rank: int) -> tuple[int, ...]:
        """The sorted axes that had been reduced."""
        return axis_indices(self.names[0], self.axis, rank, self.exclude)

    def infer_inputs(self, data: Shape | None, like: Shape | None) -> Sequence[Shape | None]:
        if like is None:
            return data, like
        axes = self.axes(len(like))
        if data is None or self.keepdims or len(axes) < len(like):
            return reduced_shape(like, axes, self.keepdims), like
        return data if data == () else (1,), like

    def infer_shape(self, data: Shape, like: Shape) -> Shape:
        return like

    def forward(self, data: Array, like: Array) -> Array:
        axes = self.axes(like.ndim)
        shape = tuple(1 if i in axes else d for i, d in enumerate(like.shape))
        value = data.reshape(shape)
        if self.mean:
            value = _over(value, prod(like.shape[i] for i in axes)).astype(data.dtype, copy=False)
        return np.broadcast_to(value, like.shape)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        reduce = F.mean if self.mean else F.sum
        back = reduce(dy, axis=self.axis, keepdims=self.keepdims, exclude=self.exclude)
        shape = getattr(data, "shape", None)  # symbols have none
        return (back if shape is not None and shape == back.shape else F.reshape_like(back, data)), None


@operator("_square_sum_grad")
class SquareSumGrad(SpreadLike):
    """The adjoint of a sum or a mean of squares: `data` repeated to the shape of `like`, times 2 `like`.

    Of a row-sparse `data` with `keepdims` it stores the rows that data stores.

    ONNX: Expand and Mul, with Unsqueeze.
    """

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return [self.one_dtype(self.inputs, dtypes)] * 2

    def forward(self, data: Array, like: Array) -> Array:
        product: Array = super().forward(data, like) * like * like.dtype.type(2)
        return product

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        axes = {"axis": self.axis, "keepdims": self.keepdims, "exclude": self.exclude}
        reduce = F.mean if self.mean else F.sum
        return reduce(dy * like * 2, **axes), dy * F._spread_like(data, like, mean=self.mean, **axes) * 2
