"""Sizes of values that may only be known when the model runs, as Reshape, Expand and the like take them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import NamedTuple, TypeAlias

import numpy as np

from hybridonnx.dtypes import DType
from hybridonnx.ops import Atom, Excess, Shape, SymbolicDim, show

from ._graph import Graph, NeedsShape, Output, Value


class AxisSize(NamedTuple):
    """A size that is not known yet: `factor` times the sizes of some axes of `x`."""

    x: Value
    axes: tuple[int, ...]
    factor: Fraction = Fraction(1)

    def value(self, g: Graph) -> Value:
        """The size as an int64 vector of length 1."""
        parts = [g.size_of(self.x, axis) for axis in self.axes]
        size = parts[0] if len(parts) == 1 else g.ReduceProd(g.Concat(*parts, axis=0), [0])
        if self.factor.numerator != 1:
            size = size * self.factor.numerator
        return size if self.factor.denominator == 1 else size / self.factor.denominator


Size: TypeAlias = int | AxisSize | SymbolicDim


def sizes_of(x: Value) -> list[int | AxisSize]:
    """All sizes of a value."""
    shape = x.shape if x.shape is not None else (None,) * x.rank
    return [AxisSize(x, (i,)) if d is None else d for i, d in enumerate(shape)]


def empty(x: Value | Output) -> bool:
    """Whether there are certain to be no elements, at which ONNX Runtime has no step to take."""
    return x.shape is not None and 0 in x.shape


def output_sizes(g: Graph, i: int = 0) -> list[Size]:
    """The sizes of the `i`-th output of the operator being lowered."""
    return complete_sizes(g, g.output_shapes[i])


def fill_output(g: Graph, number: float, dtype: DType | None) -> Value:
    """An array of one number in the shape of the operator's first output."""
    result: Value = g.Full(vector(g, output_sizes(g)), number, dtype)
    return result


def complete_sizes(g: Graph, shape: Shape | None) -> list[Size]:
    """The sizes of an inferred shape; the graph is lowered again with fixed shapes if one is unknown."""
    sizes: list[Size] = [] if shape is None else [d for d in shape if d is not None]
    if shape is None or len(sizes) != len(shape):
        raise NeedsShape(
            f"{g.operator[0]}: fixed input shapes are required, as free sizes do not tell the shape "
            f"{show(shape)}."
        )
    return sizes


def expression(g: Graph, size: SymbolicDim) -> Value:
    """An expression of named sizes as an int64 vector of length 1."""
    terms = []
    for product, factor in size.terms.items():
        atoms = [_atom(g, atom) for atom in product]
        if factor != 1 or not atoms:
            atoms.append(g.const([factor]))
        terms.append(reduce(mul, atoms))
    return reduce(add, terms)


def _atom(g: Graph, atom: Atom) -> Value:
    if isinstance(atom, str):
        if atom not in g.named_sizes:
            raise NeedsShape(f"{g.operator[0]}: an input that has the size {atom} is required.")
        return g.size_of(*g.named_sizes[atom])
    parts = [g.const([size]) if isinstance(size, int) else expression(g, size) for size in atom]
    if isinstance(atom, Excess):
        return g.Max(parts[0], g.const([0]))
    dividend, divisor = parts  # Div would round to zero
    return (dividend - g.Mod(dividend, divisor)) / divisor


def known_size(g: Graph, x: Value, axis: int) -> int:
    """One size; the graph is lowered again with fixed shapes if it is unknown."""
    size = None if x.shape is None else x.shape[axis]
    return g.sizes(x)[axis] if size is None else size


def _keeps(size: AxisSize | SymbolicDim, x: Value, axis: int) -> bool:
    """Whether a size is just that of `x` on this axis."""
    return isinstance(size, AxisSize) and x is size.x and size.axes == (axis,) and size.factor == 1


def computed(g: Graph, size: AxisSize | SymbolicDim) -> Value:
    """A size as an int64 vector of length 1."""
    return size.value(g) if isinstance(size, AxisSize) else expression(g, size)


def vector(g: Graph, sizes: Sequence[Size]) -> list[int] | Value:
    """The sizes as a list if all are known, else as an int64 vector."""
    known = [d for d in sizes if isinstance(d, int)]
    if len(known) == len(sizes):
        return known
    parts: list[list[int] | Value] = []
    for d in sizes:
        if not isinstance(d, int):
            parts.append(computed(g, d))
        elif parts and isinstance(parts[-1], list):
            parts[-1].append(d)
        else:
            parts.append([d])
    return g.Concat(*parts, axis=0)


def reshape(g: Graph, x: Value, sizes: Sequence[Size]) -> Value:
    """`x` in another shape, which is written without computing sizes if that is possible."""
    if any(isinstance(d, int) and d == 0 for d in sizes):  # which Reshape would take for the input's size
        return g.Full(vector(g, sizes), 0, x.dtype)
    rest = [d for i, d in enumerate(sizes) if not (isinstance(d, int) or _keeps(d, x, i))]
    if len(rest) <= 1:
        written = [d if isinstance(d, int) else 0 if _keeps(d, x, i) else -1 for i, d in enumerate(sizes)]
        if not rest and written.count(0) == 1:  # -1 also says it to those who infer shapes
            written[written.index(0)] = -1
        return x if written == [-1] and x.rank == 1 else g.Reshape(x, written)
    return g.Reshape(x, vector(g, sizes), allowzero=1)


def merged(g: Graph, x: Value, depth: int) -> Value:
    """`x` with its first axes as one, also where any of the sizes turns out to be 0."""
    if depth < 2:
        return x if depth else g.Unsqueeze(x, [0])
    sizes = sizes_of(x)
    known = [d for d in sizes[:depth] if isinstance(d, int)]
    first = math.prod(known) if len(known) == depth else AxisSize(x, tuple(range(depth)))
    return reshape(g, x, [first, *sizes[depth:]])


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
    numbers: Value = g.Range(np.int64(0), g.Squeeze(computed(g, n), [0]), np.int64(1))
    return numbers
