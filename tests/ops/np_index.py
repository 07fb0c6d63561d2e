"""Cases of choices as mx.np has them."""

import numpy as np

from hybridonnx.test_utils import Case, ints

TRUE = np.array([[True, False, True], [False, True, True]])
WRONG = {"oracle": "MXNet gives the gradient of the other choice"}

CASES = [
    Case("_npi_where", [TRUE, (2, 3), (2, 3)]).but(dtypes=("float32", "float64", "float16")),
    Case("_npi_where", [ints((2, 3), 2), (3,), (2, 1)]),
    Case("_npi_where", [np.array(True), (2, 3), ()]),
    Case("_npi_where", [ints((2, 1), 2, 0, "int32"), ints((3,), 9, 0, "int32"), ints((3,), 9, 0, "int32")]),
    Case("_npi_where_lscalar", [TRUE, (2, 3)], scalar=1.5).but(no=WRONG),
    Case("_npi_where_lscalar", [TRUE, (3,)], scalar=1.5).but(no=WRONG),
    Case("_npi_where_rscalar", [TRUE, (2, 3)], scalar=-2.0).but(no=WRONG),
    Case("_npi_where_rscalar", [TRUE, ints((2, 3), 9, 0, "int32")], scalar=7.0),
    Case("_npi_where_scalar2", [TRUE], x=1.0, y=-2.5),
    Case("_npi_where_scalar2", [ints((2, 3), 2)], x=1.0, y=0.0),
    Case("_npi_diag_indices_from", [(3, 3)]),
    Case("_npi_diag_indices_from", [(2, 2, 2)]),
    Case("_npi_diag_indices_from", [ints((1, 1), 9, 0, "int32")]),
    Case("_npi_diag_indices_from", [TRUE[:, :2]]),
    Case("_npi_diag_indices_from", [(0, 0)]).but(formula=lambda data: np.zeros((2, 0), np.int64)),
]
