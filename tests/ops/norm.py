"""Cases of normalization."""

from functools import partial

import numpy as np

from hybridonnx.test_utils import Case, Draw, uniform


def batch(data, channels, **attributes):
    """Data, gamma, beta, moving mean and moving variance."""
    vector = (channels,)
    inputs = [data, uniform(vector, 0.5, 2.0), vector, vector, uniform(vector, 0.5, 3.0)]
    return Case(attributes.pop("op", "BatchNorm"), inputs, **attributes)


STATISTICS = "MXNet gives no gradient through the statistics that it shows"


def training(*args, **attributes):
    return batch(*args, **attributes).but(training=True, tol=2e-5, grad_tol=1e-4)


BATCH = [
    batch((2, 3, 4, 5), 3, fix_gamma=False),
    batch((2, 3, 4, 5), 3),
    batch((4, 3), 3, fix_gamma=False, eps=1e-5),
    batch((2, 3, 7), 3, fix_gamma=False, eps=0.1),
    batch((2, 3, 2, 3, 2), 3, fix_gamma=False),
    batch((2, 3, 4, 5), 5, axis=-1, fix_gamma=False),
    batch((2, 3, 4, 5), 5, axis=3),
    batch((2, 3, 4, 5), 4, axis=2, fix_gamma=False),
    batch((2, 3, 4, 5), 2, axis=0, fix_gamma=False),
    batch((1, 1, 1, 1), 1, fix_gamma=False),
    batch((2, 3, 4, 5), 3, fix_gamma=False, use_global_stats=True),
    batch((2, 3, 4), 3, use_global_stats=True, momentum=0.5),
    batch((2, 3, 4), 3, fix_gamma=False, cudnn_off=True),
    batch((2, 3, 4), 3, fix_gamma=False, output_mean_var=True),
    training((4, 3, 4, 5), 3, fix_gamma=False),
    training((4, 3, 4, 5), 3),
    training((6, 3), 3, fix_gamma=False),
    training((4, 3, 7), 3, fix_gamma=False, eps=0.1, momentum=0.3),
    training((4, 3, 2, 3, 2), 3, fix_gamma=False),
    training((4, 3, 4, 5), 5, axis=-1, fix_gamma=False),
    training((4, 3, 4, 5), 4, axis=-2),
    training((4, 3, 4), 4, axis=0, fix_gamma=False),
    training((4, 3, 4), 3, fix_gamma=False, use_global_stats=True),
    training((4, 3, 4), 3, use_global_stats=True),
    training((4, 3, 4), 3, fix_gamma=False, output_mean_var=True).but(
        no={"oracle": STATISTICS}, training=True, tol=2e-5, grad_tol=1e-4
    ),
    Case(
        "BatchNorm",
        [(2, 3, 4), *[Draw("uniform", (3,), 0.5, 2.0, "float32")] * 4],
        fix_gamma=False,
        output_mean_var=True,
    ).but(dtypes=("float16",), no={"gradient": "its dtypes are fixed", "second": "its dtypes are fixed"}),
    batch((2, 3, 4), 3, fix_gamma=False, output_mean_var=True, eps=1e-5).but(dtypes=("float32", "float64")),
]


def relu_formula(x, gamma, beta, mean, var, axis=1, fix_gamma=True, training=False):
    others = tuple(i for i in range(x.ndim) if i != axis)
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    mean, var = (x.mean(others), x.var(others)) if training else (mean, var)
    scale = (1 if fix_gamma else gamma) / np.sqrt(var + 1e-3)
    return np.maximum((x - mean.reshape(shape)) * scale.reshape(shape) + beta.reshape(shape), 0)


def with_relu(data, channels, training=False, **attributes):
    """MXNet has this operator in oneDNN alone, so that its results are a formula's."""
    formula = partial(relu_formula, training=training, **attributes)
    case = batch(data, channels, op="_contrib_BatchNormWithReLU", **attributes)
    return case.but(formula=formula, training=training, tol=2e-5, grad_tol=1e-4)


