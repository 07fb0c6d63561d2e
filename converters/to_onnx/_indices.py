"""Indices as MXNet means them, and sums at places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybridonnx.errors import ConversionError

from ._graph import Graph, Value
from ._symbolic_dims import Size, computed, count, sizes_of, vector, zeros

ADDS = 16
"""From this opset on ONNX adds when it scatters."""


def whole(g: Graph, indices: Value) -> Value:
    """Indices cut off towards zero."""
    return g.Cast(indices, np.int64)


def normal(g: Graph, indices: Value, size: Size, mode: str) -> Value:
    """Indices in [0, size) by MXNet's mode for those outside."""
    found = whole(g, indices)
    if mode == "wrap":
        return g.Mod(found, [size] if isinstance(size, int) else computed(g, size))
    if mode == "clip":
        top = size - 1 if isinstance(size, int) else g.Squeeze(computed(g, size), [0]) - 1
        return g.Clip(found, 0, top)
    # ONNX counts negative ones from the end; one past it is refused when the model runs
    beyond = np.array(size) if isinstance(size, int) else g.Squeeze(computed(g, size), [0])
    return g.Where(g.Less(found, np.int64(0)), beyond, found)


def add_rows(g: Graph, rows: Value, places: Value, sizes: Sequence[Size]) -> Value:
    """The sums of those of `rows` (M, *rest) that have one of the `places` (M,), in zeros of `sizes`.

    Not by ScatterND: ONNX Runtime adds in parallel there and loses sums of equal places.
    """
    if rows.dtype == np.float16:
        return g.Cast(add_rows(g, g.Cast(rows, np.float32), places, sizes), rows.dtype)
    if g.opset < ADDS:
        return _add_by_product(g, rows, places, sizes)
    spread = g.Unsqueeze(places, list(range(1, rows.rank)))
    spread = g.Expand(spread, vector(g, sizes_of(rows)))
    made: Value = g.ScatterElements(zeros(g, sizes, rows), spread, rows, axis=0, reduction="add")
    return made


def _add_by_product(g: Graph, rows: Value, places: Value, sizes: Sequence[Size]) -> Value:
    """A matrix of ones and zeros times the rows."""
    numbers = g.Unsqueeze(count(g, sizes[0]), [1])
    ones = g.Cast(g.Equal(numbers, g.Unsqueeze(places, [0])), rows.dtype)
    made = g.MatMul(ones, g.Flatten(rows, axis=1))
    return g.Reshape(made, vector(g, sizes))


def put_along(
    g: Graph, data: Sequence[Size], places: Value, updates: Value, axis: int, distinct: bool
) -> Value:
    """`updates` at their `places` along an axis of zeros of the sizes `data`, summed unless `distinct`."""
    start = zeros(g, data, updates)
    if distinct:
        return g.ScatterElements(start, places, updates, axis=axis)
    if updates.dtype == np.float16:
        wide = put_along(g, data, places, g.Cast(updates, np.float32), axis, distinct)
        return g.Cast(wide, updates.dtype)
    if g.opset >= ADDS:
        return g.ScatterElements(start, places, updates, axis=axis, reduction="add")
    return _put_by_choice(g, data, places, updates, axis)


def _put_by_choice(g: Graph, data: Sequence[Size], places: Value, updates: Value, axis: int) -> Value:
    """Sums over a further axis, on which all updates of a row stand beside each place."""
    others = [(a, b) for i, (a, b) in enumerate(zip(data, sizes_of(updates), strict=True)) if i != axis]
    if any(
        isinstance(a, int) is not isinstance(b, int) or (isinstance(a, int) and a != b) for a, b in others
    ):
        raise ConversionError(
            f"{g.operator[0]}: opset {ADDS} is required for indices into a part of data, got {g.opset}. "
            "Export with a newer opset."
        )
    size = data[axis]
    wrapped = g.Mod(places, [size] if isinstance(size, int) else computed(g, size))
    numbers = g.Unsqueeze(count(g, size), list(range(1, len(data) + 1 - axis)))
    chosen = g.Equal(g.Unsqueeze(wrapped, [axis]), numbers)
    values = g.Where(chosen, g.Unsqueeze(updates, [axis]), np.zeros((), updates.dtype))
    return g.ReduceSum(values, [axis + 1], keepdims=0)
