"""Cases of steps for many weights (expected are the new weights, then the states), and of measures."""

from typing import Any

import numpy as np

from hybridonnx.test_utils import Case, uniform

FLOATS = ("float32", "float64", "float16")
A, B = (5, 4), (3,)
RANDOM = np.random.RandomState(5)
HALVES = [RANDOM.standard_normal((2, *shape)).astype(np.float16) for shape in (A, B)]
WIDE = [RANDOM.standard_normal((3, *shape)).astype(np.float32) for shape in (A, B)]
RATES = [np.array([0.1, 0.3], np.float32), np.array([0.02, 0.0], np.float32)]

PLAIN: dict[str, float] = {}
SCALED = {"rescale_grad": 0.37}
CLIPPED = {"rescale_grad": 0.37, "clip_gradient": 0.3}
ALL = (PLAIN, SCALED, CLIPPED, {"clip_gradient": 0.0})


def positive(shape):
    return uniform(shape, 0.01, 2.0)


def narrow(*states):
    """weight, grad and states of two float16 weights; the states by their number, the variance positive."""
    arrays = []
    for half, wide in zip(HALVES, WIDE, strict=True):
        arrays += [*half, *(np.abs(wide[s]) if s == 1 else wide[s] for s in states)]
    return arrays


def step(op, inputs, options=ALL, **attributes):
    return [Case(op, inputs, num_weights=2, **attributes, **o) for o in options]


LISTS = {"lrs": (0.1, 0.3), "wds": (0.02, 0.0)}
DESCENT = [
    *step("multi_sgd_update", [A, A, B, B], **LISTS),
    Case("multi_sgd_update", [A, A, B, B], num_weights=2, **LISTS, rescale_grad=0.41).but(
        dtypes=FLOATS, tol=1e-6
    ),
    Case("multi_sgd_update", [B, B], lrs=(0.1,), wds=(0.5,)),
    Case("multi_sgd_update", [B] * 6, lrs=(0.1, 0.2, 0.3), wds=(0.5, 0.6, 0.7), num_weights=3),
    *step("multi_sgd_mom_update", [A, A, A, B, B, B], momentum=0.9, **LISTS),
    Case("multi_sgd_mom_update", [A, A, A, B, B, B], num_weights=2, momentum=0.5, **LISTS).but(dtypes=FLOATS),
    Case("multi_sgd_mom_update", [B] * 3, lrs=(0.1,), wds=(0.5,)),
    *step("multi_mp_sgd_update", narrow(2), **LISTS),
    Case("multi_mp_sgd_update", narrow(2)[:3], lrs=(0.1,), wds=(0.5,)),
    *step("multi_mp_sgd_mom_update", narrow(0, 2), momentum=0.9, **LISTS),
    Case("multi_mp_sgd_mom_update", narrow(0, 2)[:4], lrs=(0.1,), wds=(0.5,)),
    *step("preloaded_multi_sgd_update", [A, A, B, B, *RATES]),
    Case("preloaded_multi_sgd_update", [A, A, B, B, *RATES], num_weights=2, rescale_grad=0.41).but(
        dtypes=FLOATS
    ),
    Case("preloaded_multi_sgd_update", [B, B, (1,), (1,)]),
    *step("preloaded_multi_sgd_mom_update", [A, A, A, B, B, B, *RATES], momentum=0.9),
    Case("preloaded_multi_sgd_mom_update", [B, B, B, (1,), (1,)]),
    *step("preloaded_multi_mp_sgd_update", [*narrow(2), *RATES]),
    Case("preloaded_multi_mp_sgd_update", [*narrow(2)[:3], RATES[0][:1], RATES[1][:1]]),
    *step("preloaded_multi_mp_sgd_mom_update", [*narrow(0, 2), *RATES], momentum=0.9),
    Case("preloaded_multi_mp_sgd_mom_update", [*narrow(0, 2)[:4], RATES[0][:1], RATES[1][:1]]),
]

OF_ADAM = [A, A, A, positive(A), B, B, B, positive(B)]
ETAS = {**LISTS, "etas": (0.7, 1.0)}


def adamw(op, inputs, scale, **attributes):
    return Case(op, [*inputs, np.array([scale], np.float32)], num_weights=2, **ETAS, **attributes)


