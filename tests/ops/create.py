"""Cases of arrays made from attributes."""

import numpy as np

from hybridonnx.test_utils import Case

DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64")
CASES = [
    *[Case(op, shape=(2, 3), dtype=dtype) for op in ("_zeros", "_ones") for dtype in (*DTYPES, "bool")],
    Case("_zeros", shape=(4,)),
    Case("_ones", shape=4),
    Case("_zeros_without_dtype", shape=(2, 3)).but(formula=lambda: np.zeros((2, 3), np.float32)),
    Case("_zeros_without_dtype", shape=(2,), dtype=1).but(formula=lambda: np.zeros(2)),
    *[Case("_full", shape=(2, 3), value=1.7, dtype=dtype) for dtype in DTYPES],
    Case("_full", shape=(1,), value=-2.5),
    *[Case("_arange", start=0, stop=5, dtype=dtype) for dtype in DTYPES if dtype != "float16"],
    Case("_arange", start=5),
    Case("_arange", start=2, stop=10, step=3, repeat=2),
    Case("_arange", start=5, stop=0, step=-1),
    Case("_arange", start=0, stop=1, step=0.3),
    Case("_arange", start=0, stop=0.7, step=0.1),
    Case("_arange", start=0.1, stop=0.7, step=0.1),
    Case("_arange", start=0, stop=1, step=0.1, dtype="float64"),
    Case("_arange", start=0.5, stop=4, dtype="int32"),
    Case("_arange", start=0.5, stop=5, step=0.7, dtype="int32"),
    Case("_arange", start=-1, stop=3, dtype="uint8"),
    Case("_arange", start=2, step=0.5),
    Case("_arange", start=0.1, stop=100, step=0.1),
    Case("_linspace", start=0, stop=1, num=5),
    Case("_linspace", start=0, stop=1, num=5, endpoint=False),
    Case("_linspace", start=2, stop=10, num=1),
    Case("_linspace", start=0, stop=5, num=3, dtype="int32"),
    Case("_linspace", start=0.5, stop=5, num=4, dtype="int32"),
    Case("_linspace", start=1, stop=0, num=4, dtype="float64"),
    *[Case("_eye", N=3, dtype=dtype) for dtype in DTYPES],
    Case("_eye", N=3, M=4, k=1),
    Case("_eye", N=3, M=4, k=-1),
    Case("_eye", N=3, M=2, k=5),
    Case("_eye", N=2, M=5, k=-9),
    Case("_eye", N=1),
]
