"""Values of the sparse storage types in NumPy: from dense values and back, and their faults."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DType, DTypeLike, native_dtype
from ..errors import MXNetError, ShapeError
from ..formats.params import CSR, RowSparse, find_fault
from ..ops import Array, Cells, Pattern, Rows, Storage


def checked(stored: CSR | RowSparse) -> CSR | RowSparse:
    """The values; raises `ShapeError` if indices do not fit."""
    fault = find_fault(stored)
    if fault:
        raise ShapeError(f"{stored.stype}: {fault[0]} is required, got {fault[1]}.")
    return stored


def converted(stored: CSR | RowSparse, dtype: DType) -> CSR | RowSparse:
    """A copy with values of a dtype."""
    data, indices = stored.data.astype(dtype), stored.indices.copy()
    if isinstance(stored, CSR):
        return CSR(stored.shape, data, stored.indptr.copy(), indices)
    return RowSparse(stored.shape, data, indices)


def expanded(stored: CSR | RowSparse) -> Array:
    """The dense values."""
    dense = np.zeros(stored.shape, stored.data.dtype)
    if isinstance(stored, CSR):
        rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
        dense[rows, stored.indices] = stored.data
    else:
        dense[stored.indices] = stored.data
    return dense


def compressed(data: Array, stype: str) -> CSR | RowSparse:
    """Dense values in a sparse storage type."""
    if stype == "csr":
        if data.ndim != 2:
            raise ValueError(f"To convert to a CSR, the NDArray should be 2 Dimensional, got {data.shape}.")
        nonzero = data != 0
        ends = np.concatenate([[0], np.cumsum(nonzero.sum(axis=1))])
        return CSR(data.shape, data[nonzero], ends.astype(np.int64), np.nonzero(nonzero)[1])
    if stype != "row_sparse" or not data.ndim:
        raise MXNetError(
            f"tostype: default, csr or row_sparse is required, got {stype!r} for shape {data.shape}."
        )
    rows = np.flatnonzero((data != 0).reshape(len(data), -1).any(axis=1)) if data.size else np.zeros(0, int)
    return RowSparse(data.shape, data[rows], rows.astype(np.int64))


def no_values(stype: str, shape: tuple[int, ...], dtype: DType) -> CSR | RowSparse:
    """Zeros in a sparse storage type, which stores none of them."""
    indices = np.zeros(0, np.int64)
    if stype == "csr":
        return checked(CSR(shape, np.zeros(0, dtype), np.zeros(shape[0] + 1, np.int64), indices))
    if stype != "row_sparse":
        raise ValueError(f"unknown storage type: {stype!r}; default, csr and row_sparse are known.")
    return checked(RowSparse(shape, np.zeros((0, *shape[1:]), dtype), indices))


# ---- what is stored


def pattern_of(stored: CSR | RowSparse) -> Pattern:
    """Which elements are stored."""
    if isinstance(stored, CSR):
        return Cells(stored.shape, stored.indptr, stored.indices)
    return Rows(stored.shape, stored.indices)


def stored_as(data: Array, storage: Storage) -> CSR | RowSparse:
    """Dense values of which some elements are stored, or those that are not 0 in a storage type."""
    if isinstance(storage, Rows):
        return RowSparse(data.shape, data[storage.indices], storage.indices.copy())
    if isinstance(storage, Cells):
        rows = np.repeat(np.arange(data.shape[0]), np.diff(storage.indptr))
        values = data[rows, storage.indices]
        return CSR(data.shape, values, storage.indptr.copy(), storage.indices.copy())
    return compressed(data, storage or "default")


def added(first: CSR | RowSparse, second: Array, storage: Pattern | None) -> CSR | RowSparse:
    """The sum with dense values of which `storage` tells what is stored, in the first one's storage type."""
    total = expanded(first) + second.astype(first.data.dtype, copy=False)
    if isinstance(first, RowSparse) and isinstance(storage, Rows):
        return stored_as(total, Rows(first.shape, np.union1d(first.indices, storage.indices)))
    return compressed(total, first.stype)


def check_order(stored: CSR | RowSparse) -> None:
    """Raise `MXNetError` unless indices ascend, those of columns in each row."""
    steps = np.diff(stored.indices)
    if isinstance(stored, CSR):
        rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
        steps = steps[np.diff(rows) == 0]
    if (steps <= 0).any():
        raise MXNetError(f"check_format: ascending indices are required of {stored.stype}, got others.")


def cells(data: Array, rows: Array, columns: Array, shape: tuple[int, ...] | None) -> CSR:
    """The matrix of values at rows and columns; those of the same element are added."""
    if not data.ndim == 1 or not len(data) == len(rows) == len(columns):
        raise ShapeError(
            "csr_matrix: as many values as rows and columns are required, "
            f"got {data.shape}, {rows.shape} and {columns.shape}."
        )
    height, width = shape or (int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1)
    if len(data) and not (min(rows.min(), columns.min()) >= 0 and rows.max() < height):
        raise ShapeError(f"csr_matrix: rows from 0 to {height - 1} are required, got others.")
    keys, where = np.unique(rows * max(width, int(columns.max(initial=0)) + 1) + columns, return_inverse=True)
    values = np.zeros(len(keys), data.dtype)
    np.add.at(values, where, data)
    stored = np.zeros((len(keys), 2), np.int64)
    stored[where] = np.stack([rows, columns], 1)
    ends = np.searchsorted(stored[:, 0], np.arange(height + 1)).astype(np.int64)
    return CSR((height, width), values, ends, stored[:, 1].copy())


def is_scipy_csr(source: Any) -> bool:
    """Whether this is a CSR matrix of SciPy's."""
    return getattr(source, "format", None) == "csr" and hasattr(source, "indptr")


def from_scipy(source: Any, dtype: DTypeLike | None) -> CSR:
    """A copy of SciPy's CSR matrix, whose indices ascend."""
    matrix = source.sorted_indices()
    data = np.array(matrix.data, native_dtype(matrix.data.dtype if dtype is None else dtype))
    ends, indices = (np.array(part, np.int64) for part in (matrix.indptr, matrix.indices))
    return CSR(tuple(int(d) for d in matrix.shape), data, ends, indices)
