"""Sparse storage types: arrays that are kept and saved without their zeros.

No operator computes on them as they are: whatever takes one gets its dense values, and gives a dense array.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..context import Context, as_context
from ..dtypes import DType, as_dtype
from ..errors import MXNetError, ShapeError
from ..formats.params import CSR, RowSparse, Value, find_fault
from ..ops import Array
from .creation import zeros as _dense_zeros
from .namespace import Namespace
from .ndarray import NDArray


class BaseSparseNDArray(NDArray):
    """An array of a sparse storage type; it cannot be written in place."""

    __slots__ = ("stored",)

    stored: Any

    def __init__(self, stored: CSR | RowSparse, ctx: Context | None = None) -> None:
        self.stored = stored
        self._ctx = as_context(ctx)
        self._entry = None
        self._leaf = None

    # ---- what operators see

    @property
    def _data(self) -> Array:
        """The dense values, made anew by each use; read-only, so that no write to them is lost unnoticed."""
        dense = self._dense()
        dense.flags.writeable = False
        return dense

    @_data.setter
    def _data(self, data: Array) -> NoReturn:
        self._refuse("new values in place")

    def _dense(self) -> Array:
        raise NotImplementedError

    def _refuse(self, what: str) -> NoReturn:
        name = type(self).__name__
        raise MXNetError(
            f"{name}: an array of the storage type 'default' is required for {what}. Use tostype."
        )

    def __getitem__(self, key: Any) -> NDArray:
        return self.tostype("default")[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse("new values in place")

    def _in_place(self, result: NDArray) -> NDArray:
        self._refuse("new values in place")

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Refused, as there is no memory that both could share."""
        self._refuse("another shape")

    def _sharing(self, reshaped: NDArray) -> NDArray:
        return reshaped

    # ---- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        shape: tuple[int, ...] = self.stored.shape
        return shape

    @property
    def dtype(self) -> type[Any]:
        """The element type, as NumPy's scalar type."""
        kind: type[Any] = self.stored.data.dtype.type
        return kind

    @property
    def size(self) -> int:
        """The number of elements, zeros included."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self._ctx}>"

    @property
    def data(self) -> NDArray:
        """A copy of the values that are kept."""
        return NDArray(self.stored.data.copy(), self._ctx)

    @property
    def indices(self) -> NDArray:
        """A copy of the indices of the values that are kept: columns of a CSR matrix, rows otherwise."""
        return NDArray(self.stored.indices.copy(), self._ctx)

    def check_format(self, full_check: bool = True) -> None:
        """Raise `MXNetError` if indices do not fit; an array that is there was checked when it was made."""
        _checked(self.stored)

    # ---- its values elsewhere

    def asnumpy(self) -> Array:
        """The dense values as a new NumPy array."""
        return self._dense()

    def tostype(self, stype: str) -> NDArray:
        """The array itself or, for 'default', a dense one."""
        if stype == "default":
            return NDArray(self._dense(), self._ctx)
        if stype != self.stype:
            raise ValueError(f"cast_storage from {self.stype} to {stype} is not supported")
        return self

    def detach(self) -> NDArray:
        """The array itself: nothing records how it was made."""
        return self

    def copy(self) -> NDArray:
        """A copy of the same storage type."""
        return type(self)(_converted(self.stored, self.stored.data.dtype), self._ctx)

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """The values as another dtype, of the same storage type."""
        wanted = as_dtype(dtype)
        if not copy and wanted == self.stored.data.dtype:
            return self
        return type(self)(_converted(self.stored, wanted), self._ctx)

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into a dense array, or into a new array of the same storage type on a context."""
        if isinstance(other, Context):
            return type(self)(_converted(self.stored, self.stored.data.dtype), other)
        if isinstance(other, BaseSparseNDArray):
            other._refuse("a copy into it")
        return super().copyto(other)


class CSRNDArray(BaseSparseNDArray):
    """A matrix that keeps the values of each row that are not zero, with their columns."""

    __slots__ = ()
    stype: ClassVar[str] = "csr"

    @property
    def indptr(self) -> NDArray:
        """Where each row begins in `data` and `indices`, and the end: (rows + 1,)."""
        return NDArray(self.stored.indptr.copy(), self._ctx)

    def _dense(self) -> Array:
        dense = np.zeros(self.shape, self.dtype)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.stored.indptr))
        dense[rows, self.stored.indices] = self.stored.data
        return dense

    def asscipy(self) -> Any:
        """The matrix as SciPy's, which has to be installed."""
        made = importlib.import_module("scipy.sparse").csr_matrix
        csr = self.stored
        return made((csr.data, csr.indices, csr.indptr), shape=csr.shape, dtype=csr.data.dtype)


class RowSparseNDArray(BaseSparseNDArray):
    """An array that keeps those of its rows that are not zero, with their indices."""

    __slots__ = ()
    stype: ClassVar[str] = "row_sparse"

    def _dense(self) -> Array:
        dense = np.zeros(self.shape, self.dtype)
        dense[self.stored.indices] = self.stored.data
        return dense


