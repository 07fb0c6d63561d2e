"""Functions of `nd` that are no operators themselves: joining, splitting, moving axes, counting."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import MXNetError, ShapeError
from .ndarray import NDArray

__all__ = ["concatenate", "histogram", "moveaxis", "onehot_encode", "split_v2"]


def concatenate(arrays: list[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """The arrays one after the other along `axis`."""
    if not arrays:
        raise MXNetError("concatenate: at least one array is required, got none.")
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    joined: NDArray = NDArray.F.Concat(*arrays, dim=axis)
    return joined


def split_v2(
    ary: NDArray,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    squeeze_axis: bool = False,
    **kwargs: object,
) -> Any:
    """Parts along an axis: so many equal ones, or ones that begin at the given indices."""
    return ary.split_v2(indices_or_sections, axis, squeeze_axis, **kwargs)


def moveaxis(tensor: NDArray, source: int | Iterable[int], destination: int | Iterable[int]) -> NDArray:
    """The array with the axes `source` moved to the positions `destination`, the others in their order."""
    sources, targets = _axes(tensor, source, "source"), _axes(tensor, destination, "destination")
    if len(sources) != len(targets):
        raise ValueError(
            f"moveaxis: as many destinations as sources are required, got {sources} and {targets}."
        )
    axes = range(tensor.ndim)
    rest = iter([a for a in axes if a not in sources])
    placed = dict(zip(targets, sources, strict=True))
    result: NDArray = NDArray.F.transpose(
        tensor, axes=[placed[i] if i in placed else next(rest) for i in axes]
    )
    return result


def _axes(tensor: NDArray, value: int | Iterable[int], name: str) -> list[int]:
    listed = [value] if isinstance(value, int) else list(value)
    if any(not -tensor.ndim <= a < tensor.ndim for a in listed) or len(set(listed)) < len(listed):
        raise ValueError(
            f"moveaxis: different axes of shape {tensor.shape} are required as {name}, got {value}."
        )
    return [a % tensor.ndim for a in listed]


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Rows of `out`, (N, depth), with a one at the column that `indices`, (N,), names and zeros elsewhere."""
    if out.ndim != 2 or indices.shape != out.shape[:1]:
        raise ShapeError(
            f"onehot_encode: indices (N,) and out (N, depth) are required, got {indices.shape} and "
            f"{out.shape}."
        )
    out[:] = NDArray.F.one_hot(indices, depth=out.shape[1])
    return out


def histogram(a: NDArray, bins: int | NDArray = 10, range: tuple[float, float] | None = None) -> Any:
    """How many values lie in each bin, and the bins' edges; `bins` is a number, or an array of the edges."""
    if isinstance(bins, NDArray):
        return NDArray.F._histogram(a, bins)
    if not isinstance(bins, int | np.integer):
        raise ValueError(f"histogram: bins must be a number or an NDArray, got {type(bins).__name__}.")
    if range is not None:
        return NDArray.F._histogram(a, bin_cnt=int(bins), range=range)
    warnings.warn(
        "histogram: without a range the counts are float32, and a network that uses it cannot be hybridized.",
        stacklevel=2,
    )
    counts, edges = np.histogram(a.asnumpy(), int(bins))
    return NDArray(counts.astype(np.float32), a.context), NDArray(edges.astype(np.float32), a.context)
