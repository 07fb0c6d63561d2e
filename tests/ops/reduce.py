"""Cases of reductions and of broadcasting to a shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.test_utils import Case, distinct, ints, uniform

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int32", "int64", "int8", "uint8")
REDUCTIONS = ["sum", "mean", "prod", "nansum", "nanprod", "max", "min"]
AXES: list[dict[str, Any]] = [
    {},
    {"keepdims": True},
    {"axis": 1},
    {"axis": -1, "keepdims": True},
    {"axis": (0, 2)},
    {"axis": (-1, 0), "keepdims": True},
    {"axis": 1, "exclude": True},
    {"axis": (0, -1), "exclude": True, "keepdims": True},
    {"axis": (0, 1, 2)},
    {"axis": ()},
    {"axis": (), "exclude": True},
    {"exclude": True},
]
WITH_NAN = np.array([[1, 2, np.nan, 3], [3, 3, 0.5, -1], [2, 4, 1, np.nan]], np.float32)
WITH_ZEROS = np.array([[1, 2, 3, 4], [1, 0, 3, 4], [0, 2, 0, 4], [0, 0, 0, 4]], np.float32)
TIES = np.array([[1, 3, 3, 0], [1, 0, 2, 0]], np.float32)
EMPTY = np.zeros((0, 3), np.float32)
HAS_NAN = {"gradient": "differences of NaN are NaN"}
KINKS = {"gradient": "equal values are kinks", "second": "the same"}


def data(name: str) -> object:
    """Inputs at which the reduction is smooth."""
    if name in ("max", "min"):
        return distinct((2, 3, 4))
    return uniform((2, 3, 4), 0.5, 1.5) if "prod" in name else (2, 3, 4)


def sum_to(shape: tuple[int, ...]):
    """A formula of `_sum_like`, axis by axis."""

    def formula(x: np.ndarray, like: np.ndarray) -> np.ndarray:
        total = x.astype(np.float64)
        while total.ndim > len(shape):
            total = total.sum(0)
        for i, d in enumerate(shape):
            if d == 1:
                total = total.sum(i, keepdims=True)
        return total.astype(x.dtype)

    return formula


reductions = [Case(name, [data(name)], **options) for name in REDUCTIONS for options in AXES]
reductions += [Case(name, [data(name)], axis=(1,)).but(dtypes=FLOATS) for name in REDUCTIONS]
reductions += [Case(name, [(5,)], axis=0) for name in ("sum", "mean", "prod")]
reductions += [Case(name, [WITH_NAN], axis=1) for name in ("nansum", "nanprod")]
reductions += [Case(name, [WITH_NAN], axis=0).but(no=HAS_NAN) for name in ("max", "min")]
reductions += [Case(name, [TIES], axis=1).but(no=KINKS) for name in ("max", "min")]
reductions += [
    Case(name, [ints((3, 4), 9, 0 if dtype == "uint8" else -9, dtype)], axis=1)
    for name in REDUCTIONS
    for dtype in INTEGERS
]
reductions += [Case(name, [ints((3, 4), 9, 1, dtype)]) for name in REDUCTIONS for dtype in ("int32", "uint8")]
reductions += [
    Case(name, [np.array([[True, False], [True, True], [False, False]])], axis=1) for name in REDUCTIONS
]

norms = [
    Case("norm", [(2, 3, 4)], ord=ord, **options)
    for ord in (1, 2)
    for options in ({}, {"keepdims": True}, {"axis": 1}, {"axis": (0, 2), "keepdims": True}, {"axis": -1})
]
norms += [Case("norm", [(2, 3)], ord=ord, axis=1).but(dtypes=FLOATS) for ord in (1, 2)]
norms += [  # MXNet scales with integers on the way, and gets 8 for the norm of (8, 4, 1)
    Case("norm", [ints((3, 4), 9, 0, dtype)], axis=1).but(
        formula=lambda x: np.sqrt((x.astype(float) ** 2).sum(1)).astype(x.dtype)
    )
    for dtype in INTEGERS
]

indices = [
    Case(name, [x], **options)
    for name in ("argmax", "argmin")
    for x in (distinct((2, 3, 4)), ints((2, 3, 4), 3))
    for options in ({}, {"keepdims": True}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": 1})
]
indices += [Case(name, [distinct((3, 5))], axis=1).but(dtypes=FLOATS) for name in ("argmax", "argmin")]
indices += [
    Case(name, [ints((3, 5), 9, 0, dtype)], axis=1) for name in ("argmax", "argmin") for dtype in INTEGERS
]
indices += [Case("argmax_channel", [distinct(shape)]) for shape in ((3, 5), (2, 3, 4))]

broadcasting = [
    Case("broadcast_to", [(2, 1, 3)], shape=(2, 4, 3)).but(dtypes=FLOATS),
    Case("broadcast_to", [(2, 1, 1)], shape=(0, 4, 5)),
    Case("broadcast_to", [(1,)], shape=(6,)),
    Case("broadcast_to", [ints((1, 2), 9, 0, "int32")], shape=(3, 2)),
    Case("broadcast_axis", [(2, 1, 3)], axis=1, size=4).but(dtypes=FLOATS),
    Case("broadcast_axis", [(1, 2, 1)], axis=(0, 2), size=(3, 5)),
    Case("broadcast_axis", [(1, 2, 1)], axis=(2, 0), size=(3, 5)),
    Case("broadcast_like", [(2, 1, 3), (2, 4, 3)]).but(dtypes=FLOATS),
    Case("broadcast_like", [(1, 2, 1), (4, 5, 6)], lhs_axes=(0, 2), rhs_axes=(1, -1)),
    Case("broadcast_like", [(2, 1), (3,)], lhs_axes=(1,), rhs_axes=(0,)),
]
adjoints = [
    *[
        Case("_sum_like", [big, small]).but(formula=sum_to(small))
        for big, small in (
            ((2, 3, 4), (2, 1, 4)),
            ((2, 3, 4), (3, 1)),
            ((2, 3, 4), (1,)),
            ((2, 3), (2, 3)),
            ((1, 3), (1, 1)),
            ((2, 1, 3), (1, 3)),
        )
    ],
    *[
        Case("_broadcast_as", [small, big]).but(formula=lambda x, like: np.broadcast_to(x, like.shape))
        for big, small in (((2, 3, 4), (2, 1, 4)), ((2, 3, 4), (3, 1)), ((2, 3), (2, 3)), ((2, 3), (1,)))
    ],
    Case("_spread_like", [(1,), (2, 3)]).but(formula=lambda x, like: np.full(like.shape, x[0])),
    Case("_spread_like", [(1, 1), (2, 3)], keepdims=True).but(
        formula=lambda x, like: np.full((2, 3), x[0, 0])
    ),
    Case("_spread_like", [(2, 4), (2, 3, 4)], axis=(1,)).but(
        formula=lambda x, like: np.repeat(x[:, None], 3, axis=1)
    ),
    Case("_spread_like", [(3,), (2, 3, 4)], axis=(-2,), exclude=True, mean=True).but(
        formula=lambda x, like: np.broadcast_to(x[:, None] / np.float32(8), (2, 3, 4))
    ),
    Case("_square_sum_grad", [(1,), (2, 3)]).but(formula=lambda x, like: 2 * x * like),
    Case("_square_sum_grad", [(2, 1), (2, 3)], axis=(1,), keepdims=True).but(
        formula=lambda x, like: 2 * x * like
    ),
    Case("_square_sum_grad", [(3,), (2, 3, 4)], axis=(1,), exclude=True, mean=True).but(
        formula=lambda x, like: x[:, None] / np.float32(4) * like
    ),
    Case("_square_sum_grad", [(0, 1), (0, 3)], axis=(1,), keepdims=True).but(
        formula=lambda x, like: 2 * x * like
    ),
    Case("_square_sum", [(2, 3)], axis=1).but(formula=lambda x: (x * x).sum(1)),
]
refuses = {"oracle": "MXNet refuses sizes of 0"}


def divided(sums, count):
    """Integers truncated towards zero."""
    return np.trunc(np.asarray(sums).astype(np.float64) / count).astype(np.asarray(sums).dtype)


def moments_of_bytes(x):
    """What is summed and squared wraps, what is divided by is a number."""
    count = x.shape[1]
    mean = divided(x.sum(1, keepdims=True, dtype=x.dtype), count)
    return mean[:, 0], divided(np.square(x - mean).sum(1, dtype=x.dtype), count)


MANY = {"oracle": "MXNet divides by the number of elements as a byte, which ends the process at 256"}
many = [
    Case("mean", [ints((2, 300), 50, 0, dtype)], axis=1).but(
        formula=lambda x: divided(x.sum(1, dtype=x.dtype), 300), no=MANY
    )
    for dtype in ("int8", "uint8")
]
many += [
    Case("mean", [ints((4, 64), 50, -50, "int8")]).but(
        formula=lambda x: divided(x.sum(dtype=x.dtype).reshape(1), 256), no=MANY
    ),
    Case("moments", [ints((2, 300), 5, -5, "int8")], axes=1).but(formula=moments_of_bytes, no=MANY),
    Case("_spread_like", [np.array([-100, 90], np.int8), ints((2, 60), 5, 0, "int8")], axis=1, mean=True).but(
        formula=lambda y, x: np.repeat(divided(y, 60)[:, None], 60, 1)
    ),
    Case(
        "_spread_like", [np.array([-100, 90], np.int8), ints((2, 300), 5, 0, "int8")], axis=1, mean=True
    ).but(formula=lambda y, x: np.zeros_like(x)),
    Case(
        "_spread_like", [np.array([8, 4], np.float16), np.zeros((2, 70000), np.float16)], axis=1, mean=True
    ).but(formula=lambda y, x: np.repeat(y[:, None].astype(np.float64) / 70000, 70000, 1).astype(np.float16)),
]

NUMBERS = [
    Case(name, [uniform((), 0.5, 1.5)], keepdims=keepdims).but(
        formula=lambda x, ndim=0 if keepdims else 1: x.reshape((1,) * ndim)
    )
    for name in (*REDUCTIONS, "norm")
    for keepdims in (True, False)
]
"""Of a number, which MXNet has with np_shape; what is stored is without."""

CASES = [
    *many,
    *NUMBERS,
    *[Case("moments", [(2, 3, 4)], axes=axes) for axes in (1, (0, 2), (-1, 0), (0, 1, 2))],
    Case("moments", [(2, 3, 4)], axes=(0, 2), keepdims=True).but(dtypes=FLOATS),
    *reductions,
    *norms,
    *indices,
    *broadcasting,
    *adjoints,
    Case("prod", [WITH_ZEROS], axis=1).but(no={"oracle": "MXNet's gradient at 0 is NaN"}),
    Case("nanprod", [WITH_ZEROS], axis=0).but(no={"oracle": "MXNet's gradient at 0 is NaN"}),
    Case("sum", [EMPTY], axis=0).but(formula=lambda x: np.zeros(3, np.float32), no=refuses),
    Case("prod", [EMPTY], axis=0).but(formula=lambda x: np.ones(3, np.float32), no=refuses),
    *(
        Case(name, [EMPTY > 0], axis=0).but(formula=lambda x, value=value: np.full(3, value), no=refuses)
        for name, value in (("sum", False), ("nansum", False), ("prod", True), ("nanprod", True))
    ),
    Case("mean", [EMPTY], axis=1).but(formula=lambda x: np.zeros(0, np.float32), no=refuses),
]
