"""Optimizers, schedulers and stores against what real MXNet did (oracle/optimizer.json and .npz)."""

from __future__ import annotations

import copy
import inspect
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError, MXNetError
from hybridonnx.ops import steps
from tests import snippets
from tests.optimizer_cases import (
    CASES,
    SNIPPETS,
    SPARSE_SEEDS,
    create,
    sparse_updates,
    states,
    text,
    updates,
)

ORACLE = Path(__file__).parent / "oracle"
FACTS = json.loads((ORACLE / "optimizer.json").read_text())


OF_BASE = {"SGLD": "Optimizer", "Test": "Optimizer", "ccSGD": "SGD"}
"""Classes whose constructors are their base's, which MXNet writes again as **kwargs."""


@pytest.fixture(scope="module")
def results():
    with np.load(ORACLE / "optimizer.npz") as file:
        return dict(file)


@pytest.mark.parametrize("case", CASES, ids=text)
def test_ten_updates_are_mxnets(case, results):
    weights, updater = updates(mx, case)
    numbers = np.concatenate([w.astype("float32").ravel() for w in weights])
    np.testing.assert_allclose(numbers, results[text(case)], rtol=1e-6, atol=1e-6)
    state = states(updater)
    tolerance = 1e-5 if case[0] == "ftml" else 2e-6  # differences of large numbers
    np.testing.assert_allclose(state, results[f"states of {text(case)}"], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", SPARSE_SEEDS)
def test_steps_along_sparse_gradients_are_mxnets(seed, results):
    stored = results[f"sparse {seed}"]
    np.testing.assert_allclose(sparse_updates(mx, seed), stored, rtol=2e-3, atol=1e-5)


def test_every_optimizer_has_cases():
    mx.optimizer.create("sgd")
    ours = {
        n for n, c in mx.optimizer.Optimizer.opt_registry.items() if c.__module__.startswith("hybridonnx")
    }
    assert ours - {"sgld"} == {name for name, _ in CASES}


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_signature_is_mxnets(name):
    places = (mx.optimizer, mx.optimizer.contrib, mx.lr_scheduler, mx.gluon)
    klass = next(vars(p).get(name) or getattr(p, name) for p in places if hasattr(p, name))
    parameters = inspect.signature(klass.__init__).parameters.values()
    ours = inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in parameters])
    theirs = FACTS["signatures"][name]
    assert str(ours) == (FACTS["signatures"][OF_BASE[name]] if name in OF_BASE else theirs)


@pytest.mark.parametrize("text", SNIPPETS)
def test_snippet_gives_what_it_gives_in_mxnet(text):
    snippets.check(text, FACTS["snippets"][text], mx=mx)


# ---- what MXNet cannot tell


def weights_and_gradients(count=1, shape=(3, 4), seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape), [rng.standard_normal(shape) for _ in range(count)]


def test_dcasgd_with_momentum_follows_the_paper():  # MXNet's fails
    w, gradients = weights_and_gradients(4)
    optimizer = mx.optimizer.DCASGD(momentum=0.5, lamda=0.3, learning_rate=0.1, wd=0.01)
    weight = mx.nd.array(w)
    state = optimizer.create_state(0, weight)
    mom, previous = np.zeros_like(w), w.copy()
    for g in gradients:
        optimizer.update(0, weight, mx.nd.array(g), state)
        mom = 0.5 * mom - 0.1 * (g + 0.01 * w + 0.3 * g * g * (w - previous))
        previous, w = w, w + mom
        np.testing.assert_allclose(weight.asnumpy(), w, rtol=1e-5, atol=1e-6)


def test_sgld_drifts_by_half_the_rate_and_spreads_by_its_root():
    mx.random.seed(1)
    weight = mx.nd.ones((200, 500))
    optimizer = mx.optimizer.create("sgld", learning_rate=0.04, wd=0.5)
    optimizer.update(0, weight, mx.nd.full((200, 500), 2.0), optimizer.create_state(0, weight))
    values = weight.asnumpy()
    assert values.mean() == pytest.approx(1 - 0.02 * 2.5, abs=3e-3)
    assert values.std() == pytest.approx(0.2, rel=0.01)


