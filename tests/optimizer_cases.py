"""Optimizers with their options, and snippets about them, run with real MXNet and with this project."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.snippets import lines

PARAMETERS = {"a_weight": (3, 4), "a_bias": (4,), "b_gamma": (5, 1)}
STEPS = 10
SHOWN = (1, 2, 5, 10)

_MORE = {"wd": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.2}
_HALF = {"multi_precision": True, "wd": 0.01, "learning_rate": 0.05}
_EACH: tuple[dict[str, Any], ...] = (
    {},
    {"learning_rate": 0.1, "wd": 0.1},
    {"learning_rate": 0.05, **_MORE},
    {"learning_rate": 0.1, "clip_gradient": 0.0},
    {"learning_rate": 0.1, "begin_num_update": 5, "clip_gradient": 0.5},
    {"wd": 0.01, "scheduled": True},
    _HALF,
    {**_HALF, "clip_gradient": 0.3, "rescale_grad": 2.0},
)
_OWN: dict[str, tuple[dict[str, Any], ...]] = {
    "sgd": (
        {"momentum": 0.9},
        {"momentum": 0.5, "learning_rate": 0.1, **_MORE},
        {"momentum": 0.9, "lazy_update": False},
        {"momentum": 0.9, **_HALF},
    ),
    "ccsgd": ({"momentum": 0.9, **_MORE},),
    "nag": (
        {"momentum": 0.9},
        {"momentum": 0.5, "learning_rate": 0.1, **_MORE},
        {"momentum": 0.9, **_HALF},
    ),
    "adam": ({"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-3, **_MORE}, {"lazy_update": False}),
    "adamax": ({"beta1": 0.5, "beta2": 0.9, **_MORE},),
    "nadam": ({"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-3, "schedule_decay": 0.1, **_MORE},),
    "lamb": (
        {"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-3, **_MORE},
        {"bias_correction": False, "wd": 0.1},
        {"lower_bound": 1.8, "upper_bound": 2.0, "learning_rate": 0.1},
        {"lower_bound": 3.5, "learning_rate": 0.1},
        {"upper_bound": 1.5, "bias_correction": False, **_HALF},
    ),
    "rmsprop": (
        {"gamma1": 0.5, "epsilon": 1e-3, **_MORE},
        {"clip_weights": 0.5},
        {"centered": True},
        {"centered": True, "gamma1": 0.8, "gamma2": 0.5, "epsilon": 1e-3, **_MORE},
        {"centered": True, "clip_weights": 0.5, "learning_rate": 0.1},
        {"centered": True, **_HALF},
    ),
    "adagrad": ({"eps": 1e-2, **_MORE},),
    "adadelta": ({"rho": 0.5, "epsilon": 1e-2, **_MORE},),
    "ftrl": ({"lamda1": 0.3, "beta": 2, **_MORE}, {"lamda1": 0.0, "learning_rate": 0.5}),
    "ftml": ({"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-3, **_MORE},),
    "signum": (
        {"momentum": 0.0, "learning_rate": 0.1, **_MORE},
        {"momentum": 0.0, **_HALF},
        {"momentum": 0.5, "wd_lh": 0.1, "learning_rate": 0.1, **_MORE},
        {"wd_lh": 0.1, **_HALF},
    ),
    "dcasgd": ({"lamda": 0.5, **_MORE},),
    "lbsgd": (
        {"momentum": 0.9},
        {"momentum": 0.9, "batch_scale": 3, "learning_rate": 0.1},
        {"momentum": 0.9, "batch_scale": 2, "warmup_epochs": 2, "updates_per_epoch": 3, **_MORE},
        {"batch_scale": 2, "warmup_strategy": "power2", "warmup_epochs": 2, "updates_per_epoch": 3},
        {"batch_scale": 2, "warmup_strategy": "sqrt", "warmup_epochs": 2, "updates_per_epoch": 3},
        {"batch_scale": 2, "warmup_strategy": "lars", "warmup_epochs": 2, "updates_per_epoch": 3},
        {"warmup_strategy": "lars", "momentum": 0.9, "learning_rate": 0.1, **_MORE},
        {"warmup_strategy": "other", "batch_scale": 4, "updates_per_epoch": 2, "begin_epoch": 1},
        {"warmup_strategy": "linear", "batch_scale": 4, "updates_per_epoch": 2, "begin_epoch": 1},
        {"momentum": 0.9, "batch_scale": 2, **_HALF},
    ),
    "lars": (
        {"momentum": 0.9, "scheduled": True},
        {"momentum": 0.9, "learning_rate": 0.5, "eta": 0.1, "eps": 0.1, **_MORE},
        {"momentum": 0.9, "scheduled": True, "momentum_correction": False, "eta": 1.0},
        {"momentum": 0.9, "scheduled": True, "eta": 1.0, "wd": 0.1, "multi_precision": True},
        {"momentum": 0.9, "eta": 1.0, **_HALF},
    ),
    "groupadagrad": (),
    "test": (),
}


def _cases() -> list[tuple[str, dict[str, Any]]]:
    cases = []
    for name, own in _OWN.items():
        for options in (*_EACH, *own):
            if (name, options.get("clip_gradient")) == ("adamax", 0.0):  # zero through zero
                continue
            without = ("wd",) if name == "groupadagrad" else ()
            cases.append((name, {k: v for k, v in options.items() if k not in without}))
    return cases


CASES = _cases()


def text(case: tuple[str, dict[str, Any]]) -> str:
    """A case, readable."""
    return f"{case[0]}({', '.join(f'{k}={v!r}' for k, v in case[1].items())})"


def create(mx: Any, case: tuple[str, dict[str, Any]]) -> Any:
    """The optimizer of a case, of real MXNet or of this project."""
    name, options = case
    options = dict(options)
    if options.pop("scheduled", False):
        options["lr_scheduler"] = mx.lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=0.1)
    return mx.optimizer.create(name, param_idx2name=dict(enumerate(PARAMETERS)), **options)


def updates(mx: Any, case: tuple[str, dict[str, Any]]) -> tuple[list[np.ndarray], Any]:
    """The weights after some of the updates of a case, and the updater that made them."""
    updater = mx.optimizer.get_updater(create(mx, case))
    dtype = "float16" if case[1].get("multi_precision") else "float32"
    rng = np.random.RandomState(0)
    shown = []
    shapes = [s for s in PARAMETERS.values() if len(s) == 2 or case[0] != "groupadagrad"]
    weights = [mx.nd.array(rng.randn(*shape), dtype=dtype) for shape in shapes]
    for step in range(1, STEPS + 1):
        gradients = [rng.randn(*weight.shape) for weight in weights]
        for gradient in gradients:
            gradient[0] *= step % 3 > 0  # sometimes a row has none
        updater([*range(len(weights))], [mx.nd.array(g, dtype=dtype) for g in gradients], weights)
        if step in SHOWN:
            shown += [w.asnumpy() for w in weights]
    return shown, updater


SPARSE_SEEDS = range(60)
_SPARSE_OPTIONS: dict[str, dict[str, Any]] = {
    "sgd": {"momentum": 0.9},
    "adam": {"beta1": 0.5},
    "ftrl": {"beta": 0.1},
    "lars": {"momentum": 0.9, "eta": 1.0},
    "lbsgd": {"momentum": 0.9, "batch_scale": 2, "warmup_epochs": 1, "updates_per_epoch": 4},
    "nag": {},
    "adagrad": {"eps": 1e-2},
    "adadelta": {"rho": 0.5},
    "rmsprop": {"centered": True},
    "signum": {"wd_lh": 0.1},
    "lamb": {"bias_correction": False},
    "ftml": {},
    "nadam": {},
}


def sparse_updates(mx: Any, seed: int) -> np.ndarray:
    """A weight, dense or row_sparse, after each of seven steps along row_sparse gradients; drawn options."""
    rng = np.random.RandomState(seed)
    name = sorted(_SPARSE_OPTIONS)[seed % len(_SPARSE_OPTIONS)]
    options: dict[str, Any] = {"learning_rate": 0.1, "rescale_grad": 0.5}
    optional: dict[str, Any] = {**_SPARSE_OPTIONS[name], "clip_gradient": 0.3}
    options |= {key: value for key, value in optional.items() if rng.rand() < 0.7}
    if name in ("sgd", "adam", "lars"):
        options["lazy_update"] = bool(rng.rand() < 0.7)
    half = bool(rng.rand() < 0.4) and name != "lbsgd"
    dtype = "float16" if half else "float32"
    optimizer = mx.optimizer.create(name, multi_precision=half, wd=0.1 * (name != "adagrad"), **options)
    updater = mx.optimizer.get_updater(optimizer)
    weight = mx.nd.array(rng.randn(4, 3), dtype=dtype)
    if rng.rand() < 0.5 and (name, options.get("momentum")) != ("nag", 0.9):
        weight = weight.tostype("row_sparse")
    shown = []
    for step in range(7):
        gradient = rng.randn(4, 3) * (rng.rand(4, 1) < 0.6)
        updater("w", mx.nd.array(gradient, dtype=dtype).tostype("row_sparse"), weight)
        if step == 3:
            updater.set_states(updater.get_states())
        shown.append(weight.asnumpy().astype("float32"))
    return np.array(shown)


def _flat(state: Any) -> list[np.ndarray]:
    if isinstance(state, tuple | list):
        return [array for part in state for array in _flat(part)]
    return [] if state is None else [state.asnumpy().astype("float32").ravel()]


def states(updater: Any) -> np.ndarray:
    """The values of all states, in the order of their parameters."""
    return np.concatenate(
        [np.zeros(0, "float32"), *_flat([state for _, state in sorted(updater.states.items())])]
    )


_MULTIPLIERS = """
names = {0: "a_weight", 1: "a_bias", 2: "b_gamma", 3: "foo"}
two = {0: 2, "a_bias": 3}
sym = mx.sym.var("a_weight", lr_mult=2, wd_mult=5) + mx.sym.var("a_bias", wd_mult=7, lr_mult=.1)
shown = lambda o: ([o._get_lr(i) for i in names], [o._get_wd(i) for i in names], o.lr_mult, o.wd_mult)
make = lambda name="sgd", **kwargs: mx.optimizer.create(name, learning_rate=.5, wd=.1, **kwargs)
"""
_STORE = """
kv = mx.kv.create("local")
a, b = mx.nd.array([1, 2]), mx.nd.array([3, 4])
out = mx.nd.zeros((2,))
kv.init(3, a)
"""
_SCHEDULER = (
    "from itertools import chain\ns = mx.lr_scheduler\nat = lambda f, n=25: [float(f(i)) for i in range(n)]\n"
)
_SPARSE = """
w = mx.nd.array([[3, 4], [1, 1], [2, -1]])
g = mx.nd.sparse.row_sparse_array(([[.6, .8]], [1]), shape=(3, 2))
twice = lambda o: [u(0, g, w) for u in [mx.optimizer.get_updater(o)] for _ in range(2)] and w
"""
SNIPPETS: list[str] = [
    *lines(
        """
