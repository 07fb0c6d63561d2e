"""Cases of the functions of one array as mx.np has them."""

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

FLOATS = ("float32", "float64", "float16")
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, 1.5], np.float32)
SMOOTH = {
    "arccos": uniform((2, 3), -0.9, 0.9),
    "arccosh": uniform((2, 3), 1.1, 3.0),
    "arcsin": uniform((2, 3), -0.9, 0.9),
    "arctanh": uniform((2, 3), -0.9, 0.9),
    **dict.fromkeys(
        ("log", "log10", "log1p", "log2", "sqrt", "cbrt", "reciprocal"), uniform((2, 3), 0.3, 3.0)
    ),
}
NAMES = (
    "absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fix floor "
    "log log10 log1p log2 negative radians reciprocal rint sign sin sinh sqrt square tan tanh trunc"
).split()

CASES = [
    *(Case(f"_npi_{name}", [SMOOTH.get(name, uniform((2, 3), -2.0, 2.0))]) for name in NAMES),
    *(Case(f"_npi_{name}", [uniform((), 1.1, 2.0)]) for name in ("exp", "square", "absolute", "floor")),
    Case("_npi_exp", [ints((2, 3), 4, -2, "int32")]),
    Case("_npi_sign", [ints((2, 3), 3, -2, "int32")]),
    Case("_npx_relu", [(2, 3)]),
    Case("_npx_relu", [()]),
    Case("_npx_sigmoid", [(2, 3)]),
    Case("_np_copy", [(2, 3)]),
    Case("_np_copy", [np.array([True, False])]),
    Case("_npi_logical_not", [ints((2, 3), 2)]),
    Case("_npi_logical_not", [np.array([True, False])]),
    *(Case(f"_npi_{name}", [SPECIAL]) for name in ("isnan", "isinf", "isposinf", "isneginf", "isfinite")),
    *(
        Case(f"_npi_{name}", [ints((2, 3), 3, -2, "int32")])
        for name in ("isnan", "isinf", "isposinf", "isneginf", "isfinite")
    ),
    Case("_npi_isnan", [()]).but(dtypes=FLOATS),
    Case("_npi_bitwise_not", [np.array([[True, False]])]),
    Case("_npi_bitwise_not", [ints((2, 3), 5, -5, "int32")]),
    Case("_npi_bitwise_not", [ints((2, 3), 5, 0, "uint8")]),
    Case("_npi_around", [(2, 3)]),
    Case("_npi_around", [(2, 3)], decimals=2).but(dtypes=FLOATS[:2]),
    Case("_npi_around", [uniform((2, 3), -500.0, 500.0)], decimals=-2),
    Case("_npi_around", [ints((2, 3), 5, -5, "int32")]),
    Case("_npi_nan_to_num", [(2, 3)]),
    Case("_npi_nan_to_num", [SPECIAL]).but(no={"gradient": "differences of what is not finite"}),
    Case(
        "_npi_nan_to_num",
        [np.array([np.nan, np.inf, -np.inf, 2.0], np.float32)],
        nan=1.0,
        posinf=5.0,
        neginf=-6.0,
    ),
    Case("_npi_nan_to_num", [ints((2, 3), 5, -5, "int32")]),
    Case("_npi_full_like", [(2, 3)], fill_value=2.5),
    Case("_npi_full_like", [()], fill_value=2.5, dtype="float64"),
    Case("_npi_full_like", [(2, 3)], fill_value=1, dtype="bool"),
    Case("_npi_full_like", [ints((2, 3), 5, 0, "int32")], fill_value=2.5),
]
