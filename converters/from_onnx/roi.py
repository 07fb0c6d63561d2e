"""Imports of RoiAlign and MaxRoiPool."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError

from ._registry import imports


@imports("RoiAlign", versions=(16, 22))
def roi_align(
    F: Any,
    x: Any,
    rois: Any,
    batch_indices: Any,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Any:
    if mode != "avg":
        raise ConversionError(f"RoiAlign: MXNet has the mode avg alone, got {mode}.")
    numbers = F.expand_dims(F.Cast(batch_indices, dtype=str(F.dtype(rois))), axis=1)
    scaled = rois * spatial_scale if spatial_scale > 1 else rois  # MXNet's scale is at most 1
    return F.contrib.ROIAlign(
        x,
        F.Concat(numbers, scaled, dim=1),
        pooled_size=(output_height, output_width),
        spatial_scale=min(spatial_scale, 1.0),
        sample_ratio=sampling_ratio or -1,
        aligned=coordinate_transformation_mode == "half_pixel",
    )


@imports("RoiAlign", versions=(10,))
def roi_align10(
    F: Any,
    x: Any,
    rois: Any,
    batch_indices: Any,
    *,
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Any:
    return roi_align(
        F,
        x,
        rois,
        batch_indices,
        coordinate_transformation_mode="output_half_pixel",
        mode=mode,
        output_height=output_height,
        output_width=output_width,
        sampling_ratio=sampling_ratio,
        spatial_scale=spatial_scale,
    )


@imports("MaxRoiPool", versions=(1, 22))
def max_roi_pool(
    F: Any, x: Any, rois: Any, *, pooled_shape: tuple[int, ...], spatial_scale: float = 1.0
) -> Any:
    if spatial_scale > 1:
        raise ConversionError(
            f"MaxRoiPool: MXNet has a spatial_scale of at most 1, got {spatial_scale}. Scale the regions."
        )
    return F.ROIPooling(x, rois, pooled_size=pooled_shape, spatial_scale=spatial_scale)
