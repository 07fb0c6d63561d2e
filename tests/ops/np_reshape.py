"""Cases of rearrangements as NumPy has them."""

import numpy as np

from hybridonnx.test_utils import Case

ORACLE = {"oracle": "MXNet has it under np_shape alone"}


def squeeze(*axis):
    return lambda a: np.squeeze(a, axis or None)


CASES = [
    Case("_np_squeeze", [(2, 1, 3, 1)]).but(formula=squeeze(), no=ORACLE),
    Case("_np_squeeze", [(2, 1, 3, 1)], axis=(1,)).but(formula=squeeze(1), no=ORACLE),
    Case("_np_squeeze", [(2, 1, 3, 1)], axis=(-1, 1)).but(formula=squeeze(-1, 1), no=ORACLE),
    Case("_np_squeeze", [(1,)], axis=(0,)).but(formula=squeeze(0), no=ORACLE),
    Case("_np_squeeze", [(1, 1)]).but(formula=squeeze(), no=ORACLE),
    Case("_np_squeeze", [(0, 1)], axis=(1,)).but(formula=squeeze(1), no=ORACLE),
    Case("_np_squeeze", [(2, 3)]).but(formula=squeeze(), no=ORACLE),
]
