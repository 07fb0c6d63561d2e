"""Indices as MXNet means them, and sums at indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybridonnx.errors import ConversionError

from ._graph import Graph, Value
from ._symbolic_dims import Size, computed, count, sizes_of, vector, zeros

ADDS = 16
"""From this opset on ONNX adds when it scatters."""


def integers(g: Graph, indices: Value) -> Value:
    """Indices as integers, cut off towards zero."""
    return g.Cast(indices, np.int64)


def normal(g: Graph, indices: Value, size: Size, mode: str, from_end: bool = False) -> Value:
    """Indices in [0, size) by MXNet's mode for those outside.

    With `from_end` the size was added to negative ones before.
    """
    index = integers(g, indices)
    if mode == "wrap":
        divisor = g.const([size]) if isinstance(size, int) else computed(g, size)
        return g.Mod(index, divisor if index.rank else g.Squeeze(divisor, [0]))
    if mode == "clip":
        top = size - 1 if isinstance(size, int) else g.Squeeze(computed(g, size), [0]) - 1
        return g.Clip(index, 0, top)
    # ONNX counts negative ones from the end; one past it is refused when the model runs
    beyond = np.array(size) if isinstance(size, int) else g.Squeeze(computed(g, size), [0])
    if from_end:  # as they were, for what ONNX Runtime tells
        beyond = index - beyond
    return g.Where(g.Less(index, np.int64(0)), beyond, index)


def add_rows(g: Graph, rows: Value, indices: Value, sizes: Sequence[Size]) -> Value:
    """The sums of those of `rows` (M, *rest) that have one of the `indices` (M,), in zeros of `sizes`.

    Not by ScatterND: ONNX Runtime adds in parallel there and loses sums of equal indices.
    """
    if rows.dtype == np.float16:
        return g.Cast(add_rows(g, g.Cast(rows, np.float32), indices, sizes), rows.dtype)
    if g.opset < ADDS:
        return _add_by_product(g, rows, indices, sizes)
    spread = g.Unsqueeze(indices, list(range(1, rows.rank)))
    spread = g.Expand(spread, vector(g, sizes_of(rows)))
    sums: Value = g.ScatterElements(zeros(g, sizes, rows), spread, rows, axis=0, reduction="add")
    return sums


def _add_by_product(g: Graph, rows: Value, indices: Value, sizes: Sequence[Size]) -> Value:
    """A matrix of ones and zeros times the rows."""
    numbers = g.Unsqueeze(count(g, sizes[0]), [1])
    ones = g.Cast(g.Equal(numbers, g.Unsqueeze(indices, [0])), rows.dtype)
    sums = g.MatMul(ones, g.Flatten(rows, axis=1))
    return g.Reshape(sums, vector(g, sizes))


def put_along(
    g: Graph, data: Sequence[Size], indices: Value, updates: Value, axis: int, distinct: bool
) -> Value:
    """`updates` at their `indices` along an axis of zeros of the sizes `data`, summed unless `distinct`."""
    start = zeros(g, data, updates)
    if distinct:
        return g.ScatterElements(start, indices, updates, axis=axis)
    if updates.dtype == np.float16:
        wide = put_along(g, data, indices, g.Cast(updates, np.float32), axis, distinct)
        return g.Cast(wide, updates.dtype)
    if g.opset >= ADDS:
        return g.ScatterElements(start, indices, updates, axis=axis, reduction="add")
    return _put_by_choice(g, data, indices, updates, axis)


def _put_by_choice(g: Graph, data: Sequence[Size], indices: Value, updates: Value, axis: int) -> Value:
    """Sums over a further axis, on which all updates of a row stand beside each index."""
    others = [(a, b) for i, (a, b) in enumerate(zip(data, sizes_of(updates), strict=True)) if i != axis]
    if any(
        isinstance(a, int) is not isinstance(b, int) or (isinstance(a, int) and a != b) for a, b in others
    ):
        raise ConversionError(
            f"{g.operator[0]}: opset {ADDS} is required for indices into a part of data, got {g.opset}. "
            "Export with a newer opset."
        )
    size = data[axis]
    wrapped = g.Mod(indices, [size] if isinstance(size, int) else computed(g, size))
    numbers = g.Unsqueeze(count(g, size), list(range(1, len(data) + 1 - axis)))
    chosen = g.Equal(g.Unsqueeze(wrapped, [axis]), numbers)
    values = g.Where(chosen, g.Unsqueeze(updates, [axis]), np.zeros((), updates.dtype))
    return g.ReduceSum(values, [axis + 1], keepdims=0)
