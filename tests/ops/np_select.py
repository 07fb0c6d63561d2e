"""Cases of what mx.np chooses, counts and inserts."""

import numpy as np

from hybridonnx.test_utils import Case, distinct, ints

f32 = np.float32
Q = np.array([10, 35, 80], f32)
INTS = ints((2, 3), 5, -3, "int32")
COUNTS = np.array([3, 1, 1, 5], np.int64)
REPEATED = np.array([[1, 2, 0], [2, 1, 3], [1, 2, 0]], f32)
INDICES = np.array([0, 2], np.int64)
INFINITIES = {"oracle": "MXNet has NaN at places beside infinities"}
INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def over(**attributes):
    return Case("_npi_percentile", [distinct((2, 3, 4))], **attributes)


PERCENTILES = [
    over(q_scalar=30.0).but(dtypes=("float32", "float64")),
    *(
        over(q_scalar=35.0, axis=(1,), interpolation=i)
        for i in "linear lower higher midpoint nearest".split()
    ),
    over(q_scalar=50.0, axis=(0, 2), keepdims=True),
    over(q_scalar=0.0, axis=(2,)),
    over(q_scalar=100.0, axis=(-1,)),
    Case("_npi_percentile", [distinct((2, 3)), Q]),
    Case("_npi_percentile", [distinct((2, 3)), Q], axis=(1,)),
    Case("_npi_percentile", [distinct((2, 3)), Q], axis=(0,), keepdims=True),
    Case("_npi_percentile", [distinct((2, 3)), np.array(20.0, f32)], axis=(0,)),
    Case("_npi_percentile", [INTS], q_scalar=30.0),
    Case(
        "_npi_percentile", [np.array([3, -np.inf, np.inf, 1, 2], f32), np.arange(0, 101, 20, dtype=f32)]
    ).but(formula=lambda a, q: np.array([-np.inf, -np.inf, 1.6, 2.4, np.inf, np.inf], f32), no=INFINITIES),
    Case("_npi_percentile", [np.full(3, np.inf, f32)], q_scalar=50.0).but(
        formula=lambda a: np.array(np.inf, f32), no=INFINITIES
    ),
    # whole places are not missed, as by 100 * (14 / 100)
    Case("_npi_percentile", [distinct((3, 15))], q_scalar=100.0, axis=(1,)),
    *(
        Case("_npi_percentile", [distinct((n,)), np.arange(101, dtype=f32)], interpolation=i)
        for n in (15, 26, 41, 58)
        for i in INTERPOLATIONS
    ),
]
POLYNOMIALS = [
    Case("_npi_polyval", [(4,), (2, 3)]).but(dtypes=("float32", "float64")),
    Case("_npi_polyval", [(1,), (3,)]),
    Case("_npi_polyval", [(3,), ()]),
    Case("_npi_polyval", [ints((3,), 4, 0, "int32"), INTS]),
]
DIFFERENCES = [
    Case("_npi_ediff1d", [(2, 3)]),
    Case("_npi_ediff1d", [(4,)], to_begin_scalar=7.0, to_end_scalar=9.0),
    Case("_npi_ediff1d", [(4,), (2,)], to_begin_arr_given=True),
    Case("_npi_ediff1d", [(4,), (2,)], to_end_arr_given=True, to_begin_scalar=1.0),
    Case("_npi_ediff1d", [(4,), (2,), (1, 2)], to_begin_arr_given=True, to_end_arr_given=True),
]
BY_VALUES = [
    Case("_npi_unique", [REPEATED]).but(dtypes=("float32", "float64", "float16")),
    Case("_npi_unique", [INTS]),
    Case("_npi_unique", [REPEATED], return_index=True, return_inverse=True, return_counts=True),
    Case("_npi_unique", [REPEATED], return_counts=True),
    Case("_npi_unique", [REPEATED], axis=0, return_inverse=True),
    Case("_npi_unique", [REPEATED], axis=-1).but(formula=lambda a: np.unique(a, axis=-1)),
    Case("_npx_nonzero", [REPEATED]),
    Case("_npx_nonzero", [INTS]),
    Case("_npx_nonzero", [np.array(True)]),
    Case("_npi_bincount", [COUNTS]),
    Case("_npi_bincount", [COUNTS.astype(np.int32)], minlength=8),
    Case("_npi_bincount", [COUNTS, (4,)], has_weights=True),
    Case("_npi_bincount", [np.zeros(0, np.int64)], minlength=2).but(formula=lambda a: np.zeros(2, np.int64)),
    Case("_npx_constraint_check", [np.ones((2, 3), bool)]),
]
BY_INDICES = [
    Case("_npi_delete", [(2, 3)], int_ind=1, axis=1),
    Case("_npi_delete", [(2, 3)], int_ind=-1, axis=-2),
    Case("_npi_delete", [(4,)], int_ind=1),
    Case("_npi_delete", [(2, 3)], int_ind=4).but(formula=lambda a: np.delete(a, 4)),
    Case("_npi_delete", [(2, 5)], start=0, stop=4, step=2, axis=1),
    Case("_npi_delete", [(2, 3), INDICES], axis=1),
    Case("_npi_delete", [(4,), np.array([1, -1, 1], np.int64)]).but(formula=lambda a, i: np.delete(a, i)),
    Case("_npi_insert_scalar", [(2, 3)], int_ind=1, val=5.0, axis=1).but(
        formula=lambda a: np.insert(a, 1, 5, 1)
    ),
    Case("_npi_insert_scalar", [(2, 3)], int_ind=1, val=5.0).but(formula=lambda a: np.insert(a, 1, 5)),
    Case("_npi_insert_scalar", [(2, 3), (3,)], int_ind=-1, axis=0),
    Case("_npi_insert_scalar", [(2, 3), (2,)], int_ind=1, axis=1),
    Case("_npi_insert_scalar", [INTS, (2,)], int_ind=1, axis=1),
    Case("_npi_insert_slice", [(2, 3)], start=0, stop=2, step=1, val=5.0).but(
        formula=lambda a: np.insert(a, slice(2), 5)
    ),
    Case("_npi_insert_slice", [(2, 3), (2, 2)], start=0, stop=3, step=2, axis=1),
    Case("_npi_insert_slice", [(2, 3), (2,)], start=None, stop=2, step=1, axis=1).but(
        formula=lambda a, v: np.insert(a, slice(2), v, 1)
    ),
    Case("_npi_insert_tensor", [(2, 3), INDICES], val=5.0, axis=1).but(
        formula=lambda a, i: np.insert(a, i, 5, 1)
    ),
    Case("_npi_insert_tensor", [(2, 3), (2,), INDICES]).but(formula=lambda a, v, i: np.insert(a, i, v)),
    Case("_npi_insert_tensor", [(2, 3), (1, 3), np.array([1], np.int64)], axis=0),
]


def depends_on_values(case):
    """Whether the shape of the result is not known from those of the inputs."""
    by_array = case.op == "_npi_delete" and len(case.inputs) == 2
    return by_array or case.op in ("_npi_unique", "_npx_nonzero", "_npi_bincount")


CASES = [
    case.but(no={**case.no, "infer": "the size depends on the values"}) if depends_on_values(case) else case
    for case in PERCENTILES + POLYNOMIALS + DIFFERENCES + BY_VALUES + BY_INDICES
]
