"""Graphs of many nodes: cut into sessions of limited size, and worked on in time that grows with them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd, sym
from hybridonnx.converters import from_onnx, to_onnx
from hybridonnx.converters.unused import UsedNames
from hybridonnx.gluon import nn, rnn
from hybridonnx.ops import Spec
from hybridonnx.runtime import compile, plan, session

MOST = 3


def network():
    """A few more layers than go into a session, with draws and states among them."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(3, 2), nn.BatchNorm(), nn.Activation("relu"), nn.Dropout(0.4), nn.Flatten(), nn.Dense(6)
    )
    net.add(
        nn.BatchNorm(), nn.HybridLambda(lambda F, x: F.concat(x * 2, F.tanh(x), x.sum(axis=1, keepdims=True)))
    )
    net.add(nn.Dropout(0.3), nn.Dense(4), nn.LayerNorm(), nn.Dense(2))
    return net


def twins(make, shape):
    """A block hybridized, and the same one eagerly."""
    blocks = []
    for hybrid in (True, False):
        block = make()
        block.initialize(mx.init.Xavier())
        block(nd.ones(shape))
        block.hybridize(hybrid)
        blocks.append(block)
    for a, b in zip(*(block.collect_params().values() for block in blocks), strict=True):
        b.set_data(a.data())
    return blocks


def trained(net, x):
    """The outputs, the gradients and the states after a step."""
    mx.random.seed(1)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    params = net.collect_params().values()
    grads = [p.grad().asnumpy() for p in params if p.grad_req != "null"]
    return [y.asnumpy(), x.grad.asnumpy(), *grads, *(p.data().asnumpy() for p in params)]


@pytest.fixture
def sizes(monkeypatch):
    """The sizes of the graphs that sessions are made of, in nodes of ONNX, for cuts after few operators."""
    made = []
    start = session._start

    def counted(model, *args):
        made.append(len(onnx.load_from_string(model).graph.node))
        return start(model, *args)

    monkeypatch.setattr(session, "_start", counted)
    monkeypatch.setattr(plan, "MOST_NODES", MOST)
    monkeypatch.setattr(compile, "MOST_NODES", MOST)
    return made


@pytest.mark.parametrize("cell", [False, True])
def test_a_graph_in_parts_trains_as_one(cell, sizes):
    def unrolled():
        class Steps(mx.gluon.HybridBlock):
            """One cell, whose parameters all parts share."""

            def __init__(self):
                super().__init__()
                self.cell = rnn.LSTMCell(3, input_size=4)

            def hybrid_forward(self, F, x):
                return self.cell.unroll(5, x, layout="NTC", merge_outputs=True)[0]

        return Steps()

    shapes = [(n, 5, 4) for n in (2, 3, 5)] if cell else [(n, 2, 4, 4) for n in (2, 3, 5)]
    net, plain = twins(unrolled if cell else network, shapes[0])
    for shape in shapes:
        x = np.random.default_rng(shape[0]).uniform(-1, 1, shape).astype(np.float32)
        for a, b in zip(trained(net, nd.array(x)), trained(plain, nd.array(x)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    assert len(sizes) > 10
    assert max(sizes) < 40


def test_a_graph_whose_parameters_change_predicts_in_parts(sizes):
    """Once they stay as they are, it is one session again, which has them as constants."""
    net, plain = twins(network, (2, 2, 4, 4))
    x = nd.array(np.random.default_rng(0).uniform(-1, 1, (2, 2, 4, 4)))
    for step in range(4):
        for block in (net, plain):
            (bias,) = block[-1].collect_params(".*bias").values()
            bias.set_data(nd.full((2,), step))
        np.testing.assert_allclose(net(x).asnumpy(), plain(x).asnumpy(), rtol=1e-4, atol=1e-5)
    parts = len(sizes)
    assert parts > 4
    assert max(sizes) < 40
    for _ in range(300):
        net(x)
    assert len(sizes) == parts + 1


def test_parts_are_no_larger_than_others_of_their_kind(sizes):
    """Twice the layers are twice the sessions, all of one size."""
    counts = []
    for layers in (12, 24):
        del sizes[:]
        net = nn.HybridSequential()
        net.add(*[nn.Dense(4, in_units=4, activation="tanh") for _ in range(layers)])
        net.initialize()
        net.hybridize()
        trained(net, nd.ones((2, 4)))
        counts.append((len(sizes), max(sizes)))
    (few, small), (many, large) = counts
    assert many <= 2 * few + 1
    assert small == large


class CountedNames(UsedNames):
    """Counts how often it is asked."""

    asked = 0

    def __contains__(self, name):
        self.asked += 1
        return super().__contains__(name)


def test_equal_wishes_for_names_take_no_longer():
    names = CountedNames("fc", "fc_2")
    assert [names.new("fc") for _ in range(3)] == ["fc_1", "fc_3", "fc_4"]
    assert names.new("other") == "other"
    for _ in range(1000):
        names.new("fc")
    assert names.asked < 3100


def test_thousands_of_equal_nodes_keep_names_of_their_own():
    x = sym.var("x")
    symbol = sym.add_n(*[sym.relu(x * float(i)) for i in range(2000)])
    lowered = to_onnx.lower(symbol, {"x": Spec((2, 3), np.dtype("float32"))}, {})
    nodes = lowered.model.graph.node
    assert len({node.name for node in nodes}) == len(nodes)
    imported, *_ = from_onnx.import_model(lowered.model)
    again = imported.eval(x=nd.ones((2, 3)))[0].asnumpy()
    np.testing.assert_allclose(again, np.full((2, 3), sum(range(2000)), np.float32), rtol=1e-5)
