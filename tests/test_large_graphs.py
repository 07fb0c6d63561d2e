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
from hybridonnx.runtime import chain, compile, parts, session

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
    monkeypatch.setattr(parts, "MOST_NODES", MOST)
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


# ---- constant parameters


@pytest.fixture
def cuts(sizes, monkeypatch):
    """As `sizes`, where graphs of constant parameters are cut after few operators as well."""
    for module in (chain, compile):
        monkeypatch.setattr(module, "MOST_WHOLE", MOST)
    monkeypatch.setattr(chain, "_OPERATORS_A_CROSSING", 1)
    return sizes


def dense(layers, **options):
    net = nn.HybridSequential()
    net.add(*[nn.Dense(8, in_units=8, **options) for _ in range(layers)])
    net.initialize(mx.init.Xavier(magnitude=3))
    net.hybridize()
    return net


def test_constant_parameters_are_in_the_parts(cuts):
    """One chain for all sizes of batches; 0 is no size that parts of free sizes are made for."""
    net, plain = twins(network, (2, 2, 4, 4))
    for size in (2, 3, 7, 1, 0):
        x = nd.array(np.random.default_rng(size).uniform(-1, 1, (size, 2, 4, 4)))
        if size == 0:
            assert net(nd.zeros((0, 2, 4, 4))).shape == (0, 2)
            continue
        np.testing.assert_allclose(net(x).asnumpy(), plain(x).asnumpy(), rtol=1e-4, atol=1e-5)
        if size == 2:
            first = list(cuts)
        assert cuts == first
    assert len(first) >= 4
    assert max(first) < 40


def test_parameters_that_change_are_seen_by_all_parts(cuts):
    net, plain = twins(network, (2, 2, 4, 4))
    x = nd.array(np.random.default_rng(0).uniform(-1, 1, (2, 2, 4, 4)))
    for step in range(8):
        if step in (2, 7):
            for block in (net, plain):
                for parameter in block.collect_params(".*bias").values():
                    parameter.set_data(nd.full(parameter.shape, step))
        np.testing.assert_allclose(net(x).asnumpy(), plain(x).asnumpy(), rtol=1e-4, atol=1e-5)


def test_sizes_between_parts_are_computed(cuts):
    """Those that are sums and products of the inputs' own, of outputs of several parts."""

    def make():
        def forward(F, x):
            twice = F.concat(F.tanh(x), F.relu(x) + 1, dim=0)
            flat = F.reshape(F.exp(twice), shape=(-1,))
            tall = F.reshape(F.sin(flat * 2), shape=(-1, 2))
            return F.cos(tall) * 2, F.tanh(flat - 1), F.broadcast_add(tall, F.mean(twice, keepdims=True))

        return nn.HybridLambda(forward)

    net, plain = make(), make()
    net.hybridize()
    for size in (2, 3, 5):
        x = nd.array(np.random.default_rng(size).uniform(-1, 1, (size, 4)))
        for a, b in zip(net(x), plain(x), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)
    assert len(cuts) > 3


def test_parts_draw_as_eager_calls(cuts):
    def make():
        def forward(F, x):
            a = F.random.normal_like(x) + F.tanh(x)
            b = F.random.uniform_like(F.exp(a)) * 2
            return F.relu(F.random.normal_like(b) + b) - a

        return nn.HybridLambda(forward)

    net, plain = make(), make()
    net.hybridize()
    results = []
    for block in (net, plain):
        mx.random.seed(5)
        results.append([block(nd.ones((3, 4))).asnumpy() for _ in range(2)])
    np.testing.assert_allclose(results[0], results[1], rtol=1e-5, atol=1e-6)
    assert len(cuts) > 2


def test_a_chain_gives_the_numbers_of_one_session(sizes, monkeypatch):
    """Bit for bit, as its nodes are the same."""
    net, x = dense(40, activation="tanh"), nd.array(np.random.default_rng(0).uniform(-1, 1, (2, 8)))
    whole = net(x).asnumpy()
    assert len(sizes) == 1
    for module in (chain, compile):
        monkeypatch.setattr(module, "MOST_WHOLE", MOST)
    monkeypatch.setattr(chain, "_OPERATORS_A_CROSSING", 1)
    net.hybridize()
    np.testing.assert_array_equal(net(x).asnumpy(), whole)
    assert len(sizes) > 10
    assert sum(sizes[1:]) == sizes[0]


def test_what_would_not_be_faster_is_one_session(cuts, monkeypatch):
    """Branches side by side, which all cross; a value that is two outputs, and an input that is one."""
    monkeypatch.setattr(chain, "_OPERATORS_A_CROSSING", 2)

    def branches(F, x):
        return F.add_n(*[F.tanh(x * float(i)) for i in range(20)])

    def twice(F, x):
        y = F.relu(F.tanh(F.exp(F.sin(F.cos(x + 1)) * 2)))
        return y, y, F.cos(y)

    def through(F, x):
        return F.relu(F.tanh(F.exp(F.sin(F.cos(x + 1)) * 2))), x

    x = nd.array([[0.5, -1.0]])
    for forward in (branches, twice, through):
        del cuts[:]
        net, plain = nn.HybridLambda(forward), nn.HybridLambda(forward)
        net.hybridize()
        results = [y if isinstance(y, list | tuple) else [y] for y in (net(x), plain(x))]
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5)
        assert len(cuts) == 1, forward


def test_ordinary_networks_are_one_session(monkeypatch):
    """Sessions are counted for the cuts as they are: none below their size, parts of equal size beyond."""
    sizes = []
    start = session._start
    monkeypatch.setattr(session, "_start", lambda model, *rest: sizes.append(1) or start(model, *rest))
    net = mx.gluon.model_zoo.vision.resnet50_v1(classes=3)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 3, 32, 32)))
    assert len(sizes) == 1
    x = sym.var("x")
    for operators, parts_expected in ((4000, None), (4001, 5), (8001, 9)):
        y = x
        for _ in range(operators):
            y = sym.relu(y)
        cut = chain.cut_of(y)
        assert (cut and len(cut.parts)) == parts_expected
        if cut:
            assert max(len(part.originals) for part in cut.parts) <= parts.MOST_NODES


def test_borders_have_names_of_their_own(cuts):
    """Whatever a parameter is called."""
    x, w = sym.var("x"), sym.var("_from0")
    y = sym.tanh(sym.exp(sym.sin(x * 2))) + 1
    y = sym.relu(sym.cos(y * w) - 1) * w
    for part in chain.cut_of(y).parts:
        assert len(set(part.names)) == len(part.names)
    net = mx.gluon.SymbolBlock(y, x)
    net.collect_params().initialize(mx.init.Constant(3))
    a = np.array([[0.5, -1.0]], np.float32)
    net(nd.array(a))
    net.hybridize()
    expected = np.maximum(np.cos((np.tanh(np.exp(np.sin(a * 2))) + 1) * 3) - 1, 0) * 3
    np.testing.assert_allclose(net(nd.array(a)).asnumpy(), expected, rtol=1e-5)
    assert len(cuts) > 2


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
