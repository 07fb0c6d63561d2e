"""Cases of softmax and its relatives."""

from typing import Any

import numpy as np

from hybridonnx.test_utils import Case, ints

ALL = ("float32", "float64", "float16")
WHOLE_INSTANCE = {"oracle": "MXNet sums over whole instances in the gradient, not in what it differentiates"}
FAMILY = ("softmax", "log_softmax", "softmin")
LARGE = np.array([[1000.0, 0.0, -1000.0], [88.0, 89.0, 90.0], [-500.0, -500.0, -501.0]], np.float32)


def masked(data, length, axis=-1, temperature=None, use_length=True):
    index = np.arange(data.shape[axis]).reshape(
        [-1 if i == axis % data.ndim else 1 for i in range(data.ndim)]
    )
    inside = index < np.expand_dims(length, axis)
    power = np.where(inside, np.exp(data.astype(np.float64) / (temperature or 1)), 0)
    total = power.sum(axis, keepdims=True)
    return (power / np.where(total > 0, total, 1)).astype(data.dtype)


MASKED: list[Any] = [
    ((2, 3, 4), (2, 3), 5, "int32", {}),
    ((2, 3, 4), (2, 4), 4, "int64", {"axis": 1}),
    ((2, 3, 4), (3, 4), 3, "int32", {"axis": 0}),
    ((3, 5), (3,), 6, "int32", {"temperature": 2.0}),
]
LENGTHS = [
    Case("softmax", [data, ints(length, high, dtype=dtype)], use_length=True, **attributes)
    for data, length, high, dtype, attributes in MASKED
]

CASES = [
    *[Case(op, [(2, 3, 4)]).but(dtypes=ALL) for op in FAMILY],
    *[Case(op, [(2, 3, 4)], axis=axis) for op in FAMILY for axis in (0, 1, 2, -2)],
    *[Case(op, [(5,)]) for op in FAMILY],
    *[Case(op, [(2, 3)], temperature=temperature) for op in FAMILY for temperature in (0.5, 3.0)],
    *[
        Case(op, [(2, 3)], dtype=dtype).but(
            dtypes=ALL,
            tol=2e-3 if dtype == "float16" else 1e-5,
            no={"gradient": "differences drown in float16", "second": "differences drown in float16"}
            if dtype == "float16"
            else {"gradient": "float32 is too coarse", "second": "float32 is too coarse"}
            if dtype == "float32"
            else {},
        )
        for op in FAMILY
        for dtype in ("float16", "float32", "float64")
    ],
    *[Case(op, [LARGE]) for op in ("softmax", "log_softmax")],
    *LENGTHS,
    Case("softmax", [(2, 4), ints((2,), 5, 1, dtype="int32")], use_length=True).but(
        formula=masked, dtypes=ALL
    ),
    Case("SoftmaxActivation", [(2, 3)]),
    Case("SoftmaxActivation", [(2, 3, 4)]).but(no=WHOLE_INSTANCE),
    Case("SoftmaxActivation", [(2, 3, 4, 2)], mode="instance").but(no=WHOLE_INSTANCE),
    Case("SoftmaxActivation", [(2, 3, 4)], mode="channel"),
    Case("SoftmaxActivation", [(2, 3, 4, 2)], mode="channel"),
]
