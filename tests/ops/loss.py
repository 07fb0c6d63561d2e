"""Cases of output operators."""

from functools import partial
from typing import Any

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

ALL = ("float32", "float64", "float16")
OF_A_LOSS = {
    "gradient": "an output's gradient is that of its loss, not of itself",
    "second": "an output's gradient is that of its loss, not of itself",
}
BY_OUTPUT = "MXNet multiplies by the output where its documentation says the output's gradient"


def loss(op, data, label, **attributes):
    return Case(op, [data, label], **attributes).but(no=OF_A_LOSS)


def softmax(data, label, **attributes):
    return loss("SoftmaxOutput", data, label, **attributes)


def labels(*values):
    return np.array(values, np.float32)


NORMALIZATIONS = ("null", "batch", "valid")
SOFTMAX = [
    softmax((4, 3), ints((4,), 3)),
    softmax((4, 3), np.array([0, 2, 1, 1])).but(
        no={**OF_A_LOSS, "forward": "MXNet takes no integers as labels"}, dtypes=ALL
    ),
    softmax((4, 3), ints((4,), 3), grad_scale=2.0),
    softmax((4, 3), labels(0, 2, 1, -1)),
    softmax((4, 3), labels(0, 2, 1, -1), use_ignore=True),
    softmax((4, 3), labels(0, 2, 1, 2), use_ignore=True, ignore_label=2),
    softmax((4, 3), labels(0.7, 1.9, 2.2, -0.5)),
    *[softmax((4, 3), labels(0, 2, 1, -1), normalization=n) for n in NORMALIZATIONS],
    *[softmax((4, 3), labels(0, 2, 1, -1), normalization=n, use_ignore=True) for n in NORMALIZATIONS],
    softmax((2, 3), labels(1, 1), normalization="valid", use_ignore=True, ignore_label=1),
    softmax((4, 3), ints((4,), 3), smooth_alpha=0.1),
    softmax((4, 3), labels(0, 2, 1, -1), smooth_alpha=0.1, use_ignore=True, grad_scale=3.0),
    softmax((4, 3), uniform((4, 3))),
    softmax((4, 3), uniform((4, 3)), normalization="batch", grad_scale=2.0),
    softmax((2, 3, 2, 2), ints((2, 3, 2, 2), 2)),
    softmax((2, 3, 4), ints((2, 3), 4)),
    *[softmax((2, 3, 4), ints((2, 3), 4), preserve_shape=True, normalization=n) for n in NORMALIZATIONS],
    softmax(
        (2, 3, 4),
        ints((2, 3), 4),
        preserve_shape=True,
        normalization="valid",
        use_ignore=True,
        ignore_label=1,
    ),
    *[softmax((2, 3, 2, 2), ints((2, 4), 3), multi_output=True, normalization=n) for n in NORMALIZATIONS],
    softmax((2, 3, 2, 2), ints((2, 2, 2), 3), multi_output=True),
    softmax((2, 3, 2, 2), ints((2, 1, 2, 2), 3), multi_output=True, normalization="batch"),
    softmax((2, 3, 2, 2), uniform((2, 3, 2, 2)), multi_output=True),
    softmax((2, 3, 5), ints((2, 5), 3), multi_output=True, smooth_alpha=0.2, grad_scale=0.5),
    softmax(
        (2, 3, 5), ints((2, 5), 3), multi_output=True, use_ignore=True, ignore_label=2, normalization="valid"
    ),
    softmax((4, 3), ints((4,), 3), out_grad=True).but(no={**OF_A_LOSS, "oracle": BY_OUTPUT}),
    softmax((2, 3, 5), ints((2, 5), 3), out_grad=True, multi_output=True).but(
        no={**OF_A_LOSS, "oracle": BY_OUTPUT}
    ),
]


def cross_entropy_gradient(y, label, dy=None, scale=1.0):
    hot = np.arange(y.shape[1]) == label.astype(int)[:, None]
    return ((y - hot) * (scale if dy is None else dy)).astype(y.dtype)


def cross_entropy(data, label):
    x = data.astype(np.float64)
    logs = x - np.log(np.exp(x).sum(1, keepdims=True))
    return -logs[np.arange(len(x)), label].sum(keepdims=True).astype(data.dtype)


def in_rows(label, like):
    return (np.arange(like.shape[1]) == label.astype(int)[:, None]).astype(like.dtype)


