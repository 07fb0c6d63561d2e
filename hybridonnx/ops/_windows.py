"""Windows that slide over the spatial axes of an array: their sizes, their views, and sums back from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError, ShapeError
from ._operator import Array
from ._shapes import Dim, Shape, below, show

Ints = tuple[int, ...]
_MOST_PADDED = 1 << 28
_MOST_TIMES = 64
"""An array is padded to so many elements at most, or to so many times its own."""


# ---- attributes


def per_axis(owner: str, name: str, values: Ints, kernel: Ints, default: int) -> Ints:
    """One value for each axis of the kernel; none given means `default` for all."""
    if not values:
        return (default,) * len(kernel)
    if len(values) != len(kernel):
        raise AttributeValueError(
            f"{owner}: {name} must have one number for each of the {len(kernel)} axes of kernel {kernel}, "
            f"got {values}."
        )
    return values


def dilated_window(
    owner: str, kernel: Ints, stride: Ints, dilate: Ints, pad: Ints
) -> tuple[Ints, Ints, Ints]:
    """Stride, dilation and padding of each axis; 1, 1 and 0 where they are left empty."""
    return (
        per_axis(owner, "stride", stride, kernel, 1),
        per_axis(owner, "dilate", dilate, kernel, 1),
        per_axis(owner, "pad", pad, kernel, 0),
    )


def require_positive(owner: str, **attributes: Ints | int) -> None:
    """Raise `AttributeValueError` unless all the numbers are at least 1."""
    for name, value in attributes.items():
        if any(v < 1 for v in (value if isinstance(value, tuple) else (value,))):
            raise AttributeValueError(f"{owner}: {name} must be positive, got {value}.")


def require_rank(owner: str, data: Shape, kernel: Ints, layout: str) -> None:
    """Raise `ShapeError` unless `data` has a batch axis, a channel axis and those of the kernel."""
    if len(data) != len(kernel) + 2:
        raise ShapeError(
            f"{owner}: data with {len(kernel) + 2} axes ({layout}) is required for kernel {kernel}, "
            f"got {show(data)}."
        )


def require_floats(owner: str, *dtypes: DType | None) -> None:
    """Raise `DTypeError` for an element type that is not a floating-point number."""
    for dtype in dtypes:
        if dtype is not None and dtype.kind != "f":
            raise DTypeError(f"{owner}: a floating dtype is required, got {dtype}. Cast with astype.")


# ---- layouts


def channels_last(layout: str | None) -> bool:
    """Whether the channel axis is the last one."""
    return layout is not None and layout.endswith("C")


def to_first(array: Any, layout: str | None) -> Any:
    """An array of `layout` seen with its channels in axis 1."""
    return np.moveaxis(array, -1, 1) if channels_last(layout) else array


def from_first(array: Any, layout: str | None) -> Any:
    """An array with channels in axis 1 seen in `layout`."""
    return np.moveaxis(array, 1, -1) if channels_last(layout) else array


def shape_to_first(shape: Sequence[Any], layout: str | None) -> tuple[Any, ...]:
    """A shape of `layout` with the channels moved to axis 1."""
    return (shape[0], shape[-1], *shape[1:-1]) if channels_last(layout) else tuple(shape)


def shape_from_first(shape: Sequence[Any], layout: str | None) -> tuple[Any, ...]:
    """A shape with the channels in axis 1 as `layout` has it."""
    return (shape[0], *shape[2:], shape[1]) if channels_last(layout) else tuple(shape)


# ---- sizes


def extent(kernel: int, dilate: int = 1) -> int:
    """How many elements a dilated window spans."""
    return dilate * (kernel - 1) + 1


def positions(owner: str, size: Dim, span: int, stride: int, pad: int, ceil: bool = False) -> Dim:
    """How many windows of `span` fit into `size` with `pad` on both sides; `ceil` keeps a partial one."""
    if size is None:
        return None
    room = size + 2 * pad - span
    if below(room, 0):
        raise ShapeError(
            f"{owner}: a window of at most {size + 2 * pad} is possible on an axis of {size} "
            f"with pad {pad}, got {span}. Use a smaller kernel or more padding."
        )
    return (room + (stride - 1 if ceil else 0)) // stride + 1


# ---- views


def padded(x: Array, before: Sequence[int], sizes: Sequence[int], value: float = 0.0) -> Array:
    """`x` set into spatial axes of `sizes` with `before` elements in front; what is outside is cut off."""
    spatial = x.shape[2:]
    if not any(before) and tuple(sizes) == spatial:
        return x
    count = prod(x.shape[:2] + tuple(sizes))
    if count > max(_MOST_PADDED, _MOST_TIMES * x.size):
        shape = show(x.shape[:2] + tuple(sizes))
        raise ShapeError(
            f"padding: at most {_MOST_PADDED:,} elements are computed, got {shape} for {show(x.shape)}. Use "
            "a smaller window."
        )
    result = np.full(x.shape[:2] + tuple(sizes), value, x.dtype)
    lengths = [min(n, size - b) for n, b, size in zip(spatial, before, sizes, strict=True)]
    target: Any = (..., *(slice(b, b + n) for b, n in zip(before, lengths, strict=True)))
    source: Any = (..., *(slice(0, n) for n in lengths))
    result[target] = x[source]
    return result


def view(x: Array, kernel: Ints, stride: Ints, dilate: Ints, out: Sequence[int]) -> Array:
    """The windows of padded `x` (A, B, *spatial), without a copy, as (A, B, *kernel, *out)."""
    count = len(kernel)
    steps = x.strides[-count:]
    strides = (
        *x.strides[:-count],
        *(s * d for s, d in zip(steps, dilate, strict=True)),
        *(s * d for s, d in zip(steps, stride, strict=True)),
    )
    shape = (*x.shape[:-count], *kernel, *out)
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


def offsets(kernel: Ints, stride: Ints, dilate: Ints, out: Sequence[int]) -> Iterator[tuple[Any, Any]]:
    """For each position in a window, in order, two indices: of it in `view`, and of it in padded data."""
    for index in product(*map(range, kernel)):
        starts = [i * d for i, d in zip(index, dilate, strict=True)]
        cut = (slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(starts, out, stride, strict=True))
        yield (slice(None), slice(None), *index), (..., *cut)


def scatter(cols: Array, sizes: Sequence[int], kernel: Ints, stride: Ints, dilate: Ints) -> Array:
    """`view` backwards: the sum of windows (A, B, *kernel, *out) at their positions in axes of `sizes`."""
    out = cols.shape[2 + len(kernel) :]
    result = np.zeros(cols.shape[:2] + tuple(sizes), cols.dtype)
    if 0 in out:
        return result
    for index, cut in offsets(kernel, stride, dilate, out):
        result[cut] += cols[index]
    return result


def total_extent(out: Sequence[int], kernel: Ints, stride: Ints, dilate: Ints) -> Ints:
    """The sizes that `out` windows reach over."""
    return tuple(
        (n - 1) * s + extent(k, d) if n else 0 for n, k, s, d in zip(out, kernel, stride, dilate, strict=True)
    )
