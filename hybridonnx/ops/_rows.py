"""Operators of one table row: elementwise functions of one array, of two or with a number, and reductions."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ..dtypes import DType
from . import _storage
from ._docs import doc_of
from ._operator import Array, Operator, Spec, record
from ._registry import find, register
from ._shapes import Shape, axis_indices, broadcast
from ._slopes import computed_wide

Rule: TypeAlias = Callable[..., Sequence[Any]]


_axis_indices = lru_cache(maxsize=1024)(axis_indices)


def row(
    base: type[Operator], names: tuple[str, ...], doc: str = "", depth: int = 2, **facets: Any
) -> type[Operator]:
    """The class of one table row: `base` with `facets`, described by `doc` alone.

    `depth` is how many calls lie between the table and this function, so that the source is the row's line.
    """
    frame = sys._getframe(depth)
    namespace = {"__module__": frame.f_globals["__name__"], "__doc__": doc, **facets}
    cls = type(names[0], (base,), namespace)
    register(cls, names, (frame.f_code.co_filename, frame.f_lineno))
    return cls


def variant(
    name: str, base: str, *aliases: str, doc: str = "", inputs: str = "", **facets: Any
) -> type[Operator]:
    """The operator `base`, whose file was imported, under another name; `inputs` are their names.

    Unless `doc` says more it is described as `base` is.
    """
    cls = find(base)
    names = tuple(inputs.split()) or cls.inputs
    sentence = doc_of(cls).sentence
    for old, new in zip(cls.inputs, names, strict=False):
        sentence = re.sub(rf"(?<!\w){old}(?!\w)", new, sentence)
    entries = "".join(f"\n    {n}: {doc_of(cls).inputs[o]}" for n, o in zip(names, cls.inputs, strict=False))
    text = doc or f"{sentence[:-1]}, in mx.np."
    return row(cls, (name, *aliases), f"{text}\n\nInputs:{entries}", inputs=names, **facets)


@record
class Unary(Operator):
    """A function of each element of one array.

    Inputs:
        data: An array of any shape.

    Returns:
        The shape of data.
    """

    elementwise: ClassVar[bool] = True
    stores = _storage.by_name
    by_output: ClassVar[bool] = False
    """Whether `rule` asks for the output alone."""
    fn: ClassVar[staticmethod[..., Array]]
    rule: ClassVar[staticmethod[..., Sequence[Any]]]

    def slopes_by_output(self) -> bool:
        return self.by_output

    def forward(self, data: Array) -> Array:
        return self.fn(data)

    def kernel_for(self, data: Spec) -> Callable[..., Any]:  # type: ignore[override]
        return self.fn

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


def _is_kept(fn: Any, dtype: DType | None) -> bool:
    """Whether a function of arrays of one dtype gives one of that dtype."""
    return isinstance(fn, np.ufunc) and dtype in _FLOATS and fn.types[-1][-1] != "?"


_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@record
class Binary(Operator):
    """A function of the elements of two arrays, of one shape or of shapes that broadcast."""

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    takes_bool: ClassVar[bool] = False
    fn: ClassVar[staticmethod[..., Array]]
    rule: ClassVar[staticmethod[..., Sequence[Any]]]

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        return broadcast(self.names[0], lhs, rhs)

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return self.fn(lhs, rhs).astype(lhs.dtype, copy=False)

    def kernel_for(self, lhs: Spec, rhs: Spec) -> Callable[..., Any]:  # type: ignore[override]
        return self.fn if _is_kept(self.fn, lhs.dtype) else self.forward

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        return self.rule(F, dy, y, lhs, rhs)


@record
class SameShape(Binary):
    """A function of the elements of two arrays of one shape.

    Inputs:
        lhs: The first operand, of any shape.
        rhs: The second operand, of lhs's shape and dtype.

    Returns:
        The shape of lhs.
    """

    elementwise: ClassVar[bool] = True


@record
class Broadcasting(Binary):
    """A function of the elements of two arrays whose shapes broadcast.

    Inputs:
        lhs: The first operand, of any shape.
        rhs: The second operand, of lhs's dtype; each axis, counted from the last, is as long as that of lhs,
            unless one of the two has length 1 or is absent.

    Returns:
        The shape that lhs and rhs broadcast to.
    """

    broadcasts: ClassVar[bool] = True


def binary(
    name: str,
    fn: Callable[[Array, Array], Array],
    rule: Rule | str,
    *aliases: str,
    doc: str = "",
    **facets: Any,
) -> type[Operator]:
    """An operator of two inputs; they broadcast unless `elementwise=True`. `rule(F, dy, y, lhs, rhs)`."""
    base = SameShape if facets.pop("elementwise", False) else Broadcasting
    return row(base, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)


@record
class Scalar(Operator):
    """A function of each element of one array and a number.

    Inputs:
        data: An array of any shape.

    Attributes:
        scalar: The number.
        is_int: How integer data is computed: in its own dtype with scalar truncated to an integer, or, if
            False, in float64. Floating-point data keeps its dtype either way.

    Returns:
        The shape of data.
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
        operand = data.astype(dtype, copy=False)
        return self.fn(operand, np.asarray(self.scalar).astype(operand.dtype)).astype(dtype, copy=False)

    def kernel_for(self, data: Spec) -> Callable[..., Any]:  # type: ignore[override]
        if not _is_kept(self.fn, data.dtype):
            return self.forward
        fn, number = self.fn, np.asarray(self.scalar).astype(data.dtype)
        return lambda data: fn(data, number)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if self.is_int:
            return self.rule(F, dy, y, data, self.scalar)
        return self._gradient_of_float64(F, dy, y, data)

    @computed_wide
    def _gradient_of_float64(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
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


def reduced_shape(data: Shape, axes: Sequence[int], keepdims: bool) -> Shape:
    """The shape that remains of `data` without `axes`, or with 1 for them; `(1,)` if no axis does without."""
    remaining = tuple(1 if i in axes else d for i, d in enumerate(data) if keepdims or i not in axes)
    return remaining if keepdims else remaining or (1,)


def with_axis(result: Array, keepdims: bool) -> Array:
    """What a reduction gives, as MXNet shapes it: with an axis if none remains, unless axes are kept."""
    return result if keepdims or result.ndim else result.reshape(1)


@record
class Reduction(Operator):
    """A function of the elements along some axes, which it takes to one.

    Inputs:
        data: An array of any shape.

    Attributes:
        axis: The axes to reduce, negative ones counted from the last; all axes if None or empty.
        keepdims: Whether the reduced axes stay, with length 1.
        exclude: Whether the axes that `axis` does not name are the ones to reduce.

    Returns:
        The shape of data without the reduced axes; (1,) if none is left. A number's own stays with keepdims.
    """

    fn: ClassVar[staticmethod[..., Array]]
    rule: ClassVar[staticmethod[..., Sequence[Any]]]
    ufunc: ClassVar[np.ufunc | None] = None
    """What `fn` reduces floating-point numbers by."""
    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    exclude: bool = False

    def axes(self, rank: int) -> tuple[int, ...]:
        """The sorted axes that are reduced."""
        return _axis_indices(self.names[0], self.axis, rank, self.exclude)

    def infer_shape(self, data: Shape) -> Shape:
        return reduced_shape(data, self.axes(len(data)), self.keepdims)

    def forward(self, data: Array) -> Array:
        axes = self.axes(data.ndim)
        result = np.asarray(self.fn(data, axis=axes, keepdims=self.keepdims))
        return with_axis(result.astype(data.dtype, copy=False), self.keepdims)

    def kernel_for(self, data: Spec) -> Callable[..., Any]:  # type: ignore[override]
        rank = len(data.shape or ())
        if self.ufunc is None or data.dtype not in _FLOATS or not rank:
            return self.forward
        reduce, axes = self.ufunc.reduce, self.axes(rank)
        if len(axes) < rank or self.keepdims:
            return partial(reduce, axis=axes, keepdims=self.keepdims)
        return lambda data: reduce(data.ravel(), keepdims=True)  # one axis is left

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return self.rule(F, self, dy, y, data)


def reduction(
    name: str, fn: Callable[..., Array], rule: Rule | str, *aliases: str, doc: str = "", **facets: Any
) -> type[Operator]:
    """A reduction. `rule(F, op, dy, y, data)` gives a 1-tuple; `op` is the operator, for its attributes."""
    return row(Reduction, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)
