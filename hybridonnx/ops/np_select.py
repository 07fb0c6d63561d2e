"""What mx.np chooses, counts and inserts, by values or by indices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, MXNetError, ShapeError
from . import np_reshape  # what these are composed of
from ._composition import Composed
from ._operator import Array, Operator, record
from ._registry import operator
from ._shapes import NumericShape, Shape, axis_index, axis_indices, known, show, sizes, unify

__all__ = ["np_reshape"]
_CONSTANT = "it is piecewise constant"
_INT64 = np.dtype("int64")


# ---- percentiles


@operator("_npi_percentile")
class NumpyPercentile(Operator):
    """The percentiles of the elements along some axes.

    Inputs:
        a: Of any shape.
        q: Which ones, from 0 to 100, taken as float32: (), or (k,); only without `q_scalar`.

    Attributes:
        axis: The axes to go along; None: all.
        interpolation: What lies between two elements; "nearest": the next one in the middle between them.
        keepdims: Whether the axes stay, with size 1.
        q_scalar: Which one, taken as float32; None: an array tells.

    Returns:
        (k, *the shape of a without the axes), in float64 of float64, else in float32; without k for one.

    ONNX: TopK and Gather, with Sub, Mul and Add.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "q")
    not_differentiable: ClassVar[str] = "MXNet has no gradient of it"
    takes_bool: ClassVar[bool] = False
    axis: Ints | None = None
    interpolation: Literal["higher", "linear", "lower", "midpoint", "nearest"] = "linear"
    keepdims: bool = False
    q_scalar: float | None = None

    def check(self) -> None:
        if self.q_scalar is not None and not 0 <= self.q_scalar <= 100:
            raise AttributeValueError(f"_npi_percentile: q from 0 to 100 is required, got {self.q_scalar}.")

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.q_scalar is None else self.inputs[:1]

    def axes(self, rank: int) -> tuple[int, ...]:
        """The sorted axes that are gone along."""
        return axis_indices(self.names[0], self.axis, rank)

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_dtype(self, a: DType | None, q: DType | None = None) -> DType | None:
        return a if a is None or a == np.float64 else np.dtype("float32")

    def infer_shape(self, a: Shape, q: Shape = ()) -> Shape:
        if len(q) > 1:
            raise ShapeError(f"_npi_percentile: q of at most one axis is required, got {show(q)}.")
        axes = self.axes(len(a))
        if any(a[i] == 0 for i in axes):
            raise ShapeError(f"_npi_percentile: an element along {axes} is required, got {show(a)}.")
        rest = tuple(1 if i in axes else d for i, d in enumerate(a) if self.keepdims or i not in axes)
        return (*q, *rest)

    def forward(self, a: Array, q: Array | None = None) -> Array:
        if q is not None and not ((q >= 0) & (q <= 100)).all():
            raise AttributeValueError("_npi_percentile: q from 0 to 100 is required, got another one.")
        wide = a if a.dtype == np.float64 else a.astype(np.float32)
        axes = self.axes(a.ndim)
        rest = [i for i in range(a.ndim) if i not in axes]
        rows = np.transpose(wide, (*rest, *axes)).reshape(*(a.shape[i] for i in rest), self.count(a.shape))
        result = self._among(rows, np.asarray(self.q_scalar if q is None else q, np.float32))
        return result.reshape(sizes(self.infer_shape(a.shape, () if q is None else q.shape)))

    def count(self, shape: Sequence[int]) -> int:
        """How many elements each percentile is one of."""
        return prod(shape[i] for i in self.axes(len(shape)))

    def _among(self, rows: Array, q: Array) -> Array:
        """The percentiles of each row; NaN of those that have one."""
        last = rows.shape[-1] - 1
        place = q.astype(np.float64) * last / 100
        below = np.floor(place + 0.5) if self.interpolation == "nearest" else np.floor(place)
        above = np.ceil(place)
        at = np.stack([below, above]).astype(np.intp)
        ordered = np.partition(rows, np.unique([*at.flat, last]), axis=-1)
        ordered = np.where(np.isnan(ordered[..., -1:]), rows.dtype.type(np.nan), ordered)
        low, high = np.take(ordered, at[0], axis=-1), np.take(ordered, at[1], axis=-1)
        if self.interpolation in ("lower", "nearest"):
            result = low
        elif self.interpolation == "higher":
            result = high
        else:
            share = np.where(self.interpolation == "midpoint", 0.5, place - below).astype(rows.dtype)
            result = np.where(low == high, low, low * (1 - share) + high * share)  # at infinities, too
        return np.moveaxis(result, -1, 0) if q.ndim else result


