"""Cases of products as mx.np has them."""

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64")
REPEATED = {"oracle": "MXNet does not sum the gradient over axes of size 1 that are repeated"}

CASES = [
    Case("_np_dot", [(2, 3), (3, 4)]).but(dtypes=FLOATS),
    Case("_np_dot", [(3,), (3,)]),
    Case("_np_dot", [(2, 3), (3,)]),
    Case("_np_dot", [(3,), (3, 2)]),
    Case("_np_dot", [(), (2, 3)]),
    Case("_np_dot", [(2, 3), ()]),
    Case("_np_dot", [(2, 2, 3), (3, 4)]),
    Case("_np_dot", [(2, 3), (2, 3, 4)]).but(formula=np.dot),
    Case("_npi_matmul", [(2, 3), (3, 4)]).but(dtypes=FLOATS),
    Case("_npi_matmul", [(3,), (3,)]),
    Case("_npi_matmul", [(2, 3), (3,)]),
    Case("_npi_matmul", [(3,), (3, 4)]),
    Case("_npi_matmul", [(3,), (2, 3, 4)]),
    Case("_npi_matmul", [(2, 2, 3), (2, 3, 4)]),
    Case("_npi_matmul", [(2, 2, 3), (3, 4)]),
    Case("_npi_matmul", [(2, 3), (2, 3, 4)]),
    Case("_npi_matmul", [(2, 1, 2, 3), (1, 2, 3, 2)]).but(
        no={"oracle": "MXNet's gradient is wrong if both are repeated"}
    ),
    Case("_npi_tensordot_int_axes", [(2, 3), (3, 4)], axes=1),
    Case("_npi_tensordot_int_axes", [(2, 3), (2, 3)], axes=2),
    Case("_npi_tensordot_int_axes", [(2,), (3,)], axes=0),
    Case("_npi_tensordot_int_axes", [(4, 2, 3), (2, 3, 2)], axes=2),
    Case("_npi_tensordot", [(2, 3), (4, 2)], a_axes_summed=(0,), b_axes_summed=(1,)),
    Case("_npi_tensordot", [(2, 3, 4), (4, 2, 5)], a_axes_summed=(0, -1), b_axes_summed=(1, 0)),
    Case("_npi_tensordot", [(2, 3), (2, 3)], a_axes_summed=(0, 1), b_axes_summed=(0, 1)),
    Case("_npi_einsum", [(2, 3), (3, 4)], subscripts="ij,jk->ik"),
    Case("_npi_einsum", [(2, 3), (3, 4)], subscripts="ij, jk"),
    Case("_npi_einsum", [(2, 3)], subscripts="ij->ji"),
    Case("_npi_einsum", [(2, 3)], subscripts="ij->"),
    Case("_npi_einsum", [(3, 3)], subscripts="ii->i"),
    Case("_npi_einsum", [(3, 3)], subscripts="ii"),
    Case("_npi_einsum", [(2, 4, 3), (3, 5)], subscripts="bij,jk->bik"),
    Case("_npi_einsum", [(2, 3), (2, 4), (2,)], subscripts="bi,bj,b->ij"),
    Case("_npi_einsum", [(2, 4, 3), (2, 3, 5)], subscripts="...ij,...jk->...ik"),
    Case("_npi_einsum", [(2, 4, 3), (3, 5)], subscripts="...ij,jk->...ik"),
    Case("_npi_einsum", [(2, 1, 2, 3), (5, 3, 4)], subscripts="...ij,...jk->...ik").but(no=REPEATED),
    Case("_npi_einsum", [(2, 1, 3), (4, 3)], subscripts="...i,...i->...").but(no=REPEATED),
    Case("_npi_einsum", [(2, 3, 3)], subscripts="...ii->...i"),
    Case("_npi_einsum", [(3, 2, 3)], subscripts="i...i"),
    Case("_npi_einsum", [(3, 3, 3)], subscripts="iii->i"),
    Case("_npi_einsum", [(1, 3), (2, 3)], subscripts="ij,ij->ij").but(no=REPEATED),
    Case("_npi_einsum", [(2, 1), (3, 4)], subscripts="ij,jk->ik"),
    Case("_npi_einsum", [(3, 2), (2,)], subscripts="bA, A"),
    Case("_npi_einsum", [(), (2, 3)], subscripts=",ij->ji"),
    Case("_npi_einsum", [(0, 3), (3, 2)], subscripts="ij,jk->ik").but(formula=lambda a, b: a @ b),
    Case("_einsum", [(2, 3), (3, 4)], equation="ij,jk->ki").but(formula=lambda a, b: (a @ b).T),
    Case("_einsum", [(2, 3)], equation="ij->j").but(formula=lambda a: a.sum(0)),
]
