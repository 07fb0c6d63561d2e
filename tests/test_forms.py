"""Hybridized blocks called with one shape after the other: few sessions, and the numbers of eager calls."""

from __future__ import annotations

import logging
import random

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import HybridBlock, nn, rnn
from hybridonnx.ops import Spec, known
from hybridonnx.runtime import eager, session
from hybridonnx.runtime.forms import Forms, Kept, is_free
from hybridonnx.runtime.plan import Plan


@pytest.fixture
def starts(monkeypatch):
    """A list that gets an element for every session of ONNX Runtime."""
    made = []
    assert eager._start is session._start  # it was imported before, so that its sessions do not count
    start = session._start
    monkeypatch.setattr(session, "_start", lambda *a, **k: made.append(1) or start(*a, **k))
    return made


def filled(*shape):
    return nd.array(np.random.default_rng(sum(shape)).uniform(-1, 1, shape))


def perceptron():
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="tanh"), nn.BatchNorm(), nn.Dropout(0.4), nn.Dense(3))
    return net


def convolutions():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Conv2D(8, 2, groups=2))
    net.add(nn.AvgPool2D(2, 1), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(3))
    return net


class Attention(HybridBlock):
    """Sequences that look at themselves, of any number and length."""

    def __init__(self):
        super().__init__()
        self.norm, self.out = nn.LayerNorm(in_channels=6), nn.Dense(6, flatten=False)

    def hybrid_forward(self, F, x):
        scores = F.softmax(F.batch_dot(x, x, transpose_b=True) / 2.0)
        return self.out(self.norm(x + F.batch_dot(scores, x)))


NETWORKS = {
    "perceptron": (perceptron, lambda n: (n, 5)),
    "convolutions": (convolutions, lambda n: (n, 2, 9, 8)),
    "attention": (Attention, lambda n: (2 + n % 2, n, 6)),
    "lstm": (lambda: rnn.LSTM(4, 2, input_size=3, bidirectional=True, dropout=0.3), lambda n: (5, n, 3)),
    "lstm, batch first": (lambda: rnn.LSTM(4, layout="NTC", input_size=3), lambda n: (n, 5, 3)),
    "gru of any length": (lambda: rnn.GRU(4, layout="NTC", input_size=3), lambda n: (2, n, 3)),
    "rnn of any size": (lambda: rnn.RNN(4, input_size=3), lambda n: (n, 13 - n, 3)),
}
MOST = {"attention": 3, "rnn of any size": 3}
"""How many forms may be compiled, where sizes differ that were equal at first."""


def twins(make, shape):
    """A block hybridized, and the same one eagerly."""
    blocks = []
    for hybrid in (True, False):
        mx.random.seed(3)
        block = make()
        block.initialize(mx.init.Xavier())
        block(filled(*shape))
        block.hybridize(hybrid)
        blocks.append(block)
    for a, b in zip(*(block.collect_params().values() for block in blocks), strict=True):
        b.set_data(a.data())
    return blocks


@pytest.mark.parametrize("name", NETWORKS)
def test_one_session_predicts_for_all_sizes(name, starts):
    make, shape = NETWORKS[name]
    net, plain = twins(make, shape(4))
    for n in (4, 1, 7, 2, 11, 3, 12, 1, 4):
        x = filled(*shape(n))
        np.testing.assert_allclose(net(x).asnumpy(), plain(x).asnumpy(), rtol=1e-4, atol=1e-5)
    assert len(starts) <= 1 + MOST.get(name, 2)  # a size of 1 may have one of its own


