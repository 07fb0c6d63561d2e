"""Operators of one table row: elementwise functions of one array, of two or with a number, and reductions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ..dtypes import DType
from ._operator import Array, Operator
from ._registry import register
from ._shapes import Shape, axis_indices, broadcast

Rule: TypeAlias = Callable[..., Sequence[Any]]


def row(
    base: type[Operator], names: tuple[str, ...], doc: str = "", depth: int = 2, **facets: Any
) -> type[Operator]:
    """The class of one table row: `base` with `facets`, described by `doc`.

    `depth` is how many calls lie between the table and this function, so that the source is the row's line.
    """
    frame = sys._getframe(depth)
    namespace = {"__module__": frame.f_globals["__name__"], "__doc__": doc or base.__doc__, **facets}
    cls = type(names[0], (base,), namespace)
    register(cls, names, (frame.f_code.co_filename, frame.f_lineno))
    return cls


@dataclass(frozen=True, kw_only=True)
class Unary(Operator):
    """`data` of any shape to an output of the same shape."""

    elementwise: ClassVar[bool] = True
    fn: ClassVar[staticmethod[..., Array]]
    rule: ClassVar[staticmethod[..., Sequence[Any]]]

    def forward(self, data: Array) -> Array:
        return self.fn(data)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return self.rule(F, dy, y, data)


def unary(
    name: str, fn: Callable[[Array], Array], rule: Rule | str, *aliases: str, doc: str = "", **facets: Any
) -> type[Operator]:
    """An elementwise operator. `rule(F, dy, y, data)` gives a 1-tuple; a string says why there is none."""
    return row(Unary, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)


def rule_facets(rule: Rule | str) -> dict[str, Any]:
    """The facets that say how a row is differentiated, or why it is not."""
    if isinstance(rule, str):
        return {"not_differentiable": rule}
    return {"rule": staticmethod(rule)}


@dataclass(frozen=True, kw_only=True)
class Binary(Operator):
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    takes_bool: ClassVar[bool] = False
    fn: ClassVar[staticmethod[..., Array]]
    rule: ClassVar[staticmethod[..., Sequence[Any]]]

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        return broadcast(self.names[0], lhs, rhs)

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return self.fn(lhs, rhs).astype(lhs.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        return self.rule(F, dy, y, lhs, rhs)


def binary(
    name: str,
    fn: Callable[[Array, Array], Array],
    rule: Rule | str,
    *aliases: str,
    doc: str = "",
    **facets: Any,
) -> type[Operator]:
    """An operator of two inputs; they broadcast unless `elementwise=True`. `rule(F, dy, y, lhs, rhs)`."""
    facets.setdefault("broadcasts", not facets.get("elementwise", False))
    return row(Binary, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)


@dataclass(frozen=True, kw_only=True)
class Scalar(Operator):
    """`data` of any shape and the number `scalar` to an output of the same shape.

    `is_int` matters for whole numbers alone: then the scalar is truncated to one, else the output is float64.
    """

    elementwise: ClassVar[bool] = True
    fn: ClassVar[staticmethod[..., Array]]
    rule: ClassVar[staticmethod[..., Sequence[Any]]]
    scalar: float = 1.0
    is_int: bool = True

    def infer_dtype(self, data: DType | None) -> DType | None:
        if data is None or data.kind == "f":
            return data
        if not self.is_int:
            return np.dtype("float64")
        return np.dtype("int64") if data.kind == "b" else data

    def forward(self, data: Array) -> Array:
        dtype = self.infer_dtype(data.dtype)
        taken = data.astype(dtype, copy=False)
        return self.fn(taken, np.asarray(self.scalar).astype(taken.dtype)).astype(dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return self.rule(F, dy, y, data, self.scalar)


def scalar(
    name: str,
    fn: Callable[[Array, Any], Array],
    rule: Rule | str,
    *aliases: str,
    doc: str = "",
    **facets: Any,
) -> type[Operator]:
    """An operator of an array and a number. `rule(F, dy, y, data, scalar)` gives a 1-tuple."""
    return row(Scalar, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)


@dataclass(frozen=True, kw_only=True)
class Reduction(Operator):
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""

    fn: ClassVar[staticmethod[..., Array]]
    rule: ClassVar[staticmethod[..., Sequence[Any]]]
    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    exclude: bool = False

    def axes(self, rank: int) -> tuple[int, ...]:
        """The sorted axes that are reduced."""
        return axis_indices(self.names[0], self.axis, rank, self.exclude)

    def infer_shape(self, data: Shape) -> Shape:
        reduced = self.axes(len(data))
        kept = tuple(
            1 if i in reduced else d for i, d in enumerate(data) if self.keepdims or i not in reduced
        )
        return kept or (1,)

    def forward(self, data: Array) -> Array:
        axes = self.axes(data.ndim)
        result = np.asarray(self.fn(data, axis=axes, keepdims=self.keepdims))
        return result.astype(data.dtype, copy=False).reshape(result.shape or (1,))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return self.rule(F, self, dy, y, data)


def reduction(
    name: str, fn: Callable[..., Array], rule: Rule | str, *aliases: str, doc: str = "", **facets: Any
) -> type[Operator]:
    """A reduction. `rule(F, op, dy, y, data)` gives a 1-tuple; `op` is the operator, for its attributes."""
    return row(Reduction, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)
