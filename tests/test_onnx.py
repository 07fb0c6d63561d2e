"""`mx.onnx` and `mx.contrib.onnx`: blocks and files in, blocks and files out."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx import symbol as sym
from hybridonnx.converters.to_onnx import _file
from hybridonnx.converters.to_onnx._registry import load_all as lowerings
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import HybridBlock, nn
from hybridonnx.ops import find


def network():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(5))
    net.initialize()
    return net


class Two(HybridBlock):
    """Takes its inputs in another order than it is given them."""

    def hybrid_forward(self, F, x, y):
        return F.broadcast_add(F.exp(y), x), x


def images(rng, batch=2):
    return mx.nd.array(rng.standard_normal((batch, 3, 8, 8)).astype("float32"))


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_block_in_one_call(rng, tmp_path, hybrid):
    net = network()
    if hybrid:
        net.hybridize()
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 8, 8)])
    onnx.checker.check_model(path, full_check=True)
    for batch in (1, 3):
        report = mx.onnx.verify(net, path, images(rng, batch))
        assert report.ok(1e-5), report
    assert mx.onnx.verify(net, path).ok(1e-5)
    assert mx.onnx.verify(net, shapes=[(2, 3, 8, 8)], layers=True).ok(1e-5)


def test_a_block_that_was_never_called(tmp_path):
    """Free sizes that a window would not fit into were they 1; the parameters need the channels alone."""
    net = mx.gluon.nn.HybridSequential()
    net.add(
        mx.gluon.nn.Conv2D(4, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.GlobalAvgPool2D(), mx.gluon.nn.Dense(3)
    )
    net.initialize()
    path = mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=[("batch", 3, "height", "width")])
    assert [p.shape for p in net.collect_params(".*weight").values()] == [(4, 3, 3, 3), (3, 4)]
    for shape in ((1, 3, 5, 8), (2, 3, 9, 4)):
        assert mx.onnx.verify(net, path, shapes=[shape]).ok()


def wrong_relu(g, op, x):
    """A lowering as it must not be: what is negative comes through a little."""
    return g.LeakyRelu(x, alpha=0.1)


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_wrong_lowering_is_seen(rng, tmp_path, monkeypatch, hybrid):
    net = network()
    net(images(rng))
    monkeypatch.setitem(lowerings(), find("Activation"), wrong_relu)
    net.hybridize(hybrid)
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 8, 8)])
    for report in (mx.onnx.verify(net, path), mx.onnx.verify(net, inputs=images(rng))):
        assert not report.ok(1e-3)
        assert not report.outputs[0].ok(1e-3)
        assert report.call[0].ok(1e-5) is not hybrid
        verb = "differs from" if hybrid else "agrees with"
        assert f"the block's own call {verb} the kernels" in str(report)


def test_a_wrong_file_is_told_from_a_wrong_call(rng, tmp_path, monkeypatch):
    net = network()
    net.hybridize()
    net(images(rng))
    right = mx.onnx.export_model(net, str(tmp_path / "right.onnx"), input_shapes=[(2, 3, 8, 8)])
    report = mx.onnx.verify(net, right, layers=True)
    assert report.ok(1e-5), report
    assert "all agree" in str(report)
    monkeypatch.setitem(lowerings(), find("Activation"), wrong_relu)
    wrong = mx.onnx.export_model(net, str(tmp_path / "wrong.onnx"), input_shapes=[(2, 3, 8, 8)])
    report = mx.onnx.verify(net, wrong, layers=True)
    first = report.first_divergence()
    assert first is not None
    assert "relu" in first.name
    assert report.call[0].ok(1e-5)
    net.hybridize()  # compiled anew
    report = mx.onnx.verify(net, right)
    assert report.outputs[0].ok(1e-5)
    assert not report.call[0].ok(1e-3)
    assert not report.ok(1e-3)
    assert report.first_divergence() == report.call[0]


def test_a_file_that_onnx_runtime_refuses(tmp_path):
    path = tmp_path / "bad.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(MXNetError, match="an ONNX model is required, got"):
        mx.onnx.verify(network(), path)
    net = network()
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[(2, 3, 8, 8)])
    with pytest.raises(MXNetError, match="ONNX Runtime could not run"):
        mx.onnx.verify(path, path, np.zeros((2, 3, 9, 9), "float32"))


def test_layers_of_a_model_with_weights_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr(_file, "PROTOBUF_LIMIT", 100)
    net = network()
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[(2, 3, 8, 8)])
    assert len(list(tmp_path.iterdir())) == 2
    report = mx.onnx.verify(net, path, layers=True)
    assert report.ok(1e-5), report
    assert len(report.layers) > 3


def test_a_block_with_inputs_in_another_order(rng, tmp_path):
    net = Two()
    path = mx.onnx.export_model(
        net, tmp_path / "two.onnx", input_shapes=[(2, 1), (2, 3)], in_types=["float32", "float32"]
    )
    x, y = (mx.nd.array(rng.standard_normal(shape)) for shape in [(2, 1), (2, 3)])
    assert mx.onnx.verify(net, path, [x, y]).ok(1e-6)


def test_files_of_mxnet(rng, tmp_path):
    net = network()
    net.hybridize()
    expected = net(images(rng)).asnumpy()
    symbol_file, params_file = net.export(str(tmp_path / "net"))
    path = mx.onnx.export_model(
        symbol_file, params_file, [(2, 3, 8, 8)], np.float32, str(tmp_path / "net.onnx")
    )
    back = mx.contrib.onnx.import_to_gluon(path, mx.cpu())
    rng = np.random.default_rng(0)
    x = images(rng)
    np.testing.assert_allclose(back(x).asnumpy(), net(x).asnumpy(), rtol=1e-4, atol=1e-5)
    assert expected.shape == back(x).shape
    assert mx.onnx.verify(net, back_parts(path), [x]).ok(1e-5)


def back_parts(path):
    return mx.contrib.onnx.import_model(path)


def test_mxnets_older_names(tmp_path):
    symbol = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    params = {"arg:fc_weight": mx.nd.ones((3, 4)), "arg:fc_bias": mx.nd.zeros((3,))}
    path = mx.contrib.onnx.mx2onnx.export_model(
        symbol, params, input_shape=[(2, 4)], input_type=np.float32, onnx_file_path=str(tmp_path / "fc.onnx")
    )
    metadata = mx.contrib.onnx.get_model_metadata(path)
    assert metadata == {
        "input_tensor_data": [("data", (2, 4))],
        "output_tensor_data": [("fc_output", (2, 3))],
    }
    assert mx.contrib.onnx.onnx2mx.import_model.import_model(path)[0].list_outputs() == ["fc_output"]
    assert "Convolution" in mx.onnx.get_operator_support()


def test_parameters_in_two_mappings(tmp_path):
    symbol = sym.BatchNorm(sym.var("data"), name="bn")
    arguments = {"bn_gamma": mx.nd.ones((3,)), "bn_beta": mx.nd.zeros((3,))}
    states = {"bn_moving_mean": mx.nd.zeros((3,)), "bn_moving_var": mx.nd.ones((3,))}
    path = mx.onnx.export_model(
        symbol, [arguments, states], [(2, 3, 4, 4)], onnx_file_path=str(tmp_path / "bn.onnx")
    )
    assert mx.onnx.verify((symbol, arguments, states), path).ok(1e-5)


def test_training_goes_on_after_import(rng, tmp_path):
    path = mx.onnx.export_model(network(), str(tmp_path / "net.onnx"), input_shapes=[(2, 3, 8, 8)])
    net = mx.onnx.import_to_gluon(path)
    with mx.autograd.record():
        loss = (net(images(rng)) ** 2).sum()
    loss.backward()
    grads = [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]
    assert len(grads) == 6
    assert all(float(g.abs().sum().asscalar()) > 0 for g in grads[:1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mx.onnx.export_model(network(), "net.onnx"), "input_shapes is required"),
        (lambda: mx.onnx.verify(network()), "inputs, or their shapes"),
        (lambda: mx.onnx.verify("nothing.onnx", network()), "an ONNX model, or a tuple|does not exist"),
    ],
)
def test_what_is_missing_is_said(call, message):
    with pytest.raises(MXNetError, match=message):
        call()
