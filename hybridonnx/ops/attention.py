"""Attention of several heads whose projections lie beside each other in one array.

An array (L, B, heads * parts * D) holds for each position, each sequence of the batch and each head its
`parts` vectors of D numbers, one after the other: query, key and value, or key and value, or one alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, differ, over, show, times, unify
from .dense import matmul


def separated(x: Array, heads: int, parts: int) -> list[Array]:
    """Each part of an array (L, B, heads * parts * D) as (B * heads, L, D)."""
    L, B, width = x.shape
    turned = x.reshape(L, B * heads, width // heads).swapaxes(0, 1)
    return np.split(turned, parts, axis=2)


def interleaved(parts: Sequence[Array], heads: int) -> Array:
    """Parts (B * heads, L, D) as one array (L, B, heads * parts * D)."""
    N, L, D = parts[0].shape
    joined = np.concatenate(parts, axis=2).swapaxes(0, 1)
    return np.ascontiguousarray(joined).reshape(L, N // heads, heads * len(parts) * D)


def _scale(queries: Array) -> Any:
    return queries.dtype.type(1 / sqrt(max(queries.shape[2], 1)))


class _Heads(Operator):
    """What operators share that work on each head of its own.

    Attributes:
        heads: The number of heads.
    """

    takes_ints: ClassVar[bool] = False
    heads: int

    def check(self) -> None:
        if self.heads < 1:
            raise AttributeValueError(f"{self.names[0]}: at least 1 head is required, got {self.heads}.")

    def head_size(self, shape: Shape, parts: int) -> Dim:
        """D of an array (L, B, heads * parts * D)."""
        vectors = self.heads * parts
        width = shape[2] if len(shape) == 3 else 0
        if len(shape) != 3 or (isinstance(width, int) and width % vectors):
            factor = "heads" if parts == 1 else f"heads * {parts}"
            raise ShapeError(
                f"{self.names[0]}: a projection (L, B, width) is required whose width {factor} = {vectors} "
                f"divides, got {show(shape)}."
            )
        return over(width, vectors)

    def scores_of(self, rows: Shape, columns: Shape) -> Shape:
        """The shape of attention from the positions of one array to those of another."""
        return times(rows[1], self.heads), rows[0], columns[0]

    def context_of(self, projection: Shape, attention: Shape, parts: int) -> Shape:
        """The shape of the values' weighted sums."""
        width = times(self.head_size(projection, parts), self.heads)
        N = times(projection[1], self.heads)
        required = (N, attention[1] if len(attention) == 3 else None, projection[0])
        if len(attention) != 3 or any(map(differ, required, attention)):
            raise ShapeError(
                f"{self.names[0]}: attention of shape {show(required)} is required, got {show(attention)}."
            )
        batch = over(attention[0], self.heads) if projection[1] is None else projection[1]
        return attention[1], batch, width


# ---- from one sequence to itself


