"""Cases of comparisons and logic."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case, ints

FLOATS = ("float32", "float64", "float16")
STEMS = [
    *"equal not_equal greater greater_equal lesser lesser_equal logical_and logical_or logical_xor".split(),
]
LEFT = np.array([0, 0, 1, 1, -2, 3, np.nan, np.nan, np.inf, -np.inf, np.inf, 0.5], np.float32)
RIGHT = np.array([0, 1, 0, 1, -2, 2, np.nan, 1, np.inf, np.inf, 1, -0.5], np.float32)

CASES = [
    *[Case(f"_{stem}", [ints((3, 4), 3, -1), ints((3, 4), 3, -1)]) for stem in STEMS],
    *[Case(f"_{stem}", [(2, 3), (2, 3)]).but(dtypes=FLOATS) for stem in STEMS],
    *[Case(f"_{stem}", [LEFT, RIGHT]) for stem in STEMS],
    *[
        Case(f"_{stem}", [ints((5, 4), 3, 0, dtype), ints((5, 4), 3, 0, dtype)])
        for stem in STEMS
        for dtype in ("int32", "int64", "int8", "uint8")
    ],
    *[
        Case(f"broadcast_{stem}", [ints(a, 3, -1), ints(b, 3, -1)])
        for stem in STEMS
        for a, b in (((2, 3, 4), (3, 1)), ((1,), (2, 3)), ((4, 1), (1, 5)))
    ],
    *[
        Case(f"broadcast_{stem}", [ints((3, 1), 3, 0, "int32"), ints((1, 4), 3, 0, "int32")])
        for stem in STEMS
    ],
    *[Case(f"_{stem}_scalar", [ints((3, 4), 3, -1)], scalar=s) for stem in STEMS for s in (0.0, 1.0)],
    *[Case(f"_{stem}_scalar", [(3, 4)], scalar=0.25, is_int=False).but(dtypes=FLOATS) for stem in STEMS],
    *[
        Case(f"_{stem}_scalar", [ints((3, 4), 4, 0, dtype)], scalar=1.5, is_int=is_int)
        for stem in STEMS
        for dtype, is_int in (
            ("int32", True),
            ("int32", False),
            ("uint8", True),
            ("int8", True),
            ("int64", False),
        )
    ],
    *[Case(f"_{stem}_scalar", [np.array([True, False])], scalar=1.0) for stem in STEMS],
    *[
        Case(f"_{stem}", [np.zeros((0, 3), np.float32)] * 2).but(formula=lambda a, b: a)
        for stem in ("equal", "logical_or")
    ],
]


def pair(*rows):
    return [np.array(row, np.float32) for row in rows]


NAN, INF = np.nan, np.inf
EVERY = (*FLOATS, "int32", "int64", "int8", "uint8")
CLOSE = [
    Case("_contrib_allclose", pair([1, 2, 5], [1, 2.00001, 5]), **attributes)
    for attributes in ({}, {"rtol": 0.0}, {"rtol": 1e-7, "atol": 1e-4}, {"rtol": 0.0, "atol": 0.0})
]
CLOSE += [
    Case("_contrib_allclose", pair(a, b), equal_nan=equal_nan)
    for equal_nan in (False, True)
    for a, b in (([1, NAN], [1, NAN]), ([NAN], [1]), ([INF, -INF], [INF, INF]), ([1], [INF]), ([INF], [1]))
]
CLOSE += [
    Case("_contrib_allclose", [ints((2, 3), 9, 1, dtype), ints((2, 3), 9, 1, dtype)], rtol=rtol, atol=atol)
    for dtype in EVERY
    for rtol, atol in ((0.5, 4.0), (0.0, 8.0), (0.0, 0.5))
]
CLOSE += [
    Case("_contrib_allclose", [np.zeros((0, 3), np.float32)] * 2).but(
        formula=lambda a, b: np.array(1, np.uint8)
    ),
]
CASES += CLOSE
