"""Cases of optimizers' steps; the expected arrays are the new weights, then the states."""

import numpy as np

from hybridonnx.test_utils import Case, uniform

FLOATS = ("float32", "float64", "float16")
SHAPE = (5, 4)
HALF = np.random.RandomState(1).standard_normal((2, *SHAPE)).astype(np.float16)
MASTER = np.random.RandomState(2).standard_normal(SHAPE).astype(np.float32)
STATES = np.random.RandomState(3).standard_normal((2, *SHAPE)).astype(np.float32)
STATES[1] = np.abs(STATES[1])
SPECIAL = np.array([0, -0.0, np.nan, np.inf, -np.inf, 1e-20, -3e20, 2], np.float32)

PLAIN = {"lr": 0.1}
DECAYED = {"lr": 0.1, "wd": 0.02}
SCALED = {"lr": 0.1, "wd": 0.02, "rescale_grad": 0.37}
CLIPPED = {**SCALED, "clip_gradient": 0.3}
STILL = {**SCALED, "clip_gradient": 0.0}
ALL = (PLAIN, DECAYED, SCALED, CLIPPED, STILL)


def positive(shape=SHAPE):
    return uniform(shape, 0.01, 2.0)


def plain(op, *states, options=ALL, **attributes):
    """Cases of all options for the dtypes that MXNet takes, and of odd shapes."""
    cases = [Case(op, [SHAPE, SHAPE, *states], **{**o, **attributes}) for o in options]
    cases[2] = cases[2].but(dtypes=FLOATS, tol=1e-6)
    return cases


def mixed(op, *states, options=ALL, **attributes):
    """Cases of float16 weights with a copy in float32."""
    arrays = [HALF[0], HALF[1], *states, MASTER]
    return [Case(op, arrays, **{**o, **attributes}).but(tol=1e-6) for o in options]


def without(name, options=ALL):
    return [{k: v for k, v in o.items() if k != name} for o in options]


CLIP_GRAD = [{("clip_grad" if k == "clip_gradient" else k): v for k, v in o.items()} for o in ALL]
UNTOUCHED = {"oracle": "MXNet leaves the output unset where the scale is no number, or 0"}


def adamw(op, arrays, last, **attributes):
    scale = np.array([last], np.float32)
    return Case(op, [*arrays, scale], **attributes)


DESCENT = [
    *plain("sgd_update"),
    *plain("sgd_update", options=(PLAIN, DECAYED, SCALED), lazy_update=False),
    Case("sgd_update", [(7,), (7,)], lr=0.5),
    Case("sgd_update", [(2, 3, 2, 1), (2, 3, 2, 1)], lr=0.5, wd=0.1),
    Case("sgd_update", [SPECIAL, SPECIAL[::-1].copy()], lr=0.5, wd=0.1),
    Case("sgd_update", [SPECIAL, SPECIAL[::-1].copy()], lr=0.5, wd=0.1, clip_gradient=1.0),
    *plain("sgd_mom_update", SHAPE, momentum=0.9),
    *plain("sgd_mom_update", SHAPE, momentum=0.0),
    *plain("sgd_mom_update", SHAPE, momentum=0.9, lazy_update=False),
    Case("sgd_mom_update", [(3,), (3,), (3,)], lr=0.5),
    *mixed("mp_sgd_update"),
    Case("mp_sgd_update", [SHAPE, SHAPE, MASTER], **SCALED, lazy_update=False),
    *mixed("mp_sgd_mom_update", STATES[0], momentum=0.9),
    Case("mp_sgd_mom_update", [HALF[0], HALF[1], STATES[0], MASTER], lr=0.2, lazy_update=False),
    *plain("nag_mom_update", SHAPE, momentum=0.9),
    Case("nag_mom_update", [(3,), (3,), (3,)], lr=0.5),
    *mixed("mp_nag_mom_update", STATES[0], momentum=0.9),
    *plain("signsgd_update"),
    Case("signsgd_update", [SPECIAL, SPECIAL[::-1].copy()], lr=0.5),
    *plain("signum_update", SHAPE, momentum=0.9),
    *plain("signum_update", SHAPE, momentum=0.9, wd_lh=0.05),
    Case("signum_update", [(3,), (3,), (3,)], lr=0.5),
]

