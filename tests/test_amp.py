"""Mixed precision: casts, scales of losses, and converted networks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
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
    for module in (graph, mx.mod.BucketingModule(lambda key: (graph, ("data",), ()), 3)):
        with pytest.raises(AssertionError, match="required"):
            amp.convert_bucketing_module(module)
    with pytest.raises(TypeError, match="Trainer"):
        amp.unscale(mx.optimizer.SGD())


def test_only_trainers_have_scales(mixed):
    for other in (mx.optimizer.SGD(), 3):
        with pytest.raises(TypeError, match="Trainer"):
            amp.init_trainer(other)


# ---- bfloat16

BFLOAT16 = json.loads((Path(__file__).parent / "oracle" / "bfloat16.json").read_text(encoding="utf-8"))
STEP = 2.0**-8
"""Half of the distance between 1 and the next number of bfloat16."""


def near(values, expected, steps):
    """Whether numbers are within so many roundings to bfloat16 of the largest."""
    scale = max(np.abs(expected).max(), 1)
    np.testing.assert_allclose(values, expected, rtol=0, atol=steps * STEP * scale)


def test_layers_round_once_to_bfloat16():
    ours = amp_facts.layer(mx, np.dtype([("bfloat16", np.uint16)]))
    for values, expected in zip(ours, BFLOAT16["layer"], strict=True):
        assert values == pytest.approx(expected, rel=2 * STEP, abs=1e-3)
        assert np.mean(np.equal(values, expected)) > 0.9  # sums in another order round otherwise now and then


@pytest.fixture
def brain():
    amp.init("bfloat16")
    yield
    amp.amp._end()


@pytest.mark.parametrize("hybridized", [False, True])
def test_bfloat16_trains_as_mxnet_does(brain, hybridized):
    net = amp_facts.network(mx)
    net.hybridize(hybridized)
    np.testing.assert_allclose(amp_facts.losses(mx, net, scaled=True), BFLOAT16["scaled"], rtol=1e-3)
    x = nd.ones((1, 2, 5, 5))
    assert net(x).dtype.__name__ == "bfloat16"
    assert {p.data().dtype for p in net.collect_params().values()} == {np.float32}


@pytest.mark.parametrize("hybridized", [False, True])
def test_converted_blocks_train_in_bfloat16(hybridized):
    net = amp_facts.converted(mx)
    net.hybridize(hybridized)
    np.testing.assert_allclose(amp_facts.losses(mx, net), BFLOAT16["converted"], rtol=1e-3)


def test_hybridized_bfloat16_runs_in_onnxruntime_alone(caplog):
    net = amp_facts.converted(mx, cast=True)
    x = nd.array(draw(6, 2, 5, 5))
    eager = net(x).asnumpy()
    net.hybridize()
    with caplog.at_level("INFO", logger="hybridonnx"):
        y = net(x)
        with autograd.record():
            trained = net(x)
        trained.backward()
    assert not caplog.records  # which would name what runs on kernels
    np.testing.assert_allclose(y.asnumpy(), eager, rtol=4 * STEP)
    weight = net.collect_params()["net_dense0_weight"]
    assert weight.grad().dtype.__name__ == weight.data().dtype.__name__ == "bfloat16"
    assert np.abs(weight.grad().astype("float32").asnumpy()).max() > 0


def test_each_operator_rounds_although_casts_meet():
    x = sym.var("x")
    graph = sym.sqrt((x * 1.37 + 0.011) * 0.77)
    values = np.linspace(0.1, 9, 500).astype(np.float32)

    def rounded_once(v):
        bits = np.asarray(v, np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)

    expected = rounded_once(values)
    for step in (lambda v: v * np.float32(1.37), lambda v: v + np.float32(0.011)):
        expected = rounded_once(step(expected))
    expected = rounded_once(np.sqrt(rounded_once(expected * np.float32(0.77))))
    block = gluon.SymbolBlock(graph, [x])
    for hybridized in (False, True):
        block.hybridize(hybridized)
        y = block(nd.array(values).astype("bfloat16"))
        np.testing.assert_array_equal(y.astype("float32").asnumpy(), expected)


@pytest.mark.parametrize("cast", [False, True])
def test_bfloat16_in_files_of_onnx(tmp_path, cast):
    net = amp_facts.converted(mx, cast)
    net.hybridize()
    x = nd.array(draw(6, 2, 5, 5))
    y = net(x)
    path = tmp_path / "net.onnx"
    mx.onnx.export_model(net, path, input_shapes=[("batch", 2, 5, 5)])
    graph = onnx.load(path).graph
    kinds = [tensor.data_type for tensor in graph.initializer]
    assert kinds.count(onnx.TensorProto.BFLOAT16) == (4 if cast else 0)
    casts = [node.attribute[0].i for node in graph.node if node.op_type == "Cast"]
    assert onnx.TensorProto.BFLOAT16 in casts
    assert mx.onnx.verify(net, path, inputs=[x]).ok()
    np.testing.assert_array_equal(mx.onnx.import_to_gluon(path)(x).asnumpy(), y.asnumpy())


@pytest.mark.parametrize("name", ["buckets", "trained buckets"])
def test_converted_buckets(name):
    state, outputs, params = amp_facts.buckets(mx, "bfloat16", name == "trained buckets")
    expected_state, expected_outputs, expected_params = BFLOAT16[name]
    assert state == expected_state
    for values, expected in zip((*outputs, *params), (*expected_outputs, *expected_params), strict=True):
        near(values, expected, 2)


@pytest.mark.parametrize("train", [False, True])
def test_converted_buckets_in_float16(train):
    """MXNet's CPU has no such layer, so that bfloat16's numbers, which are less exact, are what is near."""
    _, outputs, params = amp_facts.buckets(mx, "float16", train)
    _, expected, expected_params = BFLOAT16["trained buckets" if train else "buckets"]
    for values, others in zip((*outputs, *params), (*expected, *expected_params), strict=True):
        near(values, others, 4)
    assert outputs != expected


@pytest.mark.parametrize("cast", [False, True])
def test_converted_buckets_keep_what_is_theirs(cast):
    graph = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    module = mx.mod.BucketingModule(lambda key: (graph, ("data",), ()), 3, context=mx.cpu(1))
    module.bind([("data", (1, 3))])
    module.init_params(mx.init.One())
    again = amp.convert_bucketing_module(module, cast_optional_params=cast)
    assert again._options["context"] == mx.cpu(1)
    weight = again.get_params()[0]["fc_weight"]
    assert weight.dtype == (np.float16 if cast else np.float32)
    weight[:] = 0  # a copy
    assert again.get_params()[0]["fc_weight"].asnumpy().all()


def test_operators_without_rules_of_their_own_take_bfloat16():
    x = nd.array([[3.0, 1, 2], [0.5, -1, 4]]).astype("bfloat16")
    np.testing.assert_array_equal(nd.argmax(x, axis=1).asnumpy(), [0, 2])
    assert nd.topk(x, ret_typ="indices").dtype == np.float32
    assert nd.softmax(x).dtype.__name__ == "bfloat16"
    assert nd.sum(x, axis=0).astype("float32").asnumpy().tolist() == [3.5, 0, 6]
    np.testing.assert_array_equal(mx.np.var(x.as_np_ndarray(), axis=0).astype("float32"), [1.5625, 1, 1])
    with pytest.raises(TypeError, match="float16 and bfloat16"):
        x + x.astype("float16")
    with pytest.raises(TypeError, match=r"lhs bfloat16, rhs float32|one dtype"):
        x + nd.ones((2, 3))
