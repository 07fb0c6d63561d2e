"""Mixed precision: casts, scales of losses, and converted networks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.contrib import amp
from hybridonnx.gluon import nn
from tests import amp_facts

FACTS = json.loads((Path(__file__).parent / "oracle" / "amp.json").read_text(encoding="utf-8"))
OURS = amp_facts.facts(mx)


@pytest.fixture
def mixed():
    amp.init()
    yield
    amp.amp._end()


@pytest.mark.parametrize("name", FACTS)
def test_as_in_mxnet(name):
    assert json.loads(json.dumps(OURS[name])) == FACTS[name]


def rounded(*arrays):
    """Arrays as float16 has them, in float32."""
    return [np.asarray(a, np.float16).astype(np.float32) for a in arrays]


def draw(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def test_operators_compute_in_their_precision(mixed):
    x, w, b = draw(3, 4), draw(5, 4), draw(5)
    y = nd.FullyConnected(nd.array(x), nd.array(w), nd.array(b), num_hidden=5)
    x16, w16, b16 = rounded(x, w, b)
    assert y.dtype == np.float16
    np.testing.assert_allclose(y.asnumpy(), x16 @ w16.T + b16, rtol=2e-3, atol=2e-3)
    assert nd.exp(y).dtype == np.float32
    assert y.softmax().dtype == np.float32
    assert nd.relu(y).dtype == np.float16
    assert (y * 2).dtype == np.float16
    assert nd.Activation(y, act_type="relu").dtype == np.float16
    assert nd.Activation(y, act_type="softrelu").dtype == np.float32
    z = nd.ones((3, 5))
    wide = [y + z, z - y, nd.add(y, z), nd.concat(y, z, dim=0), nd.dot(y, nd.ones((5, 2)))]
    assert {v.dtype for v in wide} == {np.float32}
    assert (y * y).dtype == nd.stack(y, y).dtype == np.float16
    assert (
        nd.FullyConnected(data=nd.array(x), weight=nd.array(w), no_bias=True, num_hidden=5).dtype
        == np.float16
    )
    assert nd.sum(nd.array([1, 2], dtype="int32")).dtype == np.int32


def test_gradients_arrive_in_float32(mixed):
    x, w = nd.array(draw(3, 4)), nd.array(draw(5, 4))
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        loss = (nd.FullyConnected(x, w, no_bias=True, num_hidden=5) ** 2).sum()
    loss.backward()
    x16, w16 = rounded(x.asnumpy(), w.asnumpy())
    dy = 2 * (x16 @ w16.T)
    assert loss.dtype == x.grad.dtype == w.grad.dtype == np.float32
    np.testing.assert_allclose(w.grad.asnumpy(), dy.T @ x16, rtol=1e-2, atol=2e-2)
    np.testing.assert_allclose(x.grad.asnumpy(), dy @ w16, rtol=1e-2, atol=2e-2)


def network():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
        net.add(nn.GlobalAvgPool2D(), nn.Dense(3, in_units=4))
    net.initialize()
    for param in net.collect_params().values():
        if param.name.endswith("weight"):
            param.set_data(nd.array(draw(*param.shape) / 3))
    return net


def losses(net, steps=4):
    x, y = nd.array(draw(6, 2, 5, 5)), nd.array([0, 1, 2, 0, 1, 2])
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
    if amp.amp._amp_initialized:
        amp.init_trainer(trainer)
    loss_function, values = gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(steps):
        with autograd.record():
            loss = loss_function(net(x), y)
            if not amp.amp._amp_initialized:
                loss.backward()
            else:
                with amp.scale_loss(loss, trainer) as scaled:
                    autograd.backward(scaled)
        trainer.step(6)
        values.append(float(loss.mean()))
    return values


@pytest.mark.parametrize("hybridized", [False, True])
def test_networks_train_nearly_as_in_float32(hybridized):
    expected = losses(network())
    amp.init()
    try:
        net = network()
        net.hybridize(hybridized)
        values = losses(net)
        assert {p.data().dtype for p in net.collect_params().values()} == {np.float32}
    finally:
        amp.amp._end()
    assert values[-1] < values[0]
    assert values != expected
    np.testing.assert_allclose(values, expected, rtol=5e-3)


def test_what_is_traced_has_the_casts(mixed):
    x = sym.FullyConnected(sym.var("data"), sym.var("w"), no_bias=True, num_hidden=2)
    y = sym.exp(x + sym.var("b"))
    operators = [node["op"] for node in json.loads(y.tojson(remove_amp_cast=False))["nodes"]]
    dense = ["null", "amp_cast", "null", "amp_cast", "FullyConnected"]
    assert operators == [*dense, "null", "amp_multicast", "elemwise_add", "amp_cast", "exp"]
    assert "amp" not in y.tojson()


def dense():
    net = nn.Dense(1, use_bias=False, in_units=2)
    net.initialize(mx.init.One())
    return net


def test_scaled_losses_give_the_same_step(mixed):
    net = dense()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "rescale_grad": 2.0})
    amp.init_trainer(trainer)
    x = nd.array([[1.0, 2], [3, 4]])
    with autograd.record(), amp.scale_loss([net(x).sum() / 1024], trainer) as scaled:
        autograd.backward(scaled)
    np.testing.assert_allclose(net.weight.grad().asnumpy(), [[4 * 64.0, 6 * 64.0]], rtol=1e-3)
    trainer.step(2)
    np.testing.assert_allclose(net.weight.data().asnumpy(), 1 - np.array([[4, 6]]) / 2048, rtol=1e-3)


def test_unscaled_gradients_are_not_divided_again(mixed):
    net = dense()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    amp.init_trainer(trainer)
    with autograd.record(), amp.scale_loss(net(nd.array([[1.0, 2]])).sum() / 1024, trainer) as scaled:
        scaled.backward()
    amp.unscale(trainer)
    np.testing.assert_allclose(net.weight.grad().asnumpy(), np.array([[1, 2]]) / 1024, rtol=1e-3)
    trainer.step(1)
    np.testing.assert_allclose(net.weight.data().asnumpy(), 1 - np.array([[1, 2]]) / 2048, rtol=1e-3)


def test_a_step_of_infinite_gradients_is_passed_over(mixed):
    net = dense()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    amp.init_trainer(trainer)
    scales = []
    for i in range(3):
        with autograd.record():
            loss = net(nd.array([[1.0, 2]])).sum() / 1024
            with amp.scale_loss(loss, trainer) as scaled:
                scales.append(float(scaled) / float(loss))
                head = scaled * (np.inf if i == 0 else 1)
        head.backward()
        trainer.step(1)
        if i == 0:
            np.testing.assert_array_equal(net.weight.data().asnumpy(), [[1, 1]])
    assert scales == [2**16, 2**16, 2**15]  # as MXNet's scaler: the step after the next has the new one
    assert (net.weight.data().asnumpy() < 1).all()


def test_converted_models_compute_nearly_the_same():
    net = network()
    net.hybridize()
    x = nd.array(draw(6, 2, 5, 5))
    expected = net(x).asnumpy()
    for cast in (False, True):
        converted = amp.convert_hybrid_block(net, cast_optional_params=cast)
        dtypes = {name.split("_")[-1]: p.data().dtype for name, p in converted.collect_params().items()}
        assert dtypes["weight"] == (np.float16 if cast else np.float32)
        assert dtypes["gamma"] == np.float32
        for hybridized in (False, True):
            converted.hybridize(hybridized)
            y = converted(x)
            assert y.dtype == np.float32
            np.testing.assert_allclose(y.asnumpy(), expected, rtol=2e-2, atol=2e-3)
            assert not np.array_equal(y.asnumpy(), expected)


def test_converted_parameters():
    x = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    graph = sym.BatchNorm(x, name="bn")
    args = {"fc_weight": nd.ones((2, 3)), "fc_bias": nd.ones((2,)), "bn_gamma": nd.ones((2,))}
    aux = {"bn_moving_mean": nd.ones((2,))}
    for cast in (False, True):
        converted, new, states = amp.convert_model(graph, args, aux, cast_optional_params=cast)
        assert converted.list_arguments() == graph.list_arguments()
        kinds = [new[name].dtype for name in args]
        assert kinds == [np.float16 if cast else np.float32] * 2 + [np.float32]
        assert states["bn_moving_mean"].dtype == np.float32


def test_what_is_refused():
    graph = sym.exp(sym.var("data"))
    trainer = gluon.Trainer(dense().collect_params(), "sgd")
    for call in (
        lambda: amp.init_trainer(trainer),
        lambda: amp.scale_loss(nd.ones((1,)), trainer).__enter__(),
        lambda: amp.list_fp32_ops("int8"),
        lambda: amp.convert_symbol(graph, "int8"),
        lambda: amp.convert_symbol(graph, target_dtype_ops="exp"),
        lambda: amp.convert_symbol(graph, target_dtype_ops=["zz"]),
        lambda: amp.convert_symbol(graph, target_dtype_ops=["exp"], fp32_ops=["exp"]),
        lambda: amp.convert_symbol(graph, conditional_fp32_ops=["exp"]),
        lambda: amp.convert_symbol([graph]),
        lambda: amp.convert_hybrid_block(graph),
    ):
        with pytest.raises(AssertionError, match="required"):
            call()
    with pytest.raises(RuntimeError, match="hybridize"):
        amp.convert_hybrid_block(dense())
    for call in (lambda: amp.init("bfloat16"), lambda: amp.convert_symbol(graph, "bfloat16")):
        with pytest.raises(mx.MXNetError, match="bfloat16"):
            call()
    with pytest.raises(TypeError, match="Trainer"):
        amp.unscale(mx.optimizer.SGD())


def test_only_trainers_have_scales(mixed):
    for other in (mx.optimizer.SGD(), 3):
        with pytest.raises(TypeError, match="Trainer"):
            amp.init_trainer(other)
