"""Elements and rows chosen by arrays of indices, read and written.

Indices may have any dtype; MXNet's are usually float32. They are cut off towards zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import DTypeName, Ints
from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, ShapeError
from ._adjoint import Adjoint
from ._indices import (
    Along,
    Coordinates,
    Indexed,
    Picking,
    Points,
    add_rows,
    indices_along,
    integers,
    points,
    within,
)
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, axis_index, differ, require_axes, show, size, unify

# ---- rows


class _Taking(Indexed):
    """What `take` and its adjoint share: the axis, and what becomes of indices outside of it.

    Attributes:
        axis: The axis of `a` that the indices are along; negative ones count from the last.
        mode: For indices outside of the axis: "clip" takes its nearer end, "wrap" counts modulo its size,
            "raise" is an error.
    """

    axis: int = 0
    mode: Literal["clip", "raise", "wrap"] = "clip"

    def taken(self, a: Shape, indices: Shape) -> Shape:
        """The shape of the slices."""
        at = axis_index("take", self.axis, len(a))
        return a[:at] + indices + a[at + 1 :]


@operator("take", "_npi_take")
class Take(_Taking):
    """The slices of `a` along `axis` at these `indices`.

    Inputs:
        a: An array of any shape.
        indices: Indices of any shape and dtype, truncated towards zero.

    Returns:
        The shape of a with the axes of indices in place of axis.

    ONNX: Gather, with Clip or Mod for indices outside of the axis.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "indices")
    hints: ClassVar[tuple[str, ...]] = ("from_end",)
    axis: int = 0
    mode: Literal["clip", "raise", "wrap"] = "clip"
    from_end: bool = field(default=False, metadata={"internal": True})
    """Whether the size was added to indices that count from the end, for what errors tell."""

    def infer_shape(self, a: Shape, indices: Shape) -> Shape:
        return self.taken(a, indices)

    def forward(self, a: Array, indices: Array) -> Array:
        count = a.shape[axis_index("take", self.axis, a.ndim)]
        return np.take(a, within("take", indices, count, self.mode, self.from_end), self.axis)

    def gradient(self, F: Any, dy: Any, y: Any, a: Any, indices: Any) -> Sequence[Any]:
        return F._take_grad(dy, indices, a, axis=self.axis, mode=self.mode), None


@operator("_take_grad")
class TakeGrad(Adjoint, _Taking):
    """The adjoint of `take`: zeros like `a`, to which the slices of `dy` are added at their `indices`.

    Inputs:
        dy: The gradient of take's output.
        indices: The indices that take was given.
        a: The array that take was given, for its shape.

    Returns:
        The shape of a.

    ONNX: ScatterElements, with Clip.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "indices", "a")
    axis: int = 0
    mode: Literal["clip", "raise", "wrap"] = "clip"

    def image(self, indices: Shape, a: Shape) -> Shape:
        return self.taken(a, indices)

    def infer_shape(self, dy: Shape, indices: Shape, a: Shape) -> Shape:
        return a

    def forward(self, dy: Array, indices: Array, a: Array) -> Array:
        at = axis_index("take", self.axis, a.ndim)
        count = a.shape[at]
        targets = within("take", indices, count, self.mode).ravel()
        rest = a.shape[:at] + a.shape[at + 1 :]
        rows = np.moveaxis(dy, range(at, at + indices.ndim), range(indices.ndim))
        sums = add_rows(rows.reshape(targets.size, *rest), targets, count)
        return np.moveaxis(sums, 0, at)

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, indices: Any, a: Any) -> Sequence[Any]:
        return F.take(dy, indices, axis=self.axis, mode=self.mode), None, None


@operator("Embedding", "_npx_embedding", "_sparse_Embedding")
class Embedding(Indexed):
    """The rows of `weight` at the indices `data`.

    Inputs:
        data: Indices of any shape and dtype, truncated towards zero and moved into [0, input_dim).
        weight: (input_dim, output_dim).

    Attributes:
        input_dim: The number of rows, the vocabulary's size.
        output_dim: The length of each row.
        dtype: The dtype of weight where nothing else tells it.
        sparse_grad: Whether the gradient stores only the rows that data names.

    Returns:
        (*data's shape, output_dim).

    ONNX: Gather, with Clip.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "weight")
    index_inputs: ClassVar[tuple[str, ...]] = ("data",)
    input_dim: int
    output_dim: int
    dtype: DTypeName = DTypeName("float32")
    sparse_grad: bool = False

    def infer_inputs(self, data: Shape | None, weight: Shape | None) -> Sequence[Shape | None]:
        return data, (self.input_dim, self.output_dim)

    def infer_shape(self, data: Shape, weight: Shape) -> Shape:
        return (*data, self.output_dim)

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes[0], dtypes[1] or as_dtype(self.dtype)

    def infer_dtype(self, data: DType | None, weight: DType) -> DType:
        return weight

    def forward(self, data: Array, weight: Array) -> Array:
        return np.take(weight, within("Embedding", data, self.input_dim, "clip"), 0)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, weight: Any) -> Sequence[Any]:
        return None, (F._row_sparse_take_grad if self.sparse_grad else F._take_grad)(dy, data, weight)


