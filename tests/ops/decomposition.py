"""Cases of decompositions of matrices, determinants and inverses."""

import numpy as np

from hybridonnx.test_utils import Case, definite, dominant

FLOATS = ("float32", "float64")
KERNEL = {"training": "the kernel takes its place, as it is faster and raises errors"}
SINGULAR = np.array([[[1, 2], [2, 4]], [[0, 0], [0, 0]], [[1, 2], [3, 4]]], np.float32)
AT_KINK = {"gradient": "the gradient of singular matrices is zero, as MXNet documents", "second": "the same"}
TIE = {"gradient": "of equal sizes the first decides the sign", "second": "the same"}
REFLECTED = np.array([[-1, 0, 0], [2, 3, 0], [1, -2, 4]], np.float32)
"""Rows that need no reflection keep the signs of the diagonal."""


def inverse_or_zeros(a):
    result = np.zeros_like(a)
    result[2] = [[-2, 1], [1.5, -0.5]]
    return result


CASES = [
    Case("_linalg_potrf", [definite((3, 3))]).but(dtypes=FLOATS),
    Case("_linalg_potrf", [definite((2, 4, 4))]).but(dtypes=FLOATS),
    Case("_linalg_potrf", [definite((2, 1, 2, 2))]),
    Case("_linalg_potrf", [definite((1, 1))]),
    Case("_linalg_potrf", [definite((17, 17))]),
    Case("_linalg_potrf", [np.array([[4, 9], [2, 5]], np.float32)]).but(
        no={"gradient": "the matrix is not symmetric, the gradient is", "second": "the same"}
    ),
    Case("_linalg_potrf", [definite((3, 3))], lower=False).but(dtypes=FLOATS),
    Case("_linalg_potrf", [np.array([[4, 1], [9, 5]], np.float32)], lower=False).but(
        no={"gradient": "the matrix is not symmetric, the gradient is", "second": "the same"}
    ),
    Case("_linalg_potrf", [definite((2, 4, 4))], lower=True),
    Case("_linalg_potrf", [definite((0, 2, 2))]).but(formula=lambda a: a),
    Case("_linalg_potrf", [definite((2, 0, 0))]).but(formula=lambda a: a),
    Case("_linalg_potri", [dominant((3, 3))]).but(dtypes=FLOATS),
    Case("_linalg_potri", [dominant((2, 4, 4))]).but(dtypes=FLOATS),
    Case("_linalg_potri", [dominant((2, 1, 2, 2))]),
    Case("_linalg_potri", [dominant((1, 1))]),
    Case("_linalg_potri", [np.array([[-1, 9], [1, 2]], np.float32)]),
    Case("_linalg_potri", [dominant((3, 3))], lower=False).but(dtypes=FLOATS),
    Case("_linalg_potri", [np.array([[-1, 1], [9, 2]], np.float32)], lower=False),
    Case("_linalg_potri", [dominant((2, 4, 4))], lower=True),
    Case("_linalg_potri", [dominant((0, 2, 2))]).but(formula=lambda a: a),
    Case("_linalg_gelqf", [(3, 3)]).but(dtypes=FLOATS),
    Case("_linalg_gelqf", [(2, 5)]).but(dtypes=FLOATS),
    Case("_linalg_gelqf", [(2, 3, 4)]),
    Case("_linalg_gelqf", [(2, 1, 1, 4)]),
    Case("_linalg_gelqf", [np.array([[[2.0]], [[-3]]], np.float32)]),
    Case("_linalg_gelqf", [REFLECTED]).but(
        no={"gradient": "the signs change at once with what is right of the diagonal", "second": "the same"}
    ),
    Case("_linalg_gelqf", [(0, 2, 3)]).but(formula=lambda a: (a, a[..., :2])),
    Case("_linalg_syevd", [definite((3, 3))]).but(dtypes=FLOATS),
    Case("_linalg_syevd", [definite((2, 4, 4))]).but(dtypes=FLOATS),
    Case("_linalg_syevd", [definite((2, 1, 2, 2))]),
    Case("_linalg_syevd", [definite((1, 1))]),
    Case("_linalg_syevd", [np.array([[1, 7, 9], [-2, 0, 8], [1, 0.5, -3]], np.float32)]).but(
        no={"gradient": "the matrix is not symmetric, the gradient is", "second": "the same"}
    ),
    Case("_linalg_syevd", [np.array([[2, 1], [1, 2]], np.float32)]).but(no=TIE),
    Case("_linalg_syevd", [np.array([[[1, -1], [-1, 1]], [[3, 0], [0, 0]]], np.float32)]).but(no=TIE),
    Case("_linalg_syevd", [definite((9, 9))]).but(dtypes=FLOATS),
    Case("_linalg_syevd", [definite((0, 2, 2))]).but(formula=lambda a: (a, a[..., 0])),
    Case("_linalg_inverse", [dominant((3, 3))]).but(dtypes=FLOATS),
    Case("_linalg_inverse", [dominant((2, 4, 4))]).but(dtypes=FLOATS),
    Case("_linalg_inverse", [dominant((2, 1, 2, 2))]),
    Case("_linalg_inverse", [(1, 1)]),
    Case("_linalg_inverse", [np.array([[0, 0, 2], [0.5, 0, 1], [3, -4, 0]], np.float32)]),
    Case("_linalg_inverse", [np.array([[[0, 1], [1, 0]], [[1, 2], [3, 4]]], np.float32)]),
    Case("_linalg_inverse", [dominant((0, 2, 2))]).but(formula=lambda a: a),
    Case("_inverse_or_zeros", [SINGULAR]).but(formula=inverse_or_zeros, no=AT_KINK),
    Case("_inverse_or_zeros", [dominant((3, 3))]).but(formula=np.linalg.inv, dtypes=FLOATS),
    Case("_inverse_or_zeros", [dominant((0, 2, 2))]).but(formula=lambda a: a),
    Case("_linalg_det", [dominant((3, 3))]).but(dtypes=FLOATS),
    Case("_linalg_det", [(2, 4, 4)]).but(dtypes=FLOATS),
    Case("_linalg_det", [(2, 1, 2, 2)]).but(dtypes=FLOATS),
    Case("_linalg_det", [(1, 1)]),
    Case("_linalg_det", [(6, 6)]).but(dtypes=("float64",)),
    Case("_linalg_det", [np.array([[0, 0, 2], [0.5, 0, 1], [3, -4, 0]], np.float32)]),
    Case("_linalg_det", [SINGULAR]).but(no=AT_KINK),
    Case("_linalg_det", [dominant((0, 2, 2))]).but(formula=lambda a: a[:, 0, 0]),
    Case("_linalg_det", [dominant((2, 0, 0))]).but(formula=lambda a: np.ones(2, np.float32)),
    Case("_linalg_slogdet", [dominant((3, 3))]).but(dtypes=FLOATS),
    Case("_linalg_slogdet", [(2, 4, 4)]).but(dtypes=FLOATS),
    Case("_linalg_slogdet", [(2, 1, 2, 2)]),
    Case("_linalg_slogdet", [(1, 1)]),
    Case("_linalg_slogdet", [np.array([[0, 0, 2], [0.5, 0, 1], [3, -4, 0]], np.float32)]),
    Case("_linalg_slogdet", [SINGULAR]).but(no=AT_KINK),
    Case("_linalg_slogdet", [np.diag([1e-20, 1e-20, -1e-20]).astype(np.float32)]).but(
        no={"gradient": "steps are larger than the elements", "second": "the same"}
    ),
    Case("_linalg_slogdet", [dominant((0, 2, 2))]).but(formula=lambda a: (a[:, 0, 0],) * 2),
]


def steps(case):
    """What is written step by step in ONNX, as the gradient of det is."""
    if 0 in case.inputs[0].shape:
        return {}
    return KERNEL


CASES = [case.but(no={**steps(case), **case.no}) for case in CASES]
