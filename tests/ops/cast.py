"""Cases of changes of dtype."""

import numpy as np

from hybridonnx.test_utils import Case, ints

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "uint8", "int32", "int64")
EDGES = np.array([-2.7, -1.5, -0.5, 0, 0.5, 1.5, 2.7, 100, 300, -300], np.float32)
COARSE = {"gradient": "the output is coarser than the differences"}

CASES = [
    *[Case("Cast", [(2, 3)], dtype=d).but(dtypes=("float32", "float64"), no=COARSE) for d in FLOATS[:2]],
    Case("Cast", [(2, 3)], dtype="float64").but(dtypes=FLOATS),
    *[Case("Cast", [(2, 3)], dtype=d).but(no=COARSE) for d in (*INTEGERS, "bool")],
    *[Case("Cast", [EDGES], dtype=d).but(no=COARSE) for d in (*INTEGERS, "bool")],
    *[
        Case("Cast", [ints((2, 3), 5, -5, source)], dtype=d)
        for source in INTEGERS[2:]
        for d in (*INTEGERS, *FLOATS, "bool")
    ],
    Case("Cast", [np.array([300, -1, 200, 127], np.int32)], dtype="int8"),
    Case("Cast", [np.array([300, -1, 200, 127], np.int32)], dtype="uint8"),
    Case("Cast", [np.array([True, False])], dtype="float32"),
    Case("amp_cast", [(2, 3)], dtype="float16").but(dtypes=("float32", "float16")),
    Case("amp_cast", [(2, 3)], dtype="float32").but(dtypes=("float32", "float16")),
    Case("amp_cast", [ints((2, 3), 5, dtype="int32")], dtype="float16"),
    Case("amp_multicast", [(2, 3), (4,)], num_outputs=2),
    Case("amp_multicast", [np.ones((2,), np.float16), np.ones((3,), np.float32)], num_outputs=2),
    Case(
        "amp_multicast",
        [np.ones((2,), np.float16), np.ones((3,), np.float32)],
        num_outputs=2,
        cast_narrow=True,
    ),
    Case("amp_cast", [ints((2, 3), 5, dtype="float64")], dtype="float16"),
    *[
        Case("amp_multicast", [ints((2, 3), 5, dtype=d), (4,), np.ones((2,), np.float16)], num_outputs=3)
        for d in ("int32", "float64", "uint8")
    ],
    Case("amp_multicast", [ints((2, 3), 5, dtype="int32"), ints((4,), 5, dtype="float64")], num_outputs=2),
    Case("_cast_like", [(2, 3), ints((1,), 2, dtype="float64")]).but(
        formula=lambda x, like: x.astype(np.float64), dtypes=FLOATS
    ),
    Case("_cast_like", [(2, 3), ints((1,), 2, dtype="int32")]).but(
        formula=lambda x, like: x.astype(np.int32), no=COARSE
    ),
    Case("_cast_like", [ints((2, 3), 5, dtype="int64"), (1,)]).but(
        formula=lambda x, like: x.astype(like.dtype)
    ),
    Case("_widened", [(2, 3)]).but(
        formula=lambda x: np.float32(x) if x.dtype == np.float16 else x, dtypes=FLOATS
    ),
    Case("_widened", [(0, 2)]).but(formula=lambda x: x),
    *[Case("_widened", [ints((2, 3), 5, 1, d)]).but(formula=np.float64) for d in INTEGERS],
    Case("_zero_of_integers", [(2, 3)]).but(formula=lambda x: x, dtypes=FLOATS),
    *[Case("_zero_of_integers", [ints((2, 3), 5, 1, d)]).but(formula=np.zeros_like) for d in INTEGERS],
]