@operator("_contrib_index_copy")
class IndexCopy(Indexed):
    """`old_tensor` with the rows of `new_tensor` in place of those at `index_vector`.

    Inputs:
        old_tensor: (N, *rest).
        index_vector: (M,), each from 0 to N - 1; of equal indices the last counts.
        new_tensor: (M, *rest).

    Returns:
        (N, *rest).

    ONNX: ScatterND.
    """

    inputs: ClassVar[tuple[str, ...]] = ("old_tensor", "index_vector", "new_tensor")
    of_one_dtype: ClassVar[tuple[str, ...]] = ("old_tensor", "new_tensor")
    keeps_shape: ClassVar[bool] = True

    def infer_shape(self, old: Shape, index: Shape, new: Shape) -> Shape:
        if len(index) != 1 or len(new) != len(old):
            raise ShapeError(
                "_contrib_index_copy: a vector of indices and as many new rows are required, "
                f"got {show(index)} and {show(new)}."
            )
        unify("_contrib_index_copy", index + old[1:], new)
        return old

    def forward(self, old: Array, index: Array, new: Array) -> Array:
        result = old.copy()
        result[within("_contrib_index_copy", index, len(old), "raise")] = new
        return result

    def gradient(self, F: Any, dy: Any, y: Any, old: Any, index: Any, new: Any) -> Sequence[Any]:
        d_old = F._contrib_index_copy(dy, index, F.zeros_like(new))
        return d_old, None, F.take(dy, index, axis=0)


@operator("_contrib_boolean_mask", "_npi_boolean_mask")
class BooleanMask(Indexed):
    """Those rows of `data` for which `index` is not 0.

    Inputs:
        data: (N, *rest).
        index: (N,).

    Attributes:
        axis: The axis of the rows, which can only be 0.

    Returns:
        (M, *rest), where M is how many of index are not 0.

    ONNX: Compress.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "index")
    axis: int = 0

    def check(self) -> None:
        if self.axis != 0:
            raise AttributeValueError(f"_contrib_boolean_mask: axis must be 0, got {self.axis}.")

    def infer_shape(self, data: Shape, index: Shape) -> Shape:
        require_axes(self.names[0], data)
        unify(self.names[0], data[:1], index)
        return (None, *data[1:])

    def forward(self, data: Array, index: Array) -> Array:
        rows: Array = data[index != 0]
        return rows

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, index: Any) -> Sequence[Any]:
        return F._boolean_mask_grad(dy, index, data), None


@operator("_boolean_mask_grad")
class BooleanMaskGrad(Indexed):
    """The adjoint of `_contrib_boolean_mask`: zeros like `data` with the rows of `dy` where `index` is not 0.

    Inputs:
        dy: The gradient of the rows, (M, *rest).
        index: (N,).
        data: (N, *rest), for its shape.

    Returns:
        (N, *rest).

    ONNX: NonZero and ScatterND.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "index", "data")

    def infer_inputs(
        self, dy: Shape | None, index: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return dy, index, data
        require_axes(self.names[0], data)
        return (None, *data[1:]), data[:1], data

    def infer_shape(self, dy: Shape, index: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, index: Array, data: Array) -> Array:
        chosen = index != 0
        if (count := np.count_nonzero(chosen)) != len(dy):
            raise ShapeError(f"{self.names[0]}: dy of {count} rows is required, got {show(dy.shape)}.")
        result = np.zeros(data.shape, dy.dtype)
        result[chosen] = dy
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, index: Any, data: Any) -> Sequence[Any]:
        return F._contrib_boolean_mask(dy, index), None, None


