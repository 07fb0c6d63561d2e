"""Compiled graphs in the hands of several threads, over many steps, and after errors."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn
from hybridonnx.runtime import partition
from hybridonnx.runtime.session import StepSession

THREADS = 8


def network(hybrid, req="write"):
    """500 numbers to 3, with the same weights each time."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(600, in_units=500, activation="tanh"), nn.Dense(3, in_units=600))
    net.initialize()
    rng = np.random.default_rng(0)
    for param in net.collect_params().values():
        param.set_data(nd.array(rng.standard_normal(param.shape) * 0.1))
        param.grad_req = req
    net.hybridize(hybrid)
    return net


def batches(count):
    rng = np.random.default_rng(1)
    return [rng.standard_normal((1 + i % 3, 500)).astype(np.float32) for i in range(count)]


def step(net, x):
    """Record and differentiate; the loss."""
    with autograd.record():
        loss = (net(nd.array(x)) ** 2).sum()
    loss.backward()
    return loss.asscalar()


def grads(net):
    return [param.grad().asnumpy() for param in net.collect_params().values()]


def in_threads(work, rows):
    """`work(row)` for all rows, begun by all threads at once."""
    ready = threading.Barrier(THREADS)

    def begin(part):
        ready.wait()
        return [work(row) for row in part]

    with ThreadPoolExecutor(THREADS) as pool:
        parts = list(pool.map(begin, [rows[i::THREADS] for i in range(THREADS)]))
    return [parts[i % THREADS][i // THREADS] for i in range(len(rows))]


@pytest.fixture
def hasty(monkeypatch):
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_threads_that_predict_get_their_own_results(hasty):
    net, plain = network(True), network(False)
    arrays = batches(80)
    outputs = in_threads(lambda x: net(nd.array(x)).asnumpy(), arrays)
    for x, y in zip(arrays, outputs, strict=True):
        np.testing.assert_allclose(y, plain(nd.array(x)).asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_of_several_threads_are_all_added(hasty, hybrid):
    net, plain = network(hybrid, "add"), network(False, "add")
    arrays = batches(80)
    losses = in_threads(lambda x: step(net, x), arrays)
    np.testing.assert_allclose(losses, [step(plain, x) for x in arrays], rtol=1e-4)
    for a, b in zip(grads(net), grads(plain), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4 * np.abs(b).max())


def resident():
    """The bytes of memory that this process has."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


_DENORMALS = """
import numpy as np
import hybridonnx as mx
net = mx.gluon.nn.Dense(1, in_units=1, use_bias=False)
net.initialize(mx.init.Constant(1e-40))
net.hybridize()
print(net(mx.nd.ones((1, 1))).asscalar() > 0)
"""


@pytest.mark.parametrize(("switch", "printed"), [("0", "True"), ("1", "False")])
def test_denormal_numbers_are_zero_if_asked(switch, printed):
    environment = {**os.environ, "HYBRIDONNX_FLUSH_DENORMALS": switch}
    command = [sys.executable, "-c", _DENORMALS]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == printed


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_steps():
    net = network(True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-3})
    x = np.random.default_rng(2).standard_normal((128, 500)).astype(np.float32)

    def steps(count):
        for _ in range(count):
            step(net, x)
            trainer.step(len(x))

    steps(20)
    before = resident()
    steps(200)
    step_bytes = x.nbytes + 128 * 600 * 4
    assert resident() - before < 20 * step_bytes  # a tenth of what 200 steps would keep


def test_nothing_of_a_step_outlives_it(monkeypatch):
    """Neither batch nor what the gradient needed, even while loss and block are held with theirs."""
    outputs: list[weakref.ref] = []
    monkeypatch.setattr(StepSession, "__call__", keeping(StepSession.__call__, outputs))
    net, loss_of = network(True), gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize()
    x, label = nd.array(batches(1)[0]), nd.zeros((1,))
    inputs = [weakref.ref(array._data) for array in (x, label)]
    with autograd.record():
        out = net(x)
        loss = loss_of(out, label)
    assert len(outputs) > 2
    loss.backward()
    del x, label, out
    gc.collect()
    assert not [ref for ref in inputs if ref() is not None]
    own = [loss._data, *[param.grad()._memory() for param in net.collect_params().values()]]
    others = [ref for ref in outputs if ref() is not None and not any(ref() is array for array in own)]
    assert len(outputs) > 7
    assert not others
    assert loss._origin is not None


def keeping(call, outputs):
    def watched(self, feeds, *more):
        arrays = call(self, feeds, *more)
        outputs.extend(map(weakref.ref, arrays))
        return arrays

    return watched


def test_a_call_that_fails_leaves_the_block_as_it_was(monkeypatch):
    net, plain = network(True), network(False)
    (x,) = batches(1)
    for wrong in (np.ones((2, 501)), np.ones((0, 3, 2)), np.ones((2, 500), np.int32)):
        with pytest.raises(mx.MXNetError), autograd.record():
            net(nd.array(wrong, dtype=wrong.dtype))
        assert not autograd.is_recording()
    assert not net._compiled[mx.cpu()]._plans
    for failing in (1, 2):  # the backward session, then the forward session
        with monkeypatch.context() as patch:
            patch.setattr(partition, "graph_session", failing_at(failing, partition.graph_session))
            with pytest.raises(OSError, match="no memory"):
                step(net, x)
    assert step(net, x) == pytest.approx(step(plain, x), rel=1e-5)
    for a, b in zip(grads(net), grads(plain), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5 * np.abs(b).max())


def failing_at(number, call):
    calls = iter(range(1, number + 1))

    def failing(*args, **options):
        if next(calls) == number:
            raise OSError("no memory")
        return call(*args, **options)

    return failing


def test_training_and_prediction_in_turns_see_each_step(hasty):
    """One thread trains; what others predict is the result of one of its steps, the last one in the end."""
    net = nn.Dense(1, in_units=1, use_bias=False, weight_initializer="zeros", prefix="turns_")
    net.initialize()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    x, stop = nd.ones((1, 1)), threading.Event()

    def predict(_):
        values = []
        while not stop.is_set():
            values.append(net(x).asscalar())
        return [*values, net(x).asscalar()]

    def train():
        for _ in range(100):
            with autograd.record():
                loss = -net(x)
            loss.backward()
            trainer.step(1)
        stop.set()

    with ThreadPoolExecutor(3) as pool:
        predicted = [pool.submit(predict, i) for i in range(2)]
        pool.submit(train).result()
        rows = [future.result() for future in predicted]
    for row in rows:
        assert row == sorted(row)
        assert set(row) <= set(range(101))
        assert row[-1] == 100
