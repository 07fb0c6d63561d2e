"""Cases of matrix products."""

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64")


def fc(shape, hidden, **attributes):
    """A fully connected layer on data of `shape`."""
    flat = shape[-1] if attributes.get("flatten") is False else int(np.prod(shape[1:]))
    inputs = [shape, (hidden, flat)] + ([] if attributes.get("no_bias") else [(hidden,)])
    return Case("FullyConnected", inputs, num_hidden=hidden, **attributes)


def lhs_grad(dy, rhs, lhs, **transposed):
    """A dot's gradient in lhs; NumPy's einsum is the formula."""
    return Case("_dot_lhs_grad", [dy, rhs, lhs], **transposed).but(
        formula=_LHS[len(lhs), len(rhs), *transposed]
    )


def rhs_grad(dy, lhs, rhs, **transposed):
    """A dot's gradient in rhs."""
    return Case("_dot_rhs_grad", [dy, lhs, rhs], **transposed).but(
        formula=_RHS[len(lhs), len(rhs), *transposed]
    )


_LHS = {
    (2, 2): lambda dy, b, a: dy @ b.T,
    (2, 2, "transpose_a"): lambda dy, b, a: b @ dy.T,
    (2, 2, "transpose_b"): lambda dy, b, a: dy @ b,
    (2, 2, "transpose_a", "transpose_b"): lambda dy, b, a: (dy @ b).T,
    (3, 3): lambda dy, b, a: np.einsum("mnij,kij->mnk", dy, b),
    (3, 3, "transpose_a"): lambda dy, b, a: np.einsum("mnij,kij->kmn", dy, b),
    (1, 1): lambda dy, b, a: dy * b,
    (2, 1): lambda dy, b, a: np.outer(dy, b),
}
_RHS = {
    (2, 2): lambda dy, a, b: a.T @ dy,
    (2, 2, "transpose_a"): lambda dy, a, b: a @ dy,
    (2, 2, "transpose_b"): lambda dy, a, b: dy.T @ a,
    (2, 2, "transpose_a", "transpose_b"): lambda dy, a, b: dy.T @ a.T,
    (3, 3): lambda dy, a, b: np.einsum("mnij,mnk->kij", dy, a),
    (3, 3, "transpose_b"): lambda dy, a, b: np.einsum("mnij,mnk->ijk", dy, a),
    (1, 1): lambda dy, a, b: dy * a,
    (2, 1): lambda dy, a, b: a.T @ dy,
}
BOTH = {"transpose_a": True, "transpose_b": True}

CASES = [
    fc((3, 5), 4).but(dtypes=FLOATS),
    fc((4, 5), 4).but(dtypes=("float16",), formula=lambda x, w, b: x @ w.T + b),
    fc((3, 5), 4, no_bias=True),
    fc((3, 5), 4, no_bias=True, flatten=False),
    fc((2, 3, 4), 5),
    fc((2, 3, 4), 5, no_bias=True),
    fc((2, 3, 2, 2), 1),
    fc((2, 3, 4), 5, flatten=False).but(dtypes=FLOATS),
    fc((2, 3, 4), 5, flatten=False, no_bias=True),
    fc((2, 3, 2, 4), 6, flatten=False),
    fc((2, 1, 1), 3, flatten=False),
    fc((1, 1), 1),
    fc((5,), 3),
    fc((5,), 3, flatten=False),
    fc((64, 100), 32).but(tol=3e-5),
    Case("FullyConnected", [(0, 5), (4, 5), (4,)], num_hidden=4).but(formula=lambda x, w, b: x @ w.T + b),
    # dot
    Case("dot", [(3, 4), (4, 5)]).but(dtypes=FLOATS),
    Case("dot", [(3, 4), (4, 5)], forward_stype="default"),
    Case("dot", [(2, 4), (4, 5)]).but(dtypes=("float16",), formula=lambda a, b: a @ b),
    Case("dot", [(4, 3), (4, 5)], transpose_a=True),
    Case("dot", [(3, 4), (5, 4)], transpose_b=True),
    Case("dot", [(4, 3), (5, 4)], **BOTH),
    Case("dot", [(4,), (4,)]),
    Case("dot", [(4,), (4, 3)]),
    Case("dot", [(4,), (4, 3, 2)]),
    Case("dot", [(3, 4), (4,)]),
    Case("dot", [(4,), (3, 4)], transpose_b=True),
    Case("dot", [(4, 3), (4,)], transpose_a=True),
    Case("dot", [(2, 3, 4), (4,)]),
    Case("dot", [(2, 3, 4), (4, 5)]),
    Case("dot", [(3, 4), (4, 5, 6)]),
    Case("dot", [(2, 3, 4), (4, 5, 6)]),
    Case("dot", [(4, 2, 3), (4, 5, 6)], transpose_a=True),
    Case("dot", [(2, 3, 4), (5, 6, 4)], transpose_b=True),
    Case("dot", [(4, 3, 2), (5, 6, 4)], **BOTH),
    Case("dot", [(1, 1), (1, 1)]),
    Case("dot", [(0, 4), (4, 5)]).but(formula=lambda a, b: a @ b),
    Case("dot", [(3, 0), (0, 5)]).but(formula=lambda a, b: a @ b),
    lhs_grad((3, 5), (4, 5), (3, 4)),
    lhs_grad((3, 5), (4, 5), (4, 3), transpose_a=True),
    lhs_grad((3, 5), (5, 4), (3, 4), transpose_b=True),
    lhs_grad((3, 5), (5, 4), (4, 3), **BOTH),
    lhs_grad((2, 3, 5, 6), (4, 5, 6), (2, 3, 4)),
    lhs_grad((2, 3, 5, 6), (4, 5, 6), (4, 2, 3), transpose_a=True),
    lhs_grad((1,), (4,), (4,)),
    lhs_grad((3,), (4,), (3, 4)),
    rhs_grad((3, 5), (3, 4), (4, 5)),
    rhs_grad((3, 5), (4, 3), (4, 5), transpose_a=True),
    rhs_grad((3, 5), (3, 4), (5, 4), transpose_b=True),
    rhs_grad((3, 5), (4, 3), (5, 4), **BOTH),
    rhs_grad((2, 3, 5, 6), (2, 3, 4), (4, 5, 6)),
    rhs_grad((2, 3, 5, 6), (2, 3, 4), (5, 6, 4), transpose_b=True),
    rhs_grad((1,), (4,), (4,)),
    rhs_grad((3,), (3, 4), (4,)),
    # batch_dot
    Case("batch_dot", [(2, 3, 4), (2, 4, 5)]).but(dtypes=FLOATS),
    Case("batch_dot", [(2, 2, 4), (2, 4, 5)]).but(dtypes=("float16",), formula=lambda a, b: a @ b),
    Case("batch_dot", [(2, 4, 3), (2, 4, 5)], transpose_a=True),
    Case("batch_dot", [(2, 3, 4), (2, 5, 4)], transpose_b=True),
    Case("batch_dot", [(2, 4, 3), (2, 5, 4)], **BOTH),
    Case("batch_dot", [(1, 1, 4), (1, 4, 1)]),
    Case("batch_dot", [(2, 6, 3, 4), (2, 6, 4, 5)]),
    Case("batch_dot", [(2, 6, 4, 3), (2, 6, 5, 4)], **BOTH),
    Case("batch_dot", [(0, 3, 4), (0, 4, 5)]).but(formula=lambda a, b: a @ b),
]
