"""Sorting along an axis. Of equal elements the one with the lower index comes first; NaN is the largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..attrs import DTypeName
from ..dtypes import DType, as_dtype
from ..errors import ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, axis_index, below, size

_int32 = np.dtype(np.int32)


def order(data: Array, axis: int, ascending: bool) -> Array:
    """The indices that sort `data` along `axis`, equal elements in their order."""
    if ascending:
        return np.argsort(data, axis=axis, kind="stable")
    mirrored = np.argsort(np.flip(data, axis), axis=axis, kind="stable")
    return np.asarray(data.shape[axis] - 1 - np.flip(mirrored, axis))


class _Sorting(Operator):
    """What the operators that sort share. Equal elements keep their order.

    Inputs:
        data: An array of any shape.

    Attributes:
        axis: The axis that is sorted, negative ones counted from the last; None: data as one vector.
        is_ascend: Whether small elements come first.

    Returns:
        The shape of data, or (its size,) without axis.
    """

    axis: int | None = -1
    is_ascend: bool = True

    def along(self, data: Shape) -> tuple[Shape, int]:
        """The shape that is sorted, and its axis."""
        if self.axis is None:
            return (size(data),), 0
        return data, axis_index(self.names[0], self.axis, len(data))

    def sorted_by(self, data: Array) -> tuple[Array, int, Array]:
        """What is sorted, its axis, and the indices that sort it."""
        flat = data.ravel() if self.axis is None else data
        _, at = self.along(data.shape)
        return flat, at, order(flat, at, self.is_ascend)


@operator("topk", "_npx_topk")
class TopK(_Sorting):
    """The `k` largest, or smallest, elements of `data` along an axis, or their indices, or both.

    Attributes:
        k: How many; all if below 1.
        ret_typ: What is returned: "value" the elements, "indices" their indices, "both" both, "mask" an array
            that is 1 in their positions and 0 in others.
        is_ascend: Whether the smallest are meant, the least first, else the largest, the largest first.
        dtype: The dtype of the indices; float16 and uint8 do not hold large ones.

    Returns:
        output: The indices, in the shape of data with k at axis, or with ret_typ "mask" the mask, in data's
            shape.
        output0: The elements, in the shape of data with k at axis; with ret_typ "value" or "both".
        output1: Their indices, in the same shape; with ret_typ "both".

    ONNX: TopK, with IsNaN, Where and GatherElements, and with ScatterElements for "mask".
    """

    axis: int | None = -1
    k: int = 1
    ret_typ: Literal["both", "indices", "mask", "value"] = "indices"
    is_ascend: bool = False
    dtype: DTypeName = DTypeName("float32")

    def output_names(self) -> tuple[str, ...]:
        return ("output0", "output1") if self.ret_typ in ("both", "value") else ("output",)

    def visible(self) -> int:
        return 2 if self.ret_typ == "both" else 1

    def count(self, length: Dim) -> Dim:
        """How many elements are given of an axis of this length."""
        if below(length, self.k):
            raise ShapeError(f"topk: k of at most {length}, the axis' size, is required, got {self.k}.")
        return length if self.k < 1 else self.k

    def infer_shape(self, data: Shape) -> Shape | list[Shape]:
        shape, at = self.along(data)
        count = self.count(shape[at])
        if self.ret_typ == "mask":
            return data
        part = (*shape[:at], count, *shape[at + 1 :])
        return [part] * len(self.output_names())

    def infer_dtype(self, data: DType | None) -> DType | list[DType | None] | None:
        if self.ret_typ in ("both", "value"):
            return [data, as_dtype(self.dtype)]
        return as_dtype(self.dtype) if self.ret_typ == "indices" else data

    def forward(self, data: Array) -> Array | tuple[Array, ...]:
        flat, at, indices = self.sorted_by(data)
        top = np.take(indices, range(self.count(flat.shape[at]) or 0), axis=at)
        if self.ret_typ == "mask":
            mask = np.zeros_like(flat)
            np.put_along_axis(mask, top, mask.dtype.type(1), at)
            return mask.reshape(data.shape)
        if self.ret_typ == "indices":
            return top.astype(self.dtype)
        return np.take_along_axis(flat, top, at), top.astype(self.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if self.ret_typ in ("mask", "indices"):
            return (None,)
        indices = y[1]
        if self.dtype in ("uint8", "float16"):  # which cannot hold all indices
            options = {"axis": self.axis, "k": self.k, "is_ascend": self.is_ascend}
            indices = F.topk(data, ret_typ="indices", dtype="int32", **options)
        return (F._put_along_axis(dy[0], indices, data, axis=self.axis, distinct=True),)


@operator("sort", "_npi_sort")
class Sort(_Sorting):
    """The elements of `data` in order along an axis.

    ONNX: TopK, with IsNaN, Where and GatherElements.
    """

    outputs = ("output0", "output1")
    hidden = 1
    axis: int | None = -1
    is_ascend: bool = True

    def infer_shape(self, data: Shape) -> list[Shape]:
        return [self.along(data)[0]] * 2

    def infer_dtype(self, data: DType | None) -> list[DType | None]:
        return [data, _int32]

    def forward(self, data: Array) -> tuple[Array, Array]:
        flat, at, indices = self.sorted_by(data)
        return np.take_along_axis(flat, indices, at), indices.astype(_int32)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._put_along_axis(dy[0], y[1], data, axis=self.axis, distinct=True),)


@operator("argsort", "_npi_argsort")
class ArgSort(_Sorting):
    """The indices that put `data` in order along an axis.

    Attributes:
        dtype: The dtype of the indices.

    ONNX: TopK, with IsNaN, Where and Cast.
    """

    not_differentiable = "it is piecewise constant"
    axis: int | None = -1
    is_ascend: bool = True
    dtype: DTypeName = DTypeName("float32")

    def infer_shape(self, data: Shape) -> Shape:
        return self.along(data)[0]

    def infer_dtype(self, data: DType | None) -> DType:
        return as_dtype(self.dtype)

    def forward(self, data: Array) -> Array:
        return self.sorted_by(data)[2].astype(self.dtype)


@operator("_unique")
class Unique(Operator):
    """The different elements of `data`, small ones before large ones.

    Inputs:
        data: An array of any shape.

    Returns:
        (M,), where M is how many there are.

    ONNX: Unique.
    """

    not_differentiable = "the number of elements depends on their values"

    def infer_shape(self, data: Shape) -> Shape:
        return (None,)

    def forward(self, data: Array) -> Array:
        return np.unique(data)
