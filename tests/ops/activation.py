"""Cases of activations."""

from functools import partial

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

ALL = ("float32", "float64", "float16")
EDGES = np.array([-100.0, -20.0, -3.0, -0.5, 0.0, 0.5, 3.0, 20.0, 100.0], np.float32)
KINK = {"gradient": "it has a kink at 0", "second": "it has a kink at 0"}


def rrelu(x, noise, lower_bound=0.125, upper_bound=0.334):
    slope = (lower_bound + (upper_bound - lower_bound) * noise).astype(x.dtype)
    return np.where(x > 0, x, x * slope), slope


def expected_slope(x, mean=0.2295):
    return np.where(x > 0, x, x * x.dtype.type(mean)), np.zeros_like(x)


def slopes(gamma, data):
    front = (1,) if gamma.ndim == 1 and data.ndim > 1 else ()
    return gamma.reshape(front + gamma.shape + (1,) * (data.ndim - gamma.ndim - len(front)))


def prelu(data, gamma):
    return Case("LeakyReLU", [data, uniform(gamma, -0.5, 0.9)], act_type="prelu")


NO_SELU = {"oracle": "MXNet's gradient of selu adds alpha unscaled"}
# MXNet's rrelu crashes when training, and its gradient when predicting is not that of what it predicts.
KINDS = ("relu", "sigmoid", "softrelu", "softsign", "tanh")
CASES = [
    *[Case("Activation", [(2, 3, 4)], act_type=kind).but(dtypes=ALL) for kind in KINDS],
    *[Case("Activation", [(5,)], act_type=kind) for kind in KINDS],
    *[Case("Activation", [EDGES], act_type=kind).but(no=KINK if kind == "relu" else {}) for kind in KINDS],
    *[
        Case("LeakyReLU", [(2, 3, 4)], act_type=kind).but(dtypes=ALL, no=NO_SELU if kind == "selu" else {})
        for kind in ("leaky", "elu", "selu", "gelu")
    ],
    Case("LeakyReLU", [(2, 3)]),
    Case("LeakyReLU", [(2, 3)], slope=0.01),
    Case("LeakyReLU", [(2, 3)], slope=0.0),
    Case("LeakyReLU", [(2, 3)], slope=1.5),
    Case("LeakyReLU", [(2, 3)], act_type="elu", slope=1.0),
    *[
        Case("LeakyReLU", [EDGES], act_type=kind).but(no={} if kind == "gelu" else KINK)
        for kind in ("leaky", "elu", "gelu")
    ],
    Case("LeakyReLU", [EDGES], act_type="selu").but(no={**KINK, **NO_SELU}),
    prelu((2, 3), (3,)),
    prelu((2, 3), (1,)),
    prelu((2, 3, 4), (3,)),
    prelu((2, 3, 4), (1,)),
    prelu((2, 3, 4, 5), (3,)).but(dtypes=ALL),
    prelu((2, 3, 4, 5), (1,)),
    prelu((2, 3, 2, 3, 2), (3,)),
    prelu((2, 3, 2, 3, 2), (1,)),
    prelu((4, 4, 4, 4), (4,)),
    prelu((3, 1, 4), (1,)),
    prelu((5,), (1,)),
    prelu((5,), (5,)),
    prelu((2, 3, 4), (1, 3)),
    prelu((2, 3, 4), (2, 3)),
    Case("LeakyReLU", [(3, 4)], act_type="rrelu").but(formula=expected_slope),
    Case("LeakyReLU", [(3, 4)], act_type="rrelu", lower_bound=0.25, upper_bound=0.5).but(
        formula=partial(expected_slope, mean=0.375), dtypes=ALL
    ),
    Case("LeakyReLU", [(3, 4)], act_type="rrelu").but(formula=rrelu, training=True),
    Case("LeakyReLU", [(2, 3, 4)], act_type="rrelu", lower_bound=0.1, upper_bound=0.9).but(
        formula=partial(rrelu, lower_bound=0.1, upper_bound=0.9), training=True, dtypes=ALL
    ),
    Case("LeakyReLU", [(3, 4)], act_type="elu").but(training=True),
    Case("_prelu_slope", [(3,), (2, 3, 4, 5)]).but(formula=slopes),
    Case("_prelu_slope", [(1,), (2, 3)]).but(formula=slopes),
    Case("_prelu_slope", [(3,), (3,)]).but(formula=slopes),
    Case("_prelu_slope", [(2, 3), ints((2, 3, 4), 3)]).but(formula=slopes),
]
