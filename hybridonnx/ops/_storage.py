"""What operators say of results whose storage type is sparse: which of their elements are stored.

A rule takes the operator, what each input stores (`None` for a dense one) and the inputs' dense values. It
answers with what the first output stores, with the name of a storage type whose elements other than 0 are
stored, or with `None` for a dense output. The kernel computes all elements; those that are not stored are
passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


class Rows(NamedTuple):
    """The rows that an array of the storage type row_sparse stores, in ascending order."""

    shape: tuple[int, ...]
    indices: Array


class Cells(NamedTuple):
    """The elements that a csr matrix stores: their columns, and where each row begins in these."""

    shape: tuple[int, ...]
    indptr: Array
    indices: Array

    def mask(self) -> Array:
        """Whether each element is stored."""
        stored = np.zeros(self.shape, bool)
        stored[np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices] = True
        return stored


def cells_of(mask: Array) -> Cells:
    """The elements where a matrix is true."""
    ends = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]).astype(np.int64)
    return Cells(mask.shape, ends, np.nonzero(mask)[1].astype(np.int64))


Pattern: TypeAlias = Rows | Cells
Storage: TypeAlias = Pattern | str | None
Patterns: TypeAlias = Sequence[Pattern | None]
Rule: TypeAlias = Callable[[Any, Patterns, Sequence[Array]], Storage]


def storage_type(stored: Storage) -> str:
    """The name of the storage type of what is stored."""
    if isinstance(stored, str):
        return stored
    return "default" if stored is None else "row_sparse" if isinstance(stored, Rows) else "csr"


def infer_storage(op: Any, kinds: Sequence[str], specs: Sequence[Any]) -> str:
    """The storage type of an operator's first output, from those of its inputs and their specs."""
    if op.stores is None or not (op.stores_anew or any(kind != "default" for kind in kinds)):
        return "default"
    shapes = [tuple(d or 0 for d in spec.shape or ()) for spec in specs]
    patterns = [_of_nothing(kind, shape) for kind, shape in zip(kinds, shapes, strict=True)]
    arrays = [
        np.broadcast_to(np.zeros((), spec.dtype), shape) for spec, shape in zip(specs, shapes, strict=True)
    ]
    return storage_type(op.stores(patterns, arrays))


def _of_nothing(kind: str, shape: tuple[int, ...]) -> Pattern | None:
    """What an array of a storage type stores that has no element but 0."""
    indices = np.zeros(0, np.int64)
    if kind == "csr":
        return Cells(shape, np.zeros(shape[0] + 1, np.int64), indices)
    return Rows(shape, indices) if kind == "row_sparse" else None


def as_first(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """As the first input."""
    return patterns[0]


def nothing(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """No element, in the first input's storage type."""
    if isinstance(patterns[0], Rows):
        return Rows(patterns[0].shape, np.zeros(0, np.int64))
    return patterns[0] and cells_of(np.zeros(patterns[0].shape, bool))


def where_zero_stays(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """As the first input, if the operator makes 0 of 0."""
    with np.errstate(all="ignore"):
        of_zero = op.forward(np.zeros(1, arrays[0].dtype))
    return None if np.any(of_zero) else patterns[0]


def by_name(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """As the first input, if MXNet has the operator for sparse arrays, and it makes 0 of 0."""
    if not any(name.startswith("_sparse_") for name in op.names):
        return None
    return where_zero_stays(op, patterns, arrays)


def of_sum(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The rows that any term stores; of matrices the elements that are not 0; dense beside a dense term."""
    rows = [p for p in patterns if isinstance(p, Rows)]
    if len(rows) == len(patterns):
        return Rows(rows[0].shape, np.unique(np.concatenate([p.indices for p in rows])))
    return "csr" if all(isinstance(p, Cells) for p in patterns) else None


def of_sum_of_rows(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """As `of_sum`, but for the sum of matrices, which is dense."""
    return None if patterns[0] is None or isinstance(patterns[0], Cells) else of_sum(op, patterns, arrays)


def of_product(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """As the one sparse factor, else as a sum."""
    sparse = [p for p in patterns if p is not None]
    return sparse[0] if len(sparse) == 1 else of_sum(op, patterns, arrays)


def of_scaled_cells(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """As the first input, a matrix, beside a dense one."""
    first, second = patterns
    return first if isinstance(first, Cells) and second is None else None


def of_cells(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """What becomes of the stored elements, where all inputs are matrices: the operator moves them."""
    masks = [p.mask() for p in patterns if isinstance(p, Cells)]
    return cells_of(op.forward(*masks)) if len(masks) == len(patterns) else None


def stored_columns(matrix: Cells) -> Array:
    """The columns of a matrix that store anything."""
    return np.unique(matrix.indices).astype(np.int64)


def of_reduced_rows(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The stored rows, if each is reduced to one that stays."""
    rows = patterns[0]
    if not isinstance(rows, Rows) or not op.keepdims or op.axes(len(rows.shape)) != (1,):
        return None
    return Rows((rows.shape[0], 1, *rows.shape[2:]), rows.indices)


def of_spread_rows(op: Any, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The rows of what was reduced to the stored ones by `of_reduced_rows`."""
    rows, shape = patterns[0], arrays[1].shape
    if not isinstance(rows, Rows) or not op.keepdims or op.axes(len(shape)) != (1,):
        return None
    return Rows(shape, rows.indices)