# ---- polynomials and differences


@operator("_npi_polyval")
class NumpyPolyval(Composed):
    """The polynomial with coefficients `p`, the highest power's first, at `x`.

    Inputs:
        p: (n,).
        x: Of any shape.

    Returns:
        The shape of x.

    ONNX: Slice, Mul and Add.
    """

    inputs: ClassVar[tuple[str, ...]] = ("p", "x")
    takes_bool: ClassVar[bool] = False

    def compose(self, F: Any, *inputs: Any) -> Any:
        p, x = inputs
        if p.ndim != 1:
            raise ShapeError(f"_npi_polyval: p (n,) is required, got {show(p.shape)}.")
        value = F.zeros_like(x)
        for i in range(p.size_of(0)):
            coefficient = F._np_reshape(F.slice_axis(p, axis=0, begin=i, end=i + 1), newshape=())
            value = F._npi_add(F._npi_multiply(value, x) if i else value, coefficient)
        return value


@operator("_npi_ediff1d")
class NumpyEdiff1d(Composed):
    """The differences of elements that follow each other in the array laid out flat, between others.

    Inputs:
        input1: Of any shape.
        input2: What stands before, or behind if nothing stands before.
        input3: What stands behind.

    Attributes:
        to_begin_arr_given: Whether an array stands before.
        to_end_arr_given: Whether an array stands behind.
        to_begin_scalar: The number that stands before.
        to_end_scalar: The number that stands behind.

    Returns:
        A vector.

    ONNX: Slice, Sub and Concat.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input1", "input2", "input3")
    takes_bool: ClassVar[bool] = False
    to_begin_arr_given: bool = False
    to_end_arr_given: bool = False
    to_begin_scalar: float | None = None
    to_end_scalar: float | None = None

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[: 1 + self.to_begin_arr_given + self.to_end_arr_given]

    def compose(self, F: Any, *inputs: Any) -> Any:
        rest = list(inputs[1:])
        flat = F._np_reshape(inputs[0], newshape=(-1,))
        parts = [F._npi_diff(flat)]
        before = rest.pop(0) if self.to_begin_arr_given else None
        after = rest.pop(0) if self.to_end_arr_given else None
        for place, array, number in ((0, before, self.to_begin_scalar), (2, after, self.to_end_scalar)):
            if array is not None:
                parts.insert(place, F._np_reshape(array, newshape=(-1,)))
            elif number is not None:
                parts.insert(place, F._full(shape=(1,), value=number, dtype=flat.dtype.name))
        return F._npi_concatenate(*parts, axis=0) if len(parts) > 1 else parts[0]


# ---- by values


@operator("_npi_unique")
class NumpyUnique(Operator):
    """The different elements in ascending order, perhaps with where they are and how many there are.

    Inputs:
        data: Of any shape.

    Attributes:
        return_index: Whether the first index of each is given.
        return_inverse: Whether the place of every element among the different ones is given.
        return_counts: Whether how often each occurs is given.
        axis: The axis whose slices are compared; None: the elements.

    Returns:
        output0: (M,), or the shape of data with M along the axis; called output if it is alone.
        output1: What is asked for beside it, in this order, of int64: (M,) or (N,).
        output2: The next of these.
        output3: The next of these.

    ONNX: Unique.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1", "output2", "output3")
    not_differentiable: ClassVar[str] = _CONSTANT
    return_index: bool = False
    return_inverse: bool = False
    return_counts: bool = False
    axis: int | None = None

    def output_names(self) -> tuple[str, ...]:
        count = self.return_index + self.return_inverse + self.return_counts
        return self.outputs[: 1 + count] if count else ("output",)

    def infer_shape(self, data: Shape) -> list[Shape]:
        length: Any = None
        if self.axis is None:
            first: Shape = (None,)
            length = int(np.prod(sizes(data))) if known(data) else None
        else:
            at = axis_index(self.names[0], self.axis, len(data))
            first, length = (*data[:at], None, *data[at + 1 :]), data[at]
        rest: list[Shape] = [(None,)] * self.return_index
        rest += [(length,)] * self.return_inverse + [(None,)] * self.return_counts
        return [first, *rest]

    def infer_dtype(self, data: DType | None) -> list[DType | None]:
        return [data, *[_INT64] * (len(self.output_names()) - 1)]

    def forward(self, data: Array) -> Array | tuple[Array, ...]:
        same = {n: getattr(self, n) for n in ("return_index", "return_inverse", "return_counts", "axis")}
        found: Any = np.unique(data, **same)
        if not isinstance(found, tuple):
            return np.ascontiguousarray(found)
        return np.ascontiguousarray(found[0]), *(np.asarray(x, np.int64).reshape(-1) for x in found[1:])


