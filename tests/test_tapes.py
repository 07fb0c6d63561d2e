"""Gradients of tapes that come again: compiled, they are what a sweep over the kernels gives."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import nn
from hybridonnx.ndarray import tapes
from hybridonnx.ndarray.invoke import ReferenceKernels
from hybridonnx.runtime.tape_gradient import TapeGradient
from hybridonnx.test_utils import Case
from hybridonnx.test_utils.cases import assert_near, eager_gradients, gradients
from tests.test_operators import FAMILIES

CASES = [
    pytest.param(case, id=str(case), marks=[] if i % 10 == 0 else pytest.mark.slow)
    for i, case in enumerate(case for family in FAMILIES.values() for case in family)
    if not case.operator().not_differentiable
]


@pytest.fixture
def runs(monkeypatch):
    """How many gradients were computed by sessions."""
    count = []
    call = TapeGradient.__call__

    def counted(self, tape, heads):
        results = call(self, tape, heads)
        count.append(results is not None)
        return results

    monkeypatch.setattr(TapeGradient, "__call__", counted)
    return count


@pytest.fixture
def at_once(monkeypatch, runs):
    """Tapes are compiled when they are first swept, however short they are."""
    monkeypatch.setattr(tapes, "OFTEN", 0)
    monkeypatch.setattr(tapes, "_FEW", 1)
    monkeypatch.setattr(tapes, "_known", type(tapes._known)())
    return runs


@pytest.mark.parametrize("case", CASES)
def test_what_kernels_give(case: Case, at_once):
    arrays = case.arrays()
    try:
        expected = gradients(case, arrays)
    except MXNetError:  # some have none
        with pytest.raises(MXNetError):
            eager_gradients(case, arrays)
        return
    got = eager_gradients(case, arrays)
    for i, (x, y) in enumerate(zip(got[1], expected[1], strict=True)):
        assert x.dtype == y.dtype
        assert_near(x, y, max(case.grad_tol, 1e-5), f"gradient {i}")


# ---- a network's steps


def network(seed: int = 0):
    """A network of layers that have rules of all kinds, one of them taken twice."""
    net = nn.HybridSequential()
    twice = nn.Dense(6, activation="tanh", flatten=False)
    net.add(
        nn.Conv2D(6, 3, activation="relu"),
        nn.BatchNorm(),
        nn.MaxPool2D(3, 2),
        nn.Dropout(0.3),
        nn.Dense(6),
        twice,
        nn.LayerNorm(),
        twice,
        nn.Dense(3),
    )
    mx.random.seed(seed)
    net.initialize(mx.init.Xavier())
    net(nd.ones((2, 2, 9, 9)))
    return net


def steps(net, count: int, batch: int = 4):
    """The losses and gradients of some steps of training."""
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.9})
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    rng = np.random.default_rng(1)
    for _ in range(count):
        x, y = nd.array(rng.standard_normal((batch, 2, 9, 9))), nd.array(rng.integers(0, 3, batch))
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(batch)
        gradients = [p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]
        yield loss.asnumpy(), gradients


def test_training_goes_on_as_before(runs):
    with ReferenceKernels():
        expected = list(steps(network(), 3 * tapes.OFTEN))
    for i, (a, b) in enumerate(zip(steps(network(), 3 * tapes.OFTEN), expected, strict=True)):
        assert len(runs) == max(0, i + 1 - tapes.OFTEN)
        np.testing.assert_allclose(a[0], b[0], rtol=1e-4, atol=1e-5)
        for x, y in zip(a[1], b[1], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)
    assert all(runs)


def test_batches_of_another_size_are_other_tapes(at_once):
    expected = {}
    for batch in (4, 3):
        with ReferenceKernels():
            expected[batch] = next(steps(network(), 1, batch))
    for batch in (4, 3, 4):
        got = next(steps(network(), 1, batch))
        for x, y in zip(got[1], expected[batch][1], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-5)
    assert at_once == [True] * 3
    assert len(tapes._known) == 2


# ---- what a tape may be like


def variable(*values: float):
    x = nd.array(values)
    x.attach_grad()
    return x


def test_constants_may_differ_from_step_to_step(at_once):
    for i in range(4):
        x = variable(1, 2, 3)
        with autograd.record():
            y = (x * nd.array([i, 2 * i, 0]) + x).sum()
        y.backward()
        assert x.grad.asnumpy().tolist() == [i + 1, 2 * i + 1, 1]
    assert len(at_once) == 4
    assert len(tapes._known) == 1


def test_numbers_are_part_of_the_operators(at_once):
    for i in range(3):
        x = variable(1, 2, 3)
        with autograd.record():
            y = (x * i + 1).sum()
        y.backward()
        assert x.grad.asnumpy().tolist() == [i] * 3
    assert len(tapes._known) == 3


def test_heads_have_gradients_of_their_own(at_once):
    x, w = variable(1, 2), variable(3, 4)
    with autograd.record():
        y = x * w
        z = y.sum() * 2
    autograd.backward([y, z, y], [nd.array([10, 20]), None, nd.array([1, 1])])
    assert x.grad.asnumpy().tolist() == [3 * 13, 4 * 23]
    assert w.grad.asnumpy().tolist() == [13, 2 * 23]
    assert at_once == [True]


def test_gradients_are_added_and_kept_apart(at_once):
    x, w = variable(1, 2), nd.array([1, 1])
    x.grad[:] = 5
    w.attach_grad("add")
    for i in (1, 2, 3):
        with autograd.record():
            y = x + w
        y.backward(nd.array([1, 2]))
        assert x.grad.asnumpy().tolist() == [1, 2]
        assert w.grad.asnumpy().tolist() == [i, 2 * i]
    x.grad[:] = 7
    assert w.grad.asnumpy().tolist() == [3, 6]


def test_a_graph_is_retained_or_not(at_once):
    x = variable(3, 4)
    with autograd.record():
        y = x * x
    for _ in range(2):
        y.backward(retain_graph=True)
        assert x.grad.asnumpy().tolist() == [6, 8]
    y.backward()
    with pytest.raises(MXNetError, match="already differentiated"):
        y.backward()
    assert at_once == [True] * 3


def test_grad_of_what_was_computed(at_once):
    x = variable(3, 4)
    with autograd.record():
        y = x * x
        z = (y * y).sum()
    dy, dx = autograd.grad(z, [y, x], retain_graph=True)
    assert dy.asnumpy().tolist() == [18, 32]
    assert dx.asnumpy().tolist() == [2 * 3 * 18, 2 * 4 * 32]
    (dx,) = autograd.grad(z, [x], retain_graph=True)
    assert dx.asnumpy().tolist() == [108, 256]
    assert at_once == [True] * 2
    (first,) = autograd.grad(z, [x], create_graph=True)
    assert len(at_once) == 2
    first.backward()
    assert x.grad.asnumpy().tolist() == [12 * 9, 12 * 16]


def test_a_variable_that_changes_while_it_is_recorded(at_once):
    for i in range(3):
        x = variable(1, 2)
        with autograd.record():
            y = x * x
            with autograd.pause():
                x[:] = nd.array([10 + i, 20])
            z = (y * x).sum()
        z.backward()
        with ReferenceKernels():
            other = variable(1, 2)
            with autograd.record():
                y = other * other
                with autograd.pause():
                    other[:] = nd.array([10 + i, 20])
                z = (y * other).sum()
            z.backward()
        assert x.grad.asnumpy().tolist() == other.grad.asnumpy().tolist()


def test_a_variable_that_is_its_own_head(at_once):
    x = variable(1, 2)
    with autograd.record():
        y = x * 2
    autograd.backward([x, y])
    assert x.grad.asnumpy().tolist() == [3, 3]
    assert not at_once


def test_what_does_not_lead_to_a_variable_has_no_gradient(at_once):
    x, w = variable(1, 2), variable(3, 4)
    w.grad[:] = 9
    with autograd.record():
        y = x * nd.stop_gradient(w)
    y.backward()
    assert x.grad.asnumpy().tolist() == [3, 4]
    assert w.grad.asnumpy().tolist() == [0, 0]


def test_what_users_compute_is_swept(at_once):
    class Twice(autograd.Function):
        def forward(self, x):
            return 2 * x

        def backward(self, dy):
            return 2 * dy

    for _ in range(2):
        x = variable(1, 2)
        with autograd.record():
            y = Twice()(x * x).sum()
        y.backward()
        assert x.grad.asnumpy().tolist() == [4, 8]
    assert not at_once


def test_what_cannot_be_differentiated_is_told_each_time(at_once):
    for _ in range(2):
        x = variable(1, 2)
        with autograd.record():
            y = nd.contrib.index_copy(x, nd.array([0]), x[:1]).sum() + nd.sgd_update(x, x, lr=1.0).sum()
        with pytest.raises(MXNetError, match="cannot be differentiated"):
            y.backward()


@pytest.mark.parametrize("mode", ["numpy", "kernels", "profiled"])
def test_where_every_operator_is_to_run_alone(mode, at_once, monkeypatch, tmp_path):
    x = variable(1, 2)
    with autograd.record():
        y = (x * x).sum()
    if mode == "numpy":
        monkeypatch.setenv("HYBRIDONNX_EAGER", "numpy")
        y.backward()
    elif mode == "kernels":
        with ReferenceKernels():
            y.backward()
    else:
        mx.profiler.set_config(
            profile_imperative=True, aggregate_stats=True, filename=str(tmp_path / "p.json")
        )
        mx.profiler.set_state("run")
        y.backward()
        mx.profiler.set_state("stop")
        assert "broadcast_mul" in mx.profiler.dumps(reset=True)
    assert x.grad.asnumpy().tolist() == [2, 4]
    assert not at_once


def test_threads_that_train_at_once(at_once):
    results: dict[int, list] = {}
    nets, others = ([network(seed) for seed in range(4)] for _ in range(2))
    for net in (*nets, *others):
        net[3]._rate = 0.0  # dropout draws from one generator for all threads
    with ReferenceKernels():
        expected = [list(steps(net, 3)) for net in others]
    threads = [
        threading.Thread(target=lambda i=i: results.__setitem__(i, list(steps(nets[i], 3)))) for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        for (loss, _), (other, _) in zip(results[i], expected[i], strict=True):
            np.testing.assert_allclose(loss, other, rtol=1e-4, atol=1e-5)
    assert len(at_once) == 12


def test_few_structures_are_kept(at_once, monkeypatch):
    monkeypatch.setattr(tapes, "_MOST_TAPES", 5)
    monkeypatch.setattr(tapes, "_MOST_PROGRAMS", 2)
    for n in range(1, 9):
        x = nd.ones(n)
        x.attach_grad()
        with autograd.record():
            y = (x * x).sum()
        y.backward()
        assert x.grad.asnumpy().tolist() == [2] * n
    assert len(tapes._known) <= 5
    assert sum(known.program is not None for known in tapes._known.values()) == 2