def from_stored(value: Value, ctx: Context) -> NDArray:
    """The array over values that a file keeps."""
    if isinstance(value, CSR):
        return CSRNDArray(value, ctx)
    return RowSparseNDArray(value, ctx) if isinstance(value, RowSparse) else NDArray(value, ctx)


def _checked(stored: CSR | RowSparse) -> Any:
    fault = find_fault(stored)
    if fault:
        raise ShapeError(f"{stored.stype}: {fault[0]} is required, got {fault[1]}.")
    return stored


def _converted(stored: CSR | RowSparse, dtype: DType) -> CSR | RowSparse:
    """A copy with values of a dtype."""
    data, indices = stored.data.astype(dtype), stored.indices.copy()
    if isinstance(stored, CSR):
        return CSR(stored.shape, data, stored.indptr.copy(), indices)
    return RowSparse(stored.shape, data, indices)


# ---- making them


def _array(source: Any, dtype: Any = None) -> Array:
    """A copy as a NumPy array; without a dtype lists become float32."""
    plain = source._data if isinstance(source, NDArray) else source
    return np.array(plain, as_dtype(getattr(plain, "dtype", None) if dtype is None else dtype))


def cast_storage(data: Array, stype: str, ctx: Context | None = None) -> BaseSparseNDArray:
    """Dense values in a sparse storage type."""
    if stype == "csr":
        if data.ndim != 2:
            raise ValueError(f"To convert to a CSR, the NDArray should be 2 Dimensional, got {data.shape}.")
        kept = data != 0
        ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        return CSRNDArray(CSR(data.shape, data[kept], ends.astype(np.int64), np.nonzero(kept)[1]), ctx)
    if stype != "row_sparse" or not data.ndim:
        raise MXNetError(
            f"tostype: default, csr or row_sparse is required, got {stype!r} for shape {data.shape}."
        )
    rows = np.flatnonzero((data != 0).reshape(len(data), -1).any(axis=1)) if data.size else np.zeros(0, int)
    return RowSparseNDArray(RowSparse(data.shape, data[rows], rows.astype(np.int64)), ctx)


def csr_matrix(arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None) -> CSRNDArray:
    """A CSR matrix from dense values, a shape (rows, columns), or (data, indices, indptr)."""
    parts = arg1 if isinstance(arg1, tuple) else ()
    if len(parts) == 2 and all(isinstance(n, int | np.integer) for n in parts):
        return zeros("csr", parts, ctx, dtype)  # type: ignore[return-value]
    if len(parts) != 3:
        source = _array(arg1, dtype) if not parts else _fail_parts("csr_matrix", len(parts))
        return cast_storage(source, "csr", ctx)  # type: ignore[return-value]
    data, indices, indptr = (_array(parts[0], dtype), *(_array(p, np.int64) for p in parts[1:]))
    columns = int(indices.max(initial=-1)) + 1
    made = CSR(_shape(shape or (len(indptr) - 1, columns)), data, indptr, indices)
    return CSRNDArray(_checked(made), ctx)


def row_sparse_array(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
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
    made = _checked(RowSparse(_shape(shape or inferred), data, rows))
    order = np.argsort(rows, kind="stable")
    return RowSparseNDArray(RowSparse(made.shape, data[order], rows[order]), ctx)


def _fail_parts(name: str, count: int) -> NoReturn:
    required = "(data, indices, indptr)" if name == "csr_matrix" else "(data, indices)"
    raise ValueError(f"{name}: dense values, a shape or {required} is required, got a tuple of {count}.")


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(int(d) for d in shape)


def zeros(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """An array of zeros of a storage type; a sparse one keeps none of them."""
    if stype == "default":
        return _dense_zeros(shape, ctx, dtype, **kwargs)
    sizes, kind, none = _shape(shape), as_dtype(dtype), np.zeros(0, np.int64)
    if stype == "csr":
        rows = np.zeros(sizes[0] + 1, np.int64)
        return CSRNDArray(_checked(CSR(sizes, np.zeros(0, kind), rows, none)), ctx)
    if stype != "row_sparse":
        raise ValueError(f"unknown storage type: {stype!r}; default, csr and row_sparse are known.")
    return RowSparseNDArray(_checked(RowSparse(sizes, np.zeros((0, *sizes[1:]), kind), none)), ctx)


empty = zeros


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """A copy of a sparse array, or of SciPy's CSR matrix."""
    if isinstance(source_array, BaseSparseNDArray):
        wanted = source_array.dtype if dtype is None else dtype
        return type(source_array)(_converted(source_array.stored, as_dtype(wanted)), ctx)
    if getattr(source_array, "format", None) != "csr":
        raise ValueError(
            f"sparse.array: a sparse array is required, got {type(source_array).__name__}. Use nd.array."
        )
    source_array.sort_indices()
    parts = (source_array.data, source_array.indices, source_array.indptr)
    return csr_matrix(parts, source_array.shape, ctx, dtype)


_operators = Namespace("nd.sparse", "_sparse_", "")


def __getattr__(name: str) -> Any:
    """The operators that are in `nd.sparse`, too."""
    return getattr(_operators, name)
