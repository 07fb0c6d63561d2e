"""Cases of comparisons as mx.np has them."""

import numpy as np

from hybridonnx.test_utils import Case, ints

FLOATS = ("float32", "float64", "float16")
TRUE = np.array([[True, False, True], [False, True, True]])
NAMES = ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")

CASES = [
    *(Case(f"_npi_{name}", [ints((2, 3), 3), ints((3,), 3)]).but(dtypes=FLOATS) for name in NAMES),
    *(Case(f"_npi_{name}", [ints((2, 3), 3, 0, "int32"), ints((3,), 3, 0, "int32")]) for name in NAMES),
    *(Case(f"_npi_{name}", [TRUE, TRUE[:, ::-1].copy()]) for name in NAMES),
    *(Case(f"_npi_{name}", [(), ()]) for name in NAMES),
    *(Case(f"_npi_{name}_scalar", [ints((2, 3), 3)], scalar=1.0) for name in NAMES),
    *(Case(f"_npi_{name}_scalar", [ints((2, 3), 3, 0, "int32")], scalar=1.5, is_int=False) for name in NAMES),
    *(Case(f"_npi_{name}_scalar", [TRUE], scalar=1.0) for name in NAMES),
]