# ---- one element of each row


@operator("pick", "_npx_pick", "choose_element_0index")
class Pick(Picking):
    """One element of each row of `data` along `axis`, the one at `index`.

    Inputs:
        data: An array of any shape.
        index: Indices, truncated towards zero, in data's shape without axis or with size 1 there.

    Returns:
        The shape of data without axis, or with keepdims 1 there; (1,) if nothing is left.

    ONNX: GatherElements, with Clip or Mod for indices outside of the axis.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "index")
    axis: int | None = -1
    keepdims: bool = False
    mode: Literal["clip", "wrap"] = "clip"

    def infer_inputs(self, data: Shape | None, index: Shape | None) -> Sequence[Shape | None]:
        return data, self.index_shape(data, index)

    def infer_shape(self, data: Shape, index: Shape) -> Shape:
        return self.picked(data)

    def forward(self, data: Array, index: Array) -> Array:
        at = self.at(data.ndim)
        y = np.take_along_axis(data, self.indices(data, index), at)
        return y if self.keepdims or data.ndim == 1 else y.squeeze(at)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, index: Any) -> Sequence[Any]:
        options = {"axis": self.axis, "keepdims": self.keepdims, "mode": self.mode}
        return F._pick_grad(dy, index, data, **options), None


@operator("_pick_grad")
class PickGrad(Adjoint, Picking):
    """The adjoint of `pick`: zeros like `data` with `dy` at the elements that were picked.

    Inputs:
        dy: The gradient of pick's output.
        index: The indices that pick was given.
        data: The array that pick was given, for its shape.

    Returns:
        The shape of data.

    ONNX: ScatterElements, with Clip.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "index", "data")
    axis: int | None = -1
    keepdims: bool = False
    mode: Literal["clip", "wrap"] = "clip"

    def image(self, index: Shape, data: Shape) -> Shape:
        return self.picked(data)

    def infer_arrays(self, *arrays: Shape | None) -> Sequence[Shape | None]:
        index, data = arrays
        return self.index_shape(data, index), data

    def infer_shape(self, dy: Shape, index: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, index: Array, data: Array) -> Array:
        result = np.zeros(data.shape, dy.dtype)
        indices = self.indices(data, index)
        np.put_along_axis(result, indices, dy.reshape(indices.shape), self.at(data.ndim))
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, index: Any, data: Any) -> Sequence[Any]:
        return F.pick(dy, index, axis=self.axis, keepdims=self.keepdims, mode=self.mode), None, None


