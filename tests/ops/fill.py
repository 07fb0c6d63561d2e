"""Cases of operators that fill what they are given."""

import numpy as np

from hybridonnx.test_utils import Case, ints

COLUMNS = np.array([0, 2.7, 3, 1], np.float32)
OUTSIDE = np.array([5, -1, 4, 3], np.float32)
INDICES = np.arange(5)


def filled(lhs, mhs, rhs):
    return np.where(np.trunc(rhs)[:, None] == INDICES[: lhs.shape[1]], mhs[:, None], lhs)


def rows(lhs, rhs):
    return (np.trunc(lhs)[:, None] == INDICES[: rhs.shape[1]]).astype(rhs.dtype)


MEMORY = {"oracle": "MXNet writes outside of the row"}
CASES = [
    Case("_set_value", src=2.5).but(
        formula=lambda: np.array([2.5], np.float32), no={"oracle": "MXNet needs an array to fill"}
    ),
    Case("fill_element_0index", [(4, 5), (4,), COLUMNS]),
    Case("fill_element_0index", [(4, 5), (4,), ints((4,), 5)]),
    Case("fill_element_0index", [(1, 1), (1,), np.zeros(1, np.float32)]),
    Case("fill_element_0index", [(4, 5), (4,), OUTSIDE]).but(formula=filled, no=MEMORY),
    Case("fill_element_0index", [(0, 5), (0,), (0,)]).but(formula=filled),
    Case("_onehot_encode", [COLUMNS, (4, 5)]),
    Case("_onehot_encode", [ints((6,), 3), (6, 3)]),
    Case("_onehot_encode", [OUTSIDE, (4, 5)]).but(formula=rows),
    Case("_onehot_encode", [(0,), (0, 5)]).but(formula=rows),
]
