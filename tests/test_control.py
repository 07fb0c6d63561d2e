"""Loops and branches: files as real MXNet writes them, and what it computes, in every way of running them."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.errors import AttributeValueError, DTypeError, MXNetError, RequirementError, ShapeError
from hybridonnx.gluon import nn
from hybridonnx.symbol.subgraph import Body
from tests import control_graphs
from tests.control_graphs import GRAPHS
from tests.runtimes import newest_opset, started

FOLDER = Path(__file__).parent / "oracle"
TEXTS = json.loads((FOLDER / "control.json").read_text())
ARRAYS = np.load(FOLDER / "control.npz")

over_graphs = pytest.mark.parametrize("name", GRAPHS)


def expected(name):
    """What real MXNet computes, by the names that `control_graphs` gives."""
    return {key.removeprefix(f"{name}."): ARRAYS[key] for key in ARRAYS.files if key.startswith(f"{name}.")}


def assert_results(results, name):
    stored = expected(name)
    assert results.keys() == stored.keys()
    for key, value in stored.items():
        assert results[key].shape == value.shape, key
        np.testing.assert_allclose(results[key], value, rtol=1e-4, atol=1e-5, err_msg=key)


def block(name):
    """A graph as a block without parameters."""
    graph = control_graphs.symbol(mx, name)
    return gluon.SymbolBlock(graph, [sym.var(k) for k in GRAPHS[name][1]])


def flat(value):
    return [item for part in value for item in flat(part)] if isinstance(value, list | tuple) else [value]


# ---- against real MXNet


@over_graphs
def test_files_are_mxnets(name):
    assert control_graphs.text(control_graphs.symbol(mx, name)) == TEXTS[name]


@over_graphs
def test_files_of_mxnet_are_read(name):
    graph = sym.load_json(TEXTS[name])
    assert_results(control_graphs.computed(mx, graph, control_graphs.inputs(name)), name)


@over_graphs
def test_arrays(name):
    assert_results(control_graphs.recorded(mx, name), name)


@over_graphs
def test_symbols(name):
    graph = control_graphs.symbol(mx, name)
    assert_results(control_graphs.computed(mx, graph, control_graphs.inputs(name)), name)


@over_graphs
def test_hybridized(name, caplog):
    net, values = block(name), control_graphs.inputs(name)
    net.hybridize()
    with caplog.at_level(logging.INFO, "hybridonnx"):
        outputs = net(*map(nd.array, values.values()))
        for i, y in enumerate(flat(outputs)):
            np.testing.assert_allclose(y.asnumpy(), ARRAYS[f"{name}.output{i}"], rtol=1e-4, atol=1e-5)
        inputs = {k: nd.array(v) for k, v in values.items()}
        for x in inputs.values():
            x.attach_grad()
        with autograd.record():
            outputs = flat(net(*inputs.values()))
        autograd.backward(outputs, [nd.array(h) for h in control_graphs.heads(outputs)])
    results = {f"output{i}": y.asnumpy() for i, y in enumerate(outputs)}
    results.update({f"gradient of {k}": x.grad.asnumpy() for k, x in inputs.items()})
    assert_results(results, name)
    assert not caplog.records, "something ran on kernels"


@over_graphs
@pytest.mark.parametrize("opset", [13, 18, newest_opset()])
def test_exported(name, opset, tmp_path):
    values = control_graphs.inputs(name)
    path = mx.onnx.export_model(
        control_graphs.symbol(mx, name),
        {},
        [v.shape for v in values.values()],
        onnx_file_path=str(tmp_path / "model.onnx"),
        opset_version=opset,
    )

    outputs = started(onnx.load(path)).run(None, values)
    for i, y in enumerate(outputs):
        np.testing.assert_allclose(y, ARRAYS[f"{name}.output{i}"], rtol=1e-4, atol=1e-5)


# ---- blocks


class Loop(gluon.HybridBlock):
    """Layers in the body of a loop, whose state is scaled by a parameter from outside of the body."""

    def __init__(self, *layers, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.layers = nn.HybridSequential()
            self.layers.add(*layers)
            self.scale = self.params.get("scale", shape=(1, 3), init="ones")

    def hybrid_forward(self, F, x, state, scale):
        def body(part, state):
            y = self.layers(part) + state
            return y, F.broadcast_mul(F.tanh(y), scale)

        return F.contrib.foreach(body, x, state)


def data(rng, *shapes):
    return [nd.array(rng.standard_normal(shape)) for shape in shapes]


def trained(net, inputs, train_mode=True):
    """Outputs and gradients, of the parameters too, with the same draws each time."""
    for x in inputs:
        x.attach_grad()
    mx.random.seed(3)
    with autograd.record(train_mode):
        outputs = flat(net(*inputs))
    autograd.backward(outputs, [nd.array(h) for h in control_graphs.heads(outputs)])
    params = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [x.asnumpy() for x in (*outputs, *[x.grad for x in inputs], *[p.grad() for p in params])]


def assert_same(results, others):
    for a, b in zip(results, others, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def loop(*layers):
    net = Loop(*layers, prefix="net_")
    mx.random.seed(0)
    net.initialize(mx.init.Uniform(0.5))
    return net


def test_parameters_in_a_body_are_initialized_by_the_loop(rng):
    x, state = data(rng, (5, 2, 4), (2, 3))
    net = loop(nn.Dense(3))
    net.hybridize()
    net(x, state)
    assert net.layers[0].weight.shape == (3, 4)
    net.hybridize(False)
    eager = trained(net, (x, state))
    net.hybridize()
    assert_same(trained(net, (x, state)), eager)


@pytest.mark.parametrize("train_mode", [True, False])
def test_dropout_in_a_body_draws_what_it_draws_eagerly(rng, train_mode):
    inputs = data(rng, (5, 2, 4), (2, 3))
    net = loop(nn.Dense(3, in_units=4), nn.Dropout(0.5))
    eager = trained(net, inputs, train_mode)
    plain = net(*inputs)[0].asnumpy()
    assert np.allclose(eager[0], plain) != train_mode
    net.hybridize()
    assert_same(trained(net, inputs, train_mode), eager)
    assert_same([y.asnumpy() for y in net(*inputs)], [y.asnumpy() for y in net(*inputs)])


class Noisy(gluon.HybridBlock):
    """Draws of several kinds in a loop, and in one inside of it."""

    def hybrid_forward(self, F, x, s):
        def inner(row, state):
            y = F.Dropout(row * state, p=0.4)
            return y * y, state + y

        def outer(matrix, state):
            outputs, last = F.contrib.foreach(inner, F.Dropout(matrix, p=0.3, axes=(0,)), state)
            jitter = F.random.normal_like(last)
            return F.sum(outputs, axis=0) * jitter, F.tanh(F.Dropout(last, p=0.5, mode="always"))

        ys, last = F.contrib.foreach(outer, F.Dropout(x, p=0.2), s)
        return F.Dropout(ys, p=0.1), last


@pytest.mark.parametrize("train_mode", [True, False])
def test_draws_in_loops_are_made_before_them_and_fed(rng, caplog, train_mode):
    x, s = inputs = data(rng, (3, 4, 5), (5,))
    net = Noisy()
    eager = trained(net, inputs, train_mode)
    shorter = data(rng, (2, 4, 5), (5,))
    eager_shorter = trained(net, shorter)
    mx.random.seed(5)
    plain = [y.asnumpy() for y in net(x, s)]
    net.hybridize()
    with caplog.at_level(logging.INFO, "hybridonnx"):
        mx.random.seed(5)
        assert_same([y.asnumpy() for y in net(x, s)], plain)
        if train_mode:
            assert_same(trained(net, inputs), eager)
            assert_same(trained(net, shorter), eager_shorter)
    assert not caplog.records, "something ran on kernels"
    assert_same(trained(net, inputs, train_mode), eager)


def test_second_gradients_through_draws_in_a_loop(rng):
    x, s = data(rng, (3, 4, 5), (5,))
    net = Noisy()

    def second():
        mx.random.seed(4)
        x.attach_grad()
        with autograd.record():
            ys, last = net(x, s)
            (gradient,) = autograd.grad((ys * ys).sum() + last.sum(), [x], create_graph=True)
            total = (gradient * gradient).sum()
        total.backward()
        return [gradient.asnumpy(), x.grad.asnumpy()]

    eager = second()
    assert abs(eager[1]).max() > 0
    net.hybridize()
    assert_same(second(), eager)


class Drawing(gluon.HybridBlock):
    """Dropout in every graph that a loop or branch runs."""

    def hybrid_forward(self, F, x, p):
        def func(v, i):
            part = F.contrib.cond(p, lambda: F.Dropout(v, p=0.3) * 2, lambda: F.sin(F.Dropout(v, p=0.7)))
            return F.Dropout(part, p=0.2), [part + v, i + 1]

        outputs, last = F.contrib.while_loop(lambda v, i: i < 3, func, [x, p * 0], max_iterations=5)
        return [outputs, *last]


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_draws_in_loops_and_branches(rng, p):
    x = nd.array(rng.uniform(0.5, 1, (4, 5)))
    net = Drawing()
    eager = trained(net, (x, nd.array([p])))
    assert (eager[0][:3] == 0).any()
    assert (eager[0][3:] == 0).all()
    net.hybridize()
    assert_same(trained(net, (x, nd.array([p]))), eager)


def test_batch_norm_in_a_body(rng):
    inputs = data(rng, (5, 2, 4), (2, 3))
    net = loop(nn.Dense(3, in_units=4), nn.BatchNorm(in_channels=3))
    trained(net, inputs)
    assert abs(net.layers[1].running_mean.data().asnumpy()).max() > 0
    eager = [y.asnumpy() for y in net(*inputs)]
    net.hybridize()
    assert_same([y.asnumpy() for y in net(*inputs)], eager)
    with pytest.raises(MXNetError, match="_foreach: a body without changing auxiliary states is required"):
        trained(net, inputs)
    assert_same([y.asnumpy() for y in net(*inputs)], eager)


def test_batch_norm_with_fixed_statistics_trains_in_a_body(rng):
    inputs = data(rng, (5, 2, 4), (2, 3))
    net = loop(nn.Dense(3, in_units=4), nn.BatchNorm(in_channels=3, use_global_stats=True))
    eager = trained(net, inputs)
    net.hybridize()
    assert_same(trained(net, inputs), eager)


def test_recurrent_cells_in_a_body(rng):
    class Net(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.cell = gluon.rnn.LSTMCell(3, input_size=4)

        def hybrid_forward(self, F, x, h, c):
            return F.contrib.foreach(self.cell, x, [h, c])

    inputs = data(rng, (6, 2, 4), (2, 3), (2, 3))
    net = Net()
    net.initialize()
    eager = trained(net, inputs)
    layers = gluon.rnn.LSTM(3, input_size=4, prefix=net.cell.prefix + "l0_")
    layers.initialize()
    for name, param in net.cell.collect_params().items():
        getattr(layers, "l0_" + name.removeprefix(net.cell.prefix)).set_data(param.data())
    outputs, _ = layers(inputs[0], [h.expand_dims(0) for h in inputs[1:]])
    np.testing.assert_allclose(eager[0], outputs.asnumpy(), rtol=1e-4, atol=1e-5)
    net.hybridize()
    assert_same(trained(net, inputs), eager)


def test_gradients_of_gradients_of_a_hybridized_loop(rng):
    x, state = data(rng, (3, 2, 4), (2, 3))
    net = loop(nn.Dense(3, in_units=4))

    def second():
        x.attach_grad()
        with autograd.record():
            outputs = net(x, state)
            (gradient,) = autograd.grad(outputs[0] * outputs[0], [x], create_graph=True)
            total = (gradient * gradient).sum()
        total.backward()
        return [gradient.asnumpy(), x.grad.asnumpy()]

    eager = second()
    net.hybridize()
    assert_same(second(), eager)


def test_a_block_with_a_loop_is_exported_and_read_again(rng, tmp_path):
    inputs = data(rng, (5, 2, 4), (2, 3))
    net = loop(nn.Dense(3, in_units=4))
    net.hybridize()
    expected = [y.asnumpy() for y in net(*inputs)]
    net.export(str(tmp_path / "net"))
    again = gluon.SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), ["data0", "data1"], str(tmp_path / "net-0000.params")
    )
    assert_same([y.asnumpy() for y in again(*inputs)], expected)


@pytest.mark.parametrize("opset", [13, newest_opset()])
def test_free_sizes(rng, tmp_path, opset):
    net = loop(nn.Dense(3, in_units=4))
    shapes = [("time", "batch", 4), ("batch", 3)]
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=shapes, opset_version=opset)
    session = started(onnx.load(path))
    names = [i.name for i in session.get_inputs()]
    for time, batch in ((1, 2), (2, 1), (7, 7)):
        inputs = data(rng, (time, batch, 4), (batch, 3))
        outputs = session.run(None, dict(zip(names, [x.asnumpy() for x in inputs], strict=True)))
        assert_same(outputs, [y.asnumpy() for y in net(*inputs)])


@pytest.mark.parametrize("steps", [0, 1, 3, 9])
def test_free_sizes_of_a_loop_of_any_length(rng, tmp_path, steps):
    i, x, w = (sym.var(n) for n in "ixw")
    outputs, last = sym.contrib.while_loop(
        lambda i, x: i > 0, lambda i, x: (x * w, [i - 1, x + w]), [i, x], max_iterations=5
    )
    shapes = {"i": (1,), "x": ("batch", 2), "w": ("batch", 2)}
    path = mx.onnx.export_model(
        sym.Group([outputs, *last]), {}, shapes, onnx_file_path=str(tmp_path / "loop.onnx")
    )
    session = started(onnx.load(path))
    for batch in (1, 2, 7):
        a, b = rng.standard_normal((2, batch, 2)).astype(np.float32)
        count = min(steps, 5)
        products = [(a + k * b) * b if k < count else 0 * b for k in range(5)]
        got = session.run(None, {"i": np.array([steps], np.float32), "x": a, "w": b})
        np.testing.assert_allclose(got[0], np.stack(products), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(got[2], a + count * b, rtol=1e-5, atol=1e-6)


# ---- loops of no steps


class Both(gluon.HybridBlock):
    """A loop with outputs and a state, one with a state alone, one in another; data of one axis as well."""

    def hybrid_forward(self, F, x, v, s):
        def rows(matrix, state):
            outputs, last = F.contrib.foreach(lambda row, t: (row * t, t + row), matrix, state)
            return F.sum(outputs, axis=0), last * 0.5

        ys, last = F.contrib.foreach(rows, x, s)
        _, total = F.contrib.foreach(lambda part, t: ([], F.broadcast_add(t, part)), v, last)
        return ys, last, total


def both(x, v, s):
    """The same in NumPy."""
    ys = np.zeros((len(x), *s.shape), np.float32)
    for i, matrix in enumerate(x):
        for row in matrix:
            ys[i] += row * s
            s = s + row
        s = s * 0.5
    return [ys, s, s + v.sum(dtype=np.float32)]


LENGTHS = ((0, 3, 0), (2, 3, 0), (0, 0, 2), (2, 0, 2), (3, 2, 1))
"""Those of the outer loop, the inner one and the last one."""


@pytest.mark.parametrize("opset", [13, 18, newest_opset()])
def test_exported_loops_run_for_any_length(rng, tmp_path, opset):
    path = mx.onnx.export_model(
        Both(),
        str(tmp_path / "net.onnx"),
        input_shapes=[("outer", "inner", "width"), ("last",), ("width",)],
        opset_version=opset,
    )
    session = started(onnx.load(path))
    names = [i.name for i in session.get_inputs()]
    for outer, inner, last in LENGTHS:
        values = [x.asnumpy() for x in data(rng, (outer, inner, 4), (last,), (4,))]
        assert_same(session.run(None, dict(zip(names, values, strict=True))), both(*values))


@pytest.mark.parametrize("static_shape", [False, True])
def test_hybridized_loops_run_for_any_length(rng, caplog, static_shape):
    net = Both()
    net.hybridize(static_alloc=static_shape, static_shape=static_shape)
    with caplog.at_level(logging.INFO, "hybridonnx"):
        for outer, inner, last in ((3, 2, 1), *LENGTHS):
            inputs = data(rng, (outer, inner, 4), (last,), (4,))
            expected = both(*[x.asnumpy() for x in inputs])
            assert_same([y.asnumpy() for y in net(*inputs)], expected)
            results = trained(net, inputs)
            assert_same(results[:3], expected)
            if not outer * inner:
                head = control_graphs.heads([nd.array(y) for y in expected])
                scale = np.float32(0.5**outer)
                np.testing.assert_allclose(results[5], (head[1] + head[2]) * scale, rtol=1e-5)
    assert not caplog.records, "something ran on kernels"


@pytest.mark.parametrize("opset", [13, newest_opset()])
def test_a_fixed_length_of_0_is_exported(tmp_path, opset):
    path = mx.onnx.export_model(
        Both(), str(tmp_path / "net.onnx"), input_shapes=[(0, 2, 4), (0,), (4,)], opset_version=opset
    )
    session = started(onnx.load(path))
    values = [np.zeros((0, 2, 4), np.float32), np.zeros(0, np.float32), np.ones(4, np.float32)]
    names = [i.name for i in session.get_inputs()]
    outputs = session.run(None, dict(zip(names, values, strict=True)))
    assert_same(outputs, both(*values))


# ---- what arrays give


def test_structures_of_arrays(rng):
    (x,) = data(rng, (3, 2))
    outputs, states = nd.contrib.foreach(lambda part, s: ([part, [part + s[0][0]]], s), (x), [[x[0]]])
    assert isinstance(outputs, list)
    assert isinstance(outputs[1], list)
    np.testing.assert_allclose(outputs[1][0].asnumpy(), (x + x[0]).asnumpy())
    assert isinstance(states[0], list)
    nested, _ = nd.contrib.foreach(lambda parts, s: (parts[0][0] * parts[1], s), [[x], x], [])
    np.testing.assert_allclose(nested.asnumpy(), (x * x).asnumpy())
    empty, last = nd.contrib.foreach(lambda part, s: ([], s + part), x, nd.zeros(2))
    assert empty == []
    np.testing.assert_allclose(last.asnumpy(), x.asnumpy().sum(0), rtol=1e-6)


def test_while_loop_of_arrays():
    def run(start, func, most=3, **kwargs):
        return nd.contrib.while_loop(lambda a: a < 2, func, start, max_iterations=most, **kwargs)

    one = nd.array([0])
    outputs, last = run(one, lambda a: (a, a + 1))
    assert outputs.asnumpy().tolist() == [[0], [1], [0]]
    assert last.asnumpy().tolist() == [2]
    outputs, last = run([one], lambda a: ([a, [a * 3]], [a + 1]))
    assert outputs[1][0].asnumpy().tolist() == [[0], [3], [0]]
    assert isinstance(last, list)
    assert run([one], lambda a: (None, a + 1))[0] == []
    outputs, last = run([nd.array([5])], lambda a: (a, a + 1))
    assert outputs == []
    assert last[0].asnumpy().tolist() == [5]
    outputs, _ = run([one], lambda a: (a, a), most=2)
    assert outputs.shape == (2, 1)
    outputs, _ = run([nd.array([0], dtype="int64")], lambda a: (a, a + 1))
    assert outputs.dtype == np.int64


def test_cond_of_arrays():
    one, two = nd.array([1]), nd.array([2])
    assert nd.contrib.cond(one * two < 5, lambda: one, lambda: two) is one
    assert nd.contrib.cond(0, lambda: one, lambda: [two]) == [two]
    with pytest.raises(ShapeError, match="cond: pred: one element is required"):
        nd.contrib.cond(nd.array([1, 2]), lambda: one, lambda: two)


def test_loops_over_nothing(rng):
    x, s = sym.var("x"), sym.var("s")
    outputs, last = sym.contrib.foreach(lambda part, s: (part + s, s * 2), x, s)
    results = sym.Group([outputs, last]).eval(x=nd.zeros((0, 2)), s=nd.ones(2))
    assert [y.shape for y in results] == [(0, 2), (2,)]
    assert results[1].asnumpy().tolist() == [1, 1]
    with pytest.raises(ShapeError, match="one first size above 0 are required as data"):
        nd.contrib.foreach(lambda part, s: (part, s), nd.zeros((0, 2)), nd.ones(2))


# ---- inference


def test_inference_through_bodies():
    x, s, w = (sym.var(n) for n in "xsw")

    def body(part, state):
        return sym.FullyConnected(part, w, no_bias=True, num_hidden=4) + state, state * 2

    graph = sym.Group(sym.contrib.foreach(body, x, s))
    assert graph.list_arguments() == ["x", "s", "w"]
    assert graph.infer_shape(x=(5, 2, 3)) == ([(5, 2, 3), (2, 4), (4, 3)], [(5, 2, 4), (2, 4)], [])
    assert graph.infer_shape_partial(x=(0, 2, 3)) == ([(0, 2, 3), (2, 4), (4, 3)], [(0, 2, 4), (2, 4)], [])
    assert graph.infer_type(x="float64") == ([np.float64] * 3, [np.float64] * 2, [])
    with pytest.raises(ShapeError, match="equal shapes are required"):
        graph.infer_shape(x=(5, 2, 3), s=(7,))


def test_inference_of_while_loops_and_branches():
    i, a = sym.var("i"), sym.var("a")
    outputs, last = sym.contrib.while_loop(
        lambda i, a: i < 2, lambda i, a: (a * 2, [i + 1, a + 1]), [i, a], max_iterations=5
    )
    graph = sym.Group([outputs, *last])
    assert graph.infer_shape(i=(1,), a=(2,)) == ([(1,), (2,)], [(5, 2), (1,), (2,)], [])
    types = graph.infer_type(i="float64", a="float32")
    assert types == ([np.float64, np.float32], [np.float32, np.float64, np.float32], [])
    p, u, v = (sym.var(n) for n in "puv")
    graph = sym.contrib.cond(p, lambda: u * 2, lambda: v * 3)
    assert graph.infer_shape(p=(1,), u=(2, 3)) == ([(1,), (2, 3), (2, 3)], [(2, 3)], [])
    with pytest.raises(ShapeError, match="equal shapes are required"):
        graph.infer_shape(p=(1,), u=(2,), v=(3,))
    with pytest.raises(DTypeError, match="outputs of one dtype in both branches"):
        graph.infer_type(p="float32", u="float32", v="int32")


# ---- what is refused

X, S, P = sym.var("x"), sym.var("s"), sym.var("p")

REFUSED = {
    "data of numbers": (
        lambda: sym.contrib.foreach(lambda d, s: (d, s), 3, S),
        RequirementError,
        "a symbol or",
    ),
    "arrays of numbers": (
        lambda: nd.contrib.foreach(lambda d, s: (d, s), 3, []),
        RequirementError,
        "an array or",
    ),
    "output of numbers": (
        lambda: nd.contrib.foreach(lambda d, s: (3, s), nd.ones((2, 2)), []),
        RequirementError,
        "an array or",
    ),
    "lengths": (
        lambda: nd.contrib.foreach(lambda d, s: (d, s), [nd.ones((2, 2)), nd.ones((3, 2))], []),
        ShapeError,
        "one first size",
    ),
    "unused data": (
        lambda: sym.contrib.foreach(lambda d, s: (s, s), X, S),
        RequirementError,
        "without use, x",
    ),
    "unused state": (
        lambda: sym.contrib.foreach(lambda d, s: (d, d), X, S),
        RequirementError,
        "without use, s",
    ),
    "other states": (
        lambda: sym.contrib.foreach(lambda d, s: (d, [s]), X, S),
        RequirementError,
        "states nested as 0",
    ),
    "data twice": (
        lambda: sym.contrib.foreach(lambda d, s: (d[0] * d[1], s), [X, X], S),
        RequirementError,
        "different names are required in the body, got x-0 twice",
    ),
    "nothing": (lambda: sym.contrib.cond(P, list, list), RequirementError, "at least one output"),
    "other branch": (
        lambda: sym.contrib.cond(P, lambda: X, lambda: [X, S]),
        AttributeValueError,
        "as many outputs of else_func",
    ),
    "no condition": (
        lambda: sym.contrib.while_loop(lambda a: 3, lambda a: (a, a), X, max_iterations=3),
        AttributeValueError,
        "a symbol is required of cond",
    ),
    "no most": (
        lambda: nd.contrib.while_loop(lambda a: a, lambda a: (a, a), nd.ones(1)),
        AttributeValueError,
        "max_iterations is required",
    ),
    "most of text": (
        lambda: sym.contrib.while_loop(lambda a: a, lambda a: (a, a), X, "many"),
        AttributeValueError,
        "an integer is required as max_iterations",
    ),
    "no steps": (
        lambda: sym.contrib.while_loop(lambda a: a, lambda a: (a, a + 1), X, 0),
        AttributeValueError,
        "max_iterations of at least 1",
    ),
    "no variables": (
        lambda: nd.contrib.while_loop(lambda: 1, lambda: ([], []), [], 3),
        AttributeValueError,
        "at least one loop variable",
    ),
    "fewer variables": (
        lambda: nd.contrib.while_loop(lambda a: a, lambda a: ([], []), nd.ones(1), 3),
        AttributeValueError,
        "1 loop variables are required of func, got 0",
    ),
    "condition of several": (
        lambda: nd.contrib.while_loop(lambda a: a, lambda a: (a, a), nd.ones(2), 3),
        ShapeError,
        "one element is required",
    ),
    "branch of several": (
        lambda: sym.contrib.cond(P, lambda: X, lambda: S).eval(p=nd.ones(2), x=nd.ones(2), s=nd.ones(2)),
        ShapeError,
        "a condition of one element is required",
    ),
    "a file of gradients": (
        lambda: sym.Group(sym.contrib.foreach(lambda d, s: (d * s, s + d), X, S)).gradient(["x"]).tojson(),
        MXNetError,
        "a graph without gradients of loops is required",
    ),
    "no graphs": (
        lambda: nd._internal._foreach(nd.ones(2), num_outputs=1, num_out_data=1),
        MXNetError,
        "in_state",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case):
    function, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        function()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("in_data_locs", "[7]", "each of 5 inputs once is required"),
        ("remain_locs", "[1]", "each of 5 inputs once is required"),
        ("num_outputs", "9", "outputs are required, got"),
        ("num_out_data", "-1", "outputs are required, got"),
        ("num_args", "3", "inputs"),
    ],
)
def test_hostile_files_are_refused(key, value, message):
    document = json.loads(TEXTS["outside"])
    node = next(n for n in document["nodes"] if n["op"] == "_foreach")
    node["attrs"][key] = value
    with pytest.raises(MXNetError, match=message):
        sym.load_json(json.dumps(document)).infer_shape(x=(3, 2))


def test_files_without_bodies_are_refused():
    document = json.loads(TEXTS["outside"])
    for node in document["nodes"]:
        node.pop("subgraphs", None)
    with pytest.raises(MXNetError, match="_foreach: 1 graphs are required, got 0"):
        sym.load_json(json.dumps(document)).infer_shape(x=(3, 2))


def test_draws_in_exported_bodies_are_onnxs(tmp_path):
    x = sym.var("x")
    outputs, _ = sym.contrib.foreach(
        lambda part, s: (sym.Dropout(part, p=0.5, mode="always"), s * 1), x, x * 2
    )
    path = mx.onnx.export_model(outputs, {}, [(50, 40)], onnx_file_path=str(tmp_path / "net.onnx"))
    (y,) = started(onnx.load(path)).run(None, {"x": np.ones((50, 40), np.float32)})
    assert set(y.ravel()) == {0, 2}
    assert 0.45 < (y == 0).mean() < 0.55
    assert len({row.tobytes() for row in y}) == 50


def test_a_condition_that_draws(rng):
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            def pred():
                return F.sum(F.Dropout(F.ones_like(x), p=0.5)) > 3 * 4

            return F.contrib.cond(pred(), lambda: x * 2, lambda: x - 1), F.Dropout(x, p=0.5)

    (x,) = data(rng, (3, 4))
    net = Net()
    eager = trained(net, (x,))
    net.hybridize()
    assert_same(trained(net, (x,)), eager)


# ---- bodies


def test_variables_of_one_name_in_a_body_are_one(rng):
    """Importers make some; the gradient is that of all of them together."""
    body = Body((sym.var("x") * sym.sin(sym.var("x"))).outputs)
    assert (body.names, len([node for node in body.nodes if node.is_variable])) == (("x",), 1)
    x, dy = rng.standard_normal((2, 3)), rng.standard_normal((2, 3))
    (grad,) = body.gradient(training=False).run([x, dy], training=False)
    np.testing.assert_allclose(grad, dy * (np.sin(x) + x * np.cos(x)), rtol=1e-12)
    (y,) = body(sym.var("z"))
    assert y.list_arguments() == ["z"]


def test_equal_constants_in_a_body_and_outside_are_of_two_graphs(rng, tmp_path):
    """A lowering's `x * x` is a node of the graph of x, which one of both would be in place of the other."""
    numbers = sym.contrib.arange_like
    y, _ = sym.contrib.foreach(lambda x, states: (x + numbers(x), states), sym.var("x"), [])
    y = sym.broadcast_add(y, sym.L2Normalization(numbers(sym.var("z"))))
    x, z = rng.standard_normal((3, 1, 2)).astype("float32"), np.zeros((1, 2), "float32")
    mx.onnx.export_model(y, {}, [x.shape, z.shape], "float32", tmp_path / "y.onnx")
    session = started(onnx.load(tmp_path / "y.onnx"))
    (result,) = session.run(None, {i.name: {"x": x, "z": z}[i.name] for i in session.get_inputs()})
    np.testing.assert_allclose(result, x + [[0, 2]], rtol=1e-6)