PHASE1 = without("lr", (DECAYED, SCALED, CLIPPED, STILL))
ADAM = [
    *plain("adam_update", SHAPE, positive()),
    *plain("adam_update", SHAPE, positive(), beta1=0.5, beta2=0.9, epsilon=0.1, lazy_update=False),
    *(
        adamw("_adamw_update", [SHAPE, SHAPE, SHAPE, positive()], 0.5, eta=0.7, **o)
        for o in without("rescale_grad", (PLAIN, DECAYED, CLIPPED, STILL))
    ),
    adamw("_adamw_update", [SHAPE, SHAPE, SHAPE, positive()], -2.0, eta=1.0, lr=0.1, beta1=0.5, beta2=0.7),
    *(
        adamw("_adamw_update", [SHAPE, SHAPE, SHAPE, positive()], scale, eta=1.0, lr=0.1, epsilon=0.1)
        for scale in (0.0, np.inf, np.nan)
    ),
    *(
        adamw("_mp_adamw_update", [*HALF, *STATES, MASTER], 0.5, eta=0.7, **o)
        for o in without("rescale_grad", (PLAIN, DECAYED, CLIPPED, STILL))
    ),
    adamw(
        "_mp_adamw_update", [*HALF, *STATES, MASTER], 0.5, eta=0.7, lr=1.0, beta1=0.5, beta2=0.7, epsilon=1.0
    ),
    *(
        Case("lamb_update_phase1", [SHAPE, SHAPE, SHAPE, positive()], t=t, bias_correction=b, **o)
        for o in PHASE1
        for t in (1, 9)
        for b in (True, False)
    ),
    Case(
        "lamb_update_phase1",
        [(3,), (3,), (3,), positive((3,))],
        t=2,
        wd=0.1,
        beta1=0.5,
        beta2=0.7,
        epsilon=0.1,
    ),
    *(
        Case("mp_lamb_update_phase1", [*HALF, *STATES, MASTER], t=t, bias_correction=b, **o)
        for o in PHASE1
        for t, b in ((1, True), (9, True), (9, False))
    ),
    Case("mp_lamb_update_phase1", [*HALF, *STATES, MASTER], t=2, wd=0.1, beta1=0.5, beta2=0.7, epsilon=0.1),
]

NORMS = [np.array([value], np.float32) for value in (1.7, 2.9, 0.0)]


def lamb(weights, length, **attributes):
    return Case("lamb_update_phase2", [SHAPE, SHAPE, NORMS[weights], NORMS[length]], lr=0.1, **attributes)


def master_is_stepped(weight, g, r1, r2, master):
    new = master - np.float32(0.1) * r1 / r2 * g
    return new.astype(np.float16), new


def bounded_master(weight, g, r1, r2, master):
    return master_is_stepped(weight, g, np.clip(r1, 2, 2.5), r2, master)


STAYS = {"oracle": "MXNet leaves weight32 as it was, so that the next step does not know of this one"}
LAMB = [
    lamb(0, 1).but(dtypes=("float32",)),
    lamb(0, 1, lower_bound=2.0),
    lamb(1, 0, upper_bound=2.0),
    lamb(0, 1, lower_bound=2.0, upper_bound=1.9),
    lamb(2, 1),
    lamb(0, 2),
    lamb(2, 1, lower_bound=0.5),
    lamb(0, 1, upper_bound=0.0),
    Case("lamb_update_phase2", [(3,), (3,), uniform((1,), 1, 2), uniform((1,), 1, 2)], lr=0.3).but(
        dtypes=FLOATS
    ),
    Case("mp_lamb_update_phase2", [HALF[0], STATES[0], NORMS[0], NORMS[1], MASTER], lr=0.1).but(
        formula=master_is_stepped, no=STAYS
    ),
    Case(
        "mp_lamb_update_phase2",
        [HALF[0], STATES[0], NORMS[0], NORMS[1], MASTER],
        lr=0.1,
        lower_bound=2.0,
        upper_bound=2.5,
    ).but(formula=bounded_master, no=STAYS),
]