shown(make())
shown(make(param_idx2name=names))
shown(make(param_idx2name=names, sym=sym))
shown(make("lars", param_idx2name=names, sym=sym))
[o.set_lr_mult(two) or o.set_wd_mult(two) or shown(o) for o in [make(param_idx2name=names)]]
[o.set_lr_mult(two) or o.set_wd_mult({0: 2}) or shown(o) for o in [make(param_idx2name=names, sym=sym)]]
shown(make(param_idx2name=names, param_dict={1: mx.gluon.Parameter("a_bias", lr_mult=2, wd_mult=3)}))
[o.set_learning_rate(2.0) or shown(o) for o in [make()]]
make()._get_lrs([0, 1]), make()._get_wds([0, 1])
        """,
        _MULTIPLIERS,
    ),
    *lines(
        """
mx.optimizer.create("foo")
mx.optimizer.SGD(foo=1)
mx.optimizer.Optimizer(param_idx2name=3)
mx.optimizer.SGD().set_lr_scale(3)
mx.optimizer.Optimizer().create_state(0, 1)
mx.optimizer.Optimizer().update(0, mx.nd.zeros(2), mx.nd.zeros(2), None)
mx.optimizer.register(3)
mx.optimizer.create("SGD").lr
mx.optimizer.create("sgd", lr_scheduler=mx.lr_scheduler.FactorScheduler(3)).set_learning_rate(2)
mx.optimizer.create("sgd", lr_scheduler=mx.lr_scheduler.FactorScheduler(3)).learning_rate
mx.optimizer.create("sgd", lr_scheduler=mx.lr_scheduler.FactorScheduler(3, base_lr=.3)).lr
mx.optimizer.SGD(lr_scheduler=mx.lr_scheduler.FactorScheduler(3, base_lr=.3), learning_rate=.7).learning_rate
mx.optimizer.create("adam", lr_scheduler=mx.lr_scheduler.FactorScheduler(3, base_lr=.3)).learning_rate
mx.optimizer.create("lamb", lr_scheduler=mx.lr_scheduler.PolyScheduler(30, base_lr=.3)).learning_rate
mx.optimizer.SGD(learning_rate=0.).lr
mx.optimizer.GroupAdaGrad
mx.optimizer.contrib.GroupAdaGrad().create_state(0, mx.nd.zeros((3,)))
mx.optimizer.contrib.GroupAdaGrad(wd=1).update(0, mx.nd.ones((1, 2)), mx.nd.ones((1, 2)), mx.nd.zeros((1, 1)))
        """
    ),
    *lines(
        """
