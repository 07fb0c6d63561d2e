"""Small vectors of sizes, followed through a model: numbers and expressions of its free sizes.

What exporters write to compute a shape (Shape, Gather, Concat and the like) is computed here at import, with
expressions where sizes are free. An element that cannot be told for every size is `None`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from onnx import NodeProto, helper

from hybridonnx.dtypes import DType
from hybridonnx.errors import MXNetError
from hybridonnx.ops import SymbolicDim, UndecidedError, larger, same, smaller

from ..elements import Array, dtype_of

LONGEST = 64
"""Vectors of more elements are no shapes."""


class Ratio(NamedTuple):
    """A size divided by a number, before it is rounded."""

    size: SymbolicDim
    by: int


Size: TypeAlias = int | SymbolicDim
Element: TypeAlias = int | float | SymbolicDim | Ratio | None


@dataclass(frozen=True)
class Vector:
    """A vector, or a number, as far as its elements are known."""

    items: tuple[Element, ...]
    is_scalar: bool = False

    @property
    def is_number(self) -> bool:
        """Whether every element is a number."""
        return all(isinstance(item, int | float) for item in self.items)

    def array(self, dtype: DType) -> Array | None:
        """The array, if every element is a number that the dtype holds."""
        if not self.is_number or dtype.kind not in "iubf":
            return None
        try:
            array = np.array(self.items, dtype)
        except (OverflowError, ValueError):
            return None
        return array.reshape(()) if self.is_scalar else array

    def held(self, dtype: DType) -> Vector:
        """The vector as the dtype holds it: numbers are rounded to it, those beyond it unknown."""
        if dtype.kind not in "iuf":
            return self
        return Vector(tuple(_held(item, dtype) for item in self.items), self.is_scalar)


def _held(item: Element, dtype: DType) -> Element:
    if not isinstance(item, int | float):
        return item
    try:
        with np.errstate(over="ignore"):
            number: int | float = np.array(item, dtype).item()
    except (OverflowError, ValueError):
        return None
    return item if number == item else number


def of_array(array: Array) -> Vector | None:
    """A small constant as a vector."""
    if array.ndim > 1 or array.size > LONGEST or array.dtype.kind not in "iubf":
        return None
    items = [int(v) if array.dtype.kind in "iub" else float(v) for v in array.reshape(-1)]
    return Vector(tuple(items), array.ndim == 0)


@dataclass
class Call:
    """A node with what is known of its inputs."""

    node: NodeProto
    vectors: Sequence[Vector | None]
    dims: Sequence[tuple[Size | None, ...] | None]
    dtypes: Sequence[DType | None]
    opset: int

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute's value."""
        for attribute in self.node.attribute:
            if attribute.name == name:
                return helper.get_attribute_value(attribute)
        return default

    def has(self, index: int) -> bool:
        """Whether an optional input is there."""
        return index < len(self.node.input) and bool(self.node.input[index])

    def vector(self, index: int) -> Vector | None:
        """What is known of the values of an input."""
        return self.vectors[index] if index < len(self.vectors) else None

    def numbers(self, index: int) -> list[int] | None:
        """The values of an input if they are integers in every run."""
        vector = self.vector(index)
        if vector is None or not all(isinstance(item, int) for item in vector.items):
            return None
        return [item for item in vector.items if isinstance(item, int)]

    @property
    def is_float(self) -> bool:
        """Whether the first input is of floating-point numbers."""
        dtype = next(iter(self.dtypes), None)
        return dtype is not None and dtype.kind == "f"


Rule: TypeAlias = Callable[[Call], "Vector | Sequence[Vector | None] | None"]
_RULES: dict[str, Rule] = {}
_Function = TypeVar("_Function", bound=Callable[..., Any])


def registering(table: dict[str, _Function]) -> Callable[..., Callable[[_Function], _Function]]:
    """A decorator that enters functions into a table as the rules of operators."""

    def rule(*op_types: str) -> Callable[[_Function], _Function]:
        def register(function: _Function) -> _Function:
            table.update(dict.fromkeys(op_types, function))
            return function

        return register

    return rule


_rule = registering(_RULES)


def follows(op_type: str) -> bool:
    """Whether an operator's output may be a vector that is followed."""
    return op_type in _RULES


def follow(call: Call) -> Sequence[Vector | None]:
    """What is known of the values of a node's outputs."""
    try:
        results = _RULES[call.node.op_type](call)
    except (ArithmeticError, LookupError, TypeError, ValueError, MXNetError):
        return ()  # the node is not valid, or its result is no vector of numbers
    listed = [results] if isinstance(results, Vector) else results or ()
    return [None if v is not None and len(v.items) > LONGEST else v for v in listed]


