"""Cases of the elementwise operators of one array."""

from __future__ import annotations

import math

import numpy as np

from hybridonnx.ops import _special
from hybridonnx.test_utils import Case, distinct, ints, uniform

FLOATS = ("float32", "float64", "float16")
NOT_FINITE = {"gradient": "some of the points are not finite"}

SIGNED = [(3, 4), (2, 1, 5), (1,)]
ROUNDED = ["sign", "round", "rint", "fix", "trunc", "ceil", "floor", "logical_not"]
ANYWHERE = [
    "negative square exp expm1 sin cos arctan sinh cosh tanh arcsinh degrees radians erf relu sigmoid",
    "softsign abs cbrt rcbrt reciprocal _copy",
]
LINEAR = ["negative", "degrees", "radians", "_copy"]
POSITIVE = ["sqrt", "rsqrt", "log", "log10", "log2", "gamma", "gammaln"]
BETWEEN = {
    "log1p": (-0.9, 4.0),
    "tan": (-1.3, 1.3),
    "arcsin": (-0.95, 0.95),
    "arccos": (-0.95, 0.95),
    "arctanh": (-0.95, 0.95),
    "erfinv": (-0.97, 0.97),
    "arccosh": (1.1, 6.0),
    **dict.fromkeys(["cbrt", "rcbrt", "reciprocal"], (-3.0, -0.2)),
    **dict.fromkeys(POSITIVE, (0.1, 5.0)),
}
SMOOTH = [name for line in ANYWHERE for name in line.split()]
EVERY = sorted({*SMOOTH, *BETWEEN})

EDGES = np.array([-np.inf, -2.5, -1.5, -0.5, 0.0, 0.5, 1.0, 1.5, 2.5, 3.0, np.inf, np.nan], np.float32)
HALVES = np.array([-3.5, -2.5, -1.5, -0.5, -0.25, 0.25, 0.5, 1.5, 2.5, 3.5, np.inf], np.float32)

OF_INTEGERS = [
    *"negative abs sign square round rint fix trunc ceil floor relu logical_not _copy ones_like".split(),
    *"zeros_like BlockGrad make_loss".split(),
]
THROUGH_FLOAT = [
    *"sqrt exp expm1 cbrt log1p sin cos tan arctan sinh cosh tanh arcsinh degrees radians erf".split(),
    *"sigmoid softsign gammaln gamma".split(),
]
IGNORES_HEAD = {"gradient": "the gradient is that of a loss, whatever the output's"}

PASSES = {"gradient": "the gradient passes as if the steps were not there"}


def edges(name: str) -> Case:
    """Where functions have poles, jumps and limits."""
    no = {**NOT_FINITE, **({} if name in LINEAR else {"second": "the same"})}
    if name in ("gamma", "gammaln"):
        no["oracle"] = "MXNet's gradient is another at infinity or NaN"
    return Case(name, [EDGES]).but(no=no)


cases = [Case(name, [shape]).but(dtypes=FLOATS) for name in SMOOTH for shape in SIGNED]
cases += [
    Case(name, [uniform(shape, *BETWEEN[name])]).but(dtypes=FLOATS) for name in BETWEEN for shape in SIGNED
]
cases += [Case(name, [HALVES]) for name in ROUNDED]
cases += [Case(name, [np.array([8388609.0, -16777217.0], np.float32)]) for name in ROUNDED]
cases += [Case(name, [distinct((3, 8))]).but(dtypes=FLOATS) for name in ROUNDED]
cases += [edges(name) for name in EVERY]
cases += [
    Case(name, [ints((3, 4), 10, 0 if dtype == "uint8" else -10, dtype)])
    for name in OF_INTEGERS
    for dtype in ("int32", "int64", "int8", "uint8")
]
cases += [
    Case(name, [ints((3, 4), 5, 1, dtype)])
    for name in THROUGH_FLOAT
    for dtype in ("int32", "int64", "int8", "uint8")
]
cases += [
    Case(name, [np.zeros((0, 3), np.float32)]).but(formula=lambda x: x) for name in ("exp", "relu", "round")
]

NUMBERS = [-100, -64, -27, -12, -10, -9, -8, -5, -1, 0, 1, 2, 3, 5, 8, 9, 10, 12, 27, 64, 100, 125]
INTEGERS = [  # through float64, and truncated
    Case(name, [np.array(numbers, dtype)]).but(
        formula=lambda x, f=f: np.trunc(f(np.float64(x))).astype(x.dtype)
    )
    for dtype in ("int8", "int32")
    for name, f, numbers in (
        ("tanh", np.tanh, NUMBERS),
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), NUMBERS),
        ("cbrt", np.cbrt, NUMBERS),
        ("log2", np.log2, [n for n in NUMBERS if n > 0]),
        ("log10", np.log10, [n for n in NUMBERS if n > 0]),
        ("exp", np.exp, [n for n in NUMBERS if n < 5]),
        ("sinh", np.sinh, [n for n in NUMBERS if abs(n) < 6]),
        ("cos", np.cos, NUMBERS),
    )
]