OTHERS = [
    with_relu((2, 3, 4, 5), 3),
    with_relu((2, 3, 4, 5), 5, axis=3, fix_gamma=False).but(dtypes=("float32", "float64")),
    with_relu((4, 3), 3, fix_gamma=False),
    with_relu((4, 3, 4, 5), 3, training=True),
    with_relu((4, 3, 4, 5), 3, training=True, fix_gamma=False),
    with_relu((4, 3, 4), 4, training=True, axis=2, fix_gamma=False),
    batch((2, 3, 4, 4), 3, op="BatchNorm_v1", fix_gamma=False, use_global_stats=True),
    training((2, 3, 4, 4), 3, op="BatchNorm_v1", fix_gamma=False),
    training((2, 3, 4, 4), 3, op="BatchNorm_v1"),
    batch((2, 3, 4, 4), 3, op="_contrib_SyncBatchNorm", key="k", fix_gamma=False),
    training((2, 3, 4, 4), 3, op="_contrib_SyncBatchNorm", key="k", fix_gamma=False),
    training((2, 3, 4, 4), 3, op="_contrib_SyncBatchNorm", key="l"),
    training(
        (2, 3, 4, 4), 3, op="_contrib_SyncBatchNorm", key="m", fix_gamma=False, output_mean_var=True
    ).but(no={"oracle": STATISTICS}, training=True, tol=2e-5, grad_tol=1e-4),
    batch((2, 3, 4), 3, op="_contrib_SyncBatchNorm", key="n", fix_gamma=False, use_global_stats=True),
]


def instance_formula(x, gamma, beta, eps=1e-3):
    axes = tuple(range(2, x.ndim))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    shape = (-1,) + (1,) * (x.ndim - 2)
    return (x - mean) / np.sqrt(var + eps) * gamma.reshape(shape) + beta.reshape(shape)


def scaled(op, data, size, **attributes):
    return Case(op, [data, uniform((size,), 0.5, 2.0), (size,)], **attributes)


def nothing(case):
    """A Case of data without elements."""
    return case.but(formula=lambda x, *_: x, no={"oracle": "MXNet refuses sizes of 0"})


ALL = ("float32", "float64", "float16")
LAYERS = [
    scaled("LayerNorm", (2, 3, 8), 8).but(dtypes=ALL),
    scaled("LayerNorm", (3, 8), 8, eps=0.1),
    scaled("LayerNorm", (5,), 5),
    scaled("LayerNorm", (2, 3, 4, 5), 3, axis=1),
    scaled("LayerNorm", (2, 3, 4), 2, axis=0),
    scaled("LayerNorm", (2, 3, 4), 3, axis=-2),
    scaled("LayerNorm", (2, 3, 4), 4, axis=2),
    scaled("LayerNorm", (2, 3, 4), 4, output_mean_var=True).but(no={"oracle": STATISTICS}, dtypes=ALL),
    scaled("LayerNorm", (2, 3, 4), 3, axis=1, output_mean_var=True).but(no={"oracle": STATISTICS}),
    scaled("InstanceNorm", (2, 3, 4, 5), 3),
    scaled("InstanceNorm", (2, 3, 6), 3, eps=0.1),
    scaled("InstanceNorm", (2, 1, 2, 3, 2), 1),
    scaled("InstanceNorm", (1, 3, 5, 1), 3).but(formula=instance_formula, dtypes=("float64", "float16")),
    scaled("GroupNorm", (2, 6, 3, 4), 2, num_groups=2).but(dtypes=ALL),
    scaled("GroupNorm", (2, 6, 3), 3, num_groups=3, eps=0.1),
    scaled("GroupNorm", (2, 6, 2, 2, 2), 6, num_groups=6),
    scaled("GroupNorm", (2, 6, 3, 4), 1),
    scaled("GroupNorm", (2, 4, 3), 2, num_groups=2, output_mean_var=True).but(no={"oracle": STATISTICS}),
]


def lrn_formula(x, nsize, alpha=1e-4, beta=0.75, knorm=2.0):
    half = nsize // 2
    squares = np.pad(x * x, [(half, half) if i == 1 else (0, 0) for i in range(x.ndim)])
    total = sum(squares[:, k : k + x.shape[1]] for k in range(nsize))
    return x * (knorm + alpha / nsize * total) ** -beta


