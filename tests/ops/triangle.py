"""Cases of diagonals and triangles of matrices."""

import numpy as np

from hybridonnx.test_utils import Case, uniform

FLOATS = ("float32", "float64")
ALL = (*FLOATS, "float16", "int32", "int64", "int8", "uint8")
NONFINITE = np.array([[1, np.nan], [np.inf, 2]], np.float32)
NO_STEP = "infinity has no differences"

CASES = [
    Case("_triangle", [(3, 3)]).but(formula=np.tril, dtypes=ALL),
    Case("_triangle", [(2, 4, 4)], lower=False).but(formula=np.triu, dtypes=FLOATS),
    Case("_triangle", [(2, 3, 4)], k=-1).but(formula=lambda a: np.tril(a, -1)),
    Case("_triangle", [(4, 2)], k=1, lower=False).but(formula=lambda a: np.triu(a, 1)),
    Case("_triangle", [NONFINITE]).but(formula=np.tril, no={"gradient": NO_STEP}),
    Case("_triangle", [(0, 2, 2)]).but(formula=np.tril),
    Case("_linalg_extractdiag", [(4, 4)]).but(dtypes=FLOATS),
    Case("_linalg_extractdiag", [(4, 4)], offset=1).but(dtypes=FLOATS),
    Case("_linalg_extractdiag", [(4, 4)], offset=-3),
    Case("_linalg_extractdiag", [(2, 3, 3)], offset=-1),
    Case("_linalg_extractdiag", [(2, 1, 3, 3)], offset=2),
    Case("_linalg_extractdiag", [(1, 1)]),
    Case("_linalg_extractdiag", [NONFINITE]),
    Case("_linalg_extractdiag", [(0, 2, 2)]).but(formula=lambda a: a[..., 0]),
    Case("_linalg_makediag", [(4,)]).but(dtypes=FLOATS),
    Case("_linalg_makediag", [(3,)], offset=2).but(dtypes=FLOATS),
    Case("_linalg_makediag", [(2, 3)], offset=-1),
    Case("_linalg_makediag", [(2, 1, 2)]),
    Case("_linalg_makediag", [(1,)], offset=-4),
    Case("_linalg_makediag", [(0, 2)]).but(formula=lambda a: np.zeros((0, 2, 2), np.float32)),
    Case("_linalg_extracttrian", [(4, 4)]).but(dtypes=FLOATS),
    Case("_linalg_extracttrian", [(4, 4)], lower=False).but(dtypes=FLOATS),
    Case("_linalg_extracttrian", [(2, 4, 4)], offset=1),
    Case("_linalg_extracttrian", [(4, 4)], offset=-1, lower=False),
    Case("_linalg_extracttrian", [(2, 1, 3, 3)], offset=2, lower=False),
    Case("_linalg_extracttrian", [(3, 3)], offset=-2),
    Case("_linalg_extracttrian", [(1, 1)]),
    Case("_linalg_extracttrian", [(0, 2, 2)]).but(formula=lambda a: np.zeros((0, 3), np.float32)),
    Case("_linalg_maketrian", [(10,)]).but(dtypes=FLOATS),
    Case("_linalg_maketrian", [(6,)], lower=False).but(dtypes=FLOATS),
    Case("_linalg_maketrian", [(2, 6)], offset=1),
    Case("_linalg_maketrian", [(6,)], offset=-1, lower=False),
    Case("_linalg_maketrian", [(2, 1, 3)], offset=2, lower=False),
    Case("_linalg_maketrian", [(3,)], offset=-2),
    Case("_linalg_maketrian", [(1,)]),
    Case("_linalg_maketrian", [(0, 3)]).but(formula=lambda a: np.zeros((0, 2, 2), np.float32)),
    Case("_linalg_sumlogdiag", [uniform((3, 3), 0.5, 2)]).but(dtypes=FLOATS),
    Case("_linalg_sumlogdiag", [uniform((2, 4, 4), 0.5, 2)]),
    Case("_linalg_sumlogdiag", [uniform((2, 3, 1, 1), 0.5, 2)]),
    Case("_linalg_sumlogdiag", [np.array([[[0.0, 1], [1, 2]], [[-1, 1], [1, 2]]], np.float32)]).but(
        no={"gradient": "no number has the logarithm"}
    ),
    Case("_linalg_sumlogdiag", [(0, 2, 2)]).but(formula=lambda a: a[:, 0, 0]),
]
