"""Arithmetic on two arrays of one shape, or of shapes that broadcast, and the sum of any number of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from . import _storage
from ._arithmetic import divide, hypot, modulo, power, power_log
from ._operator import Array, Operator
from ._registry import operator
from ._rows import Broadcasting, Rule, SameShape, row, rule_facets
from ._slopes import times_slope, widened

Kernel = Callable[[Array, Array], Array]


def elementwise(
    name: str, fn: Kernel, rule: Rule, *aliases: str, broadcasting: str, doc: str = "", **facets: Any
) -> type[Operator]:
    """An operator on two arrays of one shape; `broadcasting` names the one for other shapes."""
    hint = f"Use {broadcasting}, which broadcasts."
    return row(
        SameShape, (name, *aliases), doc, fn=staticmethod(fn), hint=hint, **rule_facets(rule), **facets
    )


def broadcasting(
    name: str, fn: Kernel, rule: Rule, *aliases: str, doc: str = "", **facets: Any
) -> type[Operator]:
    """An operator on two arrays that broadcast."""
    return row(Broadcasting, (name, *aliases), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)


# ---- gradients, the same for both forms


def _add(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy, dy


def _sub(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy, -dy


def _mul(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * b, dy * a


def _div(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    m, n = widened(F, a), widened(F, b)
    return times_slope(F, dy, 1 / n, b), times_slope(F, dy, -m / (n * n), b)


def _mod(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    dy = F._zero_of_integers(dy)
    return dy, -dy * F.floor(a / b)


def _power(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    m, n = widened(F, a), widened(F, b)
    return times_slope(F, dy, n * m ** (n - 1), a), times_slope(F, dy, F._power_log(m, n), a)


def _power_log_rule(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * (b * F._power_log(a, b - 1) + a ** (b - 1)), dy * y * F.log(a)


def _maximum(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * (a >= b), dy * (a < b)


def _minimum(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * (a <= b), dy * (a > b)


def _hypot(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    m, n = widened(F, a), widened(F, b)
    root = F.broadcast_hypot(m, n)  # y is truncated if it is an integer
    return times_slope(F, dy, m / root, a), times_slope(F, dy, n / root, a)


# ---- one shape

elementwise(
    "elemwise_add",
    np.add,
    _add,
    "_Plus",
    "_add",
    "_plus",
    "_sparse_elemwise_add",
    broadcasting="broadcast_add",
    stores=_storage.of_sum,
    doc="""The sum lhs + rhs of two arrays of one shape.

    ONNX: Add.
    """,
)
elementwise(
    "elemwise_sub",
    np.subtract,
    _sub,
    "_Minus",
    "_minus",
    "_sparse_elemwise_sub",
    "_sub",
    broadcasting="broadcast_sub",
    stores=_storage.of_sum,
    doc="""The difference lhs - rhs of two arrays of one shape.

    ONNX: Sub.
    """,
)
elementwise(
    "elemwise_mul",
    np.multiply,
    _mul,
    "_Mul",
    "_mul",
    "_sparse_elemwise_mul",
    broadcasting="broadcast_mul",
    stores=_storage.of_product,
    doc="""The product lhs * rhs of two arrays of one shape, element by element.

    ONNX: Mul.
    """,
)
elementwise(
    "elemwise_div",
    divide,
    _div,
    "_Div",
    "_div",
    "_sparse_elemwise_div",
    broadcasting="broadcast_div",
    doc="""The quotient lhs / rhs of two arrays of one shape.

    Quotients of integers are truncated towards zero; division by an integer zero gives 0.

    ONNX: Div; of integers with Equal and Where around it, for divisors of zero.
    """,
)
elementwise(
    "_grad_add",
    np.add,
    _add,
    broadcasting="broadcast_add",
    takes_bool=True,
    takes_extensions=True,
    stores=_storage.of_sum,
    doc="""The sum of two gradients of one array, as graphs written by MXNet's own differentiation hold it.

    ONNX: Add; Or if they are bool.
    """,
)
elementwise(
    "_scatter_elemwise_div",
    divide,
    _div,
    broadcasting="broadcast_div",
    stores=_storage.as_first,
    doc="""The quotient lhs / rhs that MXNet uses for sparse gradients; on dense arrays that of elemwise_div.

    ONNX: Div.
    """,
)
elementwise(
    "_mod",
    modulo,
    _mod,
    "_Mod",
    broadcasting="broadcast_mod",
    doc="""The remainder of lhs / rhs for two arrays of one shape, with the sign of the divisor.

    Where the divisor is zero the remainder is 0, of floating-point numbers as well.

    ONNX: Mod, with Equal and Where for divisors of zero, and Add for the sign.
    """,
)
elementwise(
    "_power",
    power,
    _power,
    "_Power",
    broadcasting="broadcast_power",
    doc="""The power lhs ** rhs of two arrays of one shape.

    Powers of integers are computed in float64 and truncated.

    ONNX: Pow.
    """,
)
elementwise(
    "_maximum",
    np.maximum,
    _maximum,
    "_Maximum",
    broadcasting="broadcast_maximum",
    stores=_storage.of_sum,
    doc="""The larger of lhs and rhs at each index, for two arrays of one shape; NaN if either is.

    ONNX: Max.
    """,
)
elementwise(
    "_minimum",
    np.minimum,
    _minimum,
    "_Minimum",
    broadcasting="broadcast_minimum",
    stores=_storage.of_sum,
    doc="""The smaller of lhs and rhs at each index, for two arrays of one shape; NaN if either is.

    ONNX: Min.
    """,
)
elementwise(
    "_hypot",
    hypot,
    _hypot,
    "_Hypot",
    broadcasting="broadcast_hypot",
    stores=_storage.of_sum,
    doc="""The hypotenuse sqrt(lhs ** 2 + rhs ** 2) of two arrays of one shape.

    Its squares do not overflow.

    ONNX: Abs, Less, Where, Div, Mul, Add and Sqrt: the larger one times the root of 1 + ratio ** 2.
    """,
)

# ---- shapes that broadcast

broadcasting(
    "broadcast_add",
    np.add,
    _add,
    "_sparse_broadcast_add",
    "_sparse_broadcast_plus",
    "broadcast_plus",
    doc="""The sum lhs + rhs of two arrays that broadcast.

    ONNX: Add.
    """,
)
broadcasting(
    "broadcast_sub",
    np.subtract,
    _sub,
    "_sparse_broadcast_minus",
    "_sparse_broadcast_sub",
    "broadcast_minus",
    doc="""The difference lhs - rhs of two arrays that broadcast.

    ONNX: Sub.
    """,
)
broadcasting(
    "broadcast_mul",
    np.multiply,
    _mul,
    "_sparse_broadcast_mul",
    stores=_storage.of_scaled_cells,
    doc="""The product lhs * rhs of two arrays that broadcast.

    ONNX: Mul.
    """,
)
broadcasting(
    "broadcast_div",
    divide,
    _div,
    "_sparse_broadcast_div",
    stores=_storage.of_scaled_cells,
    doc="""The quotient lhs / rhs of two arrays that broadcast.

    Quotients of integers are truncated towards zero; division by an integer zero gives 0.

    ONNX: Div; of integers with Equal and Where around it, for divisors of zero.
    """,
)
broadcasting(
    "broadcast_mod",
    modulo,
    _mod,
    doc="""The remainder of lhs / rhs, with the sign of the divisor, for two arrays that broadcast.

    Where the divisor is zero the remainder is 0, of floating-point numbers as well.

    ONNX: Mod, with Equal and Where for divisors of zero, and Add for the sign.
    """,
)
broadcasting(
    "broadcast_power",
    power,
    _power,
    doc="""The power lhs ** rhs of two arrays that broadcast.

    Powers of integers are computed in float64 and truncated.

    ONNX: Pow.
    """,
)
broadcasting(
    "_power_log",
    power_log,
    _power_log_rule,
    doc="""The derivative of lhs ** rhs by rhs, lhs ** rhs * log(lhs), for two arrays that broadcast.

    Of integers it is computed in float64 and truncated.

    ONNX: Pow, Log and Mul.
    """,
)
broadcasting(
    "broadcast_maximum",
    np.maximum,
    _maximum,
    "_npi_maximum",
    doc="""The larger of lhs and rhs at each index of their common shape; NaN if either is.

    ONNX: Max.
    """,
)
broadcasting(
    "broadcast_minimum",
    np.minimum,
    _minimum,
    "_npi_minimum",
    doc="""The smaller of lhs and rhs at each index of their common shape; NaN if either is.

    ONNX: Min.
    """,
)
broadcasting(
    "broadcast_hypot",
    hypot,
    _hypot,
    doc="""The hypotenuse sqrt(lhs ** 2 + rhs ** 2) of two arrays that broadcast.

    Its squares do not overflow.

    ONNX: Abs, Less, Where, Div, Mul, Add and Sqrt: the larger one times the root of 1 + ratio ** 2.
    """,
)

# ---- other numbers of arrays


@operator("add_n", "ElementWiseSum", "_sparse_ElementWiseSum", "_sparse_add_n")
class AddN(Operator):
    """The sum of any number of arrays of one shape.

    Inputs:
        *args: The terms, all of one shape and dtype.

    Attributes:
        num_args: The number of terms; counted in a call, so that it need not be given.

    Returns:
        The shape of the terms.

    ONNX: Sum; Add for each further term if they are integers; Identity of a single term.
    """

    variadic: ClassVar[str] = "num_args"
    elementwise = True
    stores = _storage.of_sum_of_rows
    takes_bool = False
    num_args: int

    def forward(self, *inputs: Array) -> Array:
        return reduce(np.add, inputs)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        return [dy] * len(inputs)


@operator("_identity_with_attr_like_rhs")
class IdentityLike(Operator):
    """`lhs` unchanged, its shape and dtype made known by those of `rhs`.

    Inputs:
        lhs: An array of any shape.
        rhs: An array of the same shape and dtype; its values do not matter.

    Returns:
        The shape of lhs.

    ONNX: Identity.
    """

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    stores = _storage.as_first
    elementwise = True

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return lhs

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        return dy, None
