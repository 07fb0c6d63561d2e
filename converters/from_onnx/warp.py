"""Imports of images read at the points of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ._registry import imports


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
