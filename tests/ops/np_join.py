"""Cases of joining and splitting as mx.np has them."""

import numpy as np

from hybridonnx.test_utils import Case, ints

ZERO = {"oracle": "MXNet gives another gradient for extremes"}

CASES = [
    Case("_npi_concatenate", [(2, 3), (1, 3)], axis=0),
    Case("_npi_concatenate", [(2, 3), (2, 1)], axis=-1),
    Case("_npi_concatenate", [(2, 3), (4,)], axis=None),
    Case("_npi_concatenate", [(2, 3)], axis=1),
    Case("_npi_concatenate", [ints((2,), 5, 0, "int32"), ints((3,), 5, 0, "int32")], axis=0),
    Case("_npi_stack", [(2, 3), (2, 3)]),
    Case("_npi_stack", [(2, 3), (2, 3)], axis=-1),
    Case("_npi_stack", [(), (), ()]),
    Case("_npi_vstack", [(3,), (3,)]),
    Case("_npi_vstack", [(2, 3), (1, 3)]),
    Case("_npi_vstack", [(), ()]),
    Case("_npi_hstack", [(3,), (2,)]),
    Case("_npi_hstack", [(2, 3), (2, 1)]),
    Case("_npi_hstack", [(), ()]),
    Case("_npi_dstack", [(3,), (3,)]),
    Case("_npi_dstack", [(2, 3), (2, 3)]),
    Case("_npi_dstack", [(2, 3, 1), (2, 3, 2)]),
    Case("_npi_column_stack", [(3,), (3,)]),
    Case("_npi_column_stack", [(3,), (3, 2)]),
    Case("_npi_pad", [(3,)], pad_width="((1, 2),)").but(formula=lambda a: np.pad(a, (1, 2))),
    Case("_npi_pad", [(1, 3)], pad_width="((2, 0), (0, 0))", mode="edge"),
    Case("_npi_pad", [(2, 3)], pad_width="((0, 1), (2, 0))", constant_value=2.5),
    *(
        Case("_npi_pad", [(3, 4)], pad_width="((1, 0), (1, 2))", mode=mode)
        for mode in ("edge", "reflect", "symmetric")
    ),
    *(
        Case("_npi_pad", [(3, 4)], pad_width="((1, 0), (1, 2))", mode=mode).but(no=ZERO)
        for mode in ("maximum", "minimum")
    ),
    Case("_npi_pad", [(2, 3)], pad_width="((0, 0), (0, 0))"),
    Case("_npi_hsplit", [(2, 4)], indices=(), sections=2),
    Case("_npi_hsplit", [(4,)], indices=(0, 1), sections=0),
    Case("_npi_dsplit", [(2, 3, 4)], indices=(), axis=2, sections=2),
    Case("_npi_dsplit", [(2, 3, 4)], indices=(0, 1), axis=2),
]
