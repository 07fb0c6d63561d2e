"""Lowering of the rearrangements that are as NumPy has them."""

from __future__ import annotations

from hybridonnx.ops.np_reshape import NumpyReshape, NumpySqueeze, NumpyxReshape

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import reshape
from .reshape import _size


@lowers(NumpySqueeze)
def np_squeeze(g: Graph, op: NumpySqueeze, a: Value) -> Value:
    """One node; without axes the sizes must be known."""
    axes = op.removed(a.dims)
    if axes is None:
        axes = op.removed(g.sizes(a)) or ()
    return g.Squeeze(a, axes) if axes else g.Identity(a)


@lowers(NumpyReshape, NumpyxReshape)
def np_reshape(g: Graph, op: NumpyReshape | NumpyxReshape, a: Value) -> Value:
    """0 and -1 where they say it, computed sizes else."""
    extents = op.extents(a.dims)
    return reshape(g, a, [_size(a, extent) for extent in extents])