# ---- shapes


@_rule("Shape")
def _shape(call: Call) -> Vector | None:
    dims = call.dims[0]
    return None if dims is None else Vector(dims[call.attribute("start", 0) : call.attribute("end")])


@_rule("Size")
def _size(call: Call) -> Vector | None:
    dims = call.dims[0]
    return None if dims is None else Vector((_product(dims),), True)


def _product(items: Sequence[Element]) -> Element:
    result: Element = 1
    for item in items:
        result = _times(result, item)
    return result


# ---- arithmetic


def _elementwise(call: Call, function: Callable[..., Element]) -> Vector | None:
    vectors = [call.vector(i) for i in range(len(call.node.input))]
    known = [v for v in vectors if v is not None]
    if len(known) < len(vectors) or not known:
        return None
    length = max(len(v.items) for v in known) if all(v.items for v in known) else 0
    columns = [v.items * length if len(v.items) == 1 else v.items for v in known]
    items = [_or_none(function, row) for row in zip(*columns, strict=True)]
    return Vector(tuple(items), all(v.is_scalar for v in known))


def _or_none(function: Callable[..., Element], row: Sequence[Element]) -> Element:
    try:
        return function(*row)
    except (UndecidedError, ArithmeticError):
        return None


def exact(value: Element) -> Element:
    """A floating-point number that is an integer as one, so that it may stand beside a size."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _of_sizes(function: Callable[[Any, Any], Any]) -> Callable[[Element, Element], Element]:
    """A function of two numbers, or of integers and sizes."""

    def compute(a: Element, b: Element) -> Element:
        if isinstance(a, SymbolicDim) or isinstance(b, SymbolicDim):
            a, b = exact(a), exact(b)
            if not isinstance(a, int | SymbolicDim) or not isinstance(b, int | SymbolicDim):
                return None
        elif not isinstance(a, int | float) or not isinstance(b, int | float):
            return None
        result: Element = function(a, b)
        return result

    return compute


_plus = _of_sizes(lambda a, b: a + b)
_minus = _of_sizes(lambda a, b: a - b)
_whole_times = _of_sizes(lambda a, b: a * b)
_least = _of_sizes(lambda a, b: min(a, b) if _are_numbers(a, b) else smaller(a, b))
_most = _of_sizes(lambda a, b: max(a, b) if _are_numbers(a, b) else larger(a, b))


def _are_numbers(*items: Element) -> bool:
    return all(isinstance(item, int | float) for item in items)


def _times(a: Element, b: Element) -> Element:
    if isinstance(a, SymbolicDim) and isinstance(b, float) and not b.is_integer():
        return _divided(a, 1 / b) if math.frexp(b)[0] == 0.5 else None  # a power of 2, which is exact
    if isinstance(b, SymbolicDim) and isinstance(a, float):
        return _times(b, a)
    return _whole_times(a, b)


def _divided(a: Element, b: Element) -> Element:
    """The quotient of floating-point numbers."""
    b = exact(b)
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a / b
    if not isinstance(a, SymbolicDim) or not isinstance(b, int | SymbolicDim):
        return None
    whole = a // b
    if same(whole * b, a):
        return whole
    return Ratio(a, b) if isinstance(b, int) and b > 0 else None


def _quotient(a: Element, b: Element) -> Element:
    """The quotient of integers, which is rounded towards 0."""
    if isinstance(a, int) and isinstance(b, int):
        return int(math.copysign(1, a) * math.copysign(1, b)) * (abs(a) // abs(b))
    if not isinstance(a, int | SymbolicDim) or not isinstance(b, int | SymbolicDim):
        return None
    return a // b if _least_of(a) >= 0 and _least_of(b) >= 0 and not same(b, 0) else None


def _least_of(size: Size) -> float:
    return size if isinstance(size, int) else size.least


def _remainder(a: Element, b: Element) -> Element:
    """What is left of a quotient that is rounded towards 0."""
    return _minus(a, _whole_times(_quotient(a, b), b))


def _modulo(a: Element, b: Element) -> Element:
    """A remainder of the divisor's sign."""
    return a % b if isinstance(a, int) and isinstance(b, int) else _remainder(a, b)


_BINARY: dict[str, Callable[[Element, Element], Element]] = {
    "Add": _plus,
    "Sub": _minus,
    "Mul": _times,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Equal": lambda a, b: a == b,
    "Greater": lambda a, b: a > b,
    "GreaterOrEqual": lambda a, b: a >= b,
    "Less": lambda a, b: a < b,
    "LessOrEqual": lambda a, b: a <= b,
    "And": lambda a, b: bool(a) and bool(b),
    "Or": lambda a, b: bool(a) or bool(b),
    "Xor": lambda a, b: bool(a) != bool(b),
}