@operator("batch_take")
class BatchTake(Indexed):
    """One element of each row of the matrix `a`, the one at `indices`.

    Inputs:
        a: (N, C).
        indices: N indices in any shape, truncated towards zero and moved into [0, C).

    Returns:
        The shape of indices.

    ONNX: GatherElements, with Clip.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "indices")

    def infer_shape(self, a: Shape, indices: Shape) -> Shape:
        if len(a) != 2 or differ(size(indices), a[0]):
            raise ShapeError(
                "batch_take: a (N, C) and N indices are required, got "
                f"{show(a)} and {show(indices)}. Use pick for more axes."
            )
        return indices

    def forward(self, a: Array, indices: Array) -> Array:
        columns = within("batch_take", indices, a.shape[1], "clip")
        return a[np.arange(len(a)), columns.ravel()].reshape(indices.shape)

    def gradient(self, F: Any, dy: Any, y: Any, a: Any, indices: Any) -> Sequence[Any]:
        rows = F.Reshape(dy, shape=(-1,))
        return F._pick_grad(rows, F.Reshape(indices, shape=(-1,)), a, axis=1), None


# ---- along an axis


@operator("_take_along_axis")
class TakeAlongAxis(Along):
    """The elements of `data` whose index along `axis` is the element of `indices` in the same position.

    Inputs:
        data: An array of any shape; along other axes than axis it may be longer than indices.
        indices: Indices, which may be negative, of as many axes as data.

    Returns:
        The shape of indices.

    ONNX: GatherElements.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "indices")
    axis: int | None = -1
    distinct: bool = False

    def infer_shape(self, data: Shape, indices: Shape) -> Shape:
        self.require_fit(data, indices)
        return indices

    def forward(self, data: Array, indices: Array) -> Array:
        if self.axis is None:
            return data.ravel()[self.positions(indices, data.size)]
        at = self.at(data.ndim)
        whole = self.positions(indices, data.shape[at])
        return _part(data, indices, at)[indices_along(whole, at)]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, indices: Any) -> Sequence[Any]:
        return F._put_along_axis(dy, indices, data, axis=self.axis, distinct=self.distinct), None


@operator("_put_along_axis")
class PutAlongAxis(Adjoint, Along):
    """The adjoint of `_take_along_axis`: zeros like `data`, to which `dy` is added at the indices.

    With `distinct` it is written there, the last of several at one index.

    Inputs:
        dy: The gradient of the elements, of the shape of indices.
        indices: The indices that the elements were taken at.
        data: The array that they were taken from, for its shape.

    Returns:
        The shape of data.

    ONNX: ScatterElements.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "indices", "data")
    axis: int | None = -1
    distinct: bool = False

    def image(self, indices: Shape, data: Shape) -> Shape:
        self.require_fit(data, indices)
        return indices

    def infer_shape(self, dy: Shape, indices: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, indices: Array, data: Array) -> Array:
        result = np.zeros(data.shape, dy.dtype)
        if self.axis is None:
            np.add.at(result.reshape(-1), self.positions(indices, data.size).ravel(), dy.ravel())
            return result
        at = self.at(data.ndim)
        whole = self.positions(indices, data.shape[at])
        part, places = _part(result, indices, at), indices_along(whole, at)
        if self.distinct:
            part[places] = dy
        else:
            np.add.at(part, places, dy)
        return result

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, indices: Any, data: Any) -> Sequence[Any]:
        return F._take_along_axis(dy, indices, axis=self.axis, distinct=self.distinct), None, None


def _part(data: Array, indices: Array, axis: int) -> Array:
    """`data` cut to the sizes of `indices` along all axes but one."""
    cut = [slice(None) if i == axis else slice(d) for i, d in enumerate(indices.shape)]
    return data[tuple(cut)]


# ---- points


@operator("gather_nd", "_npi_gather_nd", "_npx_gather_nd")
class GatherND(Points):
    """The elements, or slices, of `data` at the points whose coordinates are the rows of `indices`.

    Inputs:
        data: An array of at least M axes.

    Returns:
        (*points, *data's shape from axis M on).

    ONNX: GatherND, with Transpose.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "indices")

    def infer_shape(self, data: Shape, indices: Shape) -> Shape:
        return self.selection_shape(data, indices)  # type: ignore[return-value]  # None if the rank is unknown

    def forward(self, data: Array, indices: Array) -> Array:
        return data[points("gather_nd", indices, data.shape)]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, indices: Any) -> Sequence[Any]:
        return F._gather_nd_grad(dy, indices, data), None


