"""Cases of products of matrices, and of products and equations with triangular ones."""

import numpy as np

from hybridonnx.test_utils import Case, dominant

FLOATS = ("float32", "float64")
KERNEL = {"training": "the kernel takes its place, as it is faster and raises errors"}
FLAGS = [
    {"transpose": transpose, "rightside": rightside, "lower": lower}
    for transpose in (False, True)
    for rightside in (False, True)
    for lower in (True, False)
]


def triangular(name, no):
    """Both operators with triangular matrices take the same arguments."""
    cases = [
        *(Case(name, [dominant((3, 3)), (2, 3) if f["rightside"] else (3, 2)], **f) for f in FLAGS),
        *(
            Case(name, [dominant((2, 4, 4)), (2, 1, 4) if f["rightside"] else (2, 4, 1)], alpha=-1.5, **f)
            for f in FLAGS
        ),
        Case(name, [dominant((4, 4)), (4, 3)]).but(dtypes=FLOATS),
        Case(name, [dominant((5, 5)), (3, 5)], transpose=True, rightside=True, lower=False).but(
            dtypes=FLOATS
        ),
        Case(name, [dominant((1, 1)), (1, 1)]),
        Case(name, [dominant((2, 3, 1, 1)), (2, 3, 1, 4)], alpha=0.5),
        Case(name, [dominant((2, 1, 3, 3)), (2, 1, 5, 3)], rightside=True),
        Case(name, [dominant((7, 7)), (7, 7)], alpha=0.0).but(formula=lambda a, b: np.zeros_like(b)),
        Case(name, [dominant((0, 3, 3)), (0, 3, 2)]).but(formula=lambda a, b: b),
        Case(name, [dominant((3, 3)), (3, 0)]).but(formula=lambda a, b: b),
        Case(name, [dominant((2, 0, 0)), (2, 0, 3)]).but(formula=lambda a, b: b),
    ]
    return [case.but(no={} if 0 in case.inputs[1].shape else no) for case in cases]


CASES = [
    Case("_linalg_gemm", [(3, 4), (4, 5), (3, 5)]).but(dtypes=FLOATS),
    Case("_linalg_gemm", [(3, 4), (4, 5), (3, 5)], alpha=-0.3, beta=0.7).but(dtypes=FLOATS),
    Case("_linalg_gemm", [(4, 3), (4, 5), (3, 5)], transpose_a=True, alpha=2.0).but(dtypes=FLOATS),
    Case("_linalg_gemm", [(3, 4), (5, 4), (3, 5)], transpose_b=True, beta=0.0),
    Case("_linalg_gemm", [(4, 3), (5, 4), (3, 5)], transpose_a=True, transpose_b=True),
    Case("_linalg_gemm", [(2, 3, 4), (2, 4, 1), (2, 3, 1)], alpha=0.5, beta=-2.0).but(dtypes=FLOATS),
    Case("_linalg_gemm", [(2, 4, 3), (2, 5, 4), (2, 3, 5)], transpose_a=True, transpose_b=True, beta=0.0),
    Case("_linalg_gemm", [(3, 2, 4), (4, 2, 5), (3, 2, 5)], axis=0, alpha=0.5).but(dtypes=FLOATS),
    Case("_linalg_gemm", [(4, 2, 3), (5, 2, 4), (3, 2, 5)], axis=-3, transpose_a=True, transpose_b=True),
    Case("_linalg_gemm", [(2, 3, 5, 4), (2, 4, 5, 3), (2, 3, 5, 3)], axis=1, beta=3.0),
    Case("_linalg_gemm", [(1, 2), (2, 2), np.full((1, 2), np.nan, np.float32)], beta=0.0),
    Case("_linalg_gemm", [(2, 0), (0, 3), (2, 3)], beta=2.0).but(formula=lambda a, b, c: 2 * c),
    Case("_linalg_gemm", [(0, 2, 3), (0, 3, 4), (0, 2, 4)]).but(formula=lambda a, b, c: c),
    Case("_linalg_gemm2", [(3, 4), (4, 5)]).but(dtypes=FLOATS),
    Case("_linalg_gemm2", [(4, 3), (4, 5)], transpose_a=True, alpha=0.3).but(dtypes=FLOATS),
    Case("_linalg_gemm2", [(3, 4), (5, 4)], transpose_b=True),
    Case("_linalg_gemm2", [(4, 3), (5, 4)], transpose_a=True, transpose_b=True, alpha=-1.0),
    Case("_linalg_gemm2", [(2, 3, 4), (2, 4, 5)], alpha=0.1).but(dtypes=FLOATS),
    Case("_linalg_gemm2", [(2, 4, 3), (2, 4, 5)], transpose_a=True),
    Case("_linalg_gemm2", [(2, 3, 4), (2, 5, 4)], transpose_b=True),
    Case("_linalg_gemm2", [(2, 1, 4, 3), (2, 1, 5, 4)], transpose_a=True, transpose_b=True),
    Case("_linalg_gemm2", [(3, 2, 4), (4, 2, 5)], axis=0).but(dtypes=FLOATS),
    Case("_linalg_gemm2", [(2, 3, 5, 4), (2, 3, 5, 6)], axis=1, transpose_a=True),
    Case("_linalg_gemm2", [(3, 2, 6, 4), (5, 2, 6, 4)], axis=-4, transpose_b=True),
    Case("_linalg_gemm2", [(1, 1), (1, 1)], axis=0),
    Case("_linalg_gemm2", [(2, 0), (0, 3)]).but(formula=lambda a, b: np.zeros((2, 3), np.float32)),
    Case("_linalg_gemm2", [(0, 2, 3), (0, 3, 4)]).but(formula=lambda a, b: np.zeros((0, 2, 4), np.float32)),
    Case("_linalg_syrk", [(3, 4)]).but(dtypes=FLOATS),
    Case("_linalg_syrk", [(3, 4)], transpose=True, alpha=0.3).but(dtypes=FLOATS),
    Case("_linalg_syrk", [(2, 3, 4)], alpha=-2.0),
    Case("_linalg_syrk", [(2, 2, 1, 4)], transpose=True),
    Case("_linalg_syrk", [(1, 1)]),
    Case("_linalg_syrk", [(2, 0)]).but(formula=lambda a: np.zeros((2, 2), np.float32)),
    Case("_linalg_syrk", [(0, 2, 3)]).but(formula=lambda a: np.zeros((0, 2, 2), np.float32)),
    *triangular("_linalg_trmm", {}),
    *triangular("_linalg_trsm", KERNEL),
    Case("_linalg_trsm", [np.array([[0, 5], [1, 1]], np.float32), (2, 2)]).but(
        no={**KERNEL, "gradient": "the matrix is singular", "second": "the same"}
    ),
    Case("khatri_rao", [(3, 4), (2, 4)]).but(dtypes=FLOATS),
    Case("khatri_rao", [(2, 3), (1, 3), (4, 3)]),
    Case("khatri_rao", [(2, 3)]),
    Case("khatri_rao", [(1, 1), (5, 1)]),
    Case("khatri_rao", [(0, 3), (2, 3)]).but(formula=lambda a, b: a),
]