at(s.FactorScheduler(3, .5))
at(s.FactorScheduler(2, .1, 1e-3, .1, 4, .01))
at(s.FactorScheduler(4, .9, base_lr=1, warmup_steps=5, warmup_begin_lr=.5, warmup_mode="constant"))
float(s.FactorScheduler(3, .5)(100))
at(s.MultiFactorScheduler([5, 8, 20], .5))
at(s.MultiFactorScheduler([5, 8], .1, 1, 6, .1))
float(s.MultiFactorScheduler([5, 8, 20], .5)(100))
at(s.PolyScheduler(20))
at(s.PolyScheduler(20, 1, 3, .1, 5, .2))
at(s.PolyScheduler(2, warmup_steps=5), 5)
at(s.CosineScheduler(20))
at(s.CosineScheduler(20, 1, .1, 5, .2, "constant"))
s.FactorScheduler(0)
s.FactorScheduler(2, 1.5)
s.MultiFactorScheduler([3, 2])
s.MultiFactorScheduler([0, 2])
s.MultiFactorScheduler(3)
s.MultiFactorScheduler([])
s.MultiFactorScheduler([1], 2)
s.PolyScheduler(0)
s.PolyScheduler(2.5)
s.CosineScheduler(0)
s.CosineScheduler("a")
s.LRScheduler(warmup_steps=-1)
s.LRScheduler(warmup_steps=1.5)
s.LRScheduler(warmup_begin_lr=1)
s.LRScheduler(warmup_mode="x")
s.LRScheduler()(3)
s.LRScheduler(warmup_steps=3).get_warmup_lr(5)
vars(s.FactorScheduler(2))
vars(s.MultiFactorScheduler([2, 3]))
vars(s.PolyScheduler(20))
vars(s.CosineScheduler(20))
        """,
        _SCHEDULER,
    ),
    *lines(
        """
