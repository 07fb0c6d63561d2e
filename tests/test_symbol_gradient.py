"""Gradients as graphs, against those of the tape."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
import hybridonnx.symbol as sym
from hybridonnx import autograd
from hybridonnx.errors import MXNetError
from hybridonnx.name import NameManager
from hybridonnx.ndarray.creation import array
from hybridonnx.symbol.execute import execute
from hybridonnx.symbol.gradient import gradients, updates
from hybridonnx.symbol.symbol import Symbol


def compound(x, w, b):
    y = sym.tanh(sym.FullyConnected(x, w, b, num_hidden=4))
    y = sym.broadcast_mul(y, sym.reshape(b, shape=(1, 4))) + y / 3
    return sym.softmax(y) * sym.broadcast_like(sym.mean(y, axis=1, keepdims=True), y)


@pytest.fixture
def values(rng):
    shapes = {"x": (3, 5), "w": (4, 5), "b": (4,)}
    return {name: array(rng.standard_normal(shape), dtype="float64") for name, shape in shapes.items()}


@pytest.fixture
def net():
    return compound(sym.var("x"), sym.var("w"), sym.var("b"))


def taped(net, values):
    """The outputs' gradients by the tape, for ones."""
    for value in values.values():
        value.attach_grad()
    with autograd.record():
        outputs = execute(net, values)
    autograd.backward(outputs)
    return [value.grad.asnumpy() for value in values.values()]


def test_same_as_the_tape(net, values):
    grads = execute(net.gradient(list(values)), values)
    for got, want in zip(grads, taped(net, values), strict=True):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-12, atol=1e-12)


def test_second_order(net, values):
    norm = sum((sym.sum(part * part) for part in net.gradient(["x", "w"])), start=sym.zeros((1,), "float64"))
    slopes = execute(norm.gradient(["b"]), values)[0].asnumpy()
    step = 1e-6
    for i in range(4):
        moved = [values["b"].asnumpy() + s * step * np.eye(4)[i] for s in (1, -1)]
        up, down = (execute(norm, {**values, "b": array(b, dtype="float64")})[0].asnumpy()[0] for b in moved)
        assert (up - down) / (2 * step) == pytest.approx(slopes[i], rel=1e-5, abs=1e-7)


def test_broadcast_gradients_are_summed_back():
    a, b = sym.var("a"), sym.var("b")
    grads = sym.broadcast_add(a, b).gradient(["a", "b"])
    specs = grads.infer_shape(a=(2, 1, 3), b=(4, 1))[1]
    assert specs == [(2, 1, 3), (4, 1)]


def test_what_has_no_gradient():
    a, b = sym.var("a"), sym.var("b")
    net = sym.BlockGrad(a) * 2 + b
    assert gradients(net, [a.outputs[0]]) == [None]
    grads = net.gradient(["a", "b"]).eval(a=array([1, 2]), b=array([1, 2]))
    assert [x.asnumpy().tolist() for x in grads] == [[0, 0], [1, 1]]
    with pytest.raises(MXNetError, match="no variable is named 'c'"):
        net.gradient(["c"])


def test_gradients_of_inner_entries_and_given_heads():
    a = sym.var("a")
    inner = a * 3
    (gradient,) = gradients(sym.square(inner), [inner.outputs[0]], [sym.var("dy")])
    assert gradient is not None
    assert gradient.eval(a=array([2]), dy=array([10]))[0].asnumpy().tolist() == [120]


def test_repeated_outputs_add_up():
    a = sym.var("a")
    twice = a * 2
    grads = sym.Group([twice, twice, a]).gradient(["a"]).eval(a=array([1]))
    assert grads[0].asnumpy().tolist() == [5]


@pytest.mark.parametrize(
    ("function", "expected"),
    [(lambda x: x + 1.5, [True, True]), (lambda x: 2 - x, [True, True]), (lambda x: x * 0, [False, False])],
)
def test_gradients_have_the_dtypes_of_their_variables(function, expected):
    (gradient,) = function(sym.var("a")).gradient(["a"]).eval(a=array([True, False], dtype="bool"))
    assert gradient.dtype == np.bool_
    assert gradient.asnumpy().tolist() == expected