@_rule(*_BINARY)
def _binary(call: Call) -> Vector | None:
    return _elementwise(call, _BINARY[call.node.op_type])


@_rule(*_COMPARISONS)
def _comparison(call: Call) -> Vector | None:
    decide = _of_sizes(_COMPARISONS[call.node.op_type])

    def number(a: Element, b: Element) -> Element:
        answer = decide(a, b)
        return None if answer is None else int(bool(answer))

    return _elementwise(call, number)


@_rule("Div")
def _division(call: Call) -> Vector | None:
    return _elementwise(call, _divided if call.is_float else _quotient)


@_rule("Mod")
def _mod(call: Call) -> Vector | None:
    return _elementwise(call, _remainder if call.attribute("fmod", 0) else _modulo)


@_rule("Min", "Max")
def _extreme(call: Call) -> Vector | None:
    function = _least if call.node.op_type == "Min" else _most

    def compute(first: Element, *others: Element) -> Element:
        for other in others:
            first = function(first, other)
        return first

    return _elementwise(call, compute)


@_rule("Neg")
def _negative(call: Call) -> Vector | None:
    return _elementwise(call, lambda a: _times(a, -1))


@_rule("Abs")
def _magnitude(call: Call) -> Vector | None:
    return _elementwise(call, lambda a: _most(a, _times(a, -1)))


@_rule("Relu")
def _natural(call: Call) -> Vector | None:
    return _elementwise(call, lambda a: _most(a, 0))


@_rule("Not")
def _inverse(call: Call) -> Vector | None:
    return _elementwise(call, lambda a: 1 - a if isinstance(a, int) else None)


@_rule("Where")
def _choice(call: Call) -> Vector | None:
    def choose(condition: Element, a: Element, b: Element) -> Element:
        if isinstance(condition, int):
            return a if condition else b
        return (
            a
            if isinstance(a, int | SymbolicDim) and isinstance(b, int | SymbolicDim) and same(a, b)
            else None
        )

    return _elementwise(call, choose)


# ---- rounding and element types