LAMB = {"learning_rates": (0.1, 0.3), "wds": (0.02, 0.0), "step_count": (1, 7)}
LAMB_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    SCALED,
    CLIPPED,
    {"bias_correction": False},
    {"lower_bound": 5.0},
    {"upper_bound": 1.5},
    {"lower_bound": 2.0, "upper_bound": 3.0},
    {"beta1": 0.5, "beta2": 0.7, "epsilon": 0.1},
)
ADAM = [
    *(
        adamw(op, inputs, scale, **o)
        for op, inputs in (("_multi_adamw_update", OF_ADAM), ("_multi_mp_adamw_update", narrow(0, 1, 2)))
        for scale, o in (
            (0.5, {}),
            (0.5, {"clip_gradient": 0.2}),
            (-2.0, {"beta1": 0.5, "beta2": 0.7, "epsilon": 0.1}),
        )
    ),
    *(
        adamw(op, inputs, scale)
        for op, inputs in (("_multi_adamw_update", OF_ADAM), ("_multi_mp_adamw_update", narrow(0, 1, 2)))
        for scale in (0.0, np.inf, np.nan)
    ),
    Case(
        "_multi_adamw_update",
        [B, B, B, positive(B), np.ones(1, np.float32)],
        lrs=(0.1,),
        wds=(0.5,),
        etas=(1,),
    ),
    *(Case("_multi_lamb_update", OF_ADAM, num_tensors=2, **LAMB, **o) for o in LAMB_OPTIONS),
    *(Case("_multi_mp_lamb_update", narrow(0, 1, 2), num_tensors=2, **LAMB, **o) for o in LAMB_OPTIONS),
    Case("_multi_lamb_update", [B, B, B, positive(B)], learning_rates=(0.1,), wds=(0.5,), step_count=(3,)),
]

NOT_FINITE = [np.array([1, value, 2], np.float32) for value in (np.inf, -np.inf, np.nan)]
MEASURES = [
    Case("multi_sum_sq", [A, B], num_arrays=2).but(dtypes=FLOATS),
    Case("multi_sum_sq", [(2, 3, 1, 2)], num_arrays=1),
    Case("multi_sum_sq", [*NOT_FINITE], num_arrays=3),
    Case("multi_sum_sq", [np.array([300.0, 400.0], np.float16)], num_arrays=1).but(
        formula=lambda x: np.array([250000], np.float32),
        no={"oracle": "MXNet squares in float16, infinity here"},
    ),
    Case("all_finite", [A]).but(dtypes=FLOATS),
    Case("all_finite", [(2, 3, 1, 2)], init_output=False).but(
        formula=lambda x: np.ones(1, np.float32),
        no={"oracle": "MXNet multiplies with memory that was never set"},
    ),
    Case("all_finite", [(0, 3)]).but(formula=lambda x: np.ones(1, np.float32)),
    *(Case("all_finite", [x]) for x in NOT_FINITE),
    Case("multi_all_finite", [A, B], num_arrays=2).but(dtypes=FLOATS),
    Case("multi_all_finite", [A]),
    *(Case("multi_all_finite", [A, x, B], num_arrays=3, init_output=True) for x in NOT_FINITE),
    Case("multi_all_finite", [A, B], num_arrays=2, init_output=False).but(
        formula=lambda x, y: np.ones(1, np.float32),
        no={"oracle": "MXNet multiplies with memory that was never set"},
    ),
    Case("multi_lars", [positive((5,))] * 4, eta=0.3, eps=1e-3),
    Case("multi_lars", [positive((5,))] * 4, eta=0.3, eps=1e-3, rescale_grad=0.5),
    Case(
        "multi_lars",
        [
            positive((4,)),
            np.array([0, 1, 0, 4], np.float32),
            np.array([1, 0, 0, 9], np.float32),
            positive((4,)),
        ],
        eta=0.3,
        eps=0.0,
    ),
    Case("reset_arrays", [A, B], num_arrays=2).but(dtypes=FLOATS),
    Case("reset_arrays", [np.ones(3, np.float32), np.ones((2, 2), np.float16)], num_arrays=2),
]

CASES = [*DESCENT, *ADAM, *MEASURES]
