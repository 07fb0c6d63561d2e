"""Cases of rearrangements as NumPy has them."""

import numpy as np

from hybridonnx.test_utils import Case, ints

ZERO = {"oracle": "MXNet gives no gradient but zero"}
TURNED = {"oracle": "MXNet turns the gradient the wrong way"}


def squeeze(*axis):
    return lambda a: np.squeeze(a, axis or None)


CASES = [
    Case("_np_squeeze", [(2, 1, 3, 1)]),
    Case("_np_squeeze", [(2, 1, 3, 1)], axis=(1,)),
    Case("_np_squeeze", [(2, 1, 3, 1)], axis=(-1, 1)),
    Case("_np_squeeze", [(1,)], axis=(0,)),
    Case("_np_squeeze", [(1, 1)]),
    Case("_np_squeeze", [(0, 1)], axis=(1,)).but(formula=squeeze(1)),
    Case("_np_squeeze", [(2, 3)]),
    Case("_np_reshape", [(2, 3)], newshape=(3, -1)),
    Case("_np_reshape", [(2, 3)], newshape=(-1,)),
    Case("_np_reshape", [()], newshape=(1, 1)),
    Case("_np_reshape", [(1,)], newshape=()),
    Case("_np_reshape", [(0, 3)], newshape=(3, 0)).but(formula=lambda a: a.reshape(3, 0)),
    Case("_np_reshape", [(0, 3)], newshape=(-1,)).but(formula=lambda a: a.reshape(-1)),
    Case("_npx_reshape", [(2, 3, 4)], newshape=(-2, -1)),
    Case("_npx_reshape", [(2, 3, 4)], newshape=(-4,)),
    Case("_npx_reshape", [(2, 3, 4)], newshape=(-5, -2)),
    Case("_npx_reshape", [(2, 3, 4)], newshape=(-2, -5)),
    Case("_npx_reshape", [(4, 3)], newshape=(-6, 2, -1, -4)),
    Case("_npx_reshape", [(4, 3)], newshape=(-6, -1, 2, -2)),
    Case("_npx_reshape", [(2, 1, 4)], newshape=(-2, -3, -2)),
    Case("_npx_reshape", [(2, 3, 4)], newshape=(-1, -2), reverse=True),
    Case("_npx_reshape", [(8, 3, 3, 4)], newshape=(-2, -2, -1), reverse=True),
    Case("_npx_reshape", [(1,)], newshape=(-3,)),
    Case("_np_transpose", [(2, 3, 4)]),
    Case("_np_transpose", [(2, 3, 4)], axes=(1, 0, 2)),
    Case("_np_transpose", [(2, 3, 4)], axes=(1, -1, 0)),
    Case("_np_transpose", [()]),
    Case("_np_moveaxis", [(2, 3, 4)], source=(0,), destination=(-1,)),
    Case("_np_moveaxis", [(2, 3, 4)], source=(0, 1), destination=(1, 2)),
    Case("_npi_flip", [(2, 3)], axis=(0,)),
    Case("_npi_flip", [(2, 3)], axis=(-1, 0)).but(formula=lambda a: np.flip(a, (0, 1))),
    Case("_np_roll", [(2, 3)], shift=(1,)),
    Case("_np_roll", [(4,)], shift=(-1,)),
    Case("_np_roll", [(2, 3)], shift=(1,), axis=(1,)),
    Case("_np_roll", [(2, 3)], shift=(1, 5), axis=(0, 1)),
    Case("_np_roll", [(2, 3)], shift=(0,), axis=(0,)),
    *(Case("_npi_rot90", [(2, 3, 2)], k=k, axes=(0, 1)) for k in (2, 4)),
    *(Case("_npi_rot90", [(2, 3, 2)], k=k, axes=(2, 0)).but(no=TURNED) for k in (1, 3, -1)),
    Case("_npi_broadcast_to", [(3,)], shape=(2, 3)),
    Case("_npi_broadcast_to", [(2, 1)], shape=(2, 3)),
    Case("_npi_broadcast_to", [()], shape=(2, 3)),
    Case("_npi_broadcast_to", [()], shape=()).but(formula=np.copy),
    *(Case(f"_np_atleast_{n}d", [s]).but(no=ZERO) for n in (1, 2, 3) for s in ((), (3,), (2, 3), (2, 3, 2))),
    *(Case(f"_np_atleast_{n}d", [(), (3,)], num_args=2).but(no=ZERO) for n in (1, 2)),
    Case("_npi_tril", [(3, 4)]),
    Case("_npi_tril", [(2, 3, 3)], k=1),
    Case("_npi_tril", [(3,)], k=-1),
    Case("_np_diag", [(3,)]),
    Case("_np_diag", [(3,)], k=1),
    Case("_np_diag", [(3, 4)], k=-1),
    Case("_np_diagflat", [(2, 2)], k=1),
    Case("_np_diagonal", [(3, 4)]),
    Case("_np_diagonal", [(2, 3, 3)], offset=1, axis1=1, axis2=2),
    Case("_np_trace", [(3, 4)]),
    Case("_np_trace", [(2, 3, 3)], offset=-1, axis1=1, axis2=2),
    Case("_np_trace", [ints((3, 3), 9, 0, "int32")]),
    Case("_npi_diff", [(5,)]),
    Case("_npi_diff", [(4, 3)], n=2, axis=0),
    Case("_npi_diff", [ints((5,), 9, 0, "int32")]),
]
