"""Imports of Resize and Upsample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.ops import same

from ._registry import Const, Operand, imports
from ._result_sizes import scaled

_REPEATS = {
    ("asymmetric", "floor"),
    ("half_pixel", "round_prefer_floor"),
    ("half_pixel", "round_prefer_ceil"),
    ("pytorch_half_pixel", "round_prefer_floor"),
    ("pytorch_half_pixel", "round_prefer_ceil"),
    ("tf_half_pixel_for_nn", "floor"),
}
"""With these modes the nearest pixel of an integer scale is a repetition."""
_CORNERS = {"align_corners": True, "half_pixel": False, "pytorch_half_pixel": False}


@imports("Upsample", versions=(1,))
def upsample1(F: Any, x: Any, *, height_scale: float, width_scale: float, mode: str = "nearest") -> Any:
    return upsample7(F, x, scales=(1.0, 1.0, height_scale, width_scale), mode=mode)


@imports("Upsample", versions=(7,))
def upsample7(F: Any, x: Any, *, scales: Sequence[float], mode: str = "nearest") -> Any:
    return _resize(F, x, mode, "asymmetric", "floor", scales, None)


@imports("Upsample", versions=(9, 10))
@imports("Resize", versions=(10,))
def upsample(F: Any, x: Any, scales: Const, *, mode: str = "nearest") -> Any:
    return _resize(F, x, mode, "asymmetric", "floor", scales.tolist(), None)


@imports("Resize", versions=(11, 13, 18, 19))
def resize(
    F: Any,
    x: Any,
    roi: Any = None,
    scales: Any = None,
    sizes: Operand | None = None,
    *,
    antialias: int = 0,
    axes: tuple[int, ...] = (),
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Any:
    if antialias or keep_aspect_ratio_policy != "stretch":
        raise ConversionError(
            "Resize: MXNet has no antialias, and no keep_aspect_ratio_policy but 'stretch', "
            f"got {antialias} and {keep_aspect_ratio_policy!r}."
        )
    rank = F.rank(x)
    factors = _by_axis(_factors(F, scales), axes, [1.0] * rank) or None
    target = _by_axis(sizes, axes, list(F.dims(x))) if sizes else None
    return _resize(F, x, mode, coordinate_transformation_mode, nearest_mode, factors, target)


def _factors(F: Any, scales: Any) -> Sequence[float]:
    """The scales as numbers; none if they are absent."""
    vector = None if scales is None else F.operand(scales)
    if scales is not None and (vector is None or not vector.is_number):
        raise ConversionError("Resize: scales that are numbers for every size of the inputs are required.")
    return () if vector is None else vector.items


def _by_axis(values: Sequence[Any], axes: Sequence[int], default: list[Any]) -> list[Any]:
    """One value for each axis, `default` for those that `axes` does not name."""
    if not axes or not values:
        return list(values)
    complete = list(default)
    for axis, value in zip(axes, values, strict=True):
        complete[axis] = value
    return complete


def _resize(
    F: Any, x: Any, mode: str, coordinates: str, nearest: str, scales: Sequence[float] | None, target: Any
) -> Any:
    dims = F.dims(x)
    shape = list(F.shape(x) or (None,) * F.rank(x))
    if target is None:
        target = [scaled(d, s) for d, s in zip(shape, scales or (), strict=True)]
    if scales is None:
        scales = [_scale(w, d) for w, d in zip(target, dims, strict=True)]
        target = [w if isinstance(w, int) else None for w in target]
    if 0.0 in scales:
        raise ConversionError(
            "Resize: known scales, or sizes that are multiples of the data's, are required."
        )
    if all(s == 1 for s in scales):
        return F.identity(x)
    if mode == "nearest":
        return _nearest(F, x, coordinates, nearest, scales)
    if mode == "linear":
        return _linear(F, x, coordinates, scales, target, shape)
    raise ConversionError(f"Resize: MXNet has the modes 'nearest' and 'linear', got {mode!r}.")


def _scale(target: Any, size: Any) -> float:
    """By how much an axis is scaled, 0 if that is not known."""
    if size is None or same(size, 0):
        return 0.0
    if same(target, size):
        return 1.0
    if isinstance(target, int) and isinstance(size, int):
        return target / size
    scale = target // size
    return float(scale) if isinstance(scale, int) and same(scale * size, target) else 0.0


def _nearest(F: Any, x: Any, coordinates: str, nearest: str, scales: Sequence[float]) -> Any:
    if (coordinates, nearest) not in _REPEATS or any(s < 1 or s != int(s) for s in scales):
        raise ConversionError(
            "Resize: for mode 'nearest' MXNet has integer scales from 1 on without align_corners, "
            f"got scales {list(scales)} with {coordinates!r} and {nearest!r}."
        )
    if len(scales) == 4 and scales[:2] == [1, 1] and scales[2] == scales[3]:
        return F.UpSampling(x, scale=int(scales[2]), sample_type="nearest")
    for axis, scale in enumerate(scales):
        if scale != 1:
            x = F.repeat(x, repeats=int(scale), axis=axis)
    return x


def _linear(
    F: Any, x: Any, coordinates: str, scales: Sequence[float], target: Sequence[Any], shape: Sequence[Any]
) -> Any:
    if len(scales) != 4 or scales[0] != 1 or scales[1] != 1 or coordinates not in _CORNERS:
        raise ConversionError(
            "Resize: for mode 'linear' MXNet has images (N, C, H, W) with align_corners, half_pixel or "
            f"pytorch_half_pixel, got scales {list(scales)} with {coordinates!r}."
        )
    corners = _CORNERS[coordinates]
    if None in target[2:]:
        if any(s != int(s) for s in scales):
            raise ConversionError(
                "Resize: images of known size are required for scales that are no integers."
            )
        return F._contrib_BilinearResize2D(
            x, scale_height=scales[2], scale_width=scales[3], mode="size", align_corners=corners
        )
    exact = all(d is None or abs(d * s - w) < 1e-4 for d, s, w in zip(shape, scales, target, strict=True))
    if not corners and (not exact or (coordinates == "half_pixel" and 1 in target[2:])):
        raise ConversionError(
            "Resize: scales that give integer sizes above 1 are required for half_pixel, "
            f"got {list(scales)} for {list(shape)}."
        )
    if corners and not exact:
        raise ConversionError(
            "Resize: scales that give integer sizes are required for align_corners, as ONNX places the "
            f"corners by the exact size, got {list(scales)} for {list(shape)}."
        )
    return F._contrib_BilinearResize2D(x, height=target[2], width=target[3], align_corners=corners)