@operator("_contrib_interleaved_matmul_selfatt_qk")
class SelfAttentionScores(_Heads):
    """How well each query of a sequence fits its keys: products of queries and keys, over the root of D.

    Inputs:
        queries_keys_values: (L, B, heads * 3 * D), for each head query, key and value.

    Returns:
        (B * heads, L, L), a row for each query.

    ONNX: Reshape, Slice, Transpose, Mul and MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("queries_keys_values",)
    heads: int

    def infer_shape(self, queries_keys_values: Shape) -> Shape:
        self.head_size(queries_keys_values, 3)
        return self.scores_of(queries_keys_values, queries_keys_values)

    def forward(self, queries_keys_values: Array) -> Array:
        queries, keys, _ = separated(queries_keys_values, self.heads, 3)
        return matmul(queries * _scale(queries), keys.swapaxes(1, 2))

    def gradient(self, F: Any, dy: Any, y: Any, queries_keys_values: Any) -> Sequence[Any]:
        queries, keys, values = F._split_heads(queries_keys_values, heads=self.heads, parts=3)
        slope = F._contrib_div_sqrt_dim
        d_queries, d_keys = slope(F.batch_dot(dy, keys)), slope(F.batch_dot(dy, queries, transpose_a=True))
        return (F._merge_heads(d_queries, d_keys, F.zeros_like(values), heads=self.heads, parts=3),)


@operator("_contrib_interleaved_matmul_selfatt_valatt")
class SelfAttentionContext(_Heads):
    """The sums of a sequence's values, weighted by attention.

    Inputs:
        queries_keys_values: (L, B, heads * 3 * D), for each head query, key and value.
        attention: (B * heads, L, L), the weights.

    Returns:
        (L, B, heads * D).

    ONNX: Reshape, Slice, Transpose and MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("queries_keys_values", "attention")
    heads: int

    def infer_inputs(self, projection: Shape | None, attention: Shape | None) -> Sequence[Shape | None]:
        if projection is None or len(projection) != 3:
            return projection, attention
        return projection, self.scores_of(projection, projection)

    def infer_shape(self, queries_keys_values: Shape, attention: Shape) -> Shape:
        return self.context_of(queries_keys_values, attention, 3)

    def forward(self, queries_keys_values: Array, attention: Array) -> Array:
        values = separated(queries_keys_values, self.heads, 3)[2]
        return interleaved([matmul(attention, values)], self.heads)

    def gradient(self, F: Any, dy: Any, y: Any, queries_keys_values: Any, attention: Any) -> Sequence[Any]:
        queries, keys, values = F._split_heads(queries_keys_values, heads=self.heads, parts=3)
        d_sums = F._split_heads(dy, heads=self.heads, parts=1)
        d_values = F.batch_dot(attention, d_sums, transpose_a=True)
        parts = F.zeros_like(queries), F.zeros_like(keys), d_values
        d_projection = F._merge_heads(*parts, heads=self.heads, parts=3)
        return d_projection, F.batch_dot(d_sums, values, transpose_b=True)


# ---- from one sequence to another


@operator("_contrib_interleaved_matmul_encdec_qk")
class CrossAttentionScores(_Heads):
    """How well each query of a sequence fits another one's keys: their products, over the root of D.

    Inputs:
        queries: (M, B, heads * D).
        keys_values: (L, B, heads * 2 * D), for each head key and value.

    Returns:
        (B * heads, M, L), a row for each query.

    ONNX: Reshape, Slice, Transpose, Mul and MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("queries", "keys_values")
    heads: int

    def infer_inputs(self, queries: Shape | None, keys_values: Shape | None) -> Sequence[Shape | None]:
        if queries is None or keys_values is None or len(queries) != 3 or len(keys_values) != 3:
            return queries, keys_values
        batch = unify(self.names[0], queries[1:2], keys_values[1:2]) or (None,)
        return (
            (queries[0], *batch, over(keys_values[2], 2) if queries[2] is None else queries[2]),
            (keys_values[0], *batch, times(queries[2], 2) if keys_values[2] is None else keys_values[2]),
        )

    def infer_shape(self, queries: Shape, keys_values: Shape) -> Shape:
        if differ(self.head_size(queries, 1), self.head_size(keys_values, 2)):
            raise ShapeError(
                f"{self.names[0]}: keys_values twice as wide as queries are required, got "
                f"{show(keys_values)} and {show(queries)}."
            )
        return self.scores_of(queries, keys_values)

    def forward(self, queries: Array, keys_values: Array) -> Array:
        (rows,), (keys, _) = separated(queries, self.heads, 1), separated(keys_values, self.heads, 2)
        return matmul(rows * _scale(rows), keys.swapaxes(1, 2))

    def gradient(self, F: Any, dy: Any, y: Any, queries: Any, keys_values: Any) -> Sequence[Any]:
        rows = F._split_heads(queries, heads=self.heads, parts=1)
        keys, values = F._split_heads(keys_values, heads=self.heads, parts=2)
        slope = F._contrib_div_sqrt_dim
        d_rows, d_keys = slope(F.batch_dot(dy, keys)), slope(F.batch_dot(dy, rows, transpose_a=True))
        d_both = F._merge_heads(d_keys, F.zeros_like(values), heads=self.heads, parts=2)
        return F._merge_heads(d_rows, heads=self.heads, parts=1), d_both


@operator("_contrib_interleaved_matmul_encdec_valatt")
class CrossAttentionContext(_Heads):
    """The sums of another sequence's values, weighted by attention.

    Inputs:
        keys_values: (L, B, heads * 2 * D), for each head key and value.
        attention: (B * heads, M, L), the weights.

    Returns:
        (M, B, heads * D).

    ONNX: Reshape, Slice, Transpose and MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("keys_values", "attention")
    heads: int

    def infer_shape(self, keys_values: Shape, attention: Shape) -> Shape:
        return self.context_of(keys_values, attention, 2)

    def forward(self, keys_values: Array, attention: Array) -> Array:
        values = separated(keys_values, self.heads, 2)[1]
        return interleaved([matmul(attention, values)], self.heads)

    def gradient(self, F: Any, dy: Any, y: Any, keys_values: Any, attention: Any) -> Sequence[Any]:
        keys, values = F._split_heads(keys_values, heads=self.heads, parts=2)
        d_sums = F._split_heads(dy, heads=self.heads, parts=1)
        d_values = F.batch_dot(attention, d_sums, transpose_a=True)
        d_both = F._merge_heads(F.zeros_like(keys), d_values, heads=self.heads, parts=2)
        return d_both, F.batch_dot(d_sums, values, transpose_b=True)


