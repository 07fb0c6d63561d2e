"""Cases of the arithmetic of an array and a number as mx.np has it."""

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

FLOATS = ("float32", "float64", "float16")
POSITIVE = uniform((2, 3), 0.5, 2.0)
TRUE = np.array([[True, False, True], [False, True, True]])
INTS = ints((2, 3), 9, 1, "int32")
NAMES = (
    "add subtract rsubtract multiply mod rmod power rpower true_divide rtrue_divide arctan2 ldexp rldexp"
).split()
OF_INTS = "add subtract rsubtract multiply mod rmod power rpower true_divide rtrue_divide".split()

WRONG = {"oracle": "MXNet's gradient is that of another function"}


def copysign(scalar):
    return lambda x: np.copysign(x, np.float32(scalar))


CASES = [
    *(Case(f"_npi_{name}_scalar", [POSITIVE], scalar=1.5, is_int=False).but(dtypes=FLOATS) for name in NAMES),
    *(Case(f"_npi_{name}_scalar", [uniform((), 0.5, 1.9)], scalar=2.0) for name in NAMES),
    *(
        Case("_npi_rarctan2_scalar", [x], scalar=s).but(no=WRONG)
        for x, s in ((POSITIVE, 1.5), ((), 2.0), ((2, 3), -0.5))
    ),
    *(Case(f"_npi_{name}_scalar", [INTS], scalar=3.0) for name in OF_INTS),
    *(Case(f"_npi_{name}_scalar", [TRUE], scalar=2.0) for name in ("add", "multiply", "true_divide")),
    *(Case("_npi_copysign_scalar", [(2, 3)], scalar=s).but(formula=copysign(s)) for s in (-2.0, 2.0)),
    Case("_npi_rcopysign_scalar", [(2, 3)], scalar=-2.0).but(
        formula=lambda x: np.copysign(np.float32(-2), x)
    ),
    Case("_npi_rcopysign_scalar", [()], scalar=2.0).but(formula=lambda x: np.copysign(np.float32(2), x)),
    Case("_npi_arctan2_scalar", [(2, 3)], scalar=-0.5),
    *(
        Case(f"_npi_bitwise_{name}_scalar", [ints((2, 3), 99, -99, "int32")], scalar=6.0)
        for name in ("and", "or", "xor")
    ),
    *(Case(f"_npi_bitwise_{name}_scalar", [TRUE], scalar=1.0) for name in ("and", "or", "xor")),
    Case("_npi_lcm_scalar", [INTS], scalar=6.0),
]
