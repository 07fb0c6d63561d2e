"""Operators that MXNet has for sparse storage types; on dense arrays they compute the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from ..dtypes import DType
from ..errors import MXNetError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, show
from ._storage import Patterns, Rows, Storage, storage_type
from .index import Embedding, TakeGrad

# ---- between storage types


def _of_cast(op: CastStorage, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """As it was, in another type the elements that are not 0."""
    own = storage_type(patterns[0])
    if op.stype == own:
        return patterns[0]
    if "default" not in (op.stype, own):
        raise MXNetError(
            f"cast_storage: default or {own} is required as stype of such an array, got {op.stype}. "
            "Use tostype('default') before."
        )
    return None if op.stype == "default" else op.stype


@operator("cast_storage", "_sparse_cast_storage")
class CastStorage(Operator):
    """`data` in another storage type. In graphs all arrays are dense.

    Inputs:
        data: An array of any shape, of 2 axes for csr.

    Attributes:
        stype: The storage type of the output.

    Returns:
        The shape of data.

    ONNX: Identity.
    """

    stores_anew = True
    stores = _of_cast
    stype: Literal["csr", "default", "row_sparse"]

    def infer_shape(self, data: Shape) -> Shape:
        if self.stype == "csr" and len(data) != 2:
            raise ShapeError(f"cast_storage: data of 2 axes is required for csr, got {show(data)}.")
        return data

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """Both have one shape."""
        return outputs

    def forward(self, data: Array) -> Array:
        return data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy,)


# ---- rows


def _of_retained(op: Retain, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The rows that are named, unless there is none to name."""
    data, indices = arrays
    stored = patterns[0]
    rows = np.flatnonzero(_named(indices, len(data))).astype(np.int64)
    return Rows(data.shape, rows[:0] if isinstance(stored, Rows) and not stored.indices.size else rows)


def _named(indices: Array, count: int) -> Array:
    """Whether each row is named."""
    return np.isin(np.arange(count), indices.astype(np.int64))


@operator("_sparse_retain")
class Retain(Operator):
    """`data` with the rows that `indices` names, and zeros for the others.

    Inputs:
        data: (N, *rest).
        indices: (M,), truncated towards zero; those outside of [0, N) name no row.

    Returns:
        (N, *rest).

    ONNX: Equal, ReduceSum and Where.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "indices")
    stores_anew = True
    stores = _of_retained

    def infer_shape(self, data: Shape, indices: Shape) -> Shape:
        if not data or len(indices) != 1:
            raise ShapeError(
                "_sparse_retain: data of 1 or more axes and a vector of indices are required, "
                f"got {show(data)} and {show(indices)}."
            )
        return data

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], inputs[1]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def forward(self, data: Array, indices: Array) -> Array:
        return np.where(_named(indices, len(data)).reshape(-1, *[1] * (data.ndim - 1)), data, 0)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, indices: Any) -> Sequence[Any]:
        return F._sparse_retain(dy, indices), None


# ---- rows by their indices, with gradients that store no others


def _of_indices(op: TakeGrad, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """A row for each index, even if its gradient is 0."""
    count = arrays[2].shape[0]
    rows = np.clip(arrays[1].astype(np.int64), 0, max(count - 1, 0))
    return Rows(arrays[2].shape, np.unique(rows))


@operator("_row_sparse_take_grad")
class RowSparseTakeGrad(TakeGrad):
    """The adjoint of `take` along the first axis, as a row-sparse array with the rows that `indices` names.

    Attributes:
        axis: 0.
        mode: "clip".
    """

    stores_anew = True
    stores = _of_indices

    def gradient(self, F: Any, dy: Any, y: Any, grad: Any, indices: Any, a: Any) -> Sequence[Any]:
        return F.take(dy, indices, axis=0, mode="clip"), None, None


@operator("_contrib_SparseEmbedding")
class SparseEmbedding(Embedding):
    """The rows of `weight` at the indices `data`, whose gradient stores only these rows.

    Attributes:
        sparse_grad: Accepted for MXNet's sake; the gradient is row-sparse either way.
    """

    def stores_gradient(self) -> bool:
        return True

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, weight: Any) -> Sequence[Any]:
        return None, F._row_sparse_take_grad(dy, data, weight, axis=0, mode="clip")
