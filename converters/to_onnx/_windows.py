"""What the lowerings of windows share: layouts, spatial sizes, element types, padding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridonnx.ops import NumericShape
from hybridonnx.ops.conv import channels_last

from ._graph import Graph, Value
from ._symbolic_dims import output_sizes, reshape

_float32, _float64 = np.dtype("float32"), np.dtype("float64")


def to_first(g: Graph, x: Value, layout: str | None) -> Value:
    """`x` with its channels in axis 1."""
    if not channels_last(layout):
        return x
    return g.Transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)])


def from_first(g: Graph, x: Value, layout: str | None, rank: int) -> Value:
    """`x`, which has its channels in axis 1, in `layout`."""
    return g.Transpose(x, [0, *range(2, rank), 1]) if channels_last(layout) else x


def single(g: Graph, function: Callable[..., Any], *inputs: Any) -> Any:
    """`function(*inputs)`; float64 through float32, as ONNX Runtime has no kernels of windows for it."""
    if inputs[0].dtype == _float64:
        return g.via(_float32, function, *inputs)
    return function(*inputs)


def spatial(g: Graph, x: Value) -> tuple[int, ...]:
    """The sizes of `x` (N, C, *spatial) after the channels; the batch may be unknown."""
    shape = x.shape
    if shape is None or None in shape[2:]:
        return g.sizes(x)[2:]
    return tuple(d for d in shape[2:] if d is not None)


def known_spatial(x: Value) -> bool:
    """Whether all sizes after the channels are known."""
    return x.shape is not None and None not in x.shape[2:]


def reshaped(g: Graph, x: Value, shape: NumericShape | None, like: Value | None = None) -> Value:
    """`x` in a shape in which sizes may be unknown: one at most, unless `like` has that shape."""
    if shape is None or sum(d is None for d in shape) > 1:
        if like is not None:
            return g.Reshape(x, g.shape_of(like), allowzero=1)
        return reshape(g, x, output_sizes(g))
    sizes = [-1 if d is None else d for d in shape]
    return g.Full(sizes, 0, x.dtype) if 0 in sizes and -1 not in sizes else g.Reshape(x, sizes)


def enclosed(g: Graph, x: Value, before: Sequence[int], after: Sequence[int], value: float = 0.0) -> Value:
    """`x` (N, C, *spatial) with padding around the spatial axes; nothing is cut off."""
    ends = [max(a, 0) for a in after]
    if not any(before) and not any(ends):
        return x
    return g.Pad(x, [0, 0, *before, 0, 0, *ends], value)
