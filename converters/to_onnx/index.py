"""Lowerings of choosing by indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.index import (
    BatchTake,
    BooleanMask,
    BooleanMaskGrad,
    Embedding,
    GatherND,
    GatherNDGrad,
    IndexCopy,
    OneHot,
    Pick,
    PickGrad,
    PutAlongAxis,
    RavelMultiIndex,
    ScatterND,
    ScatterSetND,
    Take,
    TakeAlongAxis,
    TakeGrad,
    UnravelIndex,
    Where,
)

from ._graph import Graph, Value, iota, require_few
from ._indices import add_rows, integers, normal, put_along
from ._registry import lowers
from ._symbolic_dims import flat, known_size, merged, reshape, sizes_of, vector, zeros

# ---- rows


@lowers(Take)
def take(g: Graph, op: Take, a: Value, indices: Value) -> Value:
    """A gather of normal indices."""
    at = op.axis % a.rank
    return g.Gather(a, normal(g, indices, sizes_of(a)[at], op.mode, op.from_end), axis=at)


@lowers(TakeGrad)
def take_grad(g: Graph, op: TakeGrad, dy: Value, indices: Value, a: Value) -> Value:
    """Sums of rows, with the taken axis first."""
    at, n = op.axis % a.rank, indices.rank
    sizes = sizes_of(a)
    row_indices = flat(g, normal(g, indices, sizes[at], op.mode))
    own = range(at, at + n)
    rows = g.Transpose(dy, [*own, *(i for i in range(dy.rank) if i not in own)])
    moved = [sizes[at], *sizes[:at], *sizes[at + 1 :]]
    sums = add_rows(g, merged(g, rows, n), row_indices, moved)
    return g.Transpose(sums, [*range(1, at + 1), 0, *range(at + 1, a.rank)])


@lowers(Embedding)
def embedding(g: Graph, op: Embedding, data: Value, weight: Value) -> Value:
    """A gather of normal indices."""
    return g.Gather(weight, normal(g, data, op.input_dim, "clip"), axis=0)


@lowers(IndexCopy)
def index_copy(g: Graph, op: IndexCopy, old: Value, index: Value, new: Value) -> Value:
    """One node."""
    return g.ScatterND(old, g.Unsqueeze(integers(g, index), [1]), new)


@lowers(BooleanMask)
def boolean_mask(g: Graph, op: BooleanMask, data: Value, index: Value) -> Value:
    """One node."""
    return g.Compress(data, g.Cast(index, np.bool_), axis=0)


@lowers(BooleanMaskGrad)
def boolean_mask_grad(g: Graph, op: BooleanMaskGrad, dy: Value, index: Value, data: Value) -> Value:
    """The chosen rows by number."""
    points = g.Transpose(g.NonZero(g.Cast(index, np.bool_)), [1, 0])
    return g.ScatterND(zeros(g, sizes_of(data), dy), points, dy)


# ---- one element of each row


def _normal_indices(g: Graph, op: Any, data: Value, index: Value) -> tuple[int, Value]:
    """The axis, and normal indices along it, with the axis kept."""
    at = op.at(data.rank)
    index = index if index.rank == data.rank else g.Unsqueeze(index, [at])
    return at, normal(g, index, sizes_of(data)[at], op.mode)


@lowers(Pick)
def pick(g: Graph, op: Pick, data: Value, index: Value) -> Value:
    """A gather of elements."""
    at, indices = _normal_indices(g, op, data, index)
    elements: Value = g.GatherElements(data, indices, axis=at)
    return elements if op.keepdims or data.rank == 1 else g.Squeeze(elements, [at])


@lowers(PickGrad)
def pick_grad(g: Graph, op: PickGrad, dy: Value, index: Value, data: Value) -> Value:
    """A scatter; no index occurs twice."""
    at, indices = _normal_indices(g, op, data, index)
    updates = dy if dy.rank == data.rank else g.Unsqueeze(dy, [at])
    return put_along(g, sizes_of(data), indices, updates, at, distinct=True)


@lowers(BatchTake)
def batch_take(g: Graph, op: BatchTake, a: Value, indices: Value) -> Value:
    """A gather of elements."""
    columns = g.Reshape(normal(g, indices, sizes_of(a)[1], "clip"), [-1, 1])
    return reshape(g, g.GatherElements(a, columns, axis=1), sizes_of(indices))


@lowers(TakeAlongAxis)
def take_along_axis(g: Graph, op: TakeAlongAxis, data: Value, indices: Value) -> Value:
    """One node."""
    if op.axis is None:
        return g.Gather(flat(g, data), integers(g, indices), axis=0)
    return g.GatherElements(data, integers(g, indices), axis=op.at(data.rank))


@lowers(PutAlongAxis)
def put_along_axis(g: Graph, op: PutAlongAxis, dy: Value, indices: Value, data: Value) -> Value:
    """One node from opset 16 on."""
    offsets = integers(g, indices)
    if op.axis is not None:
        return put_along(g, sizes_of(data), offsets, dy, op.at(data.rank), op.distinct)
    start = g.Full(g.count_of(data), 0, dy.dtype)
    sums = put_along(g, sizes_of(start), flat(g, offsets), flat(g, dy), 0, op.distinct)
    return reshape(g, sums, sizes_of(data))


# ---- points


def _points(g: Graph, indices: Value) -> Value:
    """The coordinates of each point last, as ONNX has them."""
    return g.Transpose(integers(g, indices), [*range(1, indices.rank), 0])


@lowers(GatherND)
def gather_nd(g: Graph, op: GatherND, data: Value, indices: Value) -> Value:
    """One node."""
    known_size(g, indices, 0)  # it tells the rank of the result
    return g.GatherND(data, _points(g, indices))


@lowers(GatherNDGrad)
def gather_nd_grad(g: Graph, op: GatherNDGrad, dy: Value, indices: Value, data: Value) -> Value:
    """Sums of rows, with the indexed axes merged."""
    depth = known_size(g, indices, 0)
    sizes = sizes_of(data)
    lead, rest = vector(g, sizes[:depth]), sizes[depth:]
    coordinates = integers(g, indices)
    offsets = None
    for axis in range(depth):
        size = g.const([lead[axis]]) if isinstance(lead, list) else g.size_of(data, axis)
        own = g.Mod(flat(g, g.Gather(coordinates, np.int64(axis), axis=0)), size)
        offsets = own if offsets is None else offsets * size + own
    rows, points = merged(g, dy, indices.rank - 1), merged(g, data, depth)
    assert offsets is not None
    if op.refuses:
        outside = g.GatherND(g.Full(lead, False, np.bool_), _points(g, indices))  # False, or an error
        offsets = offsets + g.Cast(flat(g, outside), np.int64)
    return reshape(g, add_rows(g, rows, offsets, [sizes_of(points)[0], *rest]), sizes)


@lowers(ScatterND)
def scatter_nd(g: Graph, op: ScatterND, data: Value, indices: Value) -> Value:
    """One node."""
    return g.ScatterND(g.Full(op.shape, 0, data.dtype), _points(g, indices), data)


@lowers(ScatterSetND)
def scatter_set_nd(g: Graph, op: ScatterSetND, lhs: Value, rhs: Value, indices: Value) -> Value:
    """One node."""
    return g.ScatterND(lhs, _points(g, indices), rhs)


# ---- choices


@lowers(OneHot)
def one_hot(g: Graph, op: OneHot, indices: Value) -> Value:
    """By comparison: ONNX's own operator counts negative indices from the end."""
    require_few(op.depth)
    chosen = g.Equal(g.Unsqueeze(integers(g, indices), [indices.rank]), iota(op.depth))
    on, off = (np.array(v).astype(op.dtype) for v in (op.on_value, op.off_value))
    if on == 1 and off == 0:
        return g.Cast(chosen, op.dtype)
    return g.Where(chosen, on, off)


