"""Random shapes, arrays and matrices, drawn with NumPy's generator, and arrays filled by functions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .. import ndarray
from ..context import Context
from ..dtypes import DTypeLike
from ..errors import RequirementError, ShapeError
from ..ndarray import sparse
from ..ndarray.ndarray import NDArray
from ..ops import Array

__all__ = [
    "assign_each",
    "assign_each2",
    "collapse_sum_like",
    "create_2d_tensor",
    "create_sparse_array",
    "create_sparse_array_zd",
    "create_vector",
    "get_identity_mat",
    "get_identity_mat_batch",
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
    "np_reduce",
    "rand_coord_2d",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "rand_sparse_ndarray",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
    "shuffle_csr_column_indices",
]

Shape = tuple[int, ...]


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> Shape:
    """A shape of `num_dim` sizes from 1 (0 with `allow_zero_size`) to `dim`."""
    return _sizes((dim,) * num_dim, allow_zero_size)


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> Shape:
    """A shape of two sizes from 1 (0 with `allow_zero_size`) to `dim0` and `dim1`."""
    return _sizes((dim0, dim1), allow_zero_size)


def rand_shape_3d(dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False) -> Shape:
    """A shape of three sizes from 1 (0 with `allow_zero_size`) to `dim0`, `dim1` and `dim2`."""
    return _sizes((dim0, dim1, dim2), allow_zero_size)


def _sizes(most: Sequence[int], allow_zero: bool) -> Shape:
    return tuple(int(np.random.randint(0 if allow_zero else 1, m + 1)) for m in most)


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> tuple[int, int]:
    """Two integers, from `x_low` to below `x_high` and from `y_low` to below `y_high`."""
    return int(np.random.randint(x_low, x_high)), int(np.random.randint(y_low, y_high))


def random_arrays(*shapes: Shape) -> Any:
    """NumPy arrays of normal draws in float32: a list of them, or the array itself for one shape."""
    arrays = [np.array(np.random.randn(*s), dtype=np.float32) for s in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def random_uniform_arrays(*shapes: Shape, **kwargs: Any) -> list[Array]:
    """NumPy arrays of uniform draws from `low` (0) to `high` (1), of `dtype` (float32)."""
    low, high, dtype = kwargs.pop("low", 0.0), kwargs.pop("high", 1.0), kwargs.pop("dtype", np.float32)
    if kwargs:
        raise TypeError(f"random_uniform_arrays: it takes low, high and dtype, got {', '.join(kwargs)}.")
    return [np.random.uniform(low, high, size=s).astype(dtype) for s in shapes]


def random_sample(population: Sequence[Any], k: int) -> list[Any]:
    """`k` elements in the order in which they are drawn, none twice."""
    return random.sample(list(population), k)


# ---- sparse arrays


def rand_ndarray(
    shape: Any,
    stype: str = "default",
    density: float | None = None,
    dtype: DTypeLike | None = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Context | None = None,
) -> NDArray:
    """An NDArray of normal draws, or a sparse one of uniform draws from [0, 1).

    Args:
        shape: Its shape.
        stype: `"default"`, `"csr"` or `"row_sparse"`.
        density: The share of elements, or of rows, that are stored; a random one where nothing is said.
        dtype: The element type, float32 where nothing is said.
        modifier_func: Called with each stored element of a sparse array, gives what takes its place.
        shuffle_csr_indices: Whether the columns of each csr row are stored in random order.
        distribution: `"uniform"`, or `"powerlaw"` for csr rows each of which has twice as many as the last.
        ctx: The context.

    Returns:
        The array.

    Raises:
        AssertionError: `stype` or `distribution` is something else.
    """
    if stype == "default":
        return ndarray.array(random_arrays(tuple(shape)), dtype=dtype or np.float32, ctx=ctx)
    result: NDArray = rand_sparse_ndarray(
        shape,
        stype,
        density=density,
        modifier_func=modifier_func,
        dtype=dtype,
        shuffle_csr_indices=shuffle_csr_indices,
        distribution=distribution,
        ctx=ctx,
    )[0]
    return result


def rand_sparse_ndarray(
    shape: Any,
    stype: str,
    density: float | None = None,
    dtype: DTypeLike | None = None,
    distribution: str | None = None,
    data_init: float | None = None,
    rsp_indices: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
    ctx: Context | None = None,
) -> tuple[NDArray, Any]:
    """A sparse array and its parts.

    Args:
        shape: Its shape.
        stype: `"csr"` or `"row_sparse"`.
        density: The share of elements, or of rows, that are stored; a random one where nothing is said.
        dtype: The element type, float32 where nothing is said.
        distribution: `"uniform"`, or `"powerlaw"` for csr rows each of which has twice as many as the last.
        data_init: What all stored elements are, instead of draws.
        rsp_indices: The rows of a row_sparse array that are stored.
        modifier_func: Called with each stored element, gives what takes its place.
        shuffle_csr_indices: Whether the columns of each csr row are stored in random order.
        ctx: The context.

    Returns:
        The array with (values, rows) as NumPy arrays, or with the NDArrays (indptr, indices, data).

    Raises:
        AssertionError: `stype` or `distribution` is something else.
    """
    share = np.random.rand() if density is None else density
    kind = distribution or "uniform"
    if stype == "row_sparse":
        if kind != "uniform":
            raise RequirementError(f"rand_sparse_ndarray: rows are drawn uniformly, got {kind!r}.")
        return _row_sparse(tuple(shape), share, dtype, data_init, rsp_indices, modifier_func, ctx)
    if stype != "csr":
        raise RequirementError(f"rand_sparse_ndarray: stype csr or row_sparse is required, got {stype!r}.")
    if kind not in ("uniform", "powerlaw"):
        raise RequirementError(f"rand_sparse_ndarray: uniform or powerlaw is required, got {kind!r}.")
    return _csr(tuple(shape), share, dtype, data_init, modifier_func, shuffle_csr_indices, kind, ctx)


def _values(
    shape: Shape, dtype: Any, data_init: float | None, modifier: Callable[[Any], Any] | None
) -> Array:
    values = np.random.rand(*shape) if data_init is None else np.full(shape, data_init)
    values = np.asarray(values).astype(dtype or np.float32)
    return values if modifier is None else assign_each(values, modifier)


def _row_sparse(
    shape: Shape, share: float, dtype: Any, data_init: Any, rows: Any, modifier: Any, ctx: Context | None
) -> tuple[NDArray, Any]:
    if rows is None:
        rows = np.argwhere(np.random.rand(shape[0]) < share).flatten()
    rows = np.asarray(rows, np.int64)
    if len(rows) > shape[0]:
        raise RequirementError(f"rand_sparse_ndarray: at most {shape[0]} rows are there, got {len(rows)}.")
    if not len(rows):
        return sparse.zeros("row_sparse", shape, ctx=ctx, dtype=dtype), (np.array([], dtype=dtype), rows)
    values = _values((len(rows), *shape[1:]), dtype, data_init, modifier)
    return sparse.row_sparse_array((values, rows), shape=shape, dtype=dtype, ctx=ctx), (values, rows)


def _csr(
    shape: Shape,
    share: float,
    dtype: Any,
    data_init: Any,
    modifier: Any,
    shuffle: bool,
    distribution: str,
    ctx: Context | None,
) -> tuple[NDArray, Any]:
    rows, columns = shape
    if distribution == "powerlaw":
        if rows * columns * share < 2 * rows:
            raise ShapeError(
                f"rand_sparse_ndarray: a density of at least {2 / columns:g} is required for powerlaw and "
                f"shape {shape}, got {share}."
            )
        counts = [min(2 ** min(i, 60), columns) for i in range(rows)]
        left = int(rows * columns * share)
        stored = np.zeros(shape, bool)
        for i, count in enumerate(counts):
            stored[i, : max(min(count, left), 1)] = True
            left -= count
    else:
        stored = np.random.rand(rows, columns) < share
    indptr = np.concatenate([[0], np.cumsum(stored.sum(axis=1))]).astype(np.int64)
    indices = np.nonzero(stored)[1].astype(np.int64)
    values = _values((len(indices),), dtype, data_init, modifier)
    array: NDArray = sparse.csr_matrix((values, indices, indptr), shape=shape, dtype=dtype, ctx=ctx)
    if shuffle:
        array = shuffle_csr_column_indices(array)
    parts: Any = array
    return array, (parts.indptr, parts.indices, parts.data)


def shuffle_csr_column_indices(csr: Any) -> NDArray:
    """The same csr matrix with the columns of each row stored in random order."""
    data, indices, indptr = (part.asnumpy().copy() for part in (csr.data, csr.indices, csr.indptr))
    for start, end in pairwise(indptr):
        order = start + np.random.permutation(end - start)
        data[start:end], indices[start:end] = data[order], indices[order]
    result: NDArray = sparse.csr_matrix((data, indices, indptr), shape=csr.shape, dtype=csr.dtype)
    return result


def create_sparse_array(
    shape: Any,
    stype: str,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: DTypeLike | None = None,
    modifier_func: Callable[[Any], Any] | None = None,
    density: float = 0.5,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """A sparse array, as `rand_sparse_ndarray` makes it."""
    if stype not in ("csr", "row_sparse"):
        raise RequirementError(f"create_sparse_array: stype csr or row_sparse is required, got {stype!r}.")
    result: NDArray = rand_sparse_ndarray(
        shape,
        stype,
        density=density,
        dtype=dtype,
        data_init=data_init,
        rsp_indices=rsp_indices,
        modifier_func=modifier_func,
        shuffle_csr_indices=shuffle_csr_indices,
    )[0]
    return result


def create_sparse_array_zd(
    shape: Any,
    stype: str,
    density: float,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: DTypeLike | None = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """A sparse array, in which with a density of 0 nothing is stored, and no row of `rsp_indices` either."""
    if stype == "row_sparse" and density == 0.0:
        rsp_indices = np.array([], np.int64)
    return create_sparse_array(
        shape, stype, data_init, rsp_indices, dtype, modifier_func, density, shuffle_csr_indices
    )


# ---- matrices


def new_matrix_with_real_eigvals_2d(n: int) -> Array:
    """An (n, n) matrix with real eigenvalues."""
    shape = (n, n)
    q = np.ones(shape)
    while np.abs(np.linalg.det(q)) < 1e-2 or np.linalg.cond(q) > 1e3:
        q = np.random.uniform(-10, 10, shape)
    values = np.diag(np.random.uniform(-10.0, 10.0, n))
    return np.asarray(q @ values @ np.linalg.inv(q))


def new_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> Array:
    """Matrices with real eigenvalues in the last two axes."""
    return _stacked(shape, new_matrix_with_real_eigvals_2d)


def new_orthonormal_matrix_2d(n: int) -> Array:
    """An (n, n) matrix whose columns are of length 1 and at right angles."""
    q, _ = np.linalg.qr(np.random.randn(n, n))
    return np.asarray(q)


def new_sym_matrix_with_real_eigvals_2d(n: int) -> Array:
    """A symmetric (n, n) matrix."""
    q = new_orthonormal_matrix_2d(n)
    a = q @ np.diag(np.random.uniform(-10.0, 10.0, n)) @ q.T
    return np.asarray((a + a.T) / 2)


def new_sym_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> Array:
    """Symmetric matrices in the last two axes."""
    return _stacked(shape, new_sym_matrix_with_real_eigvals_2d)


def _stacked(shape: Sequence[int], make: Callable[[int], Array]) -> Array:
    *outer, n, _ = shape
    count = int(np.prod(outer)) if outer else 1
    return np.array([make(n) for _ in range(count)]).reshape(tuple(shape))


def get_identity_mat(size: int) -> NDArray:
    """The (size, size) identity matrix."""
    return ndarray.array(np.eye(size))


def get_identity_mat_batch(size: int) -> NDArray:
    """Two (size, size) identity matrices, (2, size, size)."""
    return ndarray.array(np.array([np.eye(size)] * 2))


def create_2d_tensor(rows: int, columns: int, dtype: DTypeLike = np.int64) -> NDArray:
    """A (rows, columns) array each row of which is filled with its number."""
    return ndarray.array(np.repeat(np.arange(rows)[:, None], columns, axis=1), dtype=dtype)


def create_vector(size: int, dtype: DTypeLike = np.int64) -> NDArray:
    """The numbers from 0 to below `size`."""
    return ndarray.array(np.arange(size), dtype=dtype)


# ---- NumPy's results for comparisons


def np_reduce(dat: Array, axis: Any, keepdims: bool, numpy_reduce_func: Callable[..., Any]) -> Any:
    """A reduction over one axis, several or all, by a function that takes one."""
    axes = (axis,) if isinstance(axis, int) else tuple(range(dat.ndim)) if axis is None else tuple(axis)
    result: Any = dat
    for each in sorted((a % dat.ndim for a in axes), reverse=True):
        result = numpy_reduce_func(result, axis=each)
    return (
        np.asarray(result).reshape([1 if i in axes else n for i, n in enumerate(dat.shape)])
        if keepdims
        else result
    )


def collapse_sum_like(a: Array, shape: Shape) -> Array:
    """The sum of `a` over what broadcasting would have added to `shape`."""
    a = np.asarray(a)
    if a.ndim < len(shape) or any(s not in (1, n) for s, n in zip(shape[::-1], a.shape[::-1], strict=False)):
        raise RequirementError(
            f"collapse_sum_like: a shape that broadcasts to {a.shape} is required, got {shape}."
        )
    a = a.sum(axis=tuple(range(a.ndim - len(shape))))
    return np.asarray(a.sum(axis=tuple(i for i, s in enumerate(shape) if s != a.shape[i]), keepdims=True))


def assign_each(the_input: Array, function: Callable[[Any], Any] | None) -> Array:
    """What a function of numbers gives for each element; a copy if it is `None`."""
    if function is None:
        return np.array(the_input)
    values = [function(x) for x in the_input.ravel()]
    return np.array(values, dtype=the_input.dtype).reshape(the_input.shape)


def assign_each2(input1: Array, input2: Array, function: Callable[[Any, Any], Any] | None) -> Array:
    """What a function of two numbers gives for each pair of elements; a copy of the first if it is `None`."""
    if function is None:
        return np.array(input1)
    if input1.shape != input2.shape:
        raise RequirementError(f"assign_each2: one shape is required, got {input1.shape} and {input2.shape}.")
    values = [function(x, y) for x, y in zip(input1.ravel(), input2.ravel(), strict=True)]
    return np.array(values, dtype=input1.dtype).reshape(input1.shape)
