"""Values of the sparse storage types in NumPy: from dense values and back, and their faults."""

from __future__ import annotations

import numpy as np

from ..dtypes import DType
from ..errors import MXNetError, ShapeError
from ..formats.params import CSR, RowSparse, find_fault
from ..ops import Array


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