LABELS: list[Any] = [
    ((2, 3, 4), (2, 4), {"multi_output": True, "use_ignore": True, "ignore_label": 1}),
    ((2, 3, 4), (2, 4), {"multi_output": True, "normalization": "batch", "smooth_alpha": 0.1}),
    ((2, 3, 4), (2, 1, 4), {"multi_output": True, "normalization": "valid", "ignore_label": 2}),
    ((2, 4, 3), (2, 4), {"preserve_shape": True, "normalization": "batch"}),
    ((2, 4, 3), (2, 4), {"use_ignore": True, "ignore_label": 0, "normalization": "valid"}),
]
GRADIENTS = [
    Case("_softmax_output_gradient", [(4, 3), ints((4,), 3)]).but(formula=cross_entropy_gradient),
    Case("_softmax_output_gradient", [(4, 3), ints((4,), 3)], grad_scale=2.0).but(
        formula=partial(cross_entropy_gradient, scale=2.0)
    ),
    Case("_softmax_output_gradient", [(4, 3), ints((4,), 3), (4, 3)], out_grad=True).but(
        formula=cross_entropy_gradient
    ),
    Case("_softmax_output_gradient", [(4, 3), (4, 3)]).but(formula=lambda y, label: y - label),
    *[
        Case("_softmax_output_gradient", [data, ints(label, 3)], **attributes).but(
            no={"forward": "it is checked as the gradient of SoftmaxOutput"}
        )
        for data, label, attributes in LABELS
    ],
    Case("_one_hot_like", [ints((4,), 5, -1), (4, 3)]).but(formula=in_rows),
    Case("_one_hot_like", [ints((4,), 3, dtype="int32"), (4, 3)]).but(formula=in_rows, dtypes=ALL),
]

OTHERS = [
    *[
        loss(f"{kind}RegressionOutput", data, label, **attributes).but(
            no={"gradient": OF_A_LOSS["gradient"]} if kind == "MAE" else OF_A_LOSS
        )
        for kind in ("Linear", "Logistic", "MAE")
        for data, label, attributes in [
            ((4, 3), (4, 3), {}),
            ((4, 3), (4, 3), {"grad_scale": 2.0}),
            ((4, 1), (4,), {}),
            ((4,), (4,), {}),
            ((2, 3, 4), (2, 12), {"grad_scale": 0.5}),
        ]
    ],
    loss("MAERegressionOutput", labels(1, 2, 3), labels(1, 1, 4)),
    loss("LinearRegressionOutput", (4, 3), (4, 3), grad_scale=1.0).but(dtypes=("float64", "float16")),
    *[
        loss("SVMOutput", (5, 4), ints((5,), 4), margin=margin, use_linear=linear, **attributes).but(
            no={"gradient": OF_A_LOSS["gradient"]} if linear else OF_A_LOSS
        )
        for margin in (1.0, 0.5)
        for linear in (False, True)
        for attributes in ({}, {"regularization_coefficient": 0.3})
    ],
    Case("softmax_cross_entropy", [(4, 3), ints((4,), 3)]),
    Case("softmax_cross_entropy", [(1, 5), ints((1,), 5)]),
    Case("softmax_cross_entropy", [(2, 3), ints((2,), 3, dtype="int32")]).but(
        formula=cross_entropy, dtypes=ALL
    ),
]

ATTACHED = {
    "gradient": "a penalty is attached to it",
    "second": "MXNet has the penalty's first derivative only",
}
REGULARIZATIONS = [
    Case("IdentityAttachKLSparseReg", [uniform((4, 3), 0.1, 0.9), uniform((3,), 0.1, 0.9)], **attributes).but(
        training=training, no=ATTACHED
    )
    for training in (False, True)
    for attributes in ({}, {"sparseness_target": 0.3, "penalty": 0.5, "momentum": 0.6}, {"momentum": 0.0})
]
REGULARIZATIONS += [
    Case("IdentityAttachKLSparseReg", [uniform((2, 3, 2, 2), 0.1, 0.9), uniform((3,), 0.1, 0.9)]).but(
        training=True, no=ATTACHED, dtypes=("float32", "float64", "float16"), formula=lambda x, average: x
    ),
    Case("IdentityAttachKLSparseReg", [(0, 3), (3,)]).but(formula=lambda x, average: x),
]

NOTHING = [
    Case("SoftmaxOutput", [np.zeros((0, 3), np.float32), np.zeros(0, np.float32)]),
    Case("SoftmaxOutput", [np.zeros((2, 0, 3), np.float32), np.zeros((2, 3), np.float32)], multi_output=True),
]
NOTHING = [case.but(formula=lambda x, _: x, no={"second": OF_A_LOSS["second"]}) for case in NOTHING]
CASES = NOTHING + SOFTMAX + GRADIENTS + OTHERS + REGULARIZATIONS
