"""Imports of padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops import SymbolicDim, same

from ._registry import Const, Operand, imports
from ._sized import full
from .reshape import ints

Widths: TypeAlias = Sequence[tuple[int, int]]


@imports("Pad", versions=(1,))
def pad_by_paddings(
    F: Any, data: Any, *, paddings: tuple[int, ...], value: float = 0.0, mode: str = "constant"
) -> Any:
    """The version with another name for the widths."""
    return pad(F, data, paddings, value, mode=mode)


@imports("Pad", versions=(2,))
def pad_by_attribute(
    F: Any, data: Any, *, pads: tuple[int, ...], value: float = 0.0, mode: str = "constant"
) -> Any:
    """The widths and the value are attributes."""
    return pad(F, data, pads, value, mode=mode)


@imports("Pad", versions=(11, 13, 18, 19, 21, 23, 24, 25))
def pad(
    F: Any,
    data: Any,
    pads: Operand,
    constant_value: Const = None,
    axes: Const = None,
    *,
    mode: str = "constant",
) -> Any:
    """MXNet pads floating-point data of 4 or 5 axes, the first two of which it leaves alone."""
    if mode not in ("constant", "edge", "reflect"):
        raise ConversionError(f"Pad: mode constant, edge or reflect is required, got {mode}.")
    widths = _widths(F.rank(data), pads, None if axes is None else ints(axes))
    for axis, width in enumerate(widths):
        if any(isinstance(w, SymbolicDim) for w in width):
            data = _joined(F, data, axis, width, mode, constant_value)
    widths = [(0, 0) if any(isinstance(w, SymbolicDim) for w in width) else width for width in widths]
    data = _cropped(F, data, widths)
    widths = [(max(a, 0), max(b, 0)) for a, b in widths]
    if not any(map(any, widths)):
        return data
    value = (
        0.0 if constant_value is None or not np.size(constant_value) else float(np.ravel(constant_value)[0])
    )
    options = {"mode": mode, "constant_value": value}
    dtype = F.dtype(data)
    if dtype is None or dtype.kind == "f":
        return _padded(F, data, widths, options)
    if dtype.itemsize > 4:
        raise ConversionError(f"Pad: a dtype that float64 can hold is required, got {dtype}.")
    return F.Cast(_padded(F, F.Cast(data, dtype="float64"), widths, options), dtype=dtype.name)


def _joined(F: Any, data: Any, axis: int, width: Any, mode: str, value: Any) -> Any:
    """The data between arrays of free sizes."""
    dims, dtype = F.dims(data), F.dtype(data)
    if (
        mode != "constant"
        or dims is None
        or None in dims
        or dtype is None
        or any(_least(w) < 0 for w in width)
    ):
        raise ConversionError(
            "Pad: widths of at least 0, and mode constant, are required of free sizes, "
            f"got {width} and {mode}."
        )
    fill = 0 if value is None or not np.size(value) else np.ravel(value)[0]
    before, after = (
        [] if same(w, 0) else [full(F, (*dims[:axis], w, *dims[axis + 1 :]), fill, dtype)] for w in width
    )
    return F.Concat(*before, data, *after, dim=axis)


def _least(size: Any) -> float:
    return size.least if isinstance(size, SymbolicDim) else size


def _widths(rank: int, pads: Sequence[Any], axes: tuple[int, ...] | None) -> Widths:
    chosen = range(rank) if axes is None else [axis % rank for axis in axes]
    half = len(pads) // 2
    by_axis = dict(zip(chosen, zip(pads[:half], pads[half:], strict=True), strict=True))
    return [by_axis.get(axis, (0, 0)) for axis in range(rank)]


def _cropped(F: Any, data: Any, widths: Widths) -> Any:
    """Negative widths cut off."""
    if all(a >= 0 and b >= 0 for a, b in widths):
        return data
    begin = tuple(-a if a < 0 else None for a, _ in widths)
    return F.slice(data, begin=begin, end=tuple(b if b < 0 else None for _, b in widths))


def _padded(F: Any, data: Any, widths: Widths, options: dict[str, Any]) -> Any:
    rank = len(widths)
    first = next(axis for axis, width in enumerate(widths) if any(width))
    extra = max(2 - first, 4 - rank, 0)
    if rank + extra > 5:
        for axis, width in enumerate(widths):
            if any(width):
                data = _padded_alone(F, data, axis, rank, width, options)
        return data
    for _ in range(extra):
        data = F.expand_dims(data, axis=0)
    flat = tuple(w for width in [(0, 0)] * extra + list(widths) for w in width)
    data = F.Pad(data, pad_width=flat, **options)
    return F.squeeze(data, axis=tuple(range(extra))) if extra else data


def _padded_alone(
    F: Any, data: Any, axis: int, rank: int, width: tuple[int, int], options: dict[str, Any]
) -> Any:
    """One axis padded, as the last of four."""
    moved = F.SwapAxis(data, dim1=axis, dim2=rank - 1)
    four = F.Reshape(moved, shape=(-1, 1, 1, 0), reverse=True)
    four = F.Pad(four, pad_width=(0,) * 6 + width, **options)
    back = F.reshape_like(four, moved, lhs_begin=0, lhs_end=3, rhs_begin=0, rhs_end=rank - 1)
    return F.SwapAxis(back, dim1=axis, dim2=rank - 1)
