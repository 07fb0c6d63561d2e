"""Imports of images read at the points of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ._registry import Operand, imports
from ._sized import numbers
from ._vectors import Size


@imports("GridSample", versions=(16, 20, 22))
def grid_sample(
    F: Any,
    x: Any,
    grid: Any,
    *,
    align_corners: int = 0,
    mode: str = "linear",
    padding_mode: str = "zeros",
) -> Any:
    """MXNet's points are those of align_corners, and its images have two axes."""
    if mode not in ("linear", "bilinear") or padding_mode == "reflection" or F.rank(x) != 4:
        raise ConversionError(
            "GridSample: images (N, C, H, W) with mode 'linear' and padding_mode 'zeros' or 'border' are "
            f"required, got {F.rank(x)} axes with {mode!r} and {padding_mode!r}."
        )
    points = F.transpose(grid, axes=(0, 3, 1, 2))
    if not align_corners:
        points = _from_corner_to_corner(F, x, points)
    if padding_mode == "border":
        points = F.clip(points, a_min=-1.0, a_max=1.0)
    return F.BilinearSampler(x, points)


def _from_corner_to_corner(F: Any, x: Any, points: Any) -> Any:
    """The points on the scale whose ends are the middles of pixels."""
    height, width = (F.shape(x) or (None,) * 4)[2:]
    if height is None or width is None or min(height, width) < 2:
        raise ConversionError(
            "GridSample: images of known sizes of at least 2 are required without align_corners, "
            f"got ({height}, {width})."
        )
    factors = np.array([width / (width - 1), height / (height - 1)]).reshape(1, 2, 1, 1)
    return F.broadcast_mul(points, F.const(factors.astype(F.dtype(points) or np.float32)))


@imports("AffineGrid", versions=(20,))
def affine_grid(F: Any, theta: Any, size: Operand, *, align_corners: int = 0) -> Any:
    """The matrices' columns times the coordinates of the points, and their last one.

    ONNX's definition loses an axis of matrices for one image, and knows no rank for any number of them.
    """
    spatial = size[2:]
    columns = F.transpose(theta, axes=(0, 2, 1))
    parts = [
        F.Reshape(F.slice_axis(columns, axis=1, begin=i, end=i + 1), shape=(0, *(1,) * len(spatial), -1))
        for i in range(len(spatial) + 1)
    ]
    grid = parts[-1]
    for i, part in enumerate(parts[:-1]):
        axis = len(spatial) - 1 - i
        shape = tuple(-1 if other == axis else 1 for other in range(len(spatial)))
        places = F.Reshape(_places(F, spatial[axis], F.dtype(theta), align_corners), shape=(1, *shape, 1))
        grid = F.broadcast_add(F.broadcast_mul(places, part), grid)
    return grid


def _places(F: Any, size: Size, dtype: Any, align_corners: int) -> Any:
    """Where `size` pixels lie between -1 and 1: their middles, or with `align_corners` from end to end."""
    dtype = np.dtype(dtype or np.float32)
    if isinstance(size, int):
        steps = F._arange(start=0, stop=size, dtype=dtype.name)
        return steps * (2 / max(size - 1, 1)) - 1 if align_corners else steps * (2 / size) + (1 / size - 1)
    steps = numbers(F, size, dtype)
    last = F.max(steps, axis=0, keepdims=True)
    if align_corners:
        return F.broadcast_div(steps * 2.0, F.broadcast_maximum(last, F.ones_like(last))) - 1.0
    return F.broadcast_div(steps * 2.0 + 1.0, last + 1.0) - 1.0
