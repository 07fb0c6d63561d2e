"""Lowerings of operators on sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.cast import cast
from hybridonnx.ops.sequence import SequenceLast, SequenceLastGrad, SequenceMask, SequenceReverse

from ._graph import Graph, Value
from ._indices import integers
from ._registry import lowers
from ._symbolic_dims import AxisSize, count, sizes_of
from .reshape import backwards


def _steps(g: Graph, op: Any, data: Value) -> Value:
    """The number of each step, to compare with something for each sequence."""
    return g.Unsqueeze(count(g, sizes_of(data)[op.axis]), [1 - op.axis])


def _choose(g: Graph, op: Any, data: Value, chosen: Value, x: Any, y: Any) -> Value:
    """`x` where the steps of the sequences are chosen, else `y`."""
    mask = g.Unsqueeze(chosen, list(range(2, data.rank)))
    return g.Where(mask, x, y)


@lowers(SequenceMask)
def sequence_mask(g: Graph, op: SequenceMask, data: Value, length: Value | None = None) -> Value:
    """Steps before the length stay."""
    if length is None:
        return data
    inside = g.Less(_steps(g, op, data), g.Unsqueeze(integers(g, length), [op.axis]))
    return _choose(g, op, data, inside, data, cast(np.asarray(op.value), data.dtype))


def _last(g: Graph, op: Any, data: Value, length: Value | None) -> Value:
    """The index of the last step of each sequence, or of all."""
    size = sizes_of(data)[op.axis]
    top = size.value(g) - 1 if isinstance(size, AxisSize) else g.const([size - 1])
    if length is None:
        return top
    return g.Clip(integers(g, length) - 1, 0, g.Squeeze(top, [0]))


@lowers(SequenceLast)
def sequence_last(g: Graph, op: SequenceLast, data: Value, length: Value | None = None) -> Value:
    """With lengths, one element of each sequence."""
    if length is None:
        return g.Gather(data, np.int64(-1), axis=op.axis)
    order = [1, 0, *range(2, data.rank)] if op.axis == 0 else list(range(data.rank))
    indices = g.Unsqueeze(_last(g, op, data, length), [1])
    return g.GatherND(g.Transpose(data, order), indices, batch_dims=1)


@lowers(SequenceLastGrad)
def sequence_last_grad(
    g: Graph, op: SequenceLastGrad, dy: Value, data: Value, length: Value | None = None
) -> Value:
    """The gradient at the last steps, 0 elsewhere."""
    final = g.Equal(_steps(g, op, data), g.Unsqueeze(_last(g, op, data, length), [op.axis]))
    return _choose(g, op, data, final, g.Unsqueeze(dy, [op.axis]), np.zeros((), dy.dtype))


@lowers(SequenceReverse)
def sequence_reverse(g: Graph, op: SequenceReverse, data: Value, length: Value | None = None) -> Value:
    """One node."""
    if length is None:
        return backwards(g, data, (0,))
    return g.ReverseSequence(data, integers(g, length), time_axis=0, batch_axis=1)