def _rounded(value: Element, up: bool = False) -> Element:
    if isinstance(value, Ratio):
        return -(-value.size // value.by) if up else value.size // value.by
    if isinstance(value, float):
        return float(math.ceil(value) if up else math.floor(value))
    return value


def _whole(value: Element) -> Element:
    return value if isinstance(value, int | SymbolicDim) else None


def _cast_to(vector: Vector, dtype: DType) -> Vector:
    def convert(value: Element) -> Element:
        if dtype.kind not in "iubf":
            return None
        if dtype.kind == "b":
            return None if not isinstance(value, int | float | SymbolicDim) else int(bool(value))
        if dtype.itemsize < 4 and isinstance(value, SymbolicDim | Ratio):
            return None
        if dtype.kind == "f":
            return value
        if isinstance(value, Ratio):  # rounded towards 0
            return value.size // value.by if value.size.least >= 0 else None
        return int(value) if isinstance(value, float) else value

    return Vector(tuple(_or_none(convert, (item,)) for item in vector.items), vector.is_scalar)


@_rule("Floor")
def _floor(call: Call) -> Vector | None:
    return _elementwise(call, _rounded)


@_rule("Ceil")
def _ceil(call: Call) -> Vector | None:
    return _elementwise(call, lambda a: _rounded(a, True))


@_rule("Round")
def _round(call: Call) -> Vector | None:
    return _elementwise(call, lambda a: float(round(a)) if isinstance(a, float) else _whole(a))


@_rule("Cast")
def _cast(call: Call) -> Vector | None:
    vector = call.vector(0)
    return None if vector is None else _cast_to(vector, dtype_of(call.attribute("to")))


@_rule("CastLike")
def _cast_like(call: Call) -> Vector | None:
    vector, dtype = call.vector(0), call.dtypes[1]
    return None if vector is None or dtype is None else _cast_to(vector, dtype)


@_rule("Identity")
def _identity(call: Call) -> Vector | None:
    return call.vector(0)


# ---- taking apart and putting together


@_rule("Gather")
def _gather(call: Call) -> Vector | None:
    vector, numbers, indices = call.vector(0), call.numbers(1), call.vector(1)
    if vector is None or vector.is_scalar or numbers is None or indices is None:
        return None
    return Vector(tuple(vector.items[i] for i in numbers), indices.is_scalar)


@_rule("Slice")
def _slice(call: Call) -> Vector | None:
    vector = call.vector(0)
    if vector is None or vector.is_scalar:
        return None
    if call.opset < 10:
        starts, ends, axes, steps = list(call.attribute("starts")), list(call.attribute("ends")), [0], [1]
    else:
        limits = [
            call.numbers(i) if call.has(i) else default
            for i, default in ((1, None), (2, None), (3, [0]), (4, [1]))
        ]
        if any(limit is None for limit in limits):
            return None
        starts, ends, axes, steps = [limit or [] for limit in limits]
    if len(starts) != 1 or axes[0] not in (0, -1):
        return None
    return Vector(_part(vector.items, starts[0], ends[0], steps[0]))


def _part(items: tuple[Element, ...], start: int, end: int, step: int) -> tuple[Element, ...]:
    """The elements of ONNX's slice: going backward, it begins no earlier than at the first one."""
    return items[max(start, -len(items)) : end : step]


@_rule("Concat")
def _concat(call: Call) -> Vector | None:
    items: list[Element] = []
    for vector, dims in zip(call.vectors, call.dims, strict=True):
        if vector is not None and not vector.is_scalar:
            items += vector.items
        elif dims is not None and len(dims) == 1 and isinstance(dims[0], int) and dims[0] <= LONGEST:
            items += [None] * dims[0]
        else:
            return None
    return Vector(tuple(items))


@_rule("Squeeze")
def _squeeze(call: Call) -> Vector | None:
    vector = call.vector(0)
    if vector is None or (len(vector.items) != 1 and call.has(1)):
        return None
    return Vector(vector.items, len(vector.items) == 1)


@_rule("Unsqueeze")
def _unsqueeze(call: Call) -> Vector | None:
    vector = call.vector(0)
    axes = call.attribute("axes") if call.opset < 13 else call.numbers(1)
    if vector is None or not vector.is_scalar or axes is None or len(axes) != 1:
        return None
    return Vector(vector.items)


@_rule("Reshape")
def _reshape(call: Call) -> Vector | None:
    vector, shape = call.vector(0), call.numbers(1)
    if vector is None or shape is None or len(shape) > 1:
        return None
    return Vector(vector.items, not shape)


@_rule("Split")
def _split(call: Call) -> Sequence[Vector] | None:
    vector, count = call.vector(0), len(call.node.output)
    if vector is None or vector.is_scalar:
        return None
    by_attribute = call.attribute("split")
    sizes = call.numbers(1) if call.has(1) else by_attribute and list(by_attribute)
    if sizes is None:
        length = len(vector.items)
        each = -(-length // count)
        if call.has(1) or each * (count - 1) > length:
            return None
        sizes = [each] * (count - 1) + [length - each * (count - 1)]
    ends = list(accumulate(sizes))
    return [Vector(vector.items[end - size : end]) for end, size in zip(ends, sizes, strict=True)]


@_rule("Expand")
def _expand(call: Call) -> Vector | None:
    vector, shape = call.vector(0), call.numbers(1)
    if vector is None or shape is None or len(shape) > 1:
        return None
    if not shape or len(vector.items) != 1:
        return vector if not shape or shape in ([1], [len(vector.items)]) else None
    return Vector(vector.items * shape[0]) if 0 <= shape[0] <= LONGEST else None


@_rule("ConstantOfShape")
def _constant(call: Call) -> Vector | None:
    shape = call.numbers(0)
    if shape is None or len(shape) > 1 or (shape and not 0 <= shape[0] <= LONGEST):
        return None
    value = call.attribute("value")
    fill: Element = 0
    if value is not None:
        from onnx import numpy_helper

        fill = numpy_helper.to_array(value).reshape(-1)[0].item()
    return Vector((fill,) * (shape[0] if shape else 1), not shape)


@_rule("Range")
def _range(call: Call) -> Vector | None:
    """A few integers from a number that may be a size."""
    first, last, step = (None if v is None else v.items[0] for v in map(call.vector, range(3)))
    if not isinstance(step, int) or not step:
        return None
    length = _minus(last, first)
    if not isinstance(length, int) or not -LONGEST <= length <= LONGEST:
        return None
    return Vector(tuple(_plus(first, i) for i in range(0, length, step)))


@_rule("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin")
def _reduced(call: Call) -> Vector | None:
    vector = call.vector(0)
    if vector is None or vector.is_scalar or call.attribute("noop_with_empty_axes", 0):
        return None
    function = {"ReduceProd": _times, "ReduceSum": _plus, "ReduceMax": _most, "ReduceMin": _least}
    neutral = {"ReduceProd": 1, "ReduceSum": 0}.get(call.node.op_type)
    result, *others = vector.items or [neutral]
    for item in others:
        result = _or_none(function[call.node.op_type], (result, item))
    return Vector((result,), not call.attribute("keepdims", 1))
