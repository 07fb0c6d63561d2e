"""Batches over several devices, gradients kept small, and checksums."""

from __future__ import annotations

import hashlib
import math
import warnings
from itertools import pairwise
from typing import Any

import numpy as np

from ..context import Context
from ..ndarray import creation
from ..ndarray.ndarray import NDArray
from ..ndarray.np_array import shown
from ._parameter import shape_is_known

__all__ = ["check_sha1", "clip_global_norm", "shape_is_known", "split_and_load", "split_data"]


def split_data(data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[NDArray]:
    """`data` in `num_slice` parts along `batch_axis`, of one size unless `even_split` is false."""
    size = data.shape[batch_axis]
    if even_split and size % num_slice:
        raise ValueError(
            f"data with shape {data.shape} cannot be evenly split into {num_slice} slices along axis "
            f"{batch_axis}. Use a batch size that's multiple of {num_slice} or set even_split=False to allow "
            "uneven partitioning of data."
        )
    each, more = divmod(size, num_slice)  # the first `more` parts have one element more
    ends = [i * each + min(i, more) for i in range(num_slice + 1)]
    before = (slice(None),) * (batch_axis % data.ndim)
    if not before:  # the rows of a csr matrix stay one
        return [data[a:b] for a, b in pairwise(ends)]
    return [data[(*before, slice(a, b))] for a, b in pairwise(ends)]


def split_and_load(
    data: Any, ctx_list: list[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """`data` in as many parts as there are contexts, each on its context."""
    if not isinstance(data, NDArray):
        data = shown(creation.array(data, ctx=ctx_list[0]))
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    parts = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(parts, ctx_list, strict=True)]


def clip_global_norm(arrays: list[NDArray], max_norm: float, check_isfinite: bool = True) -> Any:
    """Scale the arrays, in place, so that the norm of all of them together is at most `max_norm`.

    Returns the norm before: a number, or an array of one element if `check_isfinite` is false.
    """
    if not arrays:
        raise AssertionError("clip_global_norm: at least one array is required, got none.")
    wide = [a._data.astype(np.promote_types(a.dtype, np.float32), copy=False).reshape(-1) for a in arrays]
    total = math.sqrt(math.fsum(float(np.dot(w, w)) for w in wide))
    if check_isfinite and not math.isfinite(total):
        warnings.warn("nan or inf is detected. Clipping results will be undefined.", stacklevel=2)
    scale = max_norm / (total + 1e-8)
    if not scale >= 1.0:
        array: Any
        for array in arrays:
            array *= scale
    return total if check_isfinite else creation.array([total])


def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Whether the file has this SHA-1 checksum, in lower-case hexadecimal digits."""
    with open(filename, "rb") as file:
        return hashlib.file_digest(file, "sha1").hexdigest() == sha1_hash