@lowers(Where)
def where(g: Graph, op: Where, condition: Value, x: Value, y: Value) -> Value:
    """A vector as condition stands along the first axis."""
    chosen = g.Cast(condition, np.bool_)
    if condition.rank == 1:
        chosen = g.Unsqueeze(chosen, list(range(1, x.rank)))
    return g.Where(chosen, x, y)


# ---- coordinates and flat indices


@lowers(RavelMultiIndex)
def ravel_multi_index(g: Graph, op: RavelMultiIndex, data: Value) -> Value:
    """A sum of the coordinates times what a step along their axis is."""
    shape = op.shape or ()
    strides = np.cumprod([1, *shape[:0:-1]], dtype=np.int64)[::-1]
    offsets = g.ReduceSum(integers(g, data) * strides.reshape(-1, 1), [0], keepdims=0)
    return g.Cast(offsets, data.dtype)


@lowers(UnravelIndex)
def unravel_index(g: Graph, op: UnravelIndex, data: Value) -> Value:
    """Division with rest, from the last axis on."""
    left, rows = integers(g, data), []
    for count in reversed((op.shape or ())[1:]):
        rest = g.Mod(left, np.int64(count), fmod=1)
        rows.append(rest)
        left = (left - rest) / np.int64(count)
    rows = [g.Unsqueeze(row, [0]) for row in (left, *reversed(rows))]
    return g.Cast(g.Concat(*rows, axis=0), data.dtype)