@operator("_gather_nd_grad")
class GatherNDGrad(Adjoint, Points):
    """The adjoint of `gather_nd`: zeros like `data`, to which `dy` is added at the points.

    Inputs:
        dy: The gradient of gather_nd's output.
        data: The array that gather_nd was given, for its shape.

    Returns:
        The shape of data.

    ONNX: ScatterElements, of rows that are numbered with Mod.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "indices", "data")
    hints: ClassVar[tuple[str, ...]] = ("refuses",)
    refuses: bool = field(default=False, metadata={"internal": True})
    """Whether points may be beyond data, as gather_nd has not looked at them before."""

    def image(self, indices: Shape, data: Shape) -> Shape | None:
        return self.selection_shape(data, indices)

    def infer_shape(self, dy: Shape, indices: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, indices: Array, data: Array) -> Array:
        lead = data.shape[: len(indices)]
        flat = np.ravel_multi_index(points("gather_nd", indices, lead), lead, mode="wrap").ravel()
        rest = data.shape[len(indices) :]
        sums = add_rows(dy.reshape(flat.size, *rest), flat, int(np.prod(lead)))
        return sums.reshape(data.shape)

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, indices: Any, data: Any) -> Sequence[Any]:
        return F.gather_nd(dy, indices), None, None


@operator("scatter_nd")
class ScatterND(Points):
    """Zeros with `data` written to the points of `indices`; of equal points the last counts.

    Inputs:
        data: (*points, *shape from axis M on).

    Attributes:
        shape: The shape of the output.

    Returns:
        An array of the given shape.

    ONNX: ScatterND, with Transpose.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "indices")
    shape: Ints

    def infer_inputs(self, data: Shape | None, indices: Shape | None) -> Sequence[Shape | None]:
        return (None if indices is None else self.selection_shape(self.shape, indices)), indices

    def infer_early(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return (self.shape,)

    def infer_shape(self, data: Shape, indices: Shape) -> Shape:
        return self.shape

    def forward(self, data: Array, indices: Array) -> Array:
        result = np.zeros(self.shape, data.dtype)
        result[points("scatter_nd", indices, self.shape)] = data
        return result

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, indices: Any) -> Sequence[Any]:
        return F.gather_nd(dy, indices), None


