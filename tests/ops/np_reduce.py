"""Cases of reductions as mx.np has them."""

import numpy as np

from hybridonnx.test_utils import Case, distinct, ints, uniform

FLOATS = ("float32", "float64", "float16")
TRUE = np.array([[True, False, True], [False, True, True]])
INTS = ints((2, 3), 5, -3, "int32")
SUMS = ("_np_sum", "_np_prod", "_npi_mean", "_npi_var", "_npi_std")
EXTREMES = ("_np_max", "_np_min")
ZERO = {"oracle": "MXNet gives no gradient but zero"}
ARGS = ("_npi_argmax", "_npi_argmin")


def over(name, **attributes):
    return Case(name, [uniform((2, 3, 4), 0.5, 1.5) if name in SUMS else distinct((2, 3, 4))], **attributes)


def reason(name):
    return ZERO if name in ("_npi_var", "_npi_std") else {}


CASES = [
    *(over(name).but(dtypes=FLOATS) for name in ("_np_sum", "_np_prod", "_npi_mean", *EXTREMES)),
    *(over(name).but(no=ZERO) for name in ("_npi_var", "_npi_std")),
    *(over(name, axis=(1,)).but(no=reason(name)) for name in (*SUMS, *EXTREMES)),
    *(over(name, axis=(0, -1), keepdims=True).but(no=reason(name)) for name in (*SUMS, *EXTREMES)),
    *(over(name, axis=()) for name in ("_np_sum", "_np_max")),
    *(over(name, axis=(0,), dtype="float64").but(no=reason(name)) for name in SUMS),
    *(Case(name, [()]) for name in ("_np_sum", "_npi_mean", "_np_max", "_np_prod")),
    *(Case(name, [INTS]) for name in ("_np_sum", "_np_prod", "_npi_mean", *EXTREMES)),
    *(Case(name, [TRUE], axis=(0,)) for name in ("_np_sum", "_np_prod", "_npi_mean")),
    *(Case(name, [TRUE], axis=(1,)) for name in EXTREMES),
    *(
        Case(name, [INTS], axis=(1,)).but(formula=f)
        for name, f in (
            ("_npi_var", lambda a: np.var(a, 1).astype(np.float32)),
            ("_npi_std", lambda a: np.std(a, 1).astype(np.float32)),
        )
    ),
    *(over(name, ddof=1, axis=(1,)).but(no=ZERO) for name in ("_npi_var", "_npi_std")),
    *(
        Case(name, [np.array([0.1587141, 0.1534134], np.float32)], dtype="float16").but(
            no={**reason(name), "gradient": "float16 has too few digits"}
        )
        for name in ("_npi_var", "_npi_std")
    ),
    Case("_np_sum", [(0, 3)], axis=(0,)).but(formula=lambda a: a.sum(0)),
    Case("_npi_mean", [(0, 3)], axis=(0,)).but(
        formula=lambda a: np.full(3, np.nan, np.float32),
        no=dict.fromkeys(("gradient", "second"), "it is NaN"),
    ),
    *(Case(name, [ints((2, 3), 2)], axis=(1,)) for name in ("_np_any", "_np_all")),
    *(Case(name, [TRUE]) for name in ("_np_any", "_np_all")),
    *(Case(name, [INTS], axis=(0,), keepdims=True) for name in ("_np_any", "_np_all")),
    *(Case(name, [distinct((2, 3))]).but(dtypes=FLOATS) for name in ARGS),
    *(Case(name, [distinct((2, 3, 2))], axis=1) for name in ARGS),
    *(Case(name, [distinct((2, 3, 2))], axis=-1, keepdims=True) for name in ARGS),
    *(Case(name, [INTS], axis=0) for name in ARGS),
    *(Case(name, [()]) for name in ARGS),
    Case("_npi_argmax", [distinct((2, 3))], keepdims=True),
    Case("_npi_average", [(2, 3), uniform((2, 3), 0.5, 1.5)]),
    Case("_npi_average", [(2, 3), uniform((2, 3), 0.5, 1.5)], axis=(0,)),
    Case("_npi_average", [(2, 3), uniform((3,), 0.5, 1.5)], axis=(1,), returned=True).but(
        formula=lambda a, w: np.average(a, 1, w, returned=True)
    ),
    Case("_npi_average", [(2, 3), uniform((2,), 0.5, 1.5)], axis=(0,)),
    Case("_npi_average", [(2, 3)], axis=(0,), weighted=False),
    Case("_npi_average", [(2, 3)], weighted=False, returned=True),
    Case("_npi_average", [INTS], weighted=False).but(formula=lambda a: np.mean(a).astype(np.float32)),
]
