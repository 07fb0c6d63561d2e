"""Lowerings of attention whose projections lie beside each other in one array."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

from hybridonnx.ops.attention import (
    CrossAttentionContext,
    CrossAttentionScores,
    MergeHeads,
    SelfAttentionContext,
    SelfAttentionScores,
    SplitHeads,
)

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import AxisSize, Size, known_size, reshape, sizes_of

_ROWS, _COLUMNS = (1, 0, 2), (1, 2, 0)
"""From (L, N, D) to (N, L, D) and to (N, D, L)."""


def _by_head(g: Graph, x: Value, heads: int) -> Value:
    """A projection (L, B, width) as (L, B * heads, width / heads): its numbers stay where they are."""
    L, B, _ = sizes_of(x)
    return reshape(g, x, [L, _times(B, heads), known_size(g, x, 2) // heads])


def _times(size: Any, factor: int) -> Size:
    return size * factor if isinstance(size, int) else AxisSize(size.x, size.axes, size.factor * factor)


def _part(g: Graph, x: Value, index: int, parts: int, turned: tuple[int, ...]) -> Value:
    """One part of (L, N, parts * D), with its axes in another order."""
    if parts > 1:
        D = known_size(g, x, 2) // parts
        x = g.Slice(x, [index * D], [index * D + D], [2])
    return g.Transpose(x, turned)


def _scores(g: Graph, queries: Value, keys: Value) -> Value:
    """ONNX Runtime makes one node of the factor, the transpositions and the product."""
    return g.MatMul(queries * (1 / sqrt(max(known_size(g, queries, 2), 1))), keys)


def _sums(g: Graph, attention: Value, values: Value, heads: int) -> Value:
    """The weighted sums of values (N, L, D), as (M, B, heads * D)."""
    return _merged(g, g.MatMul(attention, values), heads)


def _merged(g: Graph, x: Value, heads: int) -> Value:
    """An array (B * heads, M, D) as (M, B, heads * D)."""
    y = g.Transpose(x, _ROWS)
    M, N, _ = sizes_of(y)
    batch = N // heads if isinstance(N, int) else AxisSize(y, (1,), Fraction(1, heads))
    return reshape(g, y, [M, batch, known_size(g, y, 2) * heads])


@lowers(SelfAttentionScores)
def self_attention_scores(g: Graph, op: SelfAttentionScores, projection: Value) -> Value:
    x = _by_head(g, projection, op.heads)
    return _scores(g, _part(g, x, 0, 3, _ROWS), _part(g, x, 1, 3, _COLUMNS))


@lowers(SelfAttentionContext)
def self_attention_context(g: Graph, op: SelfAttentionContext, projection: Value, attention: Value) -> Value:
    x = _by_head(g, projection, op.heads)
    return _sums(g, attention, _part(g, x, 2, 3, _ROWS), op.heads)


@lowers(CrossAttentionScores)
def cross_attention_scores(g: Graph, op: CrossAttentionScores, queries: Value, keys_values: Value) -> Value:
    rows = _part(g, _by_head(g, queries, op.heads), 0, 1, _ROWS)
    return _scores(g, rows, _part(g, _by_head(g, keys_values, op.heads), 0, 2, _COLUMNS))


@lowers(CrossAttentionContext)
def cross_attention_context(
    g: Graph, op: CrossAttentionContext, keys_values: Value, attention: Value
) -> Value:
    x = _by_head(g, keys_values, op.heads)
    return _sums(g, attention, _part(g, x, 1, 2, _ROWS), op.heads)


# ---- adjoints


@lowers(SplitHeads)
def split_heads(g: Graph, op: SplitHeads, data: Value) -> tuple[Value, ...]:
    return g.Split(g.Transpose(_by_head(g, data, op.heads), _ROWS), op.parts, 2)


@lowers(MergeHeads)
def merge_heads(g: Graph, op: MergeHeads, *data: Value) -> Value:
    return _merged(g, g.Concat(*data, axis=2), op.heads)
