"""What a hybridized training step keeps, and for how long; its numbers stay those of eager mode."""

import gc
import weakref

import numpy as np
import pytest

import hybridonnx as mx
from converters.to_onnx import conv
from hybridonnx import autograd
from hybridonnx.gluon import nn
from hybridonnx.runtime import compile as compiled
from hybridonnx.runtime import graph_session, partition
from hybridonnx.runtime.session import Session, StepSession
from hybridonnx.runtime.stages import Stages


def network():
    net = nn.HybridSequential()
    for _ in range(3):
        net.add(nn.Conv2D(6, 3, padding=1, in_channels=6), nn.BatchNorm(in_channels=6), nn.LeakyReLU(0.1))
        net.add(nn.HybridLambda(lambda F, x: F.clip(x, -0.5, 0.9)), nn.Activation("relu"))
    net.add(nn.Flatten(), nn.Dense(4, in_units=6 * 8 * 8))
    net.initialize(mx.init.Xavier())
    return net


def data(batch=5):
    return mx.nd.array(np.random.default_rng(0).standard_normal((batch, 6, 8, 8)))


def gradients(net, x, **options):
    x.attach_grad()
    with autograd.record():
        y = net(x)
        loss = (y * y).sum()
    loss.backward(**options)
    return loss, read(net, x)


def read(net, x):
    params = net.collect_params().values()
    return [x.grad.asnumpy(), *(p.grad().asnumpy() for p in params if p.grad_req != "null")]


@pytest.fixture
def in_parts(monkeypatch):
    """Backward passes run in parts, which are listed with what they were given, and what is left of it."""
    monkeypatch.setattr(partition, "_LARGE", 1 << 10)
    calls = []

    class Listed(Stages):
        def __call__(self, feeds, receivers, spend=False, memory=()):
            before = set(feeds)
            results = super().__call__(feeds, receivers, spend, memory)
            calls.append((len(self._stages), before, set(feeds)))
            return results

    monkeypatch.setattr(partition, "Stages", Listed)
    return calls


def close(actual, expected):
    most = max(
        np.abs(other).max() for other in expected
    )  # a bias before a norm has sums of nothing but rounding
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * most)


def test_gradients_in_parts_are_those_of_eager_mode(in_parts):
    net, x = network(), data()
    _, eager = gradients(net, x)
    net.hybridize()
    for _ in range(2):
        _, parts = gradients(net, x)
        close(parts, eager)
    assert [stages > 2 for stages, _, _ in in_parts] == [True, True]
    assert all(before and not left for _, before, left in in_parts)


def test_what_is_kept_stays_with_the_graph(in_parts):
    net, x = network(), data()
    net.hybridize()
    loss, once = gradients(net, x, retain_graph=True)
    loss.backward()
    close(read(net, x), once)
    (_, before, left), (_, _, nothing) = in_parts
    assert left == before
    assert nothing == set()
    with pytest.raises(mx.MXNetError, match="retain_graph"):
        loss.backward()