def adagrad(lr, epsilon, rescale, bound=np.inf):
    def step(weight, grad, history):
        g = np.clip(rescale * grad, -bound, bound)
        new = history + g * g
        return (weight - lr * g / np.sqrt(new + epsilon)).astype("float32"), new.astype("float32")

    return step


def group_adagrad(lr, epsilon, rescale, bound=np.inf):
    def step(weight, grad, history):
        g = np.clip(rescale * grad, -bound, bound)
        new = history + (g * g).mean(tuple(range(1, g.ndim)), keepdims=True).reshape(history.shape)
        root = np.sqrt(new + epsilon).reshape(-1, *[1] * (g.ndim - 1))
        return (weight - lr * g / root).astype("float32"), new.astype("float32")

    return step


SPARSE = {"oracle": "MXNet takes row-sparse gradients only, which tests/test_update.py compares"}
HISTORY = [
    *(
        c.but(dtypes=FLOATS[:2])
        for c in plain("ftml_update", positive(), positive(), SHAPE, options=CLIP_GRAD, t=3)
    ),
    Case(
        "ftml_update",
        [(3,), (3,), positive((3,)), positive((3,)), (3,)],
        lr=0.5,
        t=1,
        beta1=0.5,
        beta2=0.9,
        epsilon=0.1,
    ),
    *plain("ftrl_update", SHAPE, positive()),
    *plain("ftrl_update", SHAPE, positive(), lamda1=0.9, beta=0.3),
    *plain("rmsprop_update", positive()),
    *plain("rmsprop_update", positive(), gamma1=0.5, epsilon=0.1, clip_weights=0.7),
    Case("rmsprop_update", [(3,), (3,), positive((3,))], lr=0.5, clip_weights=0.0),
    *plain("rmspropalex_update", positive(), uniform(SHAPE, -0.1, 0.1), SHAPE),
    *plain(
        "rmspropalex_update",
        positive(),
        uniform(SHAPE, -0.1, 0.1),
        SHAPE,
        gamma1=0.5,
        gamma2=0.3,
        epsilon=0.1,
        clip_weights=0.7,
    ),
    Case("_sparse_adagrad_update", [SHAPE, SHAPE, positive()], lr=0.1).but(
        formula=adagrad(0.1, 1e-7, 1.0), no=SPARSE
    ),
    Case(
        "_sparse_adagrad_update",
        [SHAPE, SHAPE, positive()],
        lr=0.1,
        epsilon=0.1,
        wd=0.0,
        rescale_grad=0.37,
        clip_gradient=0.3,
    ).but(formula=adagrad(0.1, 0.1, 0.37, 0.3), no=SPARSE),
    Case("_contrib_group_adagrad_update", [SHAPE, SHAPE, positive((5, 1))], lr=0.1).but(
        formula=group_adagrad(0.1, 1e-5, 1.0), no=SPARSE
    ),
    Case(
        "_contrib_group_adagrad_update",
        [(3, 2, 4), (3, 2, 4), positive((3, 1))],
        lr=0.1,
        rescale_grad=0.37,
        clip_gradient=0.3,
        epsilon=0.1,
    ).but(formula=group_adagrad(0.1, 0.1, 0.37, 0.3), no=SPARSE),
]


def nothing(*arrays):
    """Of no elements nothing changes."""
    return (arrays[0], *arrays[2:])


EMPTY = [
    Case("sgd_update", [(0, 3), (0, 3)], lr=0.1).but(formula=nothing),
    Case("sgd_mom_update", [(0, 3), (0, 3), (0, 3)], lr=0.1, momentum=0.9).but(formula=nothing),
    Case("adam_update", [(2, 0), (2, 0), (2, 0), (2, 0)], lr=0.1).but(formula=nothing),
    Case("signsgd_update", [(0,), (0,)], lr=0.1).but(formula=nothing),
]

CASES = [*DESCENT, *ADAM, *LAMB, *HISTORY, *EMPTY]