def test_adamax_leaves_weights_that_have_no_gradient():  # MXNet's makes them nan
    weight = mx.nd.ones((2,))
    optimizer = mx.optimizer.Adamax()
    optimizer.update(0, weight, mx.nd.array([0, 1]), optimizer.create_state(0, weight))
    assert weight.asnumpy()[0] == 1
    assert weight.asnumpy()[1] < 1


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
def test_float16_without_copies_is_near_float32(name):
    w, gradients = weights_and_gradients(3)
    weights = []
    for dtype in ("float16", "float32"):
        optimizer = mx.optimizer.create(name, learning_rate=0.05)
        weight = mx.nd.array(w, dtype=dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            state = optimizer.create_state_multi_precision(0, weight)
        for g in gradients:
            optimizer.update_multi_precision(0, weight, mx.nd.array(g, dtype=dtype), state)
        assert weight.dtype == np.dtype(dtype).type
        weights.append(weight.asnumpy().astype("float32"))
    np.testing.assert_allclose(weights[0], weights[1], rtol=0.02, atol=0.02)


def test_float16_without_copies_is_warned_of():
    with pytest.warns(UserWarning, match="multi_precision=True"):
        mx.optimizer.SGD().create_state_multi_precision(0, mx.nd.ones((2,), dtype="float16"))


def test_updates_are_in_place_and_noticed():
    from hybridonnx.ndarray.watch import Watch

    weight = mx.nd.ones((2,))
    memory = weight._data
    watch = Watch([memory])
    mx.optimizer.get_updater(mx.optimizer.Adam())(0, mx.nd.ones((2,)), weight)
    assert weight._data is memory
    assert watch.dirty


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES} - {"groupadagrad"}))
def test_large_weights_are_updated_like_small_ones(name, monkeypatch):
    w, gradients = weights_and_gradients(3, (7, 9))
    weights = []
    for part in (1000, 8):
        monkeypatch.setattr(steps, "PART", part)
        updater = mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.1, wd=0.1))
        weight = mx.nd.array(w)
        for g in gradients:
            updater(0, mx.nd.array(g), weight)
        weights.append(weight.asnumpy())
    assert np.array_equal(weights[0], weights[1])


def test_gradients_are_not_changed():
    for name in sorted({name for name, _ in CASES}):
        gradient = mx.nd.array([[1, -2, 3]])
        updater = mx.optimizer.get_updater(mx.optimizer.create(name, rescale_grad=0.5, clip_gradient=0.5))
        weight = mx.nd.ones((1, 3))
        updater(0, gradient, weight)
        updater(0, gradient, weight)
        assert gradient.asnumpy().tolist() == [[1, -2, 3]], name


def test_own_optimizer_is_known_by_name():
    registry = dict(mx.optimizer.Optimizer.opt_registry)

    @mx.optimizer.register
    class Halving(mx.optimizer.Optimizer):
        def update(self, index, weight, grad, state):
            weight[:] = weight / 2

    weight = mx.nd.ones((2,))
    mx.optimizer.get_updater(mx.optimizer.create("halving"))(0, weight, weight)
    assert weight.asnumpy().tolist() == [0.5, 0.5]
    with pytest.warns(UserWarning, match="overriding existing optimizer"):
        mx.optimizer.register(type("Halving", (Halving,), {}))
    mx.optimizer.Optimizer.opt_registry.clear()
    mx.optimizer.Optimizer.opt_registry.update(registry)


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_own_rates_are_asked_for_each_weight(name):
    """As Keras has its optimizers on MXNet: rates that decay, and a list of rates of its own length."""

    class Decaying(getattr(mx.optimizer, name)):
        def _get_lr(self, index):
            return 0.5 / (1 + self.num_update)

        def _get_lrs(self, indices):
            return [self._get_lr(i) for i in range(4)]

    own, plain = Decaying(), getattr(mx.optimizer, name)()
    own_states, plain_states = mx.optimizer.get_updater(own), mx.optimizer.get_updater(plain)
    rows = [[1.0, -2, 3], [0.5, 0, -1], [4, 4, 4], [1, 2, 3], [0, 1, 0]]
    weights = [[mx.nd.array(row) for row in rows] for _ in range(2)]
    grads = [mx.nd.array(row) * 0.1 for row in rows]
    for step in range(1, 4):
        own_states([*range(5)], grads, weights[0])
        plain.set_learning_rate(0.5 / (1 + step))
        plain_states([*range(5)], grads, weights[1])
        for a, b in zip(*weights, strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_unknown_optimizer_suggests():
    with pytest.raises(ValueError, match="Did you mean adam"):
        mx.optimizer.create("adan")


def test_unknown_store_is_refused():
    with pytest.raises(MXNetError, match="Did you mean local"):
        mx.kv.create("lokal")


# ---- states


def some_updates(updater, weight, seeds):
    for seed in seeds:
        gradient = np.random.default_rng(seed).standard_normal(weight.shape)
        updater(0, mx.nd.array(gradient, dtype=weight.dtype), weight)


@pytest.mark.parametrize("case", [c for c in CASES if not c[1].get("multi_precision")][::2], ids=text)
def test_saved_states_continue(case):
    first = mx.optimizer.get_updater(create(mx, case))
    weight = mx.nd.array(np.random.default_rng(9).standard_normal((3, 4)))
    some_updates(first, weight, range(5))
    saved, copied = first.get_states(dump_optimizer=True), weight.copy()
    some_updates(first, weight, range(5, 10))
    second = mx.optimizer.get_updater(create(mx, case))
    second.set_states(saved)
    some_updates(second, copied, range(5, 10))
    assert np.array_equal(copied.asnumpy(), weight.asnumpy())
    assert second.optimizer.num_update == first.optimizer.num_update


def test_saved_states_of_copies_continue():
    def new_updater():
        return mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9, multi_precision=True))

    first, weight = new_updater(), mx.nd.ones((5,), dtype="float16")
    some_updates(first, weight, range(5))
    second, copied = new_updater(), weight.copy()
    second.set_states(first.get_states())
    for updater, w in ((first, weight), (second, copied)):
        some_updates(updater, w, range(5, 10))
    assert np.array_equal(copied.asnumpy(), weight.asnumpy())


