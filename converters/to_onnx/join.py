"""Lowerings of joining and splitting."""

from __future__ import annotations

from itertools import pairwise

from hybridonnx.ops.join import Concat, SliceChannel, SplitLike, SplitV2, Stack

from ._graph import END, Graph, Value
from ._registry import lowers
from ._symbolic_dims import sizes_of, vector


@lowers(Concat)
def concat(g: Graph, op: Concat, *data: Value) -> Value:
    """One node."""
    rank = next((x.rank for x in data if x.shape is not None), 0)
    return g.Concat(*data, axis=op.dim % rank if rank else op.dim)


@lowers(SplitLike)
def split_like(g: Graph, op: SplitLike, data: Value, *likes: Value) -> tuple[Value, ...]:
    """One node, whose sizes are computed if they are not known."""
    at = op.axis % data.rank
    sizes = vector(g, [sizes_of(like)[at] for like in likes])
    if isinstance(sizes, list):
        return g.Split(data, sizes, at)
    return g.node("Split", [data, sizes], len(likes), {"axis": at})


@lowers(Stack)
def stack(g: Graph, op: Stack, *data: Value) -> Value:
    """A new axis for each, then one after the other."""
    at = op.axis % (data[0].rank + 1)
    return g.Concat(*(g.Unsqueeze(x, [at]) for x in data), axis=at)


@lowers(SliceChannel)
def slice_channel(g: Graph, op: SliceChannel, data: Value) -> tuple[Value, ...]:
    """One node, and one for each part if the axis goes."""
    at = op.axis if data.shape is None else op.at(data.dims)
    return _squeezed(g, op, g.Split(data, op.num_outputs, at), at)


@lowers(SplitV2)
def split_v2(g: Graph, op: SplitV2, data: Value) -> tuple[Value, ...]:
    """Slices if the axis' size is not known, as only the last part's depends on it."""
    at = op.at(data.dims)
    size = data.dims[at]
    if op.sections and size is None:
        size = g.sizes(data)[at]
    bounds = [b if isinstance(b, int) else END for b in op.bounds(size)]
    if size is None:
        return _squeezed(g, op, tuple(g.Slice(data, [a], [b], [at]) for a, b in pairwise(bounds)), at)
    return _squeezed(g, op, g.Split(data, [b - a for a, b in pairwise(bounds)], at), at)


def _squeezed(g: Graph, op: SliceChannel | SplitV2, parts: tuple[Value, ...], axis: int) -> tuple[Value, ...]:
    return tuple(g.Squeeze(part, [axis]) for part in parts) if op.squeeze_axis else parts
