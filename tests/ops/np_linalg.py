"""Cases of linear algebra as mx.np has it."""

import numpy as np

from hybridonnx.test_utils import Case, definite, distinct, dominant, uniform

f32 = np.float32
FLOATS = ("float32", "float64")
KERNEL = {"training": "the kernel takes its place, as it is faster and raises errors"}
ZERO = {"oracle": "MXNet gives no gradient but zero"}
NONE = {"training": "ONNX has no singular values, whose gradient is on kernels"}
WIDE = np.array([[1, -2, 0.5], [0.3, 4, -3]], f32)
TALL = np.array([[1, -2], [0.5, 0.3], [4, -3], [-1, 2.5]], f32)
DEEP = np.array([[[1, -2], [0.5, 0.3], [4, -3]], [[-1, 2.5], [6, 0.1], [-0.7, 3.5]]], f32)
TWICE = {"oracle": "MXNet's gradient has the head as factor twice"}
SYMMETRIC = np.array([[4, 1, 0.5], [1, 3, -1], [0.5, -1, 2]], f32)
REAL = np.array([[1, 2, 0], [3, 5, 1], [0, 1, -2]], f32)


def norm(shape, **attributes):
    return Case("_npi_norm", [shape], **attributes)


def by_numpy(order, axis=None, keepdims=False):
    return lambda a: np.asarray(np.linalg.norm(a, order, axis, keepdims), a.dtype)


NORMS = [
    norm((2, 3), ord=2, flag=-2).but(dtypes=FLOATS),
    norm((2, 3), ord=2, flag=-2, keepdims=True),
    norm((2, 3, 2), ord=2, flag=-2),
    norm((4,), ord=2, flag=-2),
    norm((2, 3), ord=2, axis=(1,), flag=1).but(dtypes=FLOATS),
    norm((2, 3), ord=2, axis=(0, 1), flag=1),
    norm((2, 3, 4), ord=2, axis=(0, 2), flag=1, keepdims=True),
    norm((2, 3, 4), ord=2, axis=(-1,), flag=-1),
    norm((2, 3), ord=1, axis=(1,), flag=-1),
    norm((4,), ord=1, flag=-1),
    norm((4,), ord=3, flag=-1),
    norm((2, 3), ord=3, axis=(1,), flag=-1, keepdims=True),
    norm((2, 3), ord=2.5, axis=(0,), flag=-1),
    norm((2, 3), ord=-1, axis=(1,), flag=-1),
    norm((2, 3), ord=0, axis=(1,), flag=-1),
    norm(WIDE, ord=np.inf, axis=(1,), flag=-1).but(formula=by_numpy(np.inf, 1)),
    norm(WIDE, ord=-np.inf, axis=(1,), flag=-1, keepdims=True).but(formula=by_numpy(-np.inf, 1, True)),
    norm(TALL[:, 0], ord=np.inf, flag=-1).but(formula=by_numpy(np.inf)),
    norm(WIDE, ord=1, flag=-1).but(formula=by_numpy(1)),
    norm(WIDE, ord=-1, axis=(1, 0), flag=-1, keepdims=True).but(formula=by_numpy(-1, (1, 0), True)),
    norm(WIDE, ord=np.inf, axis=(0, 1), flag=-1).but(formula=by_numpy(np.inf, (0, 1))),
    norm(DEEP, ord=-np.inf, axis=(-1, 0), flag=-1).but(formula=by_numpy(-np.inf, (-1, 0))),
]
SINGULAR = [
    norm(WIDE, ord=2, axis=(0, 1), flag=0).but(no=TWICE),
    norm(WIDE, ord=2, axis=(0, 1), flag=0, keepdims=True).but(no=TWICE),
    norm(WIDE, ord=-2, axis=(0, 1), flag=0).but(no=TWICE),
    norm(WIDE, ord=2, flag=-1).but(no=TWICE),
    norm(WIDE, ord=2, axis=(0, 1), flag=2),
    norm(WIDE, ord=2, flag=2),
    norm(TALL, ord=2, flag=2).but(formula=by_numpy("nuc")),
    norm(DEEP.swapaxes(0, 1), ord=2, axis=(0, 2), flag=0).but(formula=by_numpy(2, (0, 2)), dtypes=FLOATS),
    norm(DEEP.swapaxes(0, 1), ord=2, axis=(2, 0), flag=2, keepdims=True).but(
        formula=by_numpy("nuc", (2, 0), True)
    ),
    Case("_singular_values", [WIDE]).but(formula=lambda a: np.linalg.svd(a, compute_uv=False), dtypes=FLOATS),
    Case("_singular_values", [DEEP]).but(formula=lambda a: np.linalg.svd(a, compute_uv=False)),
]