@operator("_npx_nonzero", "_npi_nonzero")
class NumpyNonzero(Operator):
    """The indices of what is not zero, a row for each.

    Inputs:
        x: Of any shape.

    Returns:
        (M, the number of axes), of int64.

    ONNX: NonZero and Transpose.
    """

    inputs: ClassVar[tuple[str, ...]] = ("x",)
    not_differentiable: ClassVar[str] = _CONSTANT

    def infer_shape(self, x: Shape) -> Shape:
        return (None, max(len(x), 1))

    def infer_dtype(self, x: DType | None) -> DType:
        return _INT64

    def forward(self, x: Array) -> Array:
        return np.asarray(np.argwhere(np.atleast_1d(x)), np.int64)


@operator("_npi_bincount")
class NumpyBincount(Operator):
    """How often each integer from 0 up occurs, or the sum of the weights where it does.

    Inputs:
        data: Integers of at least 0, (N,).
        weights: (N,), only with `has_weights`.

    Attributes:
        minlength: How many integers are counted at least.
        has_weights: Whether there are weights.

    Returns:
        (M,), of the dtype of data, or of weights.

    ONNX: ReduceMax, Range, Equal, Where and ReduceSum.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "weights")
    not_differentiable: ClassVar[str] = "MXNet has no gradient of it"
    minlength: int = 0
    has_weights: bool = False

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.has_weights else self.inputs[:1]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        if dtypes[0] is not None and dtypes[0].kind not in "iu":
            raise MXNetError(f"_npi_bincount: integers are required, got {dtypes[0]}. Cast with astype.")
        return dtypes

    def infer_shape(self, data: Shape, weights: Shape = ()) -> Shape:
        if len(data) != 1:
            raise ShapeError(f"_npi_bincount: data (N,) is required, got {show(data)}.")
        if self.has_weights:
            unify("_npi_bincount", data, weights)
        return (None,)

    def infer_dtype(self, data: DType | None, weights: DType | None = None) -> DType | None:
        return weights if self.has_weights else data

    def forward(self, data: Array, weights: Array | None = None) -> Array:
        if (data < 0).any():
            raise MXNetError("_npi_bincount: integers of at least 0 are required, got a negative one.")
        counts = np.bincount(data, weights, self.minlength)
        return np.asarray(counts, data.dtype if weights is None else weights.dtype)


@operator("_npx_constraint_check")
class ConstraintCheck(Operator):
    """Whether all elements are true, which must be.

    Inputs:
        input: Of bool.

    Attributes:
        msg: What the error says if one is not.

    Returns:
        (), of bool.

    ONNX: none; it has no errors.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input",)
    not_differentiable: ClassVar[str] = _CONSTANT
    not_in_onnx: ClassVar[str] = "ONNX has no errors. Leave the check out"
    msg: str = "Constraint violated."

    def infer_shape(self, input: Shape) -> Shape:
        return ()

    def infer_dtype(self, input: DType | None) -> DType:
        return np.dtype("bool")

    def forward(self, input: Array) -> Array:
        if not input.all():
            raise AttributeValueError(f"_npx_constraint_check: {self.msg}")
        return np.asarray(True)


# ---- by indices


class _ByIndices(Operator):
    """What is inserted or left out at indices.

    Attributes:
        start: Where a range of indices begins.
        stop: Where it ends.
        step: The distance of its indices.
        int_ind: The only index; None: an array or a range tells.
        axis: The axis of the indices; None: the array laid out flat.
    """

    not_differentiable: ClassVar[str] = "MXNet has no gradient of it"
    refuses_gradient: ClassVar[bool] = True
    start: Any
    stop: Any
    step: Any
    int_ind: Any
    axis: Any

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def place(self) -> Any:
        """The index or the range."""
        return slice(self.start, self.stop, self.step) if self.int_ind is None else self.int_ind

    def _refused(self, exc: Exception) -> ShapeError:
        return ShapeError(f"{self.names[0]}: indices and values that fit are required: {exc}.")


