"""Cases of arithmetic on an array and a number."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

FLOATS = ("float32", "float64", "float16")
SCALARS = [
    *"_plus_scalar _minus_scalar _rminus_scalar _mul_scalar _div_scalar _rdiv_scalar _mod_scalar".split(),
    *"_rmod_scalar _power_scalar _rpower_scalar _maximum_scalar _minimum_scalar _hypot_scalar".split(),
]
POINTS = np.array([-np.inf, -2.5, -1.5, -1, -0.5, 0.0, 0.5, 1, 1.5, 2.5, np.inf, np.nan], np.float32)


def positive(name: str) -> object:
    """Inputs at which the operator is smooth for every scalar here."""
    low = 0.2 if "power" in name or name in ("_rdiv_scalar", "_rmod_scalar") else -3.0
    return uniform((3, 5), low, 3.0)


def edges(name: str, scalar: float) -> Case:
    """Zeros, infinities and NaN."""
    no = {"gradient": "some of the points are not finite"}
    linear = name in (
        "_plus_scalar",
        "_minus_scalar",
        "_rminus_scalar",
        "_mul_scalar",
        "_div_scalar",
        "_mod_scalar",
    )
    if not linear and not (name in ("_maximum_scalar", "_minimum_scalar") and scalar not in POINTS):
        no["second"] = "the same"
    return Case(name, [POINTS], scalar=scalar, is_int=False).but(no=no)


def of_integers(name: str, dtype: str, scalar: float, is_int: bool) -> Case:
    """Integers, without 0, by which MXNet crashes when it divides."""
    low = 1 if dtype == "uint8" or name[:2] == "_r" or "power" in name else -9
    return Case(
        name, [ints((3, 4), 7 if "power" not in name else 4, low, dtype)], scalar=scalar, is_int=is_int
    )


cases = [Case(name, [positive(name)], scalar=2.0).but(dtypes=FLOATS) for name in SCALARS]
cases += [Case(name, [positive(name)], scalar=1.3, is_int=False).but(dtypes=FLOATS) for name in SCALARS]
cases += [
    Case(name, [positive(name)], scalar=-1.5, is_int=False) for name in SCALARS if name != "_rpower_scalar"
]
cases += [edges(name, 2.0) for name in SCALARS]
cases += [edges(name, -1.5) for name in SCALARS if name != "_rpower_scalar"]
cases += [
    of_integers(name, dtype, 2.0, is_int)
    for name in SCALARS
    for dtype in ("int32", "int64", "int8", "uint8")
    for is_int in (True, False)
]
cases += [of_integers(name, "int32", 2.7, True) for name in SCALARS]
cases += [Case(name, [np.array([True, False])], scalar=2.0) for name in SCALARS if name[:2] != "_r"]
cases += [
    Case(name, [np.array([True, False])], scalar=0.5, is_int=False) for name in SCALARS if "mod" not in name
]

CASES = [
    *[
        Case("_rpower_log_scalar", [(3, 4)], scalar=s, is_int=False).but(
            formula=lambda x, s=s: (s**x * np.log(s)).astype(x.dtype), dtypes=FLOATS
        )
        for s in (2.0, 0.5)
    ],
    Case("_rpower_log_scalar", [ints((3, 4), 6, 0, "int32")], scalar=3.0).but(
        formula=lambda x: np.trunc(3.0**x * np.log(3)).astype("int32")
    ),
    *cases,
    Case("_plus_scalar", [np.zeros((0, 2), np.float32)], scalar=1.0).but(
        formula=lambda x: x, no={"oracle": "MXNet refuses sizes of 0"}
    ),
    Case("_power_scalar", [uniform((2, 3), -2, 2)], scalar=0.0, is_int=False),
    Case("_power_scalar", [uniform((2, 3), -2, 2)], scalar=1.0, is_int=False),
    Case("_power_scalar", [uniform((2, 3), -2, 2)], scalar=3.0, is_int=False),
    Case("_rpower_scalar", [uniform((2, 3), 0.5, 2)], scalar=0.0, is_int=False).but(
        no={"oracle": "MXNet's gradient is NaN, of 0 · log 0"}
    ),
    Case("_mul_scalar", [np.array([2**53 + 1, -(2**53) - 1], np.int64)], scalar=1.0),
    Case("_contrib_gradientmultiplier", [(2, 3)], scalar=2.5).but(
        dtypes=FLOATS, no={"gradient": "the gradient is meant to be another"}
    ),
    Case("_scatter_plus_scalar", [(2, 3)], scalar=2.5),
    Case("_scatter_minus_scalar", [(2, 3)], scalar=2.5),
    Case("_maximum_scalar", [np.array([1.0, 2.0, 0.0], np.float32)], scalar=1.0).but(
        no={"gradient": "equal values are kinks", "second": "the same"}
    ),
]
