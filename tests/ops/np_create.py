"""Cases of arrays made from attributes alone as mx.np has them."""

import numpy as np

from hybridonnx.test_utils import Case

CASES = [
    *(Case(f"_npi_{name}", [], shape=shape) for name in ("zeros", "ones") for shape in ((2, 3), (), (0, 2))),
    *(Case(f"_npi_{name}", [], shape=(2,), dtype="bool") for name in ("zeros", "ones")),
    Case("_npi_zeros", [], shape=(2,), dtype="int32"),
    Case("_npi_identity", [], shape=(3, 3)),
    Case("_npi_identity", [], shape=(2, 2), dtype="int32"),
    Case("_npi_eye", [], N=3),
    Case("_npi_eye", [], N=2, M=4, k=1, dtype="int32"),
    Case("_npi_arange", [], start=5),
    Case("_npi_arange", [], start=1, stop=2, step=0.25),
    Case("_npi_arange", [], start=5, stop=1, step=-2, dtype="int32"),
    Case("_npi_arange", [], start=0, stop=0).but(formula=lambda: np.zeros(0, np.float32)),
    Case("_npi_logspace", [], start=0, stop=2, num=5),
    Case("_npi_logspace", [], start=0, stop=2, num=4, endpoint=False, base=2.0, dtype="float64"),
    Case("_npi_indices", [], dimensions=(2, 3)),
    Case("_npi_indices", [], dimensions=(4,), dtype="float32"),
    *(Case(f"_npi_{name}", [], M=5).but(tol=1e-6) for name in ("hanning", "hamming", "blackman")),
    Case("_npi_hanning", [], M=1),
]
