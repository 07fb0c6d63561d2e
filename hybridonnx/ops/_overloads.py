"""What arrays and symbols share: the operators that Python's become, and those that are methods."""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple, TypeGuard

import numpy as np


class Overload(NamedTuple):
    """The operators of one of Python's, those of symbols with the hint that unnamed results are named by."""

    plain: tuple[str, str]
    broadcasting: str
    scalar: tuple[str, str]
    reflected: tuple[str, str]


def _overload(plain: str, hint: str, broadcasting: str, scalar: str, reflected: str = "") -> Overload:
    """Overload whose scalar hints lack underscores, as MXNet's arithmetic has them."""
    reflected = reflected or scalar
    return Overload((plain, hint), broadcasting, (scalar, _joined(scalar)), (reflected, _joined(reflected)))


def _joined(name: str) -> str:
    return "_" + name.replace("_", "")


def _comparison(plain: str, reflected: str = "") -> Overload:
    scalar, mirrored = f"{plain}_scalar", f"{reflected or plain}_scalar"
    return Overload((plain, plain), f"broadcast{plain}", (scalar, scalar), (mirrored, mirrored))


ARITHMETIC: dict[str, Overload] = {
    "add": _overload("elemwise_add", "_plus", "broadcast_add", "_plus_scalar"),
    "sub": _overload("elemwise_sub", "_minus", "broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "mul": _overload("elemwise_mul", "_mul", "broadcast_mul", "_mul_scalar"),
    "truediv": _overload("elemwise_div", "_div", "broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "mod": _overload("_mod", "_mod", "broadcast_mod", "_mod_scalar", "_rmod_scalar"),
    "pow": Overload(
        ("_power", "_power"),
        "broadcast_power",
        ("_power_scalar", "_powerscalar"),
        ("_rpower_scalar", "_rpower_scalar"),
    ),
}
"""Python's binary operators, by the names of their methods without underscores."""

COMPARISONS: dict[str, Overload] = {
    "eq": _comparison("_equal"),
    "ne": _comparison("_not_equal"),
    "gt": _comparison("_greater", "_lesser"),
    "ge": _comparison("_greater_equal", "_lesser_equal"),
    "lt": _comparison("_lesser", "_greater"),
    "le": _comparison("_lesser_equal", "_greater_equal"),
}
"""Python's comparisons."""

OVERLOADS: dict[str, Overload] = {
    **ARITHMETIC,
    **COMPARISONS,
    "power": _overload("_power", "_power", "broadcast_power", "_power_scalar", "_rpower_scalar"),
    "maximum": _overload("_maximum", "_maximum", "broadcast_maximum", "_maximum_scalar"),
    "minimum": _overload("_minimum", "_minimum", "broadcast_minimum", "_minimum_scalar"),
    "hypot": _overload("_hypot", "_hypot", "broadcast_hypot", "_hypot_scalar"),
    "logical_and": _comparison("_logical_and"),
    "logical_or": _comparison("_logical_or"),
    "logical_xor": _comparison("_logical_xor"),
}
"""These, and the functions of two operands of which either may be a number."""


def is_number(value: object) -> TypeGuard[float]:
    """Whether arithmetic takes `value` as a number."""
    return isinstance(value, numbers.Real | np.bool_)


FLUENT = tuple(
    """
    abs arccos arccosh arcsin arcsinh arctan arctanh argmax argmax_channel argmin argsort broadcast_axes
    broadcast_like broadcast_to cbrt ceil clip cos cosh degrees depth_to_space diag exp expand_dims expm1
    fix flatten flip floor log log10 log1p log2 log_softmax max mean min nanprod nansum norm one_hot
    ones_like pad pick prod radians rcbrt reciprocal relu repeat reshape_like rint round rsqrt shape_array
    sigmoid sign sin sinh size_array slice slice_axis slice_like softmax softmin sort space_to_depth split
    split_v2 sqrt square squeeze sum swapaxes take tan tanh tile topk transpose trunc zeros_like
    """.split()
)
"""Operators that are also methods, of arrays and of symbols alike: MXNet's list."""


def sections(indices_or_sections: Any) -> dict[str, Any]:
    """How many equal parts, or the indices that parts begin at, as attributes of `_split_v2`."""
    if isinstance(indices_or_sections, int):
        return {"indices": [], "sections": indices_or_sections}
    if isinstance(indices_or_sections, tuple | list):
        return {"indices": [0, *indices_or_sections], "sections": 0}
    raise ValueError(
        f"split_v2: a number of parts or a tuple of indices is required, got {indices_or_sections!r}."
    )