# ---- adjoints


@operator("_split_heads")
class SplitHeads(_Heads):
    """The parts of a projection, each with the heads of the batch as its first axis.

    Inputs:
        data: (L, B, heads * parts * D).

    Attributes:
        parts: How many vectors each head has.

    Returns:
        parts arrays (B * heads, L, D).

    ONNX: Reshape, Transpose and Split.
    """

    output_count: ClassVar[str] = "parts"
    heads: int
    parts: int

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.parts))

    def infer_shape(self, data: Shape) -> list[Shape]:
        D = self.head_size(data, self.parts)
        return [(times(data[1], self.heads), data[0], D)] * self.parts

    def forward(self, data: Array) -> tuple[Array, ...]:
        return tuple(np.ascontiguousarray(x) for x in separated(data, self.heads, self.parts))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        dys = dy if isinstance(dy, tuple) else (dy,)
        return (F._merge_heads(*dys, heads=self.heads, parts=self.parts),)


@operator("_merge_heads")
class MergeHeads(_Heads):
    """A projection made of its parts, in which the heads of the batch are the first axis.

    Inputs:
        *data: parts arrays (B * heads, L, D).

    Attributes:
        parts: How many vectors each head has; counted if it is left out.

    Returns:
        (L, B, heads * parts * D).

    ONNX: Concat, Transpose and Reshape.
    """

    variadic: ClassVar[str] = "parts"
    heads: int
    parts: int

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return [unify(self.names[0], *shapes)] * len(shapes)

    def infer_shape(self, *data: Shape) -> Shape:
        N, L, D = data[0]
        if isinstance(N, int) and N % self.heads:
            raise ShapeError(
                f"{self.names[0]}: a first axis that {self.heads} heads divide is required, "
                f"got {show(data[0])}."
            )
        return L, over(N, self.heads), times(D, self.heads * self.parts)

    def forward(self, *data: Array) -> Array:
        return interleaved(data, self.heads)

    def gradient(self, F: Any, dy: Any, y: Any, *data: Any) -> Sequence[Any]:
        parts = F._split_heads(dy, heads=self.heads, parts=self.parts)
        return parts if self.parts > 1 else (parts,)
