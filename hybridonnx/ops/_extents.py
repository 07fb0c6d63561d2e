"""Sizes that reshape codes ask for: products of numbers and of sizes that are not known."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple

from ..attrs import Ints
from ..errors import ShapeError
from ._shapes import Dim, Shape, is_zero, size


class Extent(NamedTuple):
    """A size of a result: `factor` times the sizes of the input's axes `free`, which are not known or 0."""

    factor: Fraction
    free: tuple[int, ...] = ()

    def value(self, data: Shape) -> Dim:
        """The size, given the input's sizes."""
        count = size([data[axis] for axis in self.free])
        return None if count is None else count * self.factor.numerator // self.factor.denominator


def product(extents: Sequence[Extent]) -> Extent:
    """The extent of merged axes."""
    return Extent(
        prod((e.factor for e in extents), start=Fraction(1)), sum((e.free for e in extents), start=())
    )


def source_of(data: Shape) -> list[Extent]:
    """The extents of the input's own axes."""
    return [
        Extent(Fraction(d)) if isinstance(d, int) and d else Extent(Fraction(1), (i,))
        for i, d in enumerate(data)
    ]


class Codes:
    """Reads MXNet's reshape codes against the input's sizes, from the left."""

    def __init__(self, codes: Ints, source: Sequence[Extent]):
        self.codes, self.source, self.at = iter(codes), source, 0
        self.extents: list[Extent | None] = []

    def read(self) -> list[Extent | None]:
        """The result's sizes, `None` for the one to infer."""
        for code in self.codes:
            if code == 0:
                self.extents.append(self.next())
            elif code == -2:
                self.extents += self.source[self.at :]
                self.at = len(self.source)
            elif code == -3:
                self.extents.append(product([self.next(), self.next()]))
            elif code == -4:
                self.extents += self.split(self.next())
            else:
                self.extents.append(None if code == -1 else Extent(Fraction(code)))
                self.at += 1
        return self.extents

    def next(self) -> Extent:
        """The input's next size."""
        if self.at >= len(self.source):
            raise ShapeError(f"more axes are required, got {len(self.source)}")
        self.at += 1
        return self.source[self.at - 1]

    def split(self, whole: Extent) -> list[Extent]:
        """The two parts of a size that -4 splits."""
        first, second = next(self.codes), next(self.codes)
        if first == -1:
            parts = [Extent(whole.factor / second, whole.free), Extent(Fraction(second))]
        elif second == -1:
            parts = [Extent(Fraction(first)), Extent(whole.factor / first, whole.free)]
        else:
            parts = [Extent(Fraction(first)), Extent(Fraction(second))]
        joined = product(parts)
        if not whole.free and (joined != whole or any(p.factor.denominator > 1 for p in parts)):
            raise ShapeError(f"sizes whose product is {whole.factor} are required after -4")
        return parts


def complete(extents: Sequence[Extent | None], data: Shape) -> list[Extent]:
    """The extents, with what is left over for the one that is `None`."""
    whole, known = product(source_of(data)), product([e for e in extents if e is not None])
    free = list(whole.free)
    for axis in known.free:
        free.remove(axis)
    left = Extent(whole.factor / known.factor, tuple(free))
    if None in extents and left.factor.denominator > 1 and not free:
        raise ShapeError(f"a number of elements divisible by {known.factor} is required, got {whole.factor}")
    if not (None in extents or free or left.factor == 1 or any(is_zero(data[i]) for i in known.free)):
        raise ShapeError(f"a shape of {whole.factor} elements is required, got {known.factor}")
    return [left if e is None else e for e in extents]
