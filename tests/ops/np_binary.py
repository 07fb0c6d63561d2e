"""Cases of the arithmetic of two arrays as mx.np has it."""

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

FLOATS = ("float32", "float64", "float16")
POSITIVE = uniform((2, 3), 0.5, 2.0)
TRUE = np.array([[True, False, True], [False, True, True]])
SINGLE = ("add", "subtract", "multiply", "true_divide", "mod", "power", "copysign", "ldexp")
INTS = ints((2, 3), 9, 1, "int32")
LONGS = ints((2, 3), 9, 1, "int64")

CASES = [
    *(Case(f"_npi_{name}", [POSITIVE, uniform((2, 3), 0.6, 2.1)]).but(dtypes=FLOATS) for name in SINGLE),
    *(Case(f"_npi_{name}", [uniform((3, 1), 0.5, 2.0), uniform((2,), 0.6, 1.9)]) for name in SINGLE),
    *(Case(f"_npi_{name}", [uniform((), 0.5, 2.0), uniform((2, 2), 0.6, 1.9)]) for name in SINGLE),
    *(
        Case(f"_npi_{name}", [POSITIVE, INTS])
        for name in ("add", "subtract", "multiply", "true_divide", "mod", "power")
    ),
    *(
        Case(f"_npi_{name}", [INTS, POSITIVE])
        for name in ("add", "subtract", "multiply", "true_divide", "mod", "power")
    ),
    *(Case(f"_npi_{name}", [INTS, LONGS]) for name in ("add", "multiply", "power")),
    Case("_npi_subtract", [INTS, LONGS]).but(formula=np.subtract),
    *(
        Case(f"_npi_{name}", [INTS, INTS])
        for name in ("add", "subtract", "multiply", "true_divide", "mod", "power")
    ),
    *(Case(f"_npi_{name}", [TRUE, TRUE]) for name in ("add", "multiply", "true_divide")),
    *(Case(f"_npi_{name}", [TRUE, POSITIVE]) for name in ("add", "multiply", "true_divide")),
    Case("_npi_add", [ints((2, 3), 9, 1, "int8"), INTS]),
    Case("_npi_add", [ints((2, 3), 9, 1, "uint8"), INTS]),
    Case("_npi_add", [ints((2, 3), 9, 1, "float16"), ints((2, 3), 9)]),
    Case("_npi_add", [(2, 0), (1,)]).but(formula=np.add),
    Case("_npi_copysign", [(2, 3), (2, 3)]),
    Case("_npi_copysign", [INTS, ints((2, 3), 5, -5, "int32")]),
    Case("_npi_copysign", [ints((2, 3), 5, 0, "uint8"), ints((3,), 5, 0, "uint8")]),
    Case("_npi_arctan2", [(3, 3), (3, 3)]).but(dtypes=FLOATS),
    Case("_npi_arctan2", [(), (3,)]),
    Case("_npi_arctan2", [np.array([0, 1, -1, 0], np.float32), np.array([-1, 0, 0, 2], np.float32)]).but(
        no={"gradient": "it jumps there"}
    ),
    Case("_npi_hypot", [(2, 3), (3,)]),
    Case("_npi_hypot", [(), ()]),
    *(
        Case(f"_npi_bitwise_{name}", [ints((2, 3), 99, -99, "int32"), ints((3,), 99, -99, "int32")])
        for name in ("and", "or", "xor")
    ),
    *(Case(f"_npi_bitwise_{name}", [TRUE, TRUE[:, ::-1].copy()]) for name in ("and", "or", "xor")),
    Case("_npi_lcm", [INTS, ints((3,), 9, 1, "int32")]),
]