def test_a_backward_pass_that_was_interrupted_cannot_go_on(in_parts, monkeypatch):
    net, x = network(), data()
    net.hybridize()
    with autograd.record():
        loss = net(x).sum()
    run, runs = StepSession.into, []

    def interrupted(self, *args):
        runs.append(self)
        if len(runs) == 2:
            raise KeyboardInterrupt
        return run(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(StepSession, "into", interrupted)
        with pytest.raises(KeyboardInterrupt):
            loss.backward()
    with pytest.raises(mx.MXNetError, match="already differentiated"):
        loss.backward()


def test_limits_are_kept_as_bool_and_signs_not_at_all(monkeypatch):
    outputs = []

    class Listed(StepSession):
        def __init__(self, lowered, in_arena=False):
            super().__init__(lowered, in_arena)
            outputs.append([(o.type, o.shape) for o in self._session.get_outputs()])

    monkeypatch.setattr(graph_session, "StepSession", Listed)
    net, x = network(), data(3)
    net.hybridize()
    with autograd.record():
        net(x)
    forward = max(outputs, key=len)
    kept = [kind for kind, shape in forward if list(shape) == [3, 6, 8, 8]]
    # of each of three parts what the convolution, leaky and relu give, and where the limits have cut
    assert kept.count("tensor(bool)") == 3
    assert kept.count("tensor(float)") == 3 * 3


@pytest.mark.parametrize("batch", [1, 2, 5])
@pytest.mark.parametrize(
    "options",
    [
        {"channels": 4, "kernel_size": 3, "padding": 1},
        {"channels": 6, "kernel_size": (2, 3), "strides": 2, "groups": 3},
        {"channels": 2, "kernel_size": 1, "strides": 2, "use_bias": False},
    ],
)
def test_windows_of_some_instances_at_a_time(options, batch, monkeypatch):
    monkeypatch.setattr(conv, "_MOST_WINDOWS", 6 * 8 * 8 * 12)
    net, x = nn.Conv2D(in_channels=6, **options), data(batch)
    net.initialize(mx.init.Xavier())
    _, eager = gradients(net, x)
    net.hybridize()
    close(gradients(net, x)[1], eager)


def test_sessions_for_prediction_go_when_training_begins(monkeypatch, tmp_path):
    monkeypatch.setenv("HYBRIDONNX_CACHE", str(tmp_path))
    monkeypatch.setattr(compiled, "_WORTH_KEEPING", 0)  # also those that wait to be stored
    sessions = []

    class Listed(Session):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            sessions.append(weakref.ref(self))

    monkeypatch.setattr(compiled, "Session", Listed)
    net, x = network(), data()
    net.hybridize()
    net(x)
    assert sessions[-1]() is not None
    with autograd.record():
        net(x)
    gc.collect()
    assert sessions[-1]() is None
    after = net(x).asnumpy()
    net.hybridize(active=False)
    np.testing.assert_allclose(after, net(x).asnumpy(), rtol=1e-4, atol=1e-5)


def test_gradients_are_written_where_they_belong_if_nothing_else_is_there(in_parts):
    net, x = network(), data()
    _, eager = gradients(net, x)
    net.hybridize()
    gradients(net, x)
    weight = net[0].weight
    before = weight.grad()._data
    place = before.__array_interface__["data"][0]
    del before
    close(gradients(net, x)[1], eager)
    assert weight.grad()._data.__array_interface__["data"][0] == place
    copy, view = weight.grad().asnumpy(), weight.grad()[0:1]
    once = copy.copy()
    with autograd.record():
        loss = ((net(x) * 2) ** 2).sum()
    loss.backward()
    np.testing.assert_array_equal(copy, once)
    np.testing.assert_allclose(weight.grad().asnumpy(), 4 * once, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(view.asnumpy(), weight.grad()[0:1].asnumpy())  # as it shares memory with it


def test_gradients_that_are_inputs_or_added_to_are_not_overwritten_meanwhile(in_parts):
    """A gradient is an input of the graph; one variable goes into two graphs; gradients add up."""
    net, other, x = network(), network(), data()
    results = []
    for hybrid in (False, True):
        for block in (net, other):
            block.hybridize(active=hybrid)
        gradients(net, x)
        with autograd.record():  # x has a gradient, which the graph takes
            loss = (net(x) * net(x.grad) + other(x)).sum()
        loss.backward()
        once = read(net, x)
        for parameter in net.collect_params().values():
            if parameter.grad_req != "null":
                parameter.grad_req = "add"
        gradients(net, x)
        results.append([*once, *read(net, x)])
        for parameter in net.collect_params().values():
            if parameter.grad_req != "null":
                parameter.grad_req = "write"
                parameter.zero_grad()
    close(results[1], results[0])


def test_gradients_of_free_sizes_are_in_parts_too(in_parts):
    net, batches = network(), [data(n) for n in (5, 2, 7, 3, 4)]
    eager = [gradients(net, x)[1] for x in batches]
    net.hybridize()
    for x, expected in zip(batches, eager, strict=True):
        close(gradients(net, x)[1], expected)
    counts = [stages for stages, _, _ in in_parts]
    assert len(counts) == len(batches)
    assert min(counts) > 2