@operator("_npi_delete")
class NumpyDelete(_ByIndices):
    """The array without the slices at some indices.

    Inputs:
        arr: Of any shape.
        obj: The indices, if no attributes tell them.

    Returns:
        The shape of arr, with fewer along the axis.

    ONNX: Gather; Compress where an array tells the indices.
    """

    inputs: ClassVar[tuple[str, ...]] = ("arr", "obj")
    start: int | None = None
    stop: int | None = None
    step: int | None = None
    int_ind: int | None = None
    axis: int | None = None

    def by_array(self) -> bool:
        """Whether an array tells the indices."""
        return self.int_ind is None and self.start is self.stop is self.step is None

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.by_array() else self.inputs[:1]

    def infer_shape(self, arr: Shape, obj: Shape = ()) -> Shape:
        shape: Shape = arr
        if self.axis is None:
            shape = (int(np.prod(sizes(arr))) if known(arr) else None,)
        at = 0 if self.axis is None else axis_index(self.names[0], self.axis, len(arr))
        size = shape[at]
        left = len(self.kept(size)) if isinstance(size, int) and not self.by_array() else None
        return (*shape[:at], left, *shape[at + 1 :])

    def kept(self, size: int) -> Array:
        """The indices that stay, of so many."""
        try:
            return np.delete(np.arange(size), self.place())
        except IndexError as exc:
            raise self._refused(exc) from None

    def forward(self, arr: Array, obj: Array | None = None) -> Array:
        try:
            return np.delete(arr, self.place() if obj is None else obj.astype(np.int64), self.axis)
        except (IndexError, ValueError) as exc:
            raise self._refused(exc) from None


@record
class _Insert(_ByIndices):
    """The array with values before some indices.

    Inputs:
        arr: Of any shape.
        values: What is inserted, if no attribute tells it.

    Attributes:
        val: The number that is inserted; None: an array tells.

    Returns:
        The shape of arr, with more along the axis.

    ONNX: Concat and Gather.
    """

    inputs: ClassVar[tuple[str, ...]] = ("arr", "values")
    val: float | None = None
    start: int | None = None
    stop: int | None = None
    step: int | None = None
    int_ind: int | None = None
    axis: int | None = None

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.val is None else (self.inputs[0], *self.inputs[2:])

    def infer_dtype(self, arr: DType | None, *others: DType | None) -> DType | None:
        return arr

    def infer_shape(self, arr: Shape, *others: Shape) -> Shape:
        if known(arr) and all(map(known, others)):
            return self.places(sizes(arr), *map(sizes, others)).shape
        return (None,) * (1 if self.axis is None else len(arr))

    def places(self, arr: tuple[int, ...], values: tuple[int, ...] = ()) -> Array:
        """Of each element of the output where it lies in `arr` and `values`, laid out flat."""
        count = int(np.prod(arr, dtype=np.int64))
        new = count + np.arange(np.prod(values, dtype=np.int64)).reshape(values)
        return self.inserted(np.arange(count).reshape(arr), new, self.place())

    def inserted(self, arr: Array, values: Array, place: Any) -> Array:
        """NumPy's insertion."""
        try:
            return np.insert(arr, place, values, self.axis)
        except (IndexError, ValueError) as exc:
            raise self._refused(exc) from None

    def forward(self, arr: Array, *others: Array) -> Array:
        values = others[0].astype(arr.dtype) if self.val is None else np.asarray(self.val, arr.dtype)
        return self.inserted(arr, values, self.place_among(others))

    def place_among(self, others: Sequence[Array]) -> Any:
        """The index, the range, or the indices among the inputs behind the first."""
        return self.place()


@operator("_npi_insert_scalar")
class NumpyInsertScalar(_Insert):
    """The array with values before one index."""


@operator("_npi_insert_slice")
class NumpyInsertSlice(_Insert):
    """The array with values before each index of a range."""


@operator("_npi_insert_tensor")
class NumpyInsertTensor(_Insert):
    """The array with values before the indices that an array tells.

    Inputs:
        arr: Of any shape.
        values: What is inserted, if no attribute tells it.
        obj: The indices.

    ONNX: none; indices that are known only when it runs are no attributes of its operators.
    """

    inputs: ClassVar[tuple[str, ...]] = ("arr", "values", "obj")
    not_in_onnx: ClassVar[str] = "ONNX cannot insert at indices that are known only when it runs"

    def infer_shape(self, arr: Shape, *others: Shape) -> Shape:
        shape: NumericShape = (None,) * (1 if self.axis is None else len(arr))
        if known(arr) and all(map(known, others)):
            *values, obj = map(sizes, others)
            empty = np.zeros(values[0] if values else (), np.int8)
            place = np.zeros(obj, np.int64)
            shape = self.inserted(np.zeros(sizes(arr), np.int8), empty, place).shape
        return shape

    def place_among(self, others: Sequence[Array]) -> Any:
        return others[-1].astype(np.int64)