@operator("_scatter_set_nd", "_npi_scatter_set_nd")
class ScatterSetND(Points):
    """`lhs` with `rhs` written to the points of `indices`; of equal points the last counts.

    Inputs:
        lhs: An array of at least M axes.
        rhs: (*points, *lhs's shape from axis M on).

    Attributes:
        shape: The shape of lhs; empty: any.

    Returns:
        The shape of lhs.

    ONNX: ScatterND, with Transpose.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs", "indices")
    of_one_dtype: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    shape: Ints

    def infer_inputs(
        self, lhs: Shape | None, rhs: Shape | None, indices: Shape | None
    ) -> Sequence[Shape | None]:
        selection = None if lhs is None or indices is None else self.selection_shape(lhs, indices)
        return self.shape or lhs, selection, indices

    def infer_early(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return shapes[:1]

    def forward(self, lhs: Array, rhs: Array, indices: Array) -> Array:
        result = lhs.copy()
        result[points("_scatter_set_nd", indices, lhs.shape)] = rhs
        return result

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any, indices: Any) -> Sequence[Any]:
        d_lhs = F._scatter_set_nd(dy, F.zeros_like(rhs), indices, shape=self.shape)
        return d_lhs, F.gather_nd(dy, indices), None


# ---- choices


@operator("one_hot", "_npx_one_hot")
class OneHot(Operator):
    """A vector for each of `indices` that has `on_value` at that index and `off_value` elsewhere.

    Inputs:
        indices: Indices of any shape, truncated towards zero; outside of [0, depth) all is off_value.

    Attributes:
        depth: The length of the vectors.
        on_value: The value at the index.
        off_value: The value at all other indices.
        dtype: The dtype of the output.

    Returns:
        (*indices's shape, depth).

    ONNX: Equal and Cast, or Where for values other than 1 and 0.
    """

    inputs: ClassVar[tuple[str, ...]] = ("indices",)
    not_differentiable = "it is piecewise constant"
    depth: int
    on_value: float = 1.0
    off_value: float = 0.0
    dtype: DTypeName = DTypeName("float32")

    def check(self) -> None:
        if self.depth < 0:
            raise AttributeValueError(f"one_hot: a depth of at least 0 is required, got {self.depth}.")

    def infer_shape(self, indices: Shape) -> Shape:
        return (*indices, self.depth)

    def infer_dtype(self, indices: DType | None) -> DType:
        return as_dtype(self.dtype)

    def forward(self, indices: Array) -> Array:
        hot = integers(indices)[..., None] == np.arange(self.depth)
        return np.where(hot, self.on_value, self.off_value).astype(self.dtype)


@operator("where", "_sparse_where")
class Where(Indexed):
    """`x` where `condition` is not 0, else `y`.

    Inputs:
        condition: An array of x's shape, or a vector that chooses between the rows of x and y.
        x: An array of any shape.
        y: An array of x's shape and dtype.

    Returns:
        The shape of x.

    ONNX: Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("condition", "x", "y")
    of_one_dtype: ClassVar[tuple[str, ...]] = ("x", "y")

    def infer_inputs(
        self, condition: Shape | None, x: Shape | None, y: Shape | None
    ) -> Sequence[Shape | None]:
        one = unify("where", x, y)
        if condition is not None and one is not None:
            unify("where", condition, one[:1] if len(condition) == 1 else one)
        return condition, one, one

    def infer_back(self, outputs: Sequence[Shape | None], inputs: Sequence[Any]) -> Sequence[Shape | None]:
        return inputs[0], outputs[0], outputs[0]

    def infer_shape(self, condition: Shape, x: Shape, y: Shape) -> Shape:
        return x

    def infer_dtype(self, condition: DType | None, x: DType | None, y: DType | None) -> DType | None:
        return x

    def forward(self, condition: Array, x: Array, y: Array) -> Array:
        if condition.ndim == 1:
            condition = condition.reshape(-1, *(1,) * (x.ndim - 1))
        return np.where(condition != 0, x, y)

    def gradient(self, F: Any, dy: Any, y: Any, condition: Any, a: Any, b: Any) -> Sequence[Any]:
        nothing = F.zeros_like(dy)
        return None, F.where(condition, dy, nothing), F.where(condition, nothing, dy)


# ---- coordinates and flat indices


@operator("_ravel_multi_index", "ravel_multi_index")
class RavelMultiIndex(Coordinates):
    """The flat indices, in row-major order, of the points whose coordinates are the rows of `data`.

    Inputs:
        data: (M, N): M coordinates of N points.

    Returns:
        (N,), in the dtype of data.

    ONNX: Mul and ReduceSum.
    """

    shape: Ints | None = None

    def infer_shape(self, data: Shape) -> Shape:
        count = len(self.sizes())
        if len(data) != 2 or data[0] not in (None, count):
            raise ShapeError(f"_ravel_multi_index: data ({count}, N) is required, got {show(data)}.")
        return data[1:]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return (outputs[0] and (len(self.sizes()), outputs[0][0]),)

    def forward(self, data: Array) -> Array:
        self.infer_shape(data.shape)
        flat = np.zeros(data.shape[1:], np.int64)
        for row, count in zip(integers(data), self.sizes(), strict=True):
            flat = flat * count + row
        return flat.astype(data.dtype)


@operator("_unravel_index", "unravel_index")
class UnravelIndex(Coordinates):
    """The coordinates, one row for each axis, of the flat indices `data` in row-major order.

    Inputs:
        data: (N,).

    Returns:
        (M, N) for the M sizes of shape, in the dtype of data.

    ONNX: Mod and Div, with Concat.
    """

    shape: Ints | None = None

    def infer_shape(self, data: Shape) -> Shape:
        if len(data) != 1:
            raise ShapeError(f"_unravel_index: a vector is required, got {show(data)}. Flatten it first.")
        return (len(self.sizes()), *data)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return (outputs[0] and outputs[0][1:],)

    def forward(self, data: Array) -> Array:
        self.infer_shape(data.shape)
        left, rows = integers(data), []
        for count in reversed(self.sizes()[1:]):
            rows.append(np.fmod(left, count))
            left = (left - rows[-1]) // count
        return np.stack([left, *reversed(rows)]).astype(data.dtype)