def trained(net, x):
    """The outputs and gradients of one step, with draws of a seed of the input's own."""
    mx.random.seed(x.shape[0])
    with autograd.record():
        y = net(x)
        loss = (y * y).sum()
    loss.backward()
    return [y.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null")]


@pytest.mark.parametrize("name", NETWORKS)
def test_one_graph_trains_for_all_sizes(name, starts):
    make, shape = NETWORKS[name]
    net, plain = twins(make, shape(4))
    for n in (4, 2, 7, 3, 11, 3, 12, 5, 1, 4):
        x = filled(*shape(n))
        for a, b in zip(trained(net, x), trained(plain, x), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4 * max(1, np.abs(b).max()))
    for a, b in zip(*(block.collect_params().values() for block in (net, plain)), strict=True):
        np.testing.assert_allclose(a.data().asnumpy(), b.data().asnumpy(), rtol=1e-3, atol=1e-5)
    assert len(starts) <= 2 * (
        1 + MOST.get(name, 2)
    )  # two sessions for each form, and batches of 1 have theirs


@pytest.mark.parametrize("name", ["perceptron", "convolutions", "attention"])
def test_gradients_of_gradients_at_changing_sizes(name, monkeypatch):
    """They are made for sizes that are known: more of their lowerings need these."""
    make, shape = NETWORKS[name]
    backward: list[Spec] = []
    start = Plan.__init__

    def watched(self, symbol, names, specs, requires_grad, training, updating=True, *device, **options):
        backward.extend([] if updating else specs.values())
        start(self, symbol, names, specs, requires_grad, training, updating, *device, **options)

    monkeypatch.setattr(Plan, "__init__", watched)
    net, plain = twins(make, shape(4))
    for n in (4, 3, 6, 1, 5):
        x, slopes = filled(*shape(n)), []
        for block in (net, plain):
            variable = x.copy()
            variable.attach_grad()
            mx.random.seed(n)
            with autograd.record():
                y = block(variable)
                (slope,) = autograd.grad((y * y).sum(), [variable], create_graph=True)
                penalty = (slope * slope).sum()
            penalty.backward()
            slopes.append(variable.grad.asnumpy())
        np.testing.assert_allclose(*slopes, rtol=1e-3, atol=1e-4 * max(1, np.abs(slopes[1]).max()))
    assert backward
    assert all(known(spec.shape) for spec in backward)


def test_module_trains_for_all_batch_sizes(starts):
    data, label = mx.sym.var("data"), mx.sym.var("softmax_label")
    scores = mx.sym.FullyConnected(data, num_hidden=3, name="fc")
    for options in ({}, {"normalization": "batch"}, {"normalization": "valid", "use_ignore": True}):
        symbol = mx.sym.SoftmaxOutput(scores, label, name="softmax", **options)
        del starts[:]
        graph, arrays = mx.nd.CachedOp(symbol), {"fc_weight": filled(3, 5), "fc_bias": filled(3)}

        def eager(*inputs, options=options):
            return nd.SoftmaxOutput(nd.FullyConnected(*inputs[:3], num_hidden=3), inputs[3], **options)

        for n in (4, 3, 6, 5):
            x, classes = filled(n, 5), nd.array(np.arange(n) % 4 - 1)
            gradients = []
            for run in (graph, eager):
                weight = arrays["fc_weight"].copy()
                weight.attach_grad()
                with autograd.record():
                    y = run(x, weight, arrays["fc_bias"], classes)
                y.backward()
                gradients.append(weight.grad.asnumpy())
            np.testing.assert_allclose(*gradients, rtol=1e-5, atol=1e-6)
        assert len(starts) <= 4


class Scaled(HybridBlock):
    """A sum of two inputs whose sizes may be equal or 1, and of ones that are made for them."""

    def hybrid_forward(self, F, x, y):
        return F.broadcast_add(
            F.broadcast_add(x, y) * 2, F.concat(F.ones_like(x), F.zeros_like(x), dim=1).sum()
        )


@pytest.mark.parametrize("seed", range(12))
def test_sizes_in_any_turns(seed, starts):
    """What is equal in some calls, or 1, is not taken to be so in others."""
    rng = random.Random(seed)
    net = Scaled()
    net.hybridize()
    for _ in range(12):
        shape = [rng.choice([1, 2, 2, 3, 5]) for _ in range(3)]
        other = [rng.choice([1, d, d]) for d in shape]
        for x, y in ((filled(*shape), filled(*other)), (filled(*other), filled(*shape))):
            expected = x.asnumpy() + y.asnumpy()
            np.testing.assert_allclose(net(x, y).asnumpy(), expected * 2 + x.size, rtol=1e-5)
    assert len(starts) < 20


@pytest.mark.parametrize("training", [False, True])
def test_arrays_without_elements_between_others(training):
    net, plain = twins(perceptron, (4, 5))
    for n in (4, 3, 0, 6, 0, 2):
        x = filled(n, 5)
        for block in (net, plain):
            mx.random.seed(n)
            with autograd.record(train_mode=False) if training else autograd.pause():
                block.last = block(x).asnumpy()
        assert net.last.shape == (n, 3)
        np.testing.assert_allclose(net.last, plain.last, rtol=1e-4, atol=1e-5)


def test_shapes_that_do_not_fit_are_refused_where_sizes_are_free():
    net = Scaled()
    net.hybridize()
    for n in (2, 3, 4):
        net(filled(n, 3, n + 1), filled(n, 3, n + 1))
    with pytest.raises(MXNetError, match="broadcast"):
        net(filled(3, 3, 5), filled(2, 3, 5))
    assert net(filled(6, 3, 7), filled(6, 3, 7)).shape == (6, 3, 7)


class Diagonal(HybridBlock):
    """What ONNX has for known sizes alone."""

    def hybrid_forward(self, F, x):
        return F.diag(x, k=1)


@pytest.mark.parametrize("training", [False, True])
def test_sessions_without_end_are_told_once_with_the_reason(training, caplog, monkeypatch):
    monkeypatch.setenv("HYBRIDONNX_SESSIONS", "3")
    net = Diagonal()
    net.hybridize()
    with caplog.at_level(logging.WARNING, "hybridonnx"):
        for n in (2, 3, 4, 2, 3, 4):
            with autograd.record(training) if training else autograd.pause():
                net(filled(n, n + 1))
        assert not caplog.records
        for n in range(5, 20):
            with autograd.record(training) if training else autograd.pause():
                net(filled(n, n + 1))
    (record,) = caplog.records
    assert "HYBRIDONNX_SESSIONS" in record.getMessage()
    assert "diag: fixed input shapes are required" in record.getMessage()


def test_a_session_that_comes_back_is_told(caplog, monkeypatch):
    monkeypatch.setenv("HYBRIDONNX_SESSIONS", "2")
    kept = Kept()
    with caplog.at_level(logging.WARNING, "hybridonnx"):
        for key in "abc":
            kept.keep(key, key)
        assert not caplog.records
        kept.keep("a", "a")
    assert len(caplog.records) == 1
    assert list(kept) == ["c", "a"]


def test_forms_free_what_differs_and_keep_apart_what_was_not_always_equal():
    forms = Forms(["x", "y"], [(4, 4), (4,)], predicts=False)

    def first(*shapes):
        return next(forms.fitting(shapes))

    assert first((4, 4), (4,)) == ((4, 4), (4,))
    free = first((5, 5), (5,))
    assert free == (("x_0", "x_0"), ("x_0",))
    forms.accept(free)
    assert first((7, 7), (7,)) is free
    assert first((7, 8), (7,)) == (("x_0", "x_1"), ("x_0",))
    forms.refuse((("x_0", "x_1"), ("x_0",)), "no")
    assert first((7, 9), (7,)) == (("x_0", 9), ("x_0",))
    forms.refuse((("x_0", 9), ("x_0",)), "nor this")
    assert not is_free(first((7, 9), (7,)))
    assert forms.reason == "nor this"


def test_first_shapes_have_forms_of_their_own_as_long_as_patience_lasts():
    forms = Forms(["x"], [(4, 4)], predicts=False, patience=2)

    def first(shape):
        return next(forms.fitting([shape]))

    assert first((4, 4)) == ((4, 4),)
    assert first((4, 5)) == ((4, 5),)
    free = first((6, 6))
    assert free == (("x_0", "x_1"),)
    forms.accept(free)
    assert first((9, 7)) is free
    assert first((4, 5)) == ((4, 5),), "what has its own session runs in it"
