"""Cases of sorting. MXNet keeps equal elements in order only if they are few."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case, distinct

FLOATS = ("float32", "float64", "float16")
TIES = np.array([[3, 1, 2, 1], [1, 3, 3, 0]], np.int32)
BY_VALUES = {"infer": "the number of elements depends on values"}
RET_TYPES = ("value", "indices", "mask", "both")

topks = [
    Case("topk", [distinct((3, 5))], ret_typ=r, k=k, is_ascend=a)
    for r in RET_TYPES
    for k, a in ((1, False), (3, False), (2, True), (0, False), (-1, True))
]
topks += [
    Case("topk", [distinct((3, 5, 2))], ret_typ=r, k=2, axis=axis)
    for r in RET_TYPES
    for axis in (0, 1, -2, None)
]
topks += [
    Case("topk", [distinct((2, 4))], k=2, ret_typ="both", dtype=d)
    for d in (*FLOATS, "int32", "int64", "uint8")
]
topks += [Case("topk", [TIES], k=3, ret_typ=r, is_ascend=a) for r in RET_TYPES for a in (False, True)]
topks += [
    Case("topk", [distinct((2, 4))]),
    Case("topk", [distinct((2, 4))], k=2, ret_typ="both").but(dtypes=FLOATS),
    Case("topk", [distinct((4,))], k=4, ret_typ="value", axis=0),
    Case("topk", [TIES.astype(np.int64)], k=2, ret_typ="value"),
    Case("topk", [TIES.astype(np.uint8)], k=2, ret_typ="both"),
    Case("topk", [TIES.astype(np.int8)], k=2, ret_typ="mask"),
]

sorts = [
    Case(name, [distinct((3, 4))], axis=axis, is_ascend=a)
    for name in ("sort", "argsort")
    for axis in (0, 1, -2, None)
    for a in (True, False)
]
sorts += [Case(name, [distinct((2, 3, 4))], axis=-1).but(dtypes=FLOATS[:2]) for name in ("sort", "argsort")]
sorts += [Case(name, [TIES], is_ascend=a) for name in ("sort", "argsort") for a in (True, False)]
sorts += [Case("sort", [TIES.astype(d)]) for d in ("int64", "uint8", "int8")]
sorts += [Case("argsort", [distinct((2, 4))], dtype=d) for d in (*FLOATS, "int32", "int64", "uint8")]
sorts += [
    Case("sort", [distinct((5,))], axis=0),
    Case("sort", [distinct((5,))], axis=None, is_ascend=False),
]

uniques = [
    Case("_unique", [x]).but(
        formula=lambda x: np.array(sorted(set(x.ravel().tolist())), x.dtype), no=BY_VALUES
    )
    for x in (TIES, TIES.astype(np.int64), TIES[0].astype(np.float32), np.zeros((2, 1), np.float32))
]

CASES = [*topks, *sorts, *uniques]
