"""Sparse storage types: arrays that are stored and saved without their zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..attrs import ShapeLike
from ..context import Context, as_context
from ..dtypes import DTypeLike, as_dtype
from ..formats.params import CSR, RowSparse
from ..ops import Array
from ._storage import checked, compressed, converted, no_values
from .creation import zeros as dense_zeros
from .namespace import group
from .ndarray import BaseSparseNDArray as BaseSparseNDArray
from .ndarray import CSRNDArray as CSRNDArray
from .ndarray import NDArray, from_stored
from .ndarray import RowSparseNDArray as RowSparseNDArray

if TYPE_CHECKING:
    from ._sparse_operators import *  # noqa: F403  (a stub)

_OWN = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "array",
    "cast_storage",
    "csr_matrix",
    "empty",
    "row_sparse_array",
    "zeros",
]


def _array(source: Any, dtype: Any = None) -> Array:
    """A copy as a NumPy array; without a dtype lists become float32."""
    plain = source._data if isinstance(source, NDArray) else source
    return np.array(plain, as_dtype(getattr(plain, "dtype", None) if dtype is None else dtype))


def cast_storage(data: Array, stype: str, ctx: Context | None = None) -> NDArray:
    """Dense values in a sparse storage type."""
    return from_stored(compressed(data, stype), as_context(ctx))


def csr_matrix(
    arg1: Any,
    shape: ShapeLike | None = None,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
) -> CSRNDArray:
    """A CSR matrix from dense values, a shape (rows, columns), or (data, indices, indptr)."""
    parts = arg1 if isinstance(arg1, tuple) else ()
    if len(parts) == 2 and all(isinstance(n, int | np.integer) for n in parts):
        return zeros("csr", parts, ctx, dtype)  # type: ignore[return-value]
    if len(parts) != 3:
        source = _array(arg1, dtype) if not parts else _fail_parts("csr_matrix", len(parts))
        return cast_storage(source, "csr", ctx)  # type: ignore[return-value]
    data, indices, indptr = (_array(parts[0], dtype), *(_array(p, np.int64) for p in parts[1:]))
    columns = int(indices.max(initial=-1)) + 1
    stored = CSR(_shape(shape or (len(indptr) - 1, columns)), data, indptr, indices)
    return CSRNDArray(checked(stored), ctx)


def row_sparse_array(
    arg1: Any,
    shape: ShapeLike | None = None,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
) -> RowSparseNDArray:
    """A row-sparse array from dense values, a shape, or (data, indices of the rows)."""
    parts = arg1 if isinstance(arg1, tuple) else ()
    if parts and all(isinstance(n, int | np.integer) for n in parts):
        return zeros("row_sparse", parts, ctx, dtype)  # type: ignore[return-value]
    if len(parts) != 2:
        source = _array(arg1, dtype) if not parts else _fail_parts("row_sparse_array", len(parts))
        return cast_storage(source, "row_sparse", ctx)  # type: ignore[return-value]
    data, rows = _array(parts[0], dtype), _array(parts[1], np.int64)
    inferred = (int(rows.max(initial=-1)) + 1, *data.shape[1:])
    stored = checked(RowSparse(_shape(shape or inferred), data, rows))
    order = np.argsort(rows, kind="stable")
    return RowSparseNDArray(RowSparse(stored.shape, data[order], rows[order]), ctx)


def _fail_parts(name: str, count: int) -> NoReturn:
    required = "(data, indices, indptr)" if name == "csr_matrix" else "(data, indices)"
    raise ValueError(f"{name}: dense values, a shape or {required} is required, got a tuple of {count}.")


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(int(d) for d in shape)


def zeros(
    stype: str,
    shape: ShapeLike,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """An array of zeros of a storage type; a sparse one stores none of them."""
    if stype == "default":
        return dense_zeros(shape, ctx, dtype, out=out)
    return from_stored(no_values(stype, _shape(shape), as_dtype(dtype)), as_context(ctx))


empty = zeros


def array(source_array: Any, ctx: Context | None = None, dtype: DTypeLike | None = None) -> NDArray:
    """A copy of a sparse array, or of SciPy's CSR matrix."""
    if isinstance(source_array, BaseSparseNDArray):
        target = source_array.dtype if dtype is None else dtype
        return type(source_array)(converted(source_array.stored, as_dtype(target)), ctx)
    if getattr(source_array, "format", None) != "csr":
        raise ValueError(
            f"sparse.array: a sparse array is required, got {type(source_array).__name__}. Use nd.array."
        )
    source_array.sort_indices()
    parts = (source_array.data, source_array.indices, source_array.indptr)
    return csr_matrix(parts, source_array.shape, ctx, dtype)


if not TYPE_CHECKING:
    __getattr__, __dir__ = group("sparse", _OWN)
