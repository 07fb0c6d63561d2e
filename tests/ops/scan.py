"""Cases of running sums."""

import numpy as np

from hybridonnx.test_utils import Case

ALL = ("float32", "float64", "float16", "int32", "int64", "int8")

CASES = [
    Case("_np_cumsum", [(3, 4)], axis=0).but(dtypes=ALL),
    Case("_np_cumsum", [(3, 4)], axis=1),
    Case("_np_cumsum", [(2, 3, 4)], axis=2),
    Case("_np_cumsum", [(2, 3, 4)], axis=1),
    Case("_np_cumsum", [(2, 3)]),
    Case("_np_cumsum", [np.array([[True, False], [True, True]])], axis=0),
    Case("_np_cumsum", [(5,)]),
    Case("_np_cumsum", [(1, 1)], axis=1),
    Case("_np_cumsum", [(2, 3, 4)], axis=-2).but(
        formula=lambda a: np.cumsum(a, -2),
        no={"oracle": "MXNet takes the size of an axis below 0, and fails"},
    ),
    Case("_np_cumsum", [(3, 4)], axis=1, dtype="float64").but(dtypes=("float32", "int32")),
]