def test_names_of_the_user_are_not_counted():
    with NameManager():
        a = sym.var("a")
        net = sym.relu(a)
        gradient = net.gradient(["a"])
        assert type(gradient) is Symbol
        assert sym.relu(a).name == "relu1"
        assert sym.broadcast_mul(a, a).name == "broadcast_mul0"
        assert all(n.name.startswith("_gradient_") for n in gradient.nodes() if n not in net.nodes())


def test_training_or_not():
    net = sym.BatchNorm(sym.var("x"), fix_gamma=False, name="bn")
    entry = next(e for e in net.get_internals().outputs if e.node.name == "x")
    grads = [gradients(net, [entry], training=training)[0] for training in (True, False)]
    texts = [symbol.tojson() for symbol in grads if symbol is not None]
    assert len(set(texts)) == 2


def test_updates_of_states(rng):
    # With momentum 0 the old values do not count: running the operator would already change them.
    net = sym.BatchNorm(sym.var("x"), momentum=0, name="bn")
    pairs = updates(net)
    assert [name for name, _ in pairs] == ["bn_moving_mean", "bn_moving_var"]
    shapes = {"x": (6, 3), "bn_gamma": (3,), "bn_beta": (3,), "bn_moving_mean": (3,), "bn_moving_var": (3,)}
    values = {name: array(rng.uniform(0.5, 2, shape)) for name, shape in shapes.items()}
    with autograd.train_mode():
        new = execute(sym.Group([value for _, value in pairs]), values)
    x = values["x"].asnumpy()
    np.testing.assert_allclose(new[0].asnumpy(), x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(new[1].asnumpy(), x.var(0), rtol=1e-4)


POOLINGS = [
    {"kernel": (2, 2), "stride": (2, 2)},
    {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
    {"kernel": (3, 2), "stride": (2, 1), "pooling_convention": "full"},
    {"kernel": (1, 1), "global_pool": True},
]


@pytest.mark.parametrize("activate", ["Activation:relu", "Activation:tanh", "Activation:sigmoid", "relu"])
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("readers", [1, 2])
def test_activations_in_front_of_max_pooling(activate, pooling, dtype, readers):
    name, _, kind = activate.partition(":")
    attributes = {"act_type": kind} if kind else {}

    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            y = getattr(F, name)(x, **attributes)
            pooled = F.Pooling(y, pool_type="max", **pooling)
            return pooled if readers == 1 else F.broadcast_mul(pooled, F.mean(y * y))

    rng = np.random.default_rng(0)
    x = mx.nd.array(rng.integers(-3, 4, (2, 16, 10, 10)) / 2, dtype=dtype)
    x.attach_grad()
    results = []
    for hybridize in (False, True):  # the operators' own rules, and the graph's
        net = Net()
        net.hybridize(hybridize)
        with mx.autograd.record():
            y = net(x)
        head = np.random.default_rng(1).standard_normal(y.shape)
        head.flat[::5] = 0
        head.flat[2] = np.inf if readers == 1 else 1
        y.backward(mx.nd.array(head, dtype=dtype))
        results.append(x.grad.asnumpy().copy())
    eager, compiled = results
    infinite = ~np.isfinite(eager)
    assert infinite.any() == (readers == 1)
    np.testing.assert_allclose(compiled[~infinite], eager[~infinite], rtol=1e-5, atol=1e-5)


def test_what_is_selected_is_masked_behind_the_selection():
    y = sym.Activation(sym.var("x", shape=(2, 4, 8, 8)), act_type="relu")
    pooled = sym.Pooling(y, kernel=(2, 2), stride=(2, 2), pool_type="max")
    internals = pooled.gradient(["x"]).get_internals()
    shapes = dict(zip(internals.list_outputs(), internals.infer_shape()[1], strict=True))
    assert [shape for name, shape in shapes.items() if "greater" in name] == [(2, 4, 4, 4)]
