"""Grids of coordinates."""

from __future__ import annotations

from typing import Any

from ..ndarray.np_array import ndarray
from .stride_tricks import broadcast_arrays

__all__ = ["meshgrid"]


def meshgrid(*xi: ndarray, **kwargs: Any) -> list[ndarray]:
    """The coordinates of a grid's points, an array for each vector of positions."""
    indexing = kwargs.get("indexing", "xy")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing 'xy' or 'ij' is required, got {indexing!r}.")
    count = len(xi)
    places = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    columns = [
        x.reshape(tuple(-1 if axis == place else 1 for axis in range(count)))
        for x, place in zip(xi, places, strict=True)
    ]
    if kwargs.get("sparse"):
        return columns
    return broadcast_arrays(*columns)