def test_states_are_a_file_of_arrays():
    updater = mx.optimizer.get_updater(mx.optimizer.Adam())
    updater("w", mx.nd.ones((2,)), mx.nd.ones((2,)))
    loaded = mx.nd.load_frombuffer(updater.get_states())
    assert sorted(loaded) == ["0", "1", "structure"]
    again = mx.optimizer.get_updater(mx.optimizer.Adam())
    again.set_states(updater.get_states())
    assert [type(s) for s in again.states["w"]] == [mx.nd.NDArray] * 2


@pytest.mark.parametrize("damage", ["empty", "cut", "other", "structure", "array", "key", "value"])
def test_damaged_states_are_refused(damage, tmp_path):
    updater = mx.optimizer.get_updater(mx.optimizer.Adam())
    updater(0, mx.nd.ones((2,)), mx.nd.ones((2,)))
    saved = updater.get_states(dump_optimizer=True)
    path = tmp_path / "other"
    mx.nd.save(str(path), {"a": mx.nd.ones((2,))})
    damaged = {
        "empty": b"",
        "cut": saved[:-9],
        "other": path.read_bytes(),
        "structure": saved.replace(b'"format"', b'"farmat"'),
        "array": saved.replace(b'{"array": 1}', b'{"array": 7}'),
        "key": saved.replace(b"[[0, {", b"[[[], {"),
        "value": saved.replace(b'"beta1": 0.9', b'"beta1": "9"'),
    }[damage]
    assert damaged != saved
    before = copy.copy(updater.states)
    with pytest.raises(FormatError):
        updater.set_states(damaged)
    assert updater.states == before


def test_states_of_another_optimizer_are_refused():
    saved = mx.optimizer.get_updater(mx.optimizer.Adam()).get_states(dump_optimizer=True)
    with pytest.raises(MXNetError, match="Adam was saved, got SGD"):
        mx.optimizer.get_updater(mx.optimizer.SGD()).set_states(saved)
    scheduler = mx.lr_scheduler.FactorScheduler(2)
    with pytest.raises(MXNetError, match="None was saved, got FactorScheduler"):
        mx.optimizer.get_updater(mx.optimizer.Adam(lr_scheduler=scheduler)).set_states(saved)


def test_store_saves_states(tmp_path):
    path = str(tmp_path / "states")
    weight, stores = mx.nd.array([1, 2]), []
    for _ in range(2):
        kv = mx.kv.create("local")
        kv.init("w", weight)
        kv.set_optimizer(mx.optimizer.SGD(momentum=0.9))
        stores.append(kv)
    first, second = stores
    first.push("w", weight)
    first.save_optimizer_states(path, dump_optimizer=True)
    first.pull("w", weight)
    second._stored["w"][:] = weight
    second.load_optimizer_states(path)
    weights = []
    for kv in stores:
        kv.push("w", mx.nd.ones((2,)))
        kv.pull("w", weight)
        weights.append(weight.asnumpy().tolist())
    assert weights[0] == weights[1]


def test_copies_are_independent():
    first = mx.optimizer.LAMB(multi_precision=True)
    mx.optimizer.get_updater(first)(0, mx.nd.ones((2,), dtype="float16"), mx.nd.ones((2,), dtype="float16"))
    second = copy.deepcopy(first)
    second.lr = 1
    assert (first.num_update, second.num_update, first.lr) == (1, 1, 0.001)