CASES = [
    *cases,
    *INTEGERS,
    Case("BlockGrad", [(2, 3)]).but(dtypes=FLOATS),
    Case("ones_like", [(2, 3)]).but(dtypes=FLOATS),
    Case("zeros_like", [(2, 3)]).but(dtypes=FLOATS),
    Case("ones_like", [np.array([True, False])]),
    Case("_copy", [np.array([True, False])]),
    Case("_copyto", [(2, 3)]).but(formula=lambda x: x),
    Case("make_loss", [(2, 3)]).but(dtypes=FLOATS, no=IGNORES_HEAD),
    *[
        Case("MakeLoss", [(4, 3)], grad_scale=2.5, normalization=by, valid_thresh=0.1).but(no=IGNORES_HEAD)
        for by in ("null", "batch", "valid")
    ],
    Case("MakeLoss", [(4, 3)], normalization="valid", valid_thresh=1e3).but(no=IGNORES_HEAD),
    *[
        Case(f"_contrib_{name}_ste", [x]).but(
            dtypes=FLOATS if isinstance(x, tuple) else ("float32",), no=PASSES
        )
        for name in ("sign", "round")
        for x in ((3, 5), HALVES)
    ],
    Case("_contrib_round_ste", [ints((3, 4), 9, -9, "int32")]),
    Case("_contrib_quadratic", [(3, 4)], a=1.5, b=-2.0, c=0.25).but(dtypes=FLOATS),
    Case("_contrib_quadratic", [(3, 4)]),
    Case("_contrib_quadratic", [ints((3, 4), 9, 0, "int32")], a=1.5, b=2.5, c=3.0),
    *[Case("_contrib_div_sqrt_dim", [shape]).but(dtypes=FLOATS) for shape in ((3, 4), (2, 1, 5), (7,), (1,))],
    Case("_contrib_div_sqrt_dim", [(2, 3, 2, 6)]),
    Case("_contrib_div_sqrt_dim", [EDGES]).but(no=NOT_FINITE),
    *[
        Case("_contrib_div_sqrt_dim", [shape]).but(dtypes=FLOATS, formula=lambda x: x)
        for shape in ((0, 3), (2, 0), (0,))
    ],
    Case("gamma", [uniform((3, 5), -3.9, -3.1)]).but(tol=1e-4),
    Case("gammaln", [uniform((3, 5), -3.9, -3.1)]).but(tol=1e-4),
    Case("hard_sigmoid", [uniform((3, 5), -5, 5)]).but(dtypes=FLOATS),
    Case("hard_sigmoid", [uniform((3, 5), -5, 5)], alpha=0.5, beta=0.1),
    Case("clip", [uniform((3, 5), -5, 5)], a_min=-1.0, a_max=2.5).but(dtypes=FLOATS),
    Case("clip", [np.array([-1.0, -0.5, 0.0, 2.5], np.float32)], a_min=-1.0, a_max=2.5).but(
        no={"gradient": "the bounds are kinks", "second": "the same"}
    ),
    Case("clip", [uniform((3, 5), -5, 5)], a_min=2.0, a_max=-1.0),
    *[
        Case("clip", [ints((3, 5), 9, 0, d)], a_min=-2.7, a_max=3.7)
        for d in ("int32", "int8", "uint8", "int64")
    ],
    *[Case("smooth_l1", [uniform((3, 5), -3, 3)], scalar=s).but(dtypes=FLOATS) for s in (0.5, 1.0, 2.0)],
    Case("smooth_l1", [uniform((3, 5), -3, 3)]),
    *[Case("smooth_l1", [ints((3, 5), 9, -9, "int32")], scalar=s) for s in (1.0, 0.5, 2.7)],
    Case("smooth_l1", [uniform((3, 5), -3, 3)], scalar=1.5, is_int=False),
    *[
        Case("_polygamma", [uniform((3, 4), 0.2, 9)], order=n).but(formula=lambda x, n=n: polygamma(x, n))
        for n in range(4)
    ],
    *[
        Case("_polygamma", [uniform((3, 4), -3.9, -3.1)], order=n).but(
            formula=lambda x, n=n: polygamma(x, n), tol=1e-4
        )
        for n in range(3)
    ],
]


def polygamma(x: np.ndarray, order: int) -> np.ndarray:
    """By differences of the function one order below, in float64."""
    z, h = x.astype(np.float64), 1e-4
    below = (lambda v: _special.polygamma(v, order - 1)) if order else np.vectorize(math.lgamma)
    slope = (8 * (below(z + h) - below(z - h)) - (below(z + 2 * h) - below(z - 2 * h))) / (12 * h)
    return slope.astype(x.dtype)
