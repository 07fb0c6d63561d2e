"""Arithmetic on two arrays of one shape, or of shapes that broadcast, and the sum of any number of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from ._arithmetic import divide, hypot, modulo, power
from ._operator import Array, Operator
from ._registry import operator
from ._rows import Binary, Rule, row, rule_facets

Kernel = Callable[[Array, Array], Array]


def elementwise(
    name: str, fn: Kernel, rule: Rule, *aliases: str, broadcasting: str, doc: str = ""
) -> type[Operator]:
    """An operator on two arrays of one shape; `broadcasting` names the one for other shapes."""
    hint = f"Use {broadcasting}, which broadcasts."
    return row(
        Binary, (name, *aliases), doc, fn=staticmethod(fn), elementwise=True, hint=hint, **rule_facets(rule)
    )


def broadcasting(name: str, fn: Kernel, rule: Rule, *aliases: str, doc: str = "") -> type[Operator]:
    """An operator on two arrays that broadcast."""
    return row(Binary, (name, *aliases), doc, fn=staticmethod(fn), broadcasts=True, **rule_facets(rule))


# ---- gradients, the same for both forms


def _add(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy, dy


def _sub(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy, -dy


def _mul(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * b, dy * a


def _div(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy / b, -dy * a / (b * b)


def _mod(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy, -dy * F.floor(a / b)


def _power(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * b * a ** (b - 1), dy * y * F.log(a)


def _maximum(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * (a >= b), dy * (a < b)


def _minimum(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * (a <= b), dy * (a > b)


def _hypot(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    return dy * a / y, dy * b / y


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
)
elementwise(
    "elemwise_mul", np.multiply, _mul, "_Mul", "_mul", "_sparse_elemwise_mul", broadcasting="broadcast_mul"
)
elementwise(
    "elemwise_div", divide, _div, "_Div", "_div", "_sparse_elemwise_div", broadcasting="broadcast_div"
)
elementwise("_grad_add", np.add, _add, broadcasting="broadcast_add")
elementwise("_scatter_elemwise_div", divide, _div, broadcasting="broadcast_div")
elementwise("_mod", modulo, _mod, "_Mod", broadcasting="broadcast_mod")
elementwise("_power", power, _power, "_Power", broadcasting="broadcast_power")
elementwise("_maximum", np.maximum, _maximum, "_Maximum", broadcasting="broadcast_maximum")
elementwise("_minimum", np.minimum, _minimum, "_Minimum", broadcasting="broadcast_minimum")
elementwise("_hypot", hypot, _hypot, "_Hypot", broadcasting="broadcast_hypot")

# ---- shapes that broadcast

broadcasting(
    "broadcast_add",
    np.add,
    _add,
    "_sparse_broadcast_add",
    "_sparse_broadcast_plus",
    "broadcast_plus",
)
broadcasting(
    "broadcast_sub",
    np.subtract,
    _sub,
    "_sparse_broadcast_minus",
    "_sparse_broadcast_sub",
    "broadcast_minus",
)
broadcasting("broadcast_mul", np.multiply, _mul, "_sparse_broadcast_mul")
broadcasting("broadcast_div", divide, _div, "_sparse_broadcast_div")
broadcasting("broadcast_mod", modulo, _mod)
broadcasting("broadcast_power", power, _power)
broadcasting("broadcast_maximum", np.maximum, _maximum, "_npi_maximum")
broadcasting("broadcast_minimum", np.minimum, _minimum, "_npi_minimum")
broadcasting("broadcast_hypot", hypot, _hypot)

# ---- other numbers of arrays


@operator("add_n", "ElementWiseSum", "_sparse_ElementWiseSum", "_sparse_add_n")
class AddN(Operator):
    """The sum of `num_args` arrays of one shape."""

    variadic: ClassVar[str] = "num_args"
    elementwise = True
    takes_bool = False
    num_args: int

    def forward(self, *inputs: Array) -> Array:
        return reduce(np.add, inputs)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        return [dy] * len(inputs)


@operator("_identity_with_attr_like_rhs")
class IdentityLike(Operator):
    """`lhs`, which has the shape and dtype of `rhs`."""

    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    elementwise = True

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return lhs

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        return dy, None
