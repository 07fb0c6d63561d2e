"""Sizes of values that may only be known when the model runs, as Reshape, Expand and the like take them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from ._graph import Graph, Value


class SymbolicDim(NamedTuple):
    """A size that is not known yet: `factor` times the sizes of some axes of `x`."""

    x: Value
    axes: tuple[int, ...]
    factor: Fraction = Fraction(1)

    def keeps(self, x: Value, position: int) -> bool:
        """Whether it is just the size of `x` at this position."""
        return x is self.x and self.axes == (position,) and self.factor == 1

    def value(self, g: Graph) -> Value:
        """The size as an int64 vector of length 1."""
        parts = [g.size_of(self.x, axis) for axis in self.axes]
        found = parts[0] if len(parts) == 1 else g.ReduceProd(g.Concat(*parts, axis=0), [0])
        if self.factor.numerator != 1:
            found = found * self.factor.numerator
        return found if self.factor.denominator == 1 else found / self.factor.denominator


Size: TypeAlias = int | SymbolicDim


def sizes_of(x: Value) -> list[Size]:
    """All sizes of a value."""
    shape = x.shape if x.shape is not None else (None,) * x.rank
    return [SymbolicDim(x, (i,)) if d is None else d for i, d in enumerate(shape)]


def known_size(g: Graph, x: Value, axis: int) -> int:
    """One size; the graph is lowered again with fixed shapes if it is unknown."""
    size = None if x.shape is None else x.shape[axis]
    return g.sizes(x)[axis] if size is None else size


def vector(g: Graph, sizes: Sequence[Size]) -> list[int] | Value:
    """The sizes as a list if all are known, else as an int64 vector."""
    known = [d for d in sizes if isinstance(d, int)]
    if len(known) == len(sizes):
        return known
    parts: list[list[int] | Value] = []
    for d in sizes:
        if isinstance(d, SymbolicDim):
            parts.append(d.value(g))
        elif parts and isinstance(parts[-1], list):
            parts[-1].append(d)
        else:
            parts.append([d])
    return g.Concat(*parts, axis=0)


def reshape(g: Graph, x: Value, sizes: Sequence[Size]) -> Value:
    """`x` in another shape, which is written without computing sizes if that is possible."""
    if 0 in sizes:  # which Reshape would take for the input's size
        return g.Full(vector(g, sizes), 0, x.dtype)
    rest = [d for i, d in enumerate(sizes) if isinstance(d, SymbolicDim) and not d.keeps(x, i)]
    if len(rest) <= 1:
        written = [d if isinstance(d, int) else 0 if d.keeps(x, i) else -1 for i, d in enumerate(sizes)]
        if not rest and written.count(0) == 1:  # -1 also says it to those who infer shapes
            written[written.index(0)] = -1
        return x if written == [-1] and x.rank == 1 else g.Reshape(x, written)
    return g.Reshape(x, vector(g, sizes))


def zeros(g: Graph, sizes: Sequence[Size], like: Value) -> Value:
    """Zeros of the dtype of `like`."""
    return g.Full(vector(g, sizes), 0, like.dtype)


def flat(g: Graph, x: Value) -> Value:
    """`x` as a vector."""
    return x if x.rank == 1 else g.Reshape(x, [-1])


def count(g: Graph, n: Size) -> Value:
    """0, 1, … up to a size, int64."""
    if isinstance(n, int):
        return g.const(np.arange(n))
    found: Value = g.Range(np.int64(0), g.Squeeze(n.value(g), [0]), np.int64(1))
    return found
