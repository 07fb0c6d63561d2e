"""Cases of arithmetic on two or more arrays."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case, distinct, ints, uniform

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int32", "int64", "int8", "uint8")

PAIRS = {
    "elemwise_add": "broadcast_add",
    "elemwise_sub": "broadcast_sub",
    "elemwise_mul": "broadcast_mul",
    "elemwise_div": "broadcast_div",
    "_mod": "broadcast_mod",
    "_power": "broadcast_power",
    "_maximum": "broadcast_maximum",
    "_minimum": "broadcast_minimum",
    "_hypot": "broadcast_hypot",
}
SHAPES = [((2, 3, 4), (2, 1, 4)), ((4,), (3, 1)), ((2, 1, 4), (3, 1)), ((1,), (2, 3)), ((2, 3), (2, 3))]


def second(name: str, shape: tuple[int, ...]) -> object:
    """The right operand: away from 0 for those that divide."""
    return uniform(shape, 0.3, 2.0) if "div" in name or "mod" in name else shape


def first(name: str, shape: tuple[int, ...]) -> object:
    """The left operand: positive for powers."""
    return uniform(shape, 0.2, 3.0) if "power" in name else shape


def edges(name: str) -> Case:
    """Zeros, infinities, NaN and signs against each other."""
    a = np.array([5, -5, 5, -5, 0, 5.5, np.nan, 1, np.inf, 1, -2, 0, 0, -8, 2, 7], np.float32)
    b = np.array([3, 3, -3, -3, 3, 0, 1, np.nan, 2, np.inf, 0.5, -1, 2, 0.25, 2, -7], np.float32)
    no = {"gradient": "some of the points are not finite"}
    if name not in ("elemwise_add", "elemwise_sub"):
        no["second"] = "the same"
    return Case(name, [a, b]).but(no=no)


def of_integers(name: str, shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str) -> Case:
    """Integers, without 0 for those that divide, with which MXNet crashes."""
    low = 0 if dtype == "uint8" else -9
    if "power" in name:
        return Case(name, [ints(shapes[0], 4, 1, dtype), ints(shapes[1], 4, 0, dtype)])
    right = ints(shapes[1], 9, 1, dtype) if "div" in name or "mod" in name else ints(shapes[1], 9, low, dtype)
    return Case(name, [ints(shapes[0], 10, low, dtype), right])


cases = [Case(name, [first(name, (2, 3)), second(name, (2, 3))]).but(dtypes=FLOATS) for name in PAIRS]
cases += [
    Case(name, [first(name, a), second(name, b)]).but(dtypes=FLOATS if i == 0 else ("float32",))
    for name in PAIRS.values()
    for i, (a, b) in enumerate(SHAPES)
]
cases += [edges(name) for name in PAIRS]
cases += [of_integers(name, ((3, 4), (3, 4)), dtype) for name in PAIRS for dtype in INTEGERS]
cases += [of_integers(name, ((3, 4), (4,)), "int32") for name in PAIRS.values()]
cases += [
    Case(name, [ints((3, 4), 9, -9, dtype), np.full((3, 4), -3, dtype)])
    for name in ("elemwise_div", "_mod", "_power")
    for dtype in ("int32", "int8", "int64")
]
cases += [
    Case(name, [np.array([5, -5, 0], "int32"), np.zeros(3, "int32")]).but(
        formula=lambda a, b: np.zeros(3, "int32"), no={"oracle": "MXNet crashes"}
    )
    for name in ("elemwise_div", "_mod")
]

CASES = [
    *cases,
    Case("broadcast_mul", [np.zeros((0, 3), np.float32), (1, 3)]).but(
        formula=lambda a, b: a, no={"oracle": "MXNet refuses sizes of 0"}
    ),
    Case("_maximum", [np.array([1.0, 2.0, 0.0], np.float32), np.array([1.0, 3.0, 0.0], np.float32)]).but(
        no={"gradient": "equal values are kinks", "second": "the same"}
    ),
    Case("_grad_add", [(2, 3), (2, 3)]).but(no={"oracle": "MXNet has no gradient here"}),
    Case("_grad_add", [np.array([True, True, False]), np.array([True, False, False])]).but(
        formula=np.logical_or
    ),
    Case("_scatter_elemwise_div", [(2, 3), uniform((2, 3), 0.3, 2.0)]),
    *[
        Case("_power_log", [uniform(a, 0.5, 2.0), b]).but(
            formula=lambda a, b: a**b * np.log(a), dtypes=FLOATS if b == (2, 3) else ("float32",)
        )
        for a, b in (((2, 3), (2, 3)), ((2, 3), (3,)), ((1, 4), (2, 3, 1)))
    ],
    Case("_power_log", [ints((3, 4), 5, 1, "int32"), ints((3, 4), 4, 0, "int32")]).but(
        formula=lambda a, b: np.trunc(np.float64(a) ** b * np.log(a)).astype("int32")
    ),
    Case("_identity_with_attr_like_rhs", [(2, 3), (2, 3)]),
    Case("add_n", [(2, 3)]),
    Case("add_n", [(2, 3), (2, 3)]).but(dtypes=FLOATS),
    Case("add_n", [distinct((4,)), distinct((4,)), distinct((4,)), distinct((4,)), distinct((4,))]),
    Case("add_n", [ints((2, 3), 9, -9, "int32")] * 3),
]