LENGTHS = [
    *[
        Case("L2Normalization", [(2, 3, 4, 5)], mode=mode).but(dtypes=ALL)
        for mode in ("instance", "channel", "spatial")
    ],
    *[
        Case("L2Normalization", [(2, 3, 4)], mode=mode, eps=0.5)
        for mode in ("instance", "channel", "spatial")
    ],
    Case("L2Normalization", [(4, 5)]),
    Case("L2Normalization", [(2, 3, 2, 2, 2)], mode="spatial"),
    Case("LRN", [(2, 6, 3, 4)], nsize=5),
    Case("LRN", [(2, 6, 3, 4)], nsize=3, alpha=0.5, beta=0.6, knorm=1.5),
    Case("LRN", [(2, 3, 3, 4)], nsize=7, alpha=0.5, beta=1.0, knorm=1.0).but(
        formula=partial(lrn_formula, nsize=7, alpha=0.5, beta=1.0, knorm=1.0)
    ),
    Case("LRN", [(2, 4, 1, 3)], nsize=1, alpha=1.0),
    Case("LRN", [(2, 6, 3)], nsize=3, alpha=0.5).but(formula=partial(lrn_formula, nsize=3, alpha=0.5)),
    Case("LRN", [(2, 6)], nsize=3, alpha=0.5).but(
        formula=partial(lrn_formula, nsize=3, alpha=0.5), dtypes=("float64", "float16")
    ),
]


def window_formula(x, nsize):
    half = nsize // 2
    padded = np.pad(x, [(half, half) if i == 1 else (0, 0) for i in range(x.ndim)])
    return sum(padded[:, k : k + x.shape[1]] for k in range(nsize))


def along_formula(data, like, axis=1):
    shape = [1] * like.ndim
    shape[axis] = -1
    return data.reshape(shape)


def scale_shift_formula(data, *vectors, axis=1, no_scale=False, no_shift=False):
    shape = [1] * data.ndim
    shape[axis] = -1
    along = [v.reshape(shape) for v in vectors]
    scale = 1 if no_scale else along.pop(0)
    return data * scale + (0 if no_shift else along.pop(0))


PRIVATE = [
    *[
        Case("_scale_shift", [shape, *[(shape[attributes.get("axis", 1)],)] * count], **attributes).but(
            formula=partial(scale_shift_formula, **attributes), dtypes=ALL
        )
        for shape in ((2, 3, 4, 5), (2, 3, 1), (4, 3), (0, 3, 2))
        for attributes, count in (
            ({}, 2),
            ({"no_scale": True}, 1),
            ({"no_shift": True}, 1),
            ({"no_scale": True, "no_shift": True}, 0),
            ({"axis": 0}, 2),
            ({"axis": -1, "no_shift": True}, 1),
        )
    ],
    Case("_along_axis", [(3,), (2, 3, 4)]).but(formula=along_formula),
    Case("_along_axis", [(4,), (2, 3, 4)], axis=-1).but(formula=partial(along_formula, axis=-1)),
    Case("_along_axis", [(4,), (4,)], axis=0).but(formula=partial(along_formula, axis=0)),
    Case("_count", [(2, 3, 4)], axis=(1,)).but(formula=lambda x: np.array([3], x.dtype)),
    Case("_count", [(2, 3, 4)], axis=(1,), exclude=True).but(formula=lambda x: np.array([8], x.dtype)),
    Case("_count", [(2, 3)]).but(formula=lambda x: np.array([6], x.dtype), dtypes=ALL),
    Case("_channel_window_sum", [(2, 6, 3)], nsize=3).but(formula=partial(window_formula, nsize=3)),
    Case("_channel_window_sum", [(2, 2, 3, 2)], nsize=7).but(
        formula=partial(window_formula, nsize=7), dtypes=ALL
    ),
]

NOTHING = [
    nothing(scaled("InstanceNorm", (2, 3, 0), 3)),
    nothing(scaled("InstanceNorm", (0, 3, 4), 3)),
    nothing(scaled("GroupNorm", (0, 4, 3), 2, num_groups=2)),
    nothing(scaled("GroupNorm", (2, 4, 0), 2, num_groups=2)),
    nothing(scaled("LayerNorm", (0, 3), 3)),
]
CASES = NOTHING + BATCH + OTHERS + LAYERS + LENGTHS + PRIVATE
