"""Lowerings of operators that fill what they are given."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.fill import FillElement0Index, OnehotEncode

from ._graph import Graph, Value
from ._registry import lowers
from ._symbolic_dims import count, sizes_of


def _at(g: Graph, indices: Value, matrix: Value) -> Value:
    """Where each row's index is among the columns of a matrix."""
    columns = g.Unsqueeze(count(g, sizes_of(matrix)[1]), [0])
    return g.Equal(g.Unsqueeze(g.Cast(indices, np.int64), [1]), columns)


@lowers(FillElement0Index)
def fill_element_0index(g: Graph, op: FillElement0Index, lhs: Value, mhs: Value, rhs: Value) -> Value:
    """The new elements where the indices are."""
    return g.Where(_at(g, rhs, lhs), g.Unsqueeze(mhs, [1]), lhs)


@lowers(OnehotEncode)
def onehot_encode(g: Graph, op: OnehotEncode, lhs: Value, rhs: Value) -> Value:
    """Ones where the indices are."""
    return g.Cast(_at(g, lhs, rhs), rhs.dtype)