kv.rank, kv.num_workers, kv.type
kv.init(3, a)
kv.push(4, a)
kv.pull(4, out=a)
kv.pull(3)
kv.pull(3, out=out) or out
kv.push(3, [b, b]) or kv.pull(3, out=out) or out
kv.push(3, b) or kv.push(3, b) or kv.pull(3, out=[out, a]) or (out, a)
kv.init("x", a)
kv.init(3.5, a)
kv.init([5, 6], [a, b]) or kv.push([5, 6], [b, [b, b]]) or kv.pull([5, 6], out=[a, b]) or (a, b)
kv.pushpull(3, [b, b], out=out) or out
kv.broadcast(7, b, out=out) or out
kv.set_gradient_compression({"type": "2bit"})
kv.is_capable("optimizer")
kv.set_optimizer(mx.optimizer.SGD(learning_rate=.5)) or kv.push(3, [b, b]) or kv.pull(3, out=out) or out
kv._set_updater(lambda k, new, old: old.__setitem__(0, new[1] + k)) or kv.push(3, b) or kv.pull(3, out=a) or a
kv.save_optimizer_states("nowhere")
mx.kv.create("device").type
mx.kv.create("Local").type
mx.kv.create("local_allreduce_cpu").type
mx.kv.create("dist_async")
mx.kv.create(3)
        """,
        _STORE.lstrip(),
    ),
    *lines(
        """
twice(mx.optimizer.SGD(learning_rate=.1, wd=.1))
twice(mx.optimizer.SGD(learning_rate=.1, wd=.1, momentum=.9))
twice(mx.optimizer.SGD(learning_rate=.1, wd=.1, momentum=.9, lazy_update=False))
twice(mx.optimizer.NAG(learning_rate=.1, wd=.1))
twice(mx.optimizer.NAG(learning_rate=.1, wd=.1, momentum=.9))
twice(mx.optimizer.Adam(learning_rate=.1, wd=.1))
twice(mx.optimizer.Adam(learning_rate=.1, wd=.1, lazy_update=False))
twice(mx.optimizer.Ftrl(learning_rate=.1, wd=.1))
twice(mx.optimizer.Signum(learning_rate=.1, wd=.1))
twice(mx.optimizer.contrib.GroupAdaGrad(learning_rate=.1))
        """,
        _SPARSE.lstrip(),
    ),
]
