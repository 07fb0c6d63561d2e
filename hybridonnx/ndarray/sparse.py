"""Sparse storage types: arrays that are stored and saved without their zeros."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..attrs import ShapeLike
from ..context import Context, as_context
from ..context import current_context as current_context
from ..dtypes import DTypeLike, native_dtype
from ..formats.params import CSR, RowSparse
from ..ops import OVERLOADS, Array, is_number
from ._storage import cells, checked, compressed, converted, from_scipy, is_scipy_csr, no_values
from .creation import zeros as dense_zeros
from .namespace import group
from .ndarray import BaseSparseNDArray as BaseSparseNDArray
from .ndarray import CSRNDArray as CSRNDArray
from .ndarray import NDArray, combine, combine_same, from_stored
from .ndarray import RowSparseNDArray as RowSparseNDArray

if TYPE_CHECKING:
    from ._sparse_operators import *  # noqa: F403  (a stub)

_OWN = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "Context",
    "NDArray",
    "RowSparseNDArray",
    "add",
    "array",
    "csr_matrix",
    "current_context",
    "divide",
    "empty",
    "gs_retain",
    "multiply",
    "row_sparse_array",
    "subtract",
    "zeros",
]


def _array(source: Any, dtype: Any = None) -> Array:
    """A copy as a NumPy array; without a dtype lists become float32."""
    plain = source._host if isinstance(source, NDArray) else source
    return np.array(plain, native_dtype(getattr(plain, "dtype", None) if dtype is None else dtype))


def _numbers(parts: Any) -> bool:
    return all(isinstance(n, int | np.integer) for n in parts)


def _made(name: str, source: Any, stype: str, ctx: Context | None, dtype: Any) -> NDArray:
    """A sparse array from one of its kind, or from dense values."""
    if isinstance(source, BaseSparseNDArray):
        if source.stype != stype:
            raise ValueError(f"{name}: an array of {stype} or default is required, got {source.stype}.")
        return array(source, ctx, dtype)
    return from_stored(compressed(_array(source, dtype), stype), as_context(ctx))


def _of_shape(array: Any, shape: ShapeLike | None) -> Any:
    if shape is not None and _shape(shape) != array.shape:
        raise ValueError(f"sparse array: shape {array.shape}, as the values have, is required, got {shape}.")
    return array


def csr_matrix(
    arg1: Any,
    shape: ShapeLike | None = None,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
) -> CSRNDArray:
    """A CSR matrix.

    `arg1` is dense values, a CSR matrix of this project's or SciPy's, a shape (rows, columns),
    (data, indices, indptr), or (data, (rows, columns)), where values of the same element are added.
    """
    parts = arg1 if isinstance(arg1, tuple) else ()
    if is_scipy_csr(arg1):
        return _of_shape(array(arg1, ctx, dtype), shape)  # type: ignore[no-any-return]
    if not parts:
        return _of_shape(_made("csr_matrix", arg1, "csr", ctx, dtype), shape)  # type: ignore[no-any-return]
    if len(parts) == 2 and _numbers(parts):
        return _of_shape(zeros("csr", parts, ctx, dtype), shape)  # type: ignore[no-any-return]
    if len(parts) == 2 and isinstance(parts[1], tuple | list) and len(parts[1]) == 2:
        data = parts[0] if dtype is not None or hasattr(parts[0], "dtype") else np.asarray(parts[0])
        rows, columns = (_array(p, np.int64) for p in parts[1])
        return CSRNDArray(
            checked(cells(_array(data, dtype), rows, columns, _shape(shape) if shape else None)), ctx
        )
    if len(parts) != 3:
        _fail_parts("csr_matrix", len(parts))
    data, indices, indptr = (_array(parts[0], dtype), *(_array(p, np.int64) for p in parts[1:]))
    width = int(indices.max(initial=-1)) + 1
    stored = CSR(_shape(shape or (len(indptr) - 1, width)), data, indptr, indices)
    return CSRNDArray(checked(stored), ctx)


def row_sparse_array(
    arg1: Any,
    shape: ShapeLike | None = None,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
) -> RowSparseNDArray:
    """A row-sparse array from dense values, a row-sparse array, a shape, or (data, indices of the rows)."""
    parts = arg1 if isinstance(arg1, tuple) else ()
    if not parts:
        array = _made("row_sparse_array", arg1, "row_sparse", ctx, dtype)
        return _of_shape(array, shape)  # type: ignore[no-any-return]
    if _numbers(parts):
        return _of_shape(zeros("row_sparse", parts, ctx, dtype), shape)  # type: ignore[no-any-return]
    if len(parts) != 2:
        _fail_parts("row_sparse_array", len(parts))
    data, rows = _array(parts[0], dtype), _array(parts[1], np.int64)
    inferred = (int(rows.max(initial=-1)) + 1, *data.shape[1:])
    stored = checked(RowSparse(_shape(shape or inferred), data, rows))
    order = np.argsort(rows, kind="stable")
    return RowSparseNDArray(RowSparse(stored.shape, data[order], rows[order]), ctx)


def _fail_parts(name: str, count: int) -> NoReturn:
    required = "(data, indices, indptr)" if name == "csr_matrix" else "(data, indices)"
    raise ValueError(f"{name}: dense values, a shape or {required} is required, got a tuple of {count}.")


def _shape(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(d) for d in shape)


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
    return from_stored(no_values(stype, _shape(shape), native_dtype(dtype)), as_context(ctx))


empty = zeros


def array(source_array: Any, ctx: Context | None = None, dtype: DTypeLike | None = None) -> NDArray:
    """A copy of a sparse array, or of SciPy's CSR matrix, whose indices ascend then."""
    if isinstance(source_array, BaseSparseNDArray):
        target = source_array.dtype if dtype is None else dtype
        return type(source_array)(converted(source_array.stored, native_dtype(target)), ctx)
    if not is_scipy_csr(source_array):
        raise ValueError(
            f"sparse.array: a sparse array is required, got {type(source_array).__name__}. Use nd.array."
        )
    return CSRNDArray(from_scipy(source_array, dtype), ctx)


# ---- arithmetic


def _function(name: str, described: str) -> Any:
    forms = OVERLOADS[name]

    def function(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray):
            return combine_same(lhs, rhs, forms)
        if isinstance(rhs, NDArray):
            return combine(rhs, lhs, forms.broadcasting, forms.reflected[0])
        if is_number(lhs) and is_number(rhs):
            return getattr(operator, name)(lhs, rhs)
        strange = rhs if is_number(lhs) else lhs
        raise TypeError(f"sparse.{name}: an NDArray or a number is required, got {type(strange)}.")

    function.__doc__ = f"{described} of two arrays, or of an array and a number; sparse where MXNet's is."
    return function


add = _function("add", "The sum")
subtract = _function("sub", "The difference")
multiply = _function("mul", "The product")
divide = _function("truediv", "The quotient")


def gs_retain(data: NDArray, indices: NDArray) -> NDArray:
    """The rows of `data` that `indices` names, and zeros for the others; `retain` by another name."""
    retained: NDArray = NDArray.F._sparse_retain(data, indices)
    return retained


if not TYPE_CHECKING:
    __getattr__, __dir__ = group("sparse", _OWN)