def values_gradient(dy, a):
    u, _, v = np.linalg.svd(a, full_matrices=False)
    return (u * dy[..., None, :]) @ v


SOLUTIONS = [
    Case("_solution", [dominant((3, 3)), (3, 2)]).but(formula=np.linalg.solve, dtypes=FLOATS),
    Case("_solution", [dominant((2, 2, 2)), (2, 2, 1)], transpose=True).but(
        formula=lambda a, b: np.linalg.solve(a.swapaxes(-1, -2), b)
    ),
    Case("_npi_solve", [dominant((3, 3)), (3, 2)]).but(dtypes=FLOATS),
    Case("_npi_solve", [dominant((2, 3, 3)), (2, 3, 1)]),
    Case("_npi_solve", [dominant((3, 3)), (3,)]).but(formula=np.linalg.solve),
    Case("_npi_tensorinv", [dominant((4, 4))], ind=1).but(dtypes=FLOATS),
    Case("_npi_tensorsolve", [dominant((3, 3)), (3,)]),
    Case("_npi_tensorsolve", [dominant((3, 3)), (3,)], a_axes=(0,)),
    Case("_npi_cholesky", [definite((3, 3))]).but(dtypes=FLOATS),
    Case("_npi_cholesky", [definite((2, 4, 4))]),
    Case("_npi_det", [dominant((3, 3))]).but(dtypes=FLOATS),
    Case("_npi_det", [dominant((2, 3, 3))]),
    Case("_npi_slogdet", [dominant((3, 3))]),
    Case("_npi_slogdet", [dominant((2, 3, 3))]),
]
SYMMETRICS = [
    Case("_npi_eigh", [definite((3, 3))]).but(no=ZERO, dtypes=FLOATS),
    Case("_npi_eigh", [definite((2, 3, 3))], UPLO="U").but(no=ZERO),
    Case("_npi_eigh", [REAL], UPLO="U").but(
        no={**ZERO, "gradient": "the matrix is not symmetric, the gradient is", "second": "the same"}
    ),
    Case("_npi_eigvalsh", [definite((3, 3))]).but(no=ZERO, dtypes=FLOATS),
    Case("_npi_eigvalsh", [definite((2, 3, 3))], UPLO="U").but(no=ZERO),
]
DECOMPOSITIONS = [
    Case("_npi_svd", [distinct((3, 3))]).but(dtypes=FLOATS, tol=2e-5),
    Case("_npi_svd", [WIDE]).but(tol=2e-5),
    Case("_npi_svd", [distinct((2, 2, 4))]).but(tol=2e-5),
    Case("_npi_eig", [REAL]).but(tol=2e-5),
    Case("_npi_eig", [SYMMETRIC[None]]).but(
        formula=lambda a: [x.astype(a.dtype) for x in np.linalg.eig(a)], tol=2e-5
    ),
    Case("_npi_eigvals", [REAL]).but(tol=2e-5),
    Case("_npi_pinv_scalar_rcond", [WIDE]).but(no=ZERO),
    Case("_npi_pinv_scalar_rcond", [TALL]).but(no=ZERO, dtypes=FLOATS),
    Case("_npi_pinv_scalar_rcond", [distinct((2, 2, 3))], rcond=0.3).but(no=ZERO),
    Case("_npi_pinv", [WIDE, np.array(0.1, f32)]).but(formula=lambda a, r: np.linalg.pinv(a, r)),
    Case("_npi_pinv", [distinct((2, 2, 3)), uniform((2,), 0.01, 0.02)]).but(no=ZERO),
    Case("_singular_values_gradient", [(2,), WIDE]).but(formula=values_gradient),
    Case("_singular_values_gradient", [(2,), TALL]).but(formula=values_gradient),
]
ON_KERNELS = [case.but(no={**KERNEL, **case.no}) for case in SOLUTIONS + SYMMETRICS + SINGULAR]
CASES = NORMS + ON_KERNELS + DECOMPOSITIONS
