"""`nd.contrib`: the operators whose names begin with `_contrib_`, and functions made of others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..context import Context
from ..errors import MXNetError, ShapeError
from ..formats.params import CSR
from ..ops import show
from .control import cond as cond
from .control import foreach as foreach
from .control import while_loop as while_loop
from .namespace import group
from .ndarray import CSRNDArray, NDArray
from .update import adamw_update as adamw_update
from .update import mp_adamw_update as mp_adamw_update
from .update import multi_adamw_update as multi_adamw_update
from .update import multi_lamb_update as multi_lamb_update
from .update import multi_mp_adamw_update as multi_mp_adamw_update
from .update import multi_mp_lamb_update as multi_mp_lamb_update

if TYPE_CHECKING:
    from ._contrib_operators import *  # noqa: F403  (a stub)

_OWN = [
    "adamw_update",
    "cond",
    "edge_id",
    "foreach",
    "getnnz",
    "isfinite",
    "isinf",
    "isnan",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
    "rand_zipfian",
    "while_loop",
]


def isnan(data: NDArray) -> NDArray:
    """1 where an element is not a number, else 0."""
    unequal: NDArray = data.F.broadcast_not_equal(data, data)
    return unequal


def isinf(data: NDArray) -> NDArray:
    """1 where an element is infinite, else 0."""
    infinite: NDArray = data.F.abs(data) == math.inf
    return infinite


def isfinite(data: NDArray) -> NDArray:
    """1 where an element is a number and not infinite, else 0."""
    finite: NDArray = data.F.abs(data) < math.inf
    return finite


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Classes drawn from a Zipfian distribution, for sampled softmax.

    Returns the classes (num_sampled,), and how often the true ones and the sampled ones are expected.
    """
    from .random import uniform  # which imports the array class, too

    span = math.log(range_max + 1)
    F = NDArray.F
    draws = uniform(0, span, shape=(num_sampled,), dtype="float64", ctx=ctx)
    sampled = (F.exp(draws) - 1).astype("int64") % range_max

    def expected(classes: NDArray) -> NDArray:
        numbers = classes.as_in_context(draws.context).astype("float64")
        times: NDArray = F.log(1 + 1 / F._plus_scalar(numbers, scalar=1)) * (num_sampled / span)
        return times

    return sampled, expected(true_classes), expected(sampled)


# ---- of CSR matrices


def getnnz(data: NDArray, axis: int | None = None) -> NDArray:
    """How many values a CSR matrix stores, (1,), zeros among them included, or each row of it with axis 1."""
    matrix = _csr("getnnz", data)
    if axis not in (None, 1):
        raise MXNetError(f"getnnz: axis None or 1 is required, got {axis}.")
    counts = np.diff(matrix.indptr) if axis == 1 else matrix.indptr[-1:]
    return NDArray(counts.astype(np.int64), data.context)


def edge_id(data: NDArray, u: NDArray, v: NDArray) -> NDArray:
    """What a CSR matrix stores in the rows `u` and columns `v`, (N,), and -1 where it stores nothing."""
    matrix = _csr("edge_id", data)
    if u.ndim != 1 or u.shape != v.shape:
        raise ShapeError(
            "edge_id: two vectors of as many rows and columns are required, got "
            f"{show(u.shape)} and {show(v.shape)}."
        )
    rows, columns = (x.asnumpy().astype(np.int64) for x in (u, v))
    count, width = matrix.shape
    if ((rows < 0) | (rows >= count)).any():
        raise MXNetError(f"edge_id: rows below {count} are required, got {rows.tolist()}.")
    edges = np.repeat(np.arange(count), np.diff(matrix.indptr)) * width + matrix.indices
    order = np.argsort(edges, kind="stable")
    # behind the last edge stands one that no key is equal to
    edges, values = np.append(edges[order], count * width), np.pad(matrix.data[order], (0, 1))
    keys = np.where((columns >= 0) & (columns < width), rows * width + columns, -1)
    nearest = np.searchsorted(edges, keys)
    ids = np.where(edges[nearest] == keys, values[nearest], -1).astype(matrix.data.dtype)
    return NDArray(ids, data.context)


def _csr(name: str, data: NDArray) -> CSR:
    if not isinstance(data, CSRNDArray):
        raise MXNetError(f"{name}: a CSR matrix is required, got {type(data).__name__}. Use tostype('csr').")
    stored: CSR = data.stored
    return stored


if not TYPE_CHECKING:
    __getattr__, __dir__ = group("contrib", _OWN)
