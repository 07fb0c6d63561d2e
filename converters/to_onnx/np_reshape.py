"""Lowering of the rearrangements that are as NumPy has them."""

from __future__ import annotations

from hybridonnx.ops.np_reshape import NumpySqueeze

from ._graph import Graph, Value
from ._registry import lowers


@lowers(NumpySqueeze)
def np_squeeze(g: Graph, op: NumpySqueeze, a: Value) -> Value:
    """One node; without axes the sizes must be known."""
    axes = op.removed(a.dims)
    if axes is None:
        axes = op.removed(g.sizes(a)) or ()
    return g.Squeeze(a, axes) if axes else g.Identity(a)
